//! Return statements (Go specification, "Return statements").

#![expect(clippy::wildcard_enum_match_arm, reason = "only variables have a type to show")]

use super::checker::Checker;
use super::names::Sym;
use super::object::{ObjId, ObjKind};
use super::operand::Operand;
use super::ty::Ty;
use super::typed::{LocalId, StmtKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::{Id, List};

impl Checker {
    // ---- return ----

    /// `return x, y`.
    pub(crate) fn return_stmt(&mut self, node: Id, list: List) {
        let pos = self.pos(node);
        // the body of a range over a function returns from the function around it
        let mut at = self.env.fns.len() - 1;
        while at > 0 && self.env.fns[at].body.range_body {
            at -= 1;
        }
        let results = self.env.fns[at].results.clone();
        let names = self.env.fns[at].result_objs.clone();
        let named = self.env.fns[at].body.named_results;
        if at + 1 < self.env.fns.len() {
            self.capture_results(at);
        }
        let nodes = self.list(list);
        if nodes.is_empty() && !results.is_empty() && named {
            self.results_in_scope(&names, pos);
            self.emit_stmt(StmtKind::Return(vec![]), pos);
            return;
        }
        if nodes.is_empty() && results.is_empty() {
            self.emit_stmt(StmtKind::Return(vec![]), pos);
            return;
        }
        self.return_values(&results, &names, &nodes, pos);
    }

    fn capture_results(&mut self, at: usize) {
        let outer = self.env.fns[at].body.results.clone();
        let inner: Vec<LocalId> =
            outer.into_iter().map(|l| self.reach_local(at as u32, l)).collect();
        self.cx().body.results = inner;
        let last = self.env.fns.len() - 1;
        for l in self.env.fns[last].body.results.clone() {
            self.cx().body.locals[l.0 as usize].reassigned = true;
        }
    }

    fn results_in_scope(&mut self, names: &[(Sym, ObjId)], pos: Pos) {
        for &(name, obj) in names {
            if name == Sym::BLANK {
                continue;
            }
            if let Some(alt) = self.lookup(name).filter(|&a| a != obj) {
                let n = self.name(name).to_string();
                let at = self.show_pos(self.obj(alt).pos);
                let t = match self.obj(alt).kind {
                    ObjKind::Var { ty, .. } => format!("var {n} {}", self.show(ty)),
                    _ => n.clone(),
                };
                let text = format!(
                    "result parameter {n} not in scope at return\n\t{at}: inner declaration of {t}"
                );
                self.err(pos, Code::OutOfScopeResult, text);
            }
        }
    }

    fn return_values(&mut self, results: &[Ty], names: &[(Sym, ObjId)], nodes: &[Id], pos: Pos) {
        let context = "return statement";
        if nodes.len() == results.len() && !self.is_call(nodes) {
            let mut values = vec![];
            for ((&n, &t), &(name, _)) in nodes.iter().zip(results).zip(names) {
                let desc = if name == Sym::BLANK {
                    "result variable".into()
                } else {
                    self.name(name).to_string()
                };
                let mut x = self.expr_wanted(n, Some(t), &desc);
                self.init_operand(&mut x, Some(t), context);
                if x.is_valid() {
                    values.push(self.value(&mut x));
                }
            }
            if values.len() == results.len() {
                self.emit_stmt(StmtKind::Return(values), pos);
            }
            return;
        }
        if nodes.len() != 1 {
            let ops: Vec<Operand> = nodes.iter().map(|&n| self.expr(n)).collect();
            if ops.iter().all(Operand::is_valid) {
                self.return_error(results, &ops, pos);
            }
            return;
        }
        let multi = self.multi_expr(nodes[0], false);
        if multi.ops.len() != results.len() {
            if multi.ops[0].is_valid() {
                self.return_error(results, &multi.ops, pos);
            }
            return;
        }
        let mut values = vec![];
        for (&t, mut x) in results.iter().zip(multi.ops) {
            self.init_operand(&mut x, Some(t), context);
            if x.is_valid() {
                values.push(self.value(&mut x));
            }
        }
        if values.len() != results.len() {
            return;
        }
        match multi.tuple {
            Some((x, temps)) => self.emit_stmt(StmtKind::ReturnTuple { temps, x, values }, pos),
            None => self.emit_stmt(StmtKind::Return(values), pos),
        }
    }

    fn return_error(&mut self, results: &[Ty], ops: &[Operand], pos: Pos) {
        let (l, r) = (results.len(), ops.len());
        let (at, qualifier) = if r > l {
            (self.pos(ops[l].node), "too many")
        } else if r > 0 {
            (self.pos(ops[r - 1].node), "not enough")
        } else {
            (pos, "not enough")
        };
        let have: Vec<Ty> = ops.iter().map(|o| o.ty).collect();
        let (have, want) =
            (self.types_summary(&have, false, false), self.types_summary(results, false, false));
        self.err(
            at,
            Code::WrongResultCount,
            format!("{qualifier} return values\n\thave {have}\n\twant {want}"),
        );
    }
}
