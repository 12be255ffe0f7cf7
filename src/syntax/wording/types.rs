//! Types (Go specification, "Types", "Interface types").

use super::Walk;
use super::exprs::{Kind, Shape};
use crate::syntax::token::Op;

impl Walk<'_> {
    /// A type, or a complaint that there is none.
    pub(super) fn type_(&mut self) -> Shape {
        match self.type_or_nil() {
            Some(ty) => ty,
            None => {
                let start = self.at;
                self.error("expected type");
                self.advance(&[",", ":", ";", ")", "]", "}"]);
                Shape::new(start, Kind::Bad)
            }
        }
    }

    /// A type if one begins here.
    pub(super) fn type_or_nil(&mut self) -> Option<Shape> {
        if !self.deeper() {
            return None;
        }
        let ty = self.type_inner();
        self.depth -= 1;
        ty
    }

    fn type_inner(&mut self) -> Option<Shape> {
        let start = self.at;
        let kind = match self.tok {
            "*" => {
                self.next();
                Kind::Star(Box::new(self.type_()))
            }
            "<-" => {
                self.next();
                self.want("chan");
                Kind::Chan(Some(false), Box::new(self.chan_elem()))
            }
            "func" => {
                self.next();
                self.func_type("function type");
                Kind::OtherType
            }
            "[" => {
                self.next();
                if self.got("]") {
                    self.type_();
                } else {
                    self.array_type(false);
                }
                Kind::CompositeType
            }
            "chan" => {
                self.next();
                let sends = self.got("<-").then_some(true);
                Kind::Chan(sends, Box::new(self.chan_elem()))
            }
            "map" => {
                self.next();
                self.want("[");
                self.type_();
                self.want("]");
                self.type_();
                Kind::CompositeType
            }
            "struct" => self.struct_type(),
            "interface" => self.interface_type(),
            "name" => {
                self.qualified_name(false);
                Kind::TypeName
            }
            "(" => {
                self.next();
                let inner = self.type_();
                self.want(")");
                Kind::Paren(Box::new(inner))
            }
            _ => return None,
        };
        Some(Shape::new(start, kind))
    }

    /// `p.T[A]`; the first name is perhaps read already.
    pub(super) fn qualified_name(&mut self, has_name: bool) {
        if !has_name {
            if self.tok == "name" {
                self.next();
            } else {
                self.error("expected name");
                self.advance(&[".", ";", "}"]);
            }
        }
        if self.got(".") {
            self.name();
        }
        if self.got("[") {
            if self.tok == "]" {
                self.error("expected type argument list");
            } else {
                self.type_list(true);
            }
            self.want("]");
        }
    }

    /// Types between commas; the first may be an expression unless `strict`. Gives the first, and whether there was a comma.
    pub(super) fn type_list(&mut self, strict: bool) -> (Shape, bool) {
        self.xnest += 1;
        let first = if strict { self.type_() } else { self.expr() };
        let comma = self.got(",");
        if comma && self.type_or_nil().is_some() {
            while self.got(",") {
                if self.type_or_nil().is_none() {
                    break;
                }
            }
        }
        self.xnest -= 1;
        (first, comma)
    }

    /// After `[`, the length perhaps read already.
    pub(super) fn array_type(&mut self, has_length: bool) {
        if !has_length && !self.got("...") {
            self.xnest += 1;
            self.expr();
            self.xnest -= 1;
        }
        if self.tok == "," {
            self.error("unexpected comma; expected ]");
            self.next();
        }
        self.want("]");
        self.type_();
    }

    /// After a name: `[n]E` or `[]E` (true), or type arguments.
    pub(super) fn array_or_args(&mut self) -> bool {
        self.want("[");
        if self.got("]") {
            self.type_();
            return true;
        }
        let (_, comma) = self.type_list(false);
        self.want("]");
        !comma && self.type_or_nil().is_some()
    }

    fn chan_elem(&mut self) -> Shape {
        let start = self.at;
        match self.type_or_nil() {
            Some(ty) => ty,
            None => {
                self.error("missing channel element type");
                Shape::new(start, Kind::Bad)
            }
        }
    }

    fn struct_type(&mut self) -> Kind {
        self.want("struct");
        self.want("{");
        self.list("struct type", ";", "}", |w| {
            w.field_decl();
            false
        });
        Kind::CompositeType
    }

    fn field_decl(&mut self) {
        match self.tok {
            "name" => {
                self.next();
                if matches!(self.tok, "." | "literal" | ";" | "}") {
                    self.qualified_name(true);
                } else if self.more_names() == 1 && self.tok == "[" {
                    self.array_or_args();
                } else {
                    self.type_();
                }
            }
            "*" => {
                self.next();
                if self.tok == "(" {
                    self.error("cannot parenthesize embedded type");
                    self.next();
                    self.qualified_name(false);
                    self.got(")");
                } else {
                    self.qualified_name(false);
                }
            }
            "(" => {
                self.error("cannot parenthesize embedded type");
                self.next();
                self.got("*");
                self.qualified_name(false);
                self.got(")");
            }
            _ => {
                self.error("expected field name or embedded type");
                self.advance(&[";", "}"]);
                return;
            }
        }
        self.got("literal");
    }

    fn interface_type(&mut self) -> Kind {
        self.want("interface");
        self.want("{");
        self.list("interface type", ";", "}", |w| {
            if w.tok != "name" {
                w.embedded_elem(false);
            } else if !w.method_decl() {
                w.embedded_elem(true);
            }
            false
        });
        Kind::OtherType
    }

    /// A method of an interface (true), or the first type of an embedded element.
    fn method_decl(&mut self) -> bool {
        self.next();
        match self.tok {
            "(" => {
                self.func_type("interface method");
                true
            }
            "[" => {
                let bracket = self.at;
                self.next();
                if self.tok == "]" {
                    let at = self.at;
                    self.next();
                    if self.tok == "(" {
                        self.plain(at, "empty type parameter list");
                        self.func_type("interface method");
                        return true;
                    }
                    self.plain(at, "empty type argument list");
                    return false;
                }
                self.param_list(None, "]", super::decls::List::Others);
                if self.tok == "(" {
                    self.plain(bracket, "interface method must have no type parameters");
                    self.func_type("interface method");
                    return true;
                }
                false
            }
            _ => {
                self.qualified_name(true);
                false
            }
        }
    }

    /// Terms between bars; the first perhaps read already.
    pub(super) fn embedded_elem(&mut self, has_first: bool) {
        if !has_first {
            self.embedded_term();
        }
        while self.is_op(Op::Or) {
            self.next();
            self.embedded_term();
        }
    }

    fn embedded_term(&mut self) {
        if self.is_op(Op::Tilde) {
            self.next();
            self.type_();
        } else if self.type_or_nil().is_none() {
            self.error("expected ~ term or type");
            self.advance(&["op", ";", ")", "]", "}"]);
        }
    }
}
