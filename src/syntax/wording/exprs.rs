//! Expressions (Go specification, "Expressions").

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter in each place")]

use super::Walk;
use crate::syntax::token::Op;

/// What later decisions need to know of an expression.
#[derive(Debug)]
pub(super) struct Shape {
    /// The token where it starts.
    pub(super) start: usize,
    pub(super) kind: Kind,
}

/// Its outermost production.
#[derive(Debug)]
pub(super) enum Kind {
    Bad,
    Name,
    /// A name in the place of a type.
    TypeName,
    /// `x.f`.
    Selector,
    Paren(Box<Shape>),
    /// `x[i]`: whether an operand in it is a value for certain.
    Index(bool),
    /// A function literal, literal, slice, assertion, or composite literal.
    Value,
    /// `x.(type)`.
    Guard,
    Call(Box<Shape>, Vec<Shape>),
    /// `*x`.
    Star(Box<Shape>),
    Unary(Op, Box<Shape>),
    Binary(Op, Box<Shape>, Box<Shape>),
    /// The direction (`Some(true)`: sends only, `Some(false)`: receives only) and the element.
    Chan(Option<bool>, Box<Shape>),
    /// An array, slice, struct or map type.
    CompositeType,
    /// A function or interface type.
    OtherType,
    List,
}

impl Shape {
    pub(super) fn new(start: usize, kind: Kind) -> Shape {
        Shape { start, kind }
    }

    fn unparen(&self) -> &Shape {
        match &self.kind {
            Kind::Paren(x) => x.unparen(),
            _ => self,
        }
    }

    /// It can only be a value, not a type.
    fn is_value(&self) -> bool {
        match &self.kind {
            Kind::Value | Kind::Guard | Kind::Call(..) | Kind::Unary(..) | Kind::Binary(..) => true,
            Kind::Index(is_value) => *is_value,
            Kind::Paren(x) => x.is_value(),
            _ => false,
        }
    }

    /// It can only be a type or a union.
    pub(super) fn is_type_elem(&self) -> bool {
        match &self.kind {
            Kind::CompositeType | Kind::OtherType | Kind::Chan(..) => true,
            Kind::Unary(op, x) => *op == Op::Tilde || x.is_type_elem(),
            Kind::Star(x) | Kind::Paren(x) => x.is_type_elem(),
            Kind::Binary(_, x, y) => x.is_type_elem() || y.is_type_elem(),
            _ => false,
        }
    }
}

impl Walk<'_> {
    pub(super) fn expr(&mut self) -> Shape {
        self.binary(None, 0)
    }

    pub(super) fn expr_list(&mut self) -> Shape {
        let first = self.expr();
        if self.tok != "," {
            return first;
        }
        while self.got(",") {
            self.expr();
        }
        Shape::new(first.start, Kind::List)
    }

    pub(super) fn binary(&mut self, left: Option<Shape>, above: u8) -> Shape {
        let start = self.at;
        if !self.deeper() {
            return Shape::new(start, Kind::Bad);
        }
        let mut x = match left {
            Some(x) => x,
            None => self.unary(),
        };
        while self.precedence() > above {
            let (Some(op), strength) = (self.op, self.precedence()) else { break };
            self.next();
            let y = self.binary(None, strength);
            x = Shape::new(x.start, Kind::Binary(op, Box::new(x), Box::new(y)));
        }
        self.depth -= 1;
        x
    }

    fn unary(&mut self) -> Shape {
        let start = self.at;
        if !self.deeper() {
            return Shape::new(start, Kind::Bad);
        }
        let x = match (self.tok, self.op) {
            ("*", _) => {
                self.next();
                Shape::new(start, Kind::Star(Box::new(self.unary())))
            }
            ("op", Some(op @ (Op::Add | Op::Sub | Op::Not | Op::Xor | Op::Tilde | Op::And))) => {
                self.next();
                Shape::new(start, Kind::Unary(op, Box::new(self.unary())))
            }
            ("<-", _) => {
                self.next();
                let x = self.unary();
                self.received(start, x)
            }
            _ => self.pexpr(None, true),
        };
        self.depth -= 1;
        x
    }

    /// Keeps in mind that a type from `start` on stands in the place of an operand, unless a literal or a conversion begins with it.
    fn type_operand(&mut self, start: usize, kind: &Kind) {
        let begins = match self.tok {
            "(" => true,
            "{" => matches!(kind, Kind::CompositeType),
            _ => false,
        };
        if !begins {
            self.types.push(start..self.at);
        }
    }

    /// `<-x`: receives, unless `x` is a channel type; then the arrow belongs to that.
    fn received(&mut self, start: usize, x: Shape) -> Shape {
        if !matches!(x.kind, Kind::Chan(..)) {
            return Shape::new(start, Kind::Unary(Op::Recv, Box::new(x)));
        }
        let mut t = &x;
        let mut sends = true;
        while sends && let Kind::Chan(dir, elem) = &t.kind {
            sends = *dir == Some(true);
            if *dir == Some(false) {
                self.error("unexpected <-, expected chan");
            }
            t = elem;
        }
        if let Some(last) = self.types.last_mut().filter(|r| r.start == start + 1) {
            last.start = start;
        }
        if sends {
            let end = self.at;
            let text = self.source(t.start, end);
            self.error(&format!("unexpected {text}, expected chan"));
        }
        Shape::new(start, Kind::Chan(Some(false), Box::new(Shape::new(start, Kind::Bad))))
    }

    /// The text from one token up to another, blanks as they are.
    pub(super) fn source(&self, from: usize, to: usize) -> String {
        let start = self.offset(from) as usize;
        let end =
            to.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |t| t.end as usize);
        self.src.get(start..end).unwrap_or("").to_string()
    }

    fn operand(&mut self, keep_parens: bool) -> Shape {
        let start = self.at;
        match self.tok {
            "name" => {
                self.next();
                Shape::new(start, Kind::Name)
            }
            "literal" => {
                self.next();
                Shape::new(start, Kind::Value)
            }
            "(" => {
                self.next();
                self.xnest += 1;
                let x = self.expr();
                self.xnest -= 1;
                self.want(")");
                if keep_parens || self.tok == "{" {
                    Shape::new(start, Kind::Paren(Box::new(x)))
                } else {
                    x
                }
            }
            "func" => {
                self.next();
                self.func_type("function type");
                if self.tok != "{" {
                    self.type_operand(start, &Kind::OtherType);
                    return Shape::new(start, Kind::OtherType);
                }
                self.xnest += 1;
                self.func_body();
                self.xnest -= 1;
                Shape::new(start, Kind::Value)
            }
            "[" | "chan" | "map" | "struct" | "interface" => {
                let ty = self.type_();
                self.type_operand(start, &ty.kind);
                ty
            }
            _ => {
                self.error("expected expression");
                self.advance(&[")", "]", "}"]);
                Shape::new(start, Kind::Bad)
            }
        }
    }

    /// An operand with what follows it: selectors, indexes, calls, elements.
    pub(super) fn pexpr(&mut self, operand: Option<Shape>, keep_parens: bool) -> Shape {
        let mut x = match operand {
            Some(x) => x,
            None => self.operand(keep_parens),
        };
        let start = x.start;
        loop {
            let kind = match self.tok {
                "." => self.selector(),
                "[" => self.index(&x),
                "(" => {
                    self.next();
                    let args = self.arguments();
                    Kind::Call(Box::new(x), args)
                }
                "{" => {
                    if !self.may_have_elements(x.unparen()) {
                        return x;
                    }
                    if let Kind::Paren(_) = x.kind {
                        self.error("cannot parenthesize type in composite literal");
                    }
                    self.elements();
                    Kind::Value
                }
                _ => return x,
            };
            x = Shape::new(start, kind);
        }
    }

    /// Whether `{` after this begins the elements of a composite literal, not a block.
    fn may_have_elements(&self, x: &Shape) -> bool {
        match x.kind {
            Kind::Name | Kind::Selector => self.xnest >= 0,
            Kind::Index(is_value) => self.xnest >= 0 && !is_value,
            Kind::CompositeType => true,
            _ => false,
        }
    }

    fn selector(&mut self) -> Kind {
        self.next();
        match self.tok {
            "name" => {
                self.next();
                Kind::Selector
            }
            "(" => {
                self.next();
                let kind = if self.got("type") {
                    Kind::Guard
                } else {
                    self.type_();
                    Kind::Value
                };
                self.want(")");
                kind
            }
            _ => {
                self.error("expected name or (");
                self.advance(&[";", ")"]);
                Kind::Selector
            }
        }
    }

    fn index(&mut self, x: &Shape) -> Kind {
        self.next();
        let mut is_value = x.is_value();
        if self.tok != ":" {
            let mut comma = false;
            if self.tok == "]" {
                self.error("expected operand");
            } else {
                let (i, more) = self.type_list(false);
                comma = more;
                is_value |= i.is_value();
            }
            if comma || self.tok == "]" {
                self.want("]");
                return Kind::Index(is_value);
            }
        }
        self.slice()
    }

    /// From the first colon of a slice expression on.
    fn slice(&mut self) -> Kind {
        if !self.got(":") {
            self.error("expected comma, : or ]");
            self.advance(&[",", ":", "]"]);
        }
        self.xnest += 1;
        let has_middle = !matches!(self.tok, ":" | "]");
        if has_middle {
            self.expr();
        }
        if self.tok == ":" {
            if !has_middle {
                self.plain(self.at, "middle index required in 3-index slice");
            }
            self.next();
            if self.tok == "]" {
                self.plain(self.at, "final index required in 3-index slice");
            } else {
                self.expr();
            }
        }
        self.xnest -= 1;
        self.want("]");
        Kind::Value
    }

    /// After the opening parenthesis of a call.
    fn arguments(&mut self) -> Vec<Shape> {
        let mut list = vec![];
        self.xnest += 1;
        self.list("argument list", ",", ")", |w| {
            list.push(w.expr());
            w.got("...")
        });
        self.xnest -= 1;
        list
    }

    /// The elements of a composite literal, its braces included.
    fn elements(&mut self) {
        self.xnest += 1;
        self.want("{");
        self.list("composite literal", ",", "}", |w| {
            w.element();
            if w.got(":") {
                w.element();
            }
            false
        });
        self.xnest -= 1;
    }

    fn element(&mut self) {
        if self.tok != "{" {
            self.expr();
        } else if self.deeper() {
            self.elements();
            self.depth -= 1;
        }
    }
}
