//! Statements (Go specification, "Statements").

use super::Walk;
use super::exprs::{Kind, Shape};
use crate::syntax::token::Op;

/// A simple statement as far as the head of an if, for or switch cares.
#[derive(Debug)]
enum Simple {
    /// An expression, or a guard of a type switch.
    Expr,
    /// An assignment, a send, an increment: whether it is `:=`, where its operator stands, and its text.
    Assign { defines: bool, operator: usize, text: String },
    /// A range clause.
    Range,
}

impl Walk<'_> {
    /// A block with its braces. `context`: the clause that it should follow.
    pub(super) fn block(&mut self, context: &str) {
        if !self.got("{") {
            self.error(&format!("expected {{ after {context}"));
            self.advance(&["name", "}"]);
            if self.got("}") {
                return;
            }
        }
        self.stmts();
        self.want("}");
    }

    fn stmts(&mut self) {
        while !matches!(self.tok, "EOF" | "}" | "case" | "default") {
            if !self.stmt() {
                return;
            }
            if !self.got(";") && self.tok != "}" {
                self.error("at end of statement");
                self.advance(&[";", "}", "case", "default"]);
                self.got(";");
            }
        }
    }

    /// A statement if one begins here.
    pub(super) fn stmt(&mut self) -> bool {
        if !self.deeper() {
            return false;
        }
        let is = self.stmt_inner();
        self.depth -= 1;
        is
    }

    fn stmt_inner(&mut self) -> bool {
        match self.tok {
            "name" => {
                let lhs = self.expr_list();
                if let (Kind::Name, ":") = (&lhs.kind, self.tok) {
                    return self.labeled();
                }
                self.simple(Some(lhs), "");
            }
            "var" | "const" | "type" => self.group(),
            "{" => self.block(""),
            "op" | "*" => {
                let unary = matches!(
                    self.op,
                    Some(Op::Add | Op::Sub | Op::Mul | Op::And | Op::Xor | Op::Not | Op::Tilde)
                );
                if !unary {
                    return false;
                }
                self.simple(None, "");
            }
            "literal" | "func" | "(" | "[" | "struct" | "map" | "chan" | "interface" | "<-" => {
                self.simple(None, "");
            }
            "for" => {
                self.header("for");
                self.block("for clause");
            }
            "if" => self.if_stmt(),
            "switch" => {
                self.header("switch");
                self.clauses("switch");
            }
            "select" => {
                self.next();
                self.clauses("select");
            }
            "fallthrough" => self.next(),
            "break" | "continue" => {
                self.next();
                self.got("name");
            }
            "go" | "defer" => self.call_stmt(),
            "goto" => {
                self.next();
                self.name();
            }
            "return" => {
                self.next();
                if !matches!(self.tok, ";" | "}") {
                    self.expr_list();
                }
            }
            ";" => {}
            _ => return false,
        }
        true
    }

    fn labeled(&mut self) -> bool {
        let colon = self.at;
        self.want(":");
        if self.tok == "}" || self.stmt() {
            return true;
        }
        self.error_at(colon, "missing statement after label");
        false
    }

    fn call_stmt(&mut self) {
        let keyword = self.tok;
        self.next();
        let x = self.pexpr(None, self.tok == "(");
        if let Kind::Paren(_) = x.kind {
            self.plain(x.start, &format!("expression in {keyword} must not be parenthesized"));
        }
    }

    fn if_stmt(&mut self) {
        self.header("if");
        self.block("if clause");
        if !self.got("else") {
            return;
        }
        match self.tok {
            "if" => {
                if self.deeper() {
                    self.if_stmt();
                    self.depth -= 1;
                }
            }
            "{" => self.block(""),
            _ => {
                self.error("else must be followed by if or statement block");
                self.advance(&["name", "}"]);
            }
        }
    }

    /// The clauses of a switch or select, with the braces around them.
    fn clauses(&mut self, what: &str) {
        if !self.got("{") {
            self.error(&format!("missing {{ after {what} clause"));
            self.advance(&["case", "default", "}"]);
        }
        while !matches!(self.tok, "EOF" | "}") {
            match self.tok {
                "case" => {
                    self.next();
                    if what == "switch" {
                        self.expr_list();
                    } else {
                        self.simple(None, "");
                    }
                }
                "default" => self.next(),
                _ => {
                    self.error("expected case or default or }");
                    self.advance(&[":", "case", "default", "}"]);
                }
            }
            self.want(":");
            self.stmts();
        }
        self.want("}");
    }

    /// A simple statement, its first operands perhaps read already. `keyword`: the statement whose head it is in.
    fn simple(&mut self, lhs: Option<Shape>, keyword: &str) -> Simple {
        if keyword == "for" && self.got("range") {
            self.expr();
            return Simple::Range;
        }
        let lhs = match lhs {
            Some(lhs) => lhs,
            None => self.expr_list(),
        };
        let single = !matches!(lhs.kind, Kind::List);
        let operator = self.at;
        match self.tok {
            "=" | ":=" => self.assignment(&lhs, keyword),
            "op=" | "<-" if single => {
                self.next();
                self.expr();
                let text = self.printed(lhs.start, self.at);
                Simple::Assign { defines: false, operator, text }
            }
            "++" if single => {
                self.next();
                let text = self.printed(lhs.start, self.at);
                Simple::Assign { defines: false, operator, text }
            }
            _ if single => Simple::Expr,
            _ => {
                self.error("expected := or = or comma");
                self.advance(&[";", "}"]);
                Simple::Expr
            }
        }
    }

    fn assignment(&mut self, lhs: &Shape, keyword: &str) -> Simple {
        let operator = self.at;
        let defines = self.tok == ":=";
        self.next();
        if keyword == "for" && self.got("range") {
            self.expr();
            return Simple::Range;
        }
        let rhs = self.expr_list();
        let guards = matches!(rhs.kind, Kind::Guard) && matches!(lhs.kind, Kind::Name);
        if guards && keyword == "switch" && defines {
            return Simple::Expr;
        }
        let text = if defines {
            self.printed(lhs.start, self.at)
        } else {
            // parentheses make the `=` stand out
            let side = |x: &Shape, text: String| {
                if let Kind::Binary(..) = x.kind { format!("({text})") } else { text }
            };
            let l = side(lhs, self.printed(lhs.start, operator));
            let r = side(&rhs, self.printed(operator + 1, self.at));
            format!("assignment {l} = {r}")
        };
        Simple::Assign { defines, operator, text }
    }

    /// Tokens as Go prints them: blanks around binary operators and after commas only.
    fn printed(&self, from: usize, to: usize) -> String {
        let mut out = String::new();
        let mut after_operand = false;
        for at in from..to {
            let (kind, _) = super::kind(self.tokens[at].tok);
            let text = self.text(at);
            let spaced = matches!(kind, "op=" | "=" | ":=")
                || (after_operand && matches!(kind, "op" | "*" | "<-"));
            match (spaced, kind) {
                (true, _) => out.push_str(&format!(" {text} ")),
                (false, ",") => out.push_str(", "),
                (false, _) => out.push_str(text),
            }
            after_operand = matches!(kind, "name" | "literal" | ")" | "]" | "}");
        }
        out
    }

    /// The head of an if, for or switch.
    fn header(&mut self, keyword: &str) {
        self.next();
        if self.tok == "{" {
            if keyword == "if" {
                self.error("missing condition in if statement");
            }
            return;
        }
        let outer = std::mem::replace(&mut self.xnest, -1);
        let mut init = None;
        if self.tok != ";" {
            if self.got("var") {
                self.error(&format!("var declaration not allowed in {keyword} initializer"));
            }
            init = Some(self.simple(None, keyword));
            if let Some(Simple::Range) = init {
                self.xnest = outer;
                return;
            }
        }
        if self.tok == "{" {
            self.xnest = outer;
            self.condition(init, None, keyword);
            return;
        }
        let semicolon = (self.tok == ";").then_some(self.at);
        if semicolon.is_some() {
            self.next();
        } else {
            // asking for the brace reads better than asking for a semicolon
            self.want("{");
            if self.tok != "{" {
                self.advance(&["{", "}"]);
            }
        }
        let cond = self.after_init(keyword);
        self.xnest = outer;
        if let Some(cond) = cond {
            self.condition(cond, semicolon, keyword);
        }
    }

    /// The rest of a head after its first semicolon: the condition, if there is one. `None` after an error.
    fn after_init(&mut self, keyword: &str) -> Option<Option<Simple>> {
        if keyword != "for" {
            return Some((self.tok != "{").then(|| self.simple(None, keyword)));
        }
        let mut cond = None;
        if self.tok != ";" {
            if self.tok == "{" {
                self.error("expected for loop condition");
                return None;
            }
            cond = Some(self.simple(None, ""));
        }
        self.want(";");
        if self.tok != "{"
            && let Simple::Assign { defines: true, operator, .. } = self.simple(None, "")
        {
            self.error_at(operator, "cannot declare in post statement of for loop");
        }
        Some(cond)
    }

    /// The condition of a head must be an expression.
    fn condition(&mut self, cond: Option<Simple>, semicolon: Option<usize>, keyword: &str) {
        match cond {
            Some(Simple::Expr | Simple::Range) => {}
            None => {
                let Some(at) = semicolon.filter(|_| keyword == "if") else { return };
                let words = match self.semicolon(at) {
                    "semicolon" => "missing condition in if statement".to_string(),
                    other => format!("unexpected {other}, expected {{ after if clause"),
                };
                self.error_at(at, &words);
            }
            Some(Simple::Assign { operator, text, .. }) => {
                self.error_at(operator, &format!("cannot use {text} as value"));
            }
        }
    }
}
