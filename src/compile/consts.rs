//! Constants that loops use again and again: they are loaded once, before the outermost loop, and stay in registers.
//!
//! A constant needs a register where no instruction takes it as an immediate operand: most floats, large integers, constant
//! indexes, values stored to memory. Those of the innermost loops are chosen first.
//!
//! Invariant: `consts` has the constants of the loops being compiled; nothing writes their registers.

use super::arith::fits_immediate;
use super::fun::Fun;
use super::types::Class;
use crate::types::typed::{
    Clause, Comm, ConstVal, ExprId, ExprKind, SelectCase, Stmt, StmtKind, TypeClause,
};

/// The most constants that a loop keeps in registers.
const LIMIT: usize = 12;

/// Constants found, with the depth of the loop that uses them.
type Found = Vec<(u64, u32)>;

impl<'a> Fun<'a> {
    /// Runs `f`, which compiles a loop, with the constants of its parts in registers.
    pub(super) fn with_constants(
        &mut self,
        exprs: &[ExprId],
        parts: &[&'a [Stmt]],
        f: impl FnOnce(&mut Self),
    ) {
        if !self.fuse || !self.consts.is_empty() {
            f(self);
            return;
        }
        let mut found = Found::new();
        for &e in exprs {
            self.scan_expr(e, 0, &mut found);
        }
        for part in parts {
            self.scan(part, 0, &mut found);
        }
        found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mark = self.top;
        for (word, _) in found {
            if self.consts.len() < LIMIT && !self.consts.iter().any(|c| c.0 == word) {
                let r = self.temp();
                self.load_word(r, word);
                self.consts.push((word, r));
            }
        }
        f(self);
        self.consts.clear();
        self.top = mark;
    }

    /// The register that holds a constant.
    pub(super) fn const_register(&mut self, e: ExprId) -> Option<u16> {
        if self.consts.is_empty() {
            return None;
        }
        let word = self.register_word(e)?;
        self.consts.iter().find(|c| c.0 == word).map(|c| c.1)
    }

    /// The word of a constant of one slot whose canonical form is what every instruction wants.
    fn register_word(&mut self, e: ExprId) -> Option<u64> {
        let x = self.expr(e);
        let ExprKind::Const(v) = &x.kind else { return None };
        if matches!(v, ConstVal::Str(_) | ConstVal::Complex(..)) {
            return None;
        }
        let narrow = matches!(self.class(x.ty), Class::Int(bits, true) if bits < 64);
        if narrow && self.const_int(e).is_none_or(|k| k < 0) {
            return None;
        }
        matches!(self.class(x.ty), Class::Int(..) | Class::F64 | Class::F32 | Class::Bool)
            .then(|| self.const_word(v, x.ty))
    }

    fn collect(&mut self, e: ExprId, depth: u32, found: &mut Found) {
        match self.register_word(e) {
            Some(word) => found.push((word, depth)),
            None => self.scan_expr(e, depth, found),
        }
    }

    fn scan(&mut self, list: &'a [Stmt], depth: u32, found: &mut Found) {
        for s in list {
            self.scan_stmt(s, depth, found);
        }
    }

    fn scan_stmt(&mut self, s: &'a Stmt, depth: u32, found: &mut Found) {
        match &s.kind {
            StmtKind::Assign { lhs, rhs } => {
                for &p in lhs.iter().flatten() {
                    self.scan_expr(p, depth, found);
                }
                for (p, &e) in lhs.iter().zip(rhs) {
                    match p.map(|p| &self.expr(p).kind) {
                        Some(ExprKind::Local(_)) | None => self.scan_expr(e, depth, found),
                        Some(_) => self.collect(e, depth, found),
                    }
                }
            }
            StmtKind::OpAssign { op, lhs, rhs } => {
                self.scan_expr(*lhs, depth, found);
                let class = self.info_of(*lhs).class;
                match self.const_int(*rhs) {
                    Some(k) if fits_immediate(*op, k, class) => {}
                    _ => self.collect(*rhs, depth, found),
                }
            }
            StmtKind::For { cond, post, body, .. } => {
                if let Some(c) = cond {
                    self.scan_expr(*c, depth + 1, found);
                }
                self.scan(post, depth + 1, found);
                self.scan(body, depth + 1, found);
            }
            StmtKind::Range(r) => {
                self.scan_expr(r.x, depth, found);
                self.scan(&r.body, depth + 1, found);
            }
            StmtKind::If { cond, then, els } => {
                self.scan_expr(*cond, depth, found);
                self.scan(then, depth, found);
                self.scan(els, depth, found);
            }
            StmtKind::Block(list) => self.scan(list, depth, found),
            StmtKind::Switch { clauses, .. } => self.scan_clauses(clauses, depth, found),
            StmtKind::TypeSwitch { x, clauses, .. } => {
                self.scan_expr(*x, depth, found);
                self.scan_types(clauses, depth, found);
            }
            StmtKind::Select { cases, .. } => self.scan_cases(cases, depth, found),
            StmtKind::Decl { init: Some(e), .. } | StmtKind::Expr(e) => {
                self.scan_expr(*e, depth, found);
            }
            StmtKind::DeclTuple { x, .. } | StmtKind::AssignTuple { x, .. } => {
                self.scan_expr(*x, depth, found);
            }
            StmtKind::Send { value, .. } => self.scan_expr(*value, depth, found),
            _ => {}
        }
    }

    fn scan_clauses(&mut self, clauses: &'a [Clause], depth: u32, found: &mut Found) {
        for c in clauses {
            for &e in &c.conds {
                self.scan_expr(e, depth, found);
            }
            self.scan(&c.body, depth, found);
        }
    }

    fn scan_types(&mut self, clauses: &'a [TypeClause], depth: u32, found: &mut Found) {
        for c in clauses {
            self.scan(&c.body, depth, found);
        }
    }

    fn scan_cases(&mut self, cases: &'a [SelectCase], depth: u32, found: &mut Found) {
        for c in cases {
            if let Comm::Send { value, .. } = &c.comm {
                self.scan_expr(*value, depth, found);
            }
            self.scan(&c.body, depth, found);
        }
    }

    fn scan_expr(&mut self, e: ExprId, depth: u32, found: &mut Found) {
        match &self.expr(e).kind {
            ExprKind::Binary(op, a, b) => {
                let class = self.info_of(e).class;
                let right = self.const_int(*b);
                let left = self.const_int(*a);
                match (left, right) {
                    (_, Some(k)) if fits_immediate(*op, k, class) => {
                        self.scan_expr(*a, depth, found);
                    }
                    (Some(k), _) if op.commutes() && fits_immediate(*op, k, class) => {
                        self.scan_expr(*b, depth, found);
                    }
                    _ => {
                        self.collect(*a, depth, found);
                        self.collect(*b, depth, found);
                    }
                }
            }
            ExprKind::Compare(_, a, b) => {
                let float = matches!(self.info_of(*a).class, Class::F64 | Class::F32);
                for side in [*a, *b] {
                    if float || self.small(side).is_none() {
                        self.collect(side, depth, found);
                    }
                }
            }
            ExprKind::IndexSlice { x, index } | ExprKind::IndexString { x, index } => {
                self.scan_expr(*x, depth, found);
                self.collect(*index, depth, found);
            }
            _ => {
                let mut list = Vec::new();
                self.children(e, &mut |c| list.push(c));
                for c in list {
                    self.scan_expr(c, depth, found);
                }
            }
        }
    }
}
