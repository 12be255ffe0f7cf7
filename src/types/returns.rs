//! Terminating statements (Go specification, "Terminating statements"). Works on syntax; which calls are of the predeclared `panic`
//! was noted when they were checked.

#![expect(clippy::wildcard_enum_match_arm, reason = "most statements do not terminate")]

use super::checker::Checker;
use super::names::Sym;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, Node};
use crate::syntax::token::Tok;

impl Checker {
    /// Whether a list ends in a terminating statement.
    pub(crate) fn is_terminating_list(&mut self, list: &[Id]) -> bool {
        list.last().is_some_and(|&s| self.is_terminating(s, None))
    }

    fn is_terminating(&mut self, mut id: Id, mut label: Option<Sym>) -> bool {
        // chains of labels and of `else if` are walked in a loop
        loop {
            match self.node(id) {
                Node::Label(_, NIL) => return false,
                Node::Label(name, inner) => {
                    label = Some(self.sym_of(name));
                    id = inner;
                }
                Node::If { then, els, .. } => {
                    if els == NIL || !self.block_terminates(then) {
                        return false;
                    }
                    id = els;
                    label = None;
                }
                Node::Return(_) => return true,
                Node::Branch(kw, _) => {
                    return matches!(self.env.file.ast.tok(kw), Some(Tok::Goto | Tok::Fallthrough));
                }
                Node::Expr(x) => return self.is_panic(x),
                Node::Block(_) => return self.block_terminates(id),
                Node::For { cond, body, .. } => {
                    return cond == NIL && !self.has_break(body, label, true);
                }
                Node::Switch { body, .. } => {
                    let clauses = self.list(body);
                    return self.clauses_terminate(&clauses, label, true);
                }
                Node::Select(body) => {
                    let clauses = self.list(body);
                    return self.clauses_terminate(&clauses, label, false);
                }
                _ => return false,
            }
        }
    }

    fn block_terminates(&mut self, id: Id) -> bool {
        let Node::Block(list) = self.node(id) else { return false };
        let nodes = self.list(list);
        self.is_terminating_list(&nodes)
    }

    fn clauses_terminate(
        &mut self,
        clauses: &[Id],
        label: Option<Sym>,
        needs_default: bool,
    ) -> bool {
        let mut default = !needs_default;
        for &c in clauses {
            let Node::Case(_, body, is_default) = self.node(c) else { return false };
            default |= is_default;
            let nodes = self.list(body);
            if !self.is_terminating_list(&nodes)
                || nodes.iter().any(|&n| self.has_break(n, label, true))
            {
                return false;
            }
        }
        default
    }

    fn is_panic(&self, x: Id) -> bool {
        let x = self.unparen(x);
        self.env.panics.contains(&x)
    }

    /// Whether a statement has a `break` that leaves it: to `label`, or `implicit`ly.
    fn has_break(&mut self, id: Id, label: Option<Sym>, implicit: bool) -> bool {
        let any = |c: &mut Self, list: crate::syntax::List, implicit: bool| {
            let nodes = c.list(list);
            nodes.into_iter().any(|n| c.has_break(n, label, implicit))
        };
        if id == NIL {
            return false;
        }
        match self.node(id) {
            Node::Label(_, inner) => self.has_break(inner, label, implicit),
            Node::Branch(kw, target) => {
                if self.env.file.ast.tok(kw) != Some(Tok::Break) {
                    return false;
                }
                if target == NIL { implicit } else { Some(self.sym_of(target)) == label }
            }
            Node::Block(list) => any(self, list, implicit),
            Node::If { then, els, .. } => {
                self.has_break(then, label, implicit) || self.has_break(els, label, implicit)
            }
            Node::Case(_, body, _) => any(self, body, implicit),
            Node::Switch { body, .. } | Node::Select(body) => {
                label.is_some() && any(self, body, false)
            }
            Node::For { body, .. } | Node::Range { body, .. } => {
                label.is_some() && self.has_break(body, label, false)
            }
            _ => false,
        }
    }
}
