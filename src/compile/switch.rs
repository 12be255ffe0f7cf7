//! `switch`, type switches and `select`.

use super::compare::Cmp;
use super::fun::{Fun, Nest};
use super::jumps::Label;
use super::stmt::ends;
use super::types::Class;
use crate::bytecode::module::{SelectEntry, SelectTable};
use crate::bytecode::op::{Ins, NO_REG};
use crate::source::Pos;
use crate::types::typed::{
    Clause, Comm, CompareOp, ExprId, ExprKind, LabelId, SelectCase, TypeClause,
};

/// From so many cases on, integer constants are found by binary search.
const SEARCH: usize = 6;

impl<'a> Fun<'a> {
    pub(super) fn switch(&mut self, label: LabelId, clauses: &'a [Clause]) {
        let mark = self.top;
        let end = self.labels.fresh();
        let bodies: Vec<Label> = clauses.iter().map(|_| self.labels.fresh()).collect();
        let default = clauses.iter().position(|c| c.default).map_or(end, |k| bodies[k]);
        if !self.search_switch(clauses, &bodies, default) {
            for (c, &body) in clauses.iter().zip(&bodies) {
                for &cond in &c.conds {
                    self.at(self.expr(cond).pos);
                    self.branch(cond, true, body);
                }
            }
            self.jump(Ins::Jmp { o: 0 }, default);
        }
        self.nests.push(Nest { label, brk: end, cont: None });
        for (k, c) in clauses.iter().enumerate() {
            self.bind(bodies[k]);
            self.block(&c.body);
            if !c.fallthrough && k + 1 < clauses.len() && !ends(&c.body) {
                self.jump(Ins::Jmp { o: 0 }, end);
            }
        }
        self.nests.pop();
        self.bind(end);
        self.top = mark;
    }

    /// A switch of one integer variable over small constants, by binary search. False if it is none.
    fn search_switch(&mut self, clauses: &[Clause], bodies: &[Label], default: Label) -> bool {
        let mut cases: Vec<(i16, Label)> = Vec::new();
        let mut tag = None;
        for (c, &body) in clauses.iter().zip(bodies) {
            for &cond in &c.conds {
                let ExprKind::Compare(CompareOp::Eq, a, b) = self.expr(cond).kind else {
                    return false;
                };
                let (a, b) = if self.small(a).is_some() { (b, a) } else { (a, b) };
                let ExprKind::Local(l) = self.expr(a).kind else { return false };
                let Some(k) = self.small(b) else { return false };
                if tag.is_some_and(|(t, _)| t != l)
                    || !matches!(self.cmp_of(a, b), Cmp::Int { signed: true })
                {
                    return false;
                }
                tag = Some((l, a));
                cases.push((k, body));
            }
        }
        let Some((_, tag)) = tag else { return false };
        if cases.len() < SEARCH || !self.fuse {
            return false;
        }
        // of equal constants the first counts; the sort is stable
        cases.sort_by_key(|c| c.0);
        cases.dedup_by_key(|c| c.0);
        let mark = self.top;
        let a = self.wide_operand(tag);
        self.search(a, &cases, default);
        self.top = mark;
        true
    }

    fn search(&mut self, a: u16, cases: &[(i16, Label)], default: Label) {
        if cases.len() <= 3 {
            for &(i, body) in cases {
                self.jump(Ins::JEqIK { a, i, o: 0 }, body);
            }
            self.jump(Ins::Jmp { o: 0 }, default);
            return;
        }
        let (low, high) = cases.split_at(cases.len() / 2);
        let upper = self.labels.fresh();
        self.jump(Ins::JGeIK { a, i: high[0].0, o: 0 }, upper);
        self.search(a, low, default);
        self.bind(upper);
        self.search(a, high, default);
    }

    /// Jumps to `to` if a register has a small value.
    pub(super) fn jump_if_eq(&mut self, a: u16, k: u32, to: Label) {
        if let (Ok(i), true) = (i16::try_from(k), self.fuse) {
            self.jump(Ins::JEqIK { a, i, o: 0 }, to);
            return;
        }
        let t = self.alloc(2);
        self.load_word(t, u64::from(k));
        self.op(Ins::EqI { d: t + 1, a, b: t });
        self.jump(Ins::JT { a: t + 1, o: 0 }, to);
        self.top = u32::from(t);
    }

    pub(super) fn type_switch(&mut self, label: LabelId, x: ExprId, clauses: &'a [TypeClause]) {
        let mark = self.top;
        let end = self.labels.fresh();
        let kept = self.ready.len();
        self.hoist(&[x]);
        let r = self.operand(x);
        self.ready.truncate(kept);
        let t = self.alloc(3);
        self.op(Ins::TypeOf { d: t, a: r });
        self.nests.push(Nest { label, brk: end, cont: None });
        for c in clauses.iter().filter(|c| !c.default || !c.types.is_empty()) {
            let next = self.labels.fresh();
            let body = self.labels.fresh();
            self.at(c.pos);
            for ty in &c.types {
                self.type_test(r, t, *ty, body);
            }
            self.jump(Ins::Jmp { o: 0 }, next);
            self.bind(body);
            self.type_clause(c, r, t + 1);
            if !ends(&c.body) {
                self.jump(Ins::Jmp { o: 0 }, end);
            }
            self.bind(next);
        }
        if let Some(c) = clauses.iter().find(|c| c.default && c.types.is_empty()) {
            self.type_clause(c, r, t + 1);
        }
        self.nests.pop();
        self.bind(end);
        self.top = mark;
    }

    /// Jumps to `body` if the dynamic type (in `t`) is `ty`; for an interface leaves the value in t + 1.
    fn type_test(&mut self, x: u16, t: u16, ty: Option<crate::types::ty::Ty>, body: Label) {
        let Some(ty) = ty else {
            self.jump_if_eq(t, 0, body);
            return;
        };
        let id = self.type_id(ty);
        if self.class(ty) == Class::Iface {
            self.op(Ins::AssertIOk { d: t + 1, x, ok: t + 2 });
            self.ext(0, id);
            self.jump(Ins::JT { a: t + 2, o: 0 }, body);
        } else {
            self.jump_if_eq(t, id, body);
        }
    }

    fn type_clause(&mut self, c: &'a TypeClause, x: u16, found: u16) {
        let mark = self.top;
        if let Some(l) = c.bind {
            match c.types.as_slice() {
                [Some(ty)] if self.class(*ty) == Class::Iface => {
                    self.declare_from(l, found, true, false);
                }
                [Some(ty)] => {
                    let n = self.info(*ty).slots();
                    let d = self.alloc(n);
                    self.unbox(x, *ty, d);
                    self.declare_from(l, d, true, true);
                }
                _ => self.declare_from(l, x, true, false),
            }
        }
        self.block(&c.body);
        self.top = mark;
    }

    pub(super) fn select(&mut self, label: LabelId, cases: &'a [SelectCase], pos: Pos) {
        let mark = self.top;
        let mut table = SelectTable { cases: Vec::new(), default: false };
        let mut default = None;
        let mut order = Vec::new();
        for (k, case) in cases.iter().enumerate() {
            match &case.comm {
                Comm::Default => default = Some(k),
                comm => {
                    table.cases.push(self.select_entry(comm));
                    order.push(k);
                }
            }
        }
        table.default = default.is_some();
        order.extend(default);
        let entries = table.cases.clone();
        let d = self.temp();
        self.at(pos);
        match (entries.as_slice(), default) {
            ([one], None) => self.single_case(*one),
            _ => {
                let t = u32::try_from(self.c.module.selects.len()).expect("few selects");
                self.c.module.selects.push(table);
                self.op(Ins::Select { d, t });
            }
        }
        let end = self.labels.fresh();
        let bodies: Vec<Label> = order.iter().map(|_| self.labels.fresh()).collect();
        for (k, &body) in bodies.iter().enumerate() {
            if k + 1 < bodies.len() {
                self.jump_if_eq(d, u32::try_from(k).unwrap_or(0), body);
            }
        }
        if let Some(&last) = bodies.last() {
            self.jump(Ins::Jmp { o: 0 }, last);
        }
        self.nests.push(Nest { label, brk: end, cont: None });
        for (k, &index) in order.iter().enumerate() {
            self.bind(bodies[k]);
            self.select_body(&cases[index], entries.get(k));
            if !ends(&cases[index].body) {
                self.jump(Ins::Jmp { o: 0 }, end);
            }
        }
        self.nests.pop();
        self.bind(end);
        self.top = mark;
    }

    fn select_body(&mut self, case: &'a SelectCase, entry: Option<&SelectEntry>) {
        let mark = self.top;
        if let (Comm::Recv { value, ok, .. }, Some(entry)) = (&case.comm, entry) {
            if let Some(l) = *value {
                self.declare_from(l, entry.value, true, true);
            }
            if let Some(l) = *ok {
                self.declare_from(l, entry.ok, true, true);
            }
        }
        self.block(&case.body);
        self.top = mark;
    }

    /// Evaluates the operands of a case.
    fn select_entry(&mut self, comm: &Comm) -> SelectEntry {
        let kept = self.ready.len();
        let entry = self.ordered_entry(comm);
        self.ready.truncate(kept);
        entry
    }

    fn ordered_entry(&mut self, comm: &Comm) -> SelectEntry {
        match comm {
            Comm::Send { chan, value } => {
                self.hoist(&[*chan, *value]);
                let chan = self.operand(*chan);
                let n = self.slots_of(*value);
                let v = self.value(*value);
                SelectEntry {
                    send: true,
                    chan,
                    value: v,
                    ok: NO_REG,
                    slots: u16::try_from(n).unwrap_or(0),
                }
            }
            Comm::Recv { chan, value, ok } => {
                self.hoist(&[*chan]);
                let ty = self.expr(*chan).ty;
                let elem = self.elem(ty);
                let n = self.info(elem).slots();
                let chan = self.operand(*chan);
                let v = if value.is_some() { self.alloc(n) } else { NO_REG };
                let ok = if ok.is_some() { self.temp() } else { NO_REG };
                SelectEntry {
                    send: false,
                    chan,
                    value: v,
                    ok,
                    slots: u16::try_from(n).unwrap_or(0),
                }
            }
            Comm::Default => unreachable!("a default has no operands"),
        }
    }

    /// A select with one case and no default is a plain send or receive.
    fn single_case(&mut self, e: SelectEntry) {
        if e.send {
            self.op(Ins::Send { c: e.chan, v: e.value });
        } else {
            self.op(Ins::Recv { d: e.value, c: e.chan, ok: e.ok });
        }
        self.ext(e.slots, 0);
    }
}
