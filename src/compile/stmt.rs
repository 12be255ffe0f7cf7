//! Statements, except loops, switches and select.

use super::fun::{Fun, Nest, Results};
use super::jumps::Label;
use super::rangefunc::Exit;
use super::vars::Var;
use crate::bytecode::op::Ins;
use crate::types::typed::{ExprId, ExprKind, LabelId, LocalId, Stmt, StmtKind};

impl<'a> Fun<'a> {
    /// A block: its variables end with it.
    pub(super) fn block(&mut self, list: &'a [Stmt]) {
        let mark = self.top;
        self.stmts(list);
        self.top = mark;
    }

    pub(super) fn stmts(&mut self, list: &'a [Stmt]) {
        let kept = self.ready.len();
        let mut group = 0;
        for (k, s) in list.iter().enumerate() {
            if k >= group {
                self.ready.truncate(kept);
                group = self.declarations(list, k);
            }
            self.deeper(|f| f.stmt(s));
        }
        self.ready.truncate(kept);
    }

    /// `a, b := x, f()` comes as several declarations; their calls go first together. Gives where the group ends.
    fn declarations(&mut self, list: &[Stmt], from: usize) -> usize {
        let pos = list[from].pos;
        let mut roots = Vec::new();
        for s in &list[from..] {
            match s.kind {
                StmtKind::Decl { init: Some(e), .. } if s.pos == pos => roots.push(e),
                _ => break,
            }
        }
        if roots.len() > 1 {
            self.hoist(&roots);
        }
        from + roots.len().max(1)
    }

    fn stmt(&mut self, s: &'a Stmt) {
        self.at(s.pos);
        match &s.kind {
            StmtKind::Expr(_)
            | StmtKind::Decl { .. }
            | StmtKind::DeclTuple { .. }
            | StmtKind::Assign { .. }
            | StmtKind::AssignTuple { .. }
            | StmtKind::OpAssign { .. }
            | StmtKind::Send { .. } => self.simple(s),
            StmtKind::Go(e) => self.go(*e, s.pos),
            StmtKind::Defer(e) => self.defer(*e, s.pos),
            StmtKind::Return(values) => {
                let mark = self.top;
                self.ordered(values, |f| f.return_stmt(values));
                self.top = mark;
            }
            StmtKind::ReturnTuple { temps, x, values } => {
                let mark = self.top;
                self.bind_tuple(*x, temps);
                self.return_stmt(values);
                self.top = mark;
            }
            StmtKind::Block(list) => self.block(list),
            StmtKind::If { cond, then, els } => self.if_stmt(*cond, then, els),
            StmtKind::For { label, cond, post, body, per_iteration } => {
                let exprs: Vec<ExprId> = cond.iter().copied().collect();
                self.with_constants(&exprs, &[post, body], |f| {
                    f.for_stmt(*label, *cond, post, body, per_iteration);
                });
            }
            StmtKind::Range(range) => {
                self.with_constants(&[], &[&range.body], |f| f.range(range));
            }
            StmtKind::RangeFunc { label, func, body } => self.range_func(*label, *func, *body),
            StmtKind::Switch { label, clauses } => self.switch(*label, clauses),
            StmtKind::TypeSwitch { label, x, clauses } => self.type_switch(*label, *x, clauses),
            StmtKind::Select { label, cases } => self.select(*label, cases, s.pos),
            StmtKind::Break(label) => self.leave(Exit::Break(*label)),
            StmtKind::Continue(label) => self.leave(Exit::Continue(*label)),
            StmtKind::Goto(label) => self.leave(Exit::Goto(*label)),
            StmtKind::Label(label) => {
                let l = self.goto_label(*label);
                self.bind(l);
            }
        }
    }

    /// Simple statements. Declarations keep what they take; the others give it back.
    fn simple(&mut self, s: &'a Stmt) {
        let mark = self.top;
        match &s.kind {
            StmtKind::Decl { local, init: Some(e) } => {
                self.ordered(&[*e], |f| f.declare(*local, *e));
                return;
            }
            StmtKind::Decl { local, init: None } => {
                self.declare_zero(*local);
                return;
            }
            StmtKind::DeclTuple { locals, x } => {
                self.ordered(&[*x], |f| f.declare_tuple(*x, locals));
                return;
            }
            StmtKind::Expr(e) => self.ordered(&[*e], |f| f.discard(*e)),
            StmtKind::Assign { lhs, rhs } => {
                let roots: Vec<_> = lhs.iter().flatten().chain(rhs).copied().collect();
                self.ordered(&roots, |f| f.assign(lhs, rhs, s.pos));
            }
            StmtKind::AssignTuple { lhs, temps, x, values } => {
                self.assign_tuple(lhs, temps, *x, values, s.pos);
            }
            StmtKind::OpAssign { op, lhs, rhs } => {
                self.ordered(&[*lhs, *rhs], |f| f.op_assign(*op, *lhs, *rhs, s.pos));
            }
            StmtKind::Send { chan, value } => {
                self.ordered(&[*chan, *value], |f| f.send(*chan, *value, s.pos));
            }
            _ => {}
        }
        self.top = mark;
    }

    fn send(&mut self, chan: ExprId, value: ExprId, pos: crate::source::Pos) {
        let mark = self.top;
        let c = self.operand(chan);
        let v = self.value(value);
        let n = u16::try_from(self.slots_of(value)).unwrap_or(0);
        self.at(pos);
        self.op(Ins::Send { c, v });
        self.ext(n, 0);
        self.top = mark;
    }

    fn if_stmt(&mut self, cond: ExprId, then: &'a [Stmt], els: &'a [Stmt]) {
        if let ([Stmt { kind, .. }], []) = (then, els)
            && let Some(to) = self.forward_exit(kind)
        {
            self.branch(cond, true, to);
            return;
        }
        let end = self.labels.fresh();
        let (mut cond, mut then, mut els) = (cond, then, els);
        loop {
            let otherwise = if els.is_empty() { end } else { self.labels.fresh() };
            self.branch(cond, false, otherwise);
            self.block(then);
            if els.is_empty() {
                break;
            }
            if !ends(then) {
                self.jump(Ins::Jmp { o: 0 }, end);
            }
            self.bind(otherwise);
            // a chain of else-ifs is walked in a loop
            let [Stmt { kind: StmtKind::If { cond: c, then: t, els: e }, pos }] = els else {
                self.block(els);
                break;
            };
            self.at(*pos);
            (cond, then, els) = (*c, t, e);
        }
        self.bind(end);
    }

    // ---- labels ----

    /// The label of a goto statement; it is local if the function has the labelled statement.
    pub(super) fn goto_label(&mut self, label: LabelId) -> Label {
        if let Some(&(_, l)) = self.gotos.iter().find(|g| g.0 == label) {
            return l;
        }
        let l = self.labels.fresh();
        self.gotos.push((label, l));
        l
    }

    /// Where a lone `break` or `continue` goes to, if that is in this function.
    fn forward_exit(&self, kind: &StmtKind) -> Option<Label> {
        match kind {
            StmtKind::Break(label) => self.nest(*label).map(|n| n.brk),
            StmtKind::Continue(label) => self.nest(*label).and_then(|n| n.cont),
            _ => None,
        }
    }

    fn nest(&self, label: LabelId) -> Option<Nest> {
        self.nests.iter().rev().find(|n| n.label == label).copied()
    }

    /// Leaves by break, continue or goto.
    pub(super) fn leave(&mut self, exit: Exit) {
        let to = match exit {
            Exit::Break(label) => self.nest(label).map(|n| n.brk),
            Exit::Continue(label) => self.nest(label).and_then(|n| n.cont),
            Exit::Goto(label) if self.range.is_none() || has_label(&self.body.body, label) => {
                Some(self.goto_label(label))
            }
            Exit::Goto(_) | Exit::Return => None,
        };
        match to {
            Some(to) => self.goto(to),
            None => self.leave_range_body(exit),
        }
    }

    // ---- return ----

    fn return_stmt(&mut self, values: &[ExprId]) {
        let mark = self.top;
        if self.range.is_some() {
            self.return_from_range_body(values);
        } else if self.results == Results::Direct || (!self.body.has_defer && !self.result_shared())
        {
            self.return_direct(values);
        } else {
            self.store_results(values);
            if self.body.has_defer {
                let label = self.epilogue_label();
                self.jump(Ins::Jmp { o: 0 }, label);
            } else {
                self.return_vars();
            }
        }
        self.top = mark;
    }

    fn result_shared(&self) -> bool {
        self.body.results.iter().any(|&r| self.shared(r))
    }

    /// Returns values straight from where they are computed; without values, the named results.
    fn return_direct(&mut self, values: &[ExprId]) {
        if values.is_empty() {
            self.return_vars();
            return;
        }
        let n = self.result_slots;
        if let [one] = values {
            let a = self.handed_over(*one);
            self.ret(a, n);
            return;
        }
        if let Some(a) = self.consecutive(values) {
            self.ret(a, n);
            return;
        }
        let a = self.alloc(n);
        let mut at = a;
        for &e in values {
            let slots = self.slots_of(e);
            if self.transfers(e) {
                self.expr_to(e, at)
            } else {
                self.value_to(e, at)
            }
            at += u16::try_from(slots).unwrap_or(0);
        }
        self.ret(a, n);
    }

    /// Registers in which all values already lie one after the other.
    fn consecutive(&mut self, values: &[ExprId]) -> Option<u16> {
        let mut first = None;
        let mut next = 0;
        for &e in values {
            let ExprKind::Local(l) = self.expr(e).kind else { return None };
            let r = match self.var(l) {
                Var::Reg(r) => r,
                Var::Mem(r) if !self.shared(l) => r,
                _ => return None,
            };
            if first.is_some() && next != r {
                return None;
            }
            first = first.or(Some(r));
            next = r + u16::try_from(self.local_info(l).slots()).unwrap_or(0);
        }
        first
    }

    /// The memory of a variable that dies with this statement need not be copied.
    fn transfers(&self, e: ExprId) -> bool {
        matches!(self.expr(e).kind, ExprKind::Local(l) if matches!(self.var(l), Var::Mem(_)) && !self.shared(l))
    }

    fn handed_over(&mut self, e: ExprId) -> u16 {
        if self.transfers(e) { self.operand(e) } else { self.value(e) }
    }

    /// Stores values into the result variables.
    fn store_results(&mut self, values: &[ExprId]) {
        let body = self.body;
        self.store_into(&body.results, values);
    }

    pub(super) fn store_into(&mut self, vars: &[LocalId], values: &[ExprId]) {
        if let ([var], [value]) = (vars, values)
            && let Some(d) = self.plain(*var)
        {
            self.assign_plain(*var, d, *value);
            return;
        }
        // a result variable that is returned as another result must be read before it is stored to
        self.pinned = if values.len() > 1 { vars.to_vec() } else { Vec::new() };
        let regs: Vec<u16> = values.iter().map(|&e| self.value(e)).collect();
        self.pinned.clear();
        for (&var, r) in vars.iter().zip(regs) {
            self.store_local(var, r);
        }
    }

    /// Stores a value into a variable; memory is copied.
    pub(super) fn store_local(&mut self, l: LocalId, r: u16) {
        let ty = self.local(l).ty;
        match self.var(l) {
            Var::Reg(d) => {
                let n = self.local_info(l).slots();
                self.mov(d, r, n);
            }
            Var::Cell(p) => self.store_words(p, 0, r, ty),
            Var::Mem(p) => self.copy_memory(p, r, ty),
            Var::None => {}
        }
    }
}

/// Whether control never comes out of the end of a list of statements.
pub(super) fn ends(list: &[Stmt]) -> bool {
    match list.last().map(|s| &s.kind) {
        Some(
            StmtKind::Return(_)
            | StmtKind::ReturnTuple { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Goto(_),
        ) => true,
        Some(StmtKind::Block(list)) => ends(list),
        _ => false,
    }
}

/// Whether the statements contain the target of a goto.
fn has_label(list: &[Stmt], label: LabelId) -> bool {
    list.iter().any(|s| match &s.kind {
        StmtKind::Label(l) => *l == label,
        StmtKind::Block(list) => has_label(list, label),
        StmtKind::If { then, els, .. } => has_label(then, label) || has_label(els, label),
        StmtKind::For { body, .. } => has_label(body, label),
        StmtKind::Range(range) => has_label(&range.body, label),
        StmtKind::Switch { clauses, .. } => clauses.iter().any(|c| has_label(&c.body, label)),
        StmtKind::TypeSwitch { clauses, .. } => clauses.iter().any(|c| has_label(&c.body, label)),
        StmtKind::Select { cases, .. } => cases.iter().any(|c| has_label(&c.body, label)),
        _ => false,
    })
}
