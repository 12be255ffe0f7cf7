//! Files and declarations (Go specification, "Source file organization", "Declarations and scope").

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter in each place")]

use super::Walk;
use super::exprs::{Kind, Shape};
use crate::syntax::build::{DOTS_FINAL, DOTS_USE};
use crate::syntax::token::{Op, Tok};

/// What kind of parameters a list has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    /// In brackets, each with a name.
    TypeParams,
    Params,
    /// Results, or a receiver: without `...`.
    Others,
}

/// A parameter as far as its name and type matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Param {
    name: Option<usize>,
    /// Where its type starts.
    ty: Option<usize>,
    /// With `...`.
    dots: bool,
}

impl Walk<'_> {
    pub(super) fn file(&mut self) {
        if self.tok != "package" {
            // in a script the word has no place
            if self.tokens.iter().any(|t| t.tok == Tok::Package) {
                self.error("package statement must be first");
            } else {
                self.script();
            }
            return;
        }
        self.next();
        self.name();
        self.want(";");
        if self.has_erred() {
            return;
        }
        let mut before = "";
        let mut bodiless = false;
        while self.tok != "EOF" {
            if self.tok == "import" && !before.is_empty() && before != "import" {
                self.error("imports must appear before other declarations");
            }
            before = self.tok;
            match self.tok {
                "import" | "const" | "type" | "var" => {
                    self.group();
                    bodiless = false;
                }
                "func" => {
                    self.next();
                    bodiless = !self.func_decl();
                }
                _ => {
                    if self.tok == "{" && bodiless {
                        self.error("unexpected semicolon or newline before {");
                    } else {
                        self.error("non-declaration statement outside function body");
                    }
                    self.advance(&["import", "const", "type", "var", "func"]);
                    continue;
                }
            }
            if self.tok != "EOF" && !self.got(";") {
                self.error("after top level declaration");
                self.advance(&["import", "const", "type", "var", "func"]);
            }
        }
    }

    /// A file without a package clause: statements, functions and imports in any order. Go has no words of its own for this.
    fn script(&mut self) {
        while self.tok != "EOF" {
            let declares = match self.tok {
                "import" => true,
                "func" => matches!(self.peek(), "name" | "(") && self.starts_func_decl(),
                _ => false,
            };
            if self.tok == "import" {
                self.group();
            } else if declares {
                self.next();
                self.func_decl();
            } else if !self.stmt() {
                self.error("expected statement");
                self.advance(&[]);
                continue;
            }
            if self.tok != "EOF" && !self.got(";") {
                self.error("at end of statement");
                self.advance(&[";", "}"]);
                self.got(";");
                self.got("}");
            }
        }
    }

    /// The kind of the token after the current one.
    fn peek(&self) -> &'static str {
        self.tokens.get(self.at + 1).map_or("EOF", |t| super::kind(t.tok).0)
    }

    /// Whether `func` begins a declaration: a name follows, perhaps after a receiver and before parameters.
    fn starts_func_decl(&self) -> bool {
        if self.peek() == "name" {
            return true;
        }
        let mut depth = 0;
        for (i, t) in self.tokens.iter().enumerate().skip(self.at + 1) {
            match super::kind(t.tok).0 {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let after = self.tokens.get(i + 1).map_or("EOF", |t| super::kind(t.tok).0);
                let then = self.tokens.get(i + 2).map_or("EOF", |t| super::kind(t.tok).0);
                return after == "name" && matches!(then, "(" | "[");
            }
        }
        false
    }

    /// A keyword and one declaration, or several in parentheses.
    pub(super) fn group(&mut self) {
        let keyword = self.tok;
        self.next();
        let one = |w: &mut Self| match keyword {
            "import" => w.import_decl(),
            "const" => w.const_decl(),
            "type" => w.type_decl(),
            _ => w.var_decl(),
        };
        if self.got("(") {
            self.list("grouped declaration", ";", ")", |w| {
                one(w);
                false
            });
        } else {
            one(self);
        }
    }

    fn import_decl(&mut self) {
        if matches!(self.tok, "name" | ".") {
            self.next();
        }
        if self.tok != "literal" {
            self.error("missing import path");
            self.advance(&[";", ")"]);
            return;
        }
        if !self.text(self.at).starts_with(['"', '`']) {
            self.error("import path must be a string");
        }
        self.next();
    }

    fn const_decl(&mut self) {
        self.name();
        self.more_names();
        if !matches!(self.tok, "EOF" | ";" | ")") {
            self.type_or_nil();
            if self.got_assign() {
                self.expr_list();
            }
        }
    }

    fn var_decl(&mut self) {
        self.name();
        self.more_names();
        if self.got_assign() {
            self.expr_list();
            return;
        }
        self.type_();
        if self.got_assign() {
            self.expr_list();
        }
    }

    fn type_decl(&mut self) {
        self.name();
        let has_type = if self.got("[") {
            self.type_decl_bracket()
        } else {
            self.got_assign();
            self.type_or_nil().is_some()
        };
        if !has_type {
            self.error("in type declaration");
            self.advance(&[";", ")"]);
        }
    }

    /// After `type T [`: type parameters, or an array or slice type.
    fn type_decl_bracket(&mut self) -> bool {
        match self.tok {
            "name" => {}
            "]" => {
                self.next();
                self.type_();
                return true;
            }
            _ => {
                self.array_type(false);
                return true;
            }
        }
        let first = self.at;
        self.next();
        let mut x = Shape::new(first, Kind::Name);
        if self.tok != "[" {
            self.xnest += 1;
            let operand = self.pexpr(Some(x), false);
            x = self.binary(Some(operand), 0);
            self.xnest -= 1;
        }
        match type_param(&x, self.tok == ",") {
            Some((name, ty)) if ty.is_some() || self.tok != "]" => {
                self.param_list(
                    Some(Param { name: Some(name), ty, dots: false }),
                    "]",
                    List::TypeParams,
                );
                self.got_assign();
                self.type_or_nil().is_some()
            }
            _ => {
                self.array_type(true);
                true
            }
        }
    }

    /// After `func`. Tells whether there was a body.
    fn func_decl(&mut self) -> bool {
        let mut is_method = false;
        if self.got("(") {
            is_method = true;
            match self.param_list(None, ")", List::Others) {
                0 => self.plain(self.at, "method has no receiver"),
                1 => {}
                _ => self.plain(self.at, "method has multiple receivers"),
            }
        }
        if self.tok == "name" {
            self.next();
            self.func_type("");
        } else {
            self.error(if is_method { "expected name" } else { "expected name or (" });
            self.advance(&["{", ";"]);
        }
        let has_body = self.tok == "{";
        if has_body {
            self.func_body();
        }
        has_body
    }

    /// A body with its braces. Nothing is wrong in it if there are no more complaints after it than before.
    pub(super) fn func_body(&mut self) {
        let (start, inner) = (self.at, self.bodies.len());
        let before = self.errors();
        self.fnest += 1;
        self.block("");
        self.fnest -= 1;
        if self.errors() == before {
            self.bodies.truncate(inner);
            self.bodies.push(start..self.at);
        }
    }

    /// How much was wrong before the current token.
    fn errors(&self) -> usize {
        let here = self.offset(self.at);
        self.out.len() + self.unreadable.partition_point(|&at| at < here)
    }

    /// Type parameters, parameters and results. `context`: what may have no type parameters.
    pub(super) fn func_type(&mut self, context: &str) {
        let bracket = self.at;
        if self.got("[") {
            if !context.is_empty() {
                self.error_at(bracket, &format!("{context} must have no type parameters"));
            }
            if self.tok == "]" {
                self.error("empty type parameter list");
                self.next();
            } else {
                self.param_list(None, "]", List::TypeParams);
            }
        }
        self.want("(");
        self.param_list(None, ")", List::Params);
        if self.got("(") {
            self.param_list(None, ")", List::Others);
        } else {
            self.type_or_nil();
        }
    }

    /// Parameters up to `close`, the first perhaps read already; gives their number.
    pub(super) fn param_list(
        &mut self,
        first: Option<Param>,
        close: &'static str,
        what: List,
    ) -> usize {
        if first.is_some_and(|p| p.ty.is_some()) && self.tok == close {
            self.next();
            return 1;
        }
        let mut pending = first;
        let mut list: Vec<Param> = vec![];
        let end = self.list("parameter list", ",", close, |w| {
            let param = match pending.take() {
                Some(p) if p.ty.is_some() => Some(p),
                p => w.param_decl(p.and_then(|p| p.name), close),
            };
            list.extend(param);
            false
        });
        self.check_names(&list, what == List::TypeParams, end);
        for (i, p) in list.iter().enumerate() {
            let Some(at) = p.ty.filter(|_| p.dots) else { continue };
            if what != List::Params {
                self.plain(at, DOTS_USE);
            } else if i + 1 < list.len() {
                self.plain(at, DOTS_FINAL);
            }
        }
        list.len()
    }

    /// Either all parameters have names or none.
    fn check_names(&mut self, list: &[Param], names_required: bool, end: usize) {
        let named = list.iter().filter(|p| p.name.is_some() && p.ty.is_some()).count();
        if list.is_empty() || (named == 0 && !names_required) || named == list.len() {
            return;
        }
        let typed = list.iter().filter(|p| p.ty.is_some()).count();
        let mut at = None;
        let mut has_type = false;
        for p in list.iter().rev() {
            match (p.name, p.ty) {
                (_, Some(ty)) => {
                    has_type = true;
                    if p.name.is_none() {
                        at = Some(ty);
                    }
                }
                (name, None) if !has_type => at = name,
                (_, None) => {}
            }
        }
        let Some(at) = at else { return };
        let (at, words) = match (named == typed, names_required) {
            (true, true) => (end, "missing type constraint"),
            (true, false) => (end, "missing parameter type"),
            (false, true) if list.len() == 1 => {
                (at, "missing type parameter name or invalid array length")
            }
            (false, true) => (at, "missing type parameter name"),
            (false, false) => (at, "missing parameter name"),
        };
        self.error_at(at, words);
    }

    /// One parameter. `follow` closes the list: in brackets, unions are types too.
    fn param_decl(&mut self, name: Option<usize>, follow: &'static str) -> Option<Param> {
        let unions = follow == "]";
        let start = name.unwrap_or(self.at);
        if name.is_none() && unions && self.is_op(Op::Tilde) {
            self.embedded_elem(false);
            return Some(Param { ty: Some(start), ..Param::default() });
        }
        let mut p = Param::default();
        if self.tok == "name" || name.is_some() {
            if name.is_none() {
                self.next();
            }
            if let Some(done) = self.param_after_name(start, unions) {
                return Some(done);
            }
            p.name = Some(start);
        }
        let ty = self.at;
        if self.got("...") {
            let dots = self.type_or_nil().is_some();
            if !dots {
                self.error("... is missing type");
            }
            return Some(Param { ty: Some(ty), dots, ..p });
        }
        if unions && self.is_op(Op::Tilde) {
            self.embedded_elem(false);
            return Some(Param { ty: Some(ty), ..p });
        }
        if self.type_or_nil().is_some() {
            p.ty = Some(ty);
            if unions && self.is_op(Op::Or) {
                self.embedded_elem(true);
            }
        }
        if p.name.is_some() || p.ty.is_some() {
            return Some(p);
        }
        self.error(&format!("expected {}", super::shown(follow)));
        self.advance(&[",", follow]);
        None
    }

    /// A parameter that a name and a bracket, a dot or a bar begin.
    fn param_after_name(&mut self, start: usize, unions: bool) -> Option<Param> {
        let mut p = Param { ty: Some(start), ..Param::default() };
        match self.tok {
            "[" => {
                let ty = self.at;
                if self.array_or_args() {
                    p = Param { name: Some(start), ty: Some(ty), dots: false };
                }
            }
            "." => self.qualified_name(true),
            _ if unions && self.is_op(Op::Or) => {}
            _ => return None,
        }
        if unions && self.is_op(Op::Or) {
            self.embedded_elem(true);
        }
        Some(p)
    }
}

/// Takes `P C` apart where it was read as an expression: `P *C`, `P (C)`, `P *C|D`. Gives the name and where the type starts.
fn type_param(x: &Shape, force: bool) -> Option<(usize, Option<usize>)> {
    match &x.kind {
        Kind::Name => Some((x.start, None)),
        Kind::Binary(Op::Mul, l, r) if matches!(l.kind, Kind::Name) => {
            (force || r.is_type_elem()).then_some((l.start, Some(l.start + 1)))
        }
        Kind::Binary(Op::Or, l, r) => {
            type_param(l, force || r.is_type_elem()).filter(|(_, ty)| ty.is_some())
        }
        Kind::Call(f, args) if matches!(f.kind, Kind::Name) => match args.as_slice() {
            [arg] if force || arg.is_type_elem() => Some((f.start, Some(arg.start))),
            _ => None,
        },
        _ => None,
    }
}
