//! Loops: `for` with a condition, and `range` over everything but functions.
//!
//! Loops are tested at the bottom, so an iteration costs one branch: `for i := 0; i < n; i++` is one `LoopIncLtI` an
//! iteration. Maps and channels are tested at the top, where the next element comes from.

use super::fun::{Fun, Nest};
use super::jumps::Label;
use super::place::{Base, Loc, Step};
use super::types::{Class, key};
use super::vars::Var;
use crate::bytecode::op::{Ins, NO_REG};
use crate::types::ty::{Kind, Ty};
use crate::types::typed::{
    BinaryOp, Builtin, CompareOp, ExprId, ExprKind, LabelId, LocalId, Range, RangeOver, Stmt,
    StmtKind,
};

/// Labels of a loop.
#[derive(Clone, Copy)]
struct Marks {
    start: Label,
    cont: Label,
    exit: Label,
}

impl<'a> Fun<'a> {
    fn marks(&mut self) -> Marks {
        Marks { start: self.labels.fresh(), cont: self.labels.fresh(), exit: self.labels.fresh() }
    }

    /// The body of a loop, up to the place that `continue` goes to.
    fn loop_body(&mut self, label: LabelId, marks: Marks, body: &'a [Stmt]) {
        self.nests.push(Nest { label, brk: marks.exit, cont: Some(marks.cont) });
        self.block(body);
        self.nests.pop();
        self.bind(marks.cont);
    }

    pub(super) fn for_stmt(
        &mut self,
        label: LabelId,
        cond: Option<ExprId>,
        post: &'a [Stmt],
        body: &'a [Stmt],
        per_iteration: &[LocalId],
    ) {
        let mark = self.top;
        let marks = self.marks();
        let test = self.labels.fresh();
        let always = cond.is_none_or(|c| self.const_bool(c) == Some(true));
        let mut late = false;
        if let (Some(c), false) = (cond, always) {
            if self.holds_at_first(c) {
                // no test before the first iteration
            } else if self.is_cheap(c) {
                self.branch(c, false, marks.exit);
            } else {
                self.jump(Ins::Jmp { o: 0 }, test);
                late = true;
            }
        }
        self.bind(marks.start);
        self.loop_body(label, marks, body);
        self.renew(per_iteration);
        if late || !self.counted(cond, post, marks.start) {
            self.block(post);
            self.bind(test);
            match (cond, always) {
                (Some(c), false) => self.loop_branch(c, marks.start, marks.exit),
                _ => self.jump(Ins::Loop { o: 0 }, marks.start),
            }
        } else {
            self.bind(test);
        }
        self.bind(marks.exit);
        self.top = mark;
    }

    /// Whether a condition is sure to hold at first: its variable has just been given a constant.
    fn holds_at_first(&mut self, e: ExprId) -> bool {
        let ExprKind::Compare(op, a, b) = self.expr(e).kind else { return false };
        if !matches!(self.info_of(a).class, Class::Int(..)) {
            return false;
        }
        let (ExprKind::Local(l), Some(k)) = (&self.expr(a).kind, self.const_int(b)) else {
            return false;
        };
        let (Some(r), Some(Ins::LoadI { d, i })) = (self.plain(*l), self.code.last()) else {
            return false;
        };
        let i = i64::from(*i);
        r == *d
            && self.bound != self.code.len()
            && self.fuse
            && i >= 0
            && k >= 0
            && match op {
                CompareOp::Lt => i < k,
                CompareOp::Le => i <= k,
                CompareOp::Gt => i > k,
                CompareOp::Ge => i >= k,
                CompareOp::Ne => i != k,
                CompareOp::Eq => i == k,
            }
    }

    /// Whether a condition is a comparison so small that it may stand in the code twice.
    fn is_cheap(&self, e: ExprId) -> bool {
        match self.expr(e).kind {
            ExprKind::Compare(_, a, b) => self.is_simple(a) && self.is_simple(b),
            ExprKind::Local(_) => true,
            _ => false,
        }
    }

    fn is_simple(&self, e: ExprId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Nil => true,
            ExprKind::Builtin(Builtin::Len(x)) => self.is_simple(*x),
            ExprKind::Field { x, .. } => self.is_simple(*x),
            _ => false,
        }
    }

    /// `i++` and `i < n` at the end of a loop, as one instruction.
    fn counted(&mut self, cond: Option<ExprId>, post: &[Stmt], start: Label) -> bool {
        let (Some(c), [Stmt { kind: StmtKind::OpAssign { op: BinaryOp::Add, lhs, rhs }, .. }]) =
            (cond, post)
        else {
            return false;
        };
        let ExprKind::Compare(op, a, b) = self.expr(c).kind else { return false };
        let (ExprKind::Local(i), ExprKind::Local(j)) = (&self.expr(*lhs).kind, &self.expr(a).kind)
        else {
            return false;
        };
        if i != j
            || self.const_int(*rhs) != Some(1)
            || !self.fuse
            || self.info_of(a).class != Class::Int(64, true)
            || !self.is_simple(b)
            || self.mentions(b, *i)
        {
            return false;
        }
        let Some(a) = self.plain(*i) else { return false };
        let limit = self.small(b);
        let limit = match op {
            CompareOp::Lt => limit,
            CompareOp::Le => match limit.and_then(|k| k.checked_add(1)) {
                Some(k) => Some(k),
                None => return false,
            },
            _ => return false,
        };
        let mark = self.top;
        match limit {
            Some(k) => self.jump(Ins::LoopIncLtIK { a, i: k, o: 0 }, start),
            None => {
                let ins = match self.expr(b).kind {
                    ExprKind::Builtin(Builtin::Len(s)) if self.has_header(s) => {
                        let s = self.operand(s);
                        Ins::LoopIncLtLen { a, s, o: 0 }
                    }
                    _ => Ins::LoopIncLtI { a, b: self.operand(b), o: 0 },
                };
                self.jump(ins, start);
            }
        }
        self.top = mark;
        true
    }

    /// A string or slice.
    fn has_header(&mut self, e: ExprId) -> bool {
        matches!(self.info_of(e).class, Class::Str | Class::Slice)
    }

    // ---- range ----

    pub(super) fn range(&mut self, r: &'a Range) {
        let (mark, kept) = (self.top, self.ready.len());
        self.hoist(&[r.x]);
        match r.over {
            RangeOver::Int => self.range_int(r),
            RangeOver::Slice => self.range_slice(r),
            RangeOver::Array | RangeOver::ArrayPtr => self.range_array(r),
            RangeOver::String => self.range_string(r),
            RangeOver::Map => self.range_map(r),
            RangeOver::Chan => self.range_chan(r),
        }
        self.ready.truncate(kept);
        self.top = mark;
    }

    /// The operand of a range: a variable that the body may assign is copied.
    fn range_operand(&mut self, e: ExprId) -> u16 {
        let stays = match self.expr(e).kind {
            ExprKind::Local(l) => !self.local(l).reassigned,
            _ => false,
        };
        if stays || self.as_call(e).is_some() {
            return self.operand(e);
        }
        let d = self.temp();
        self.wide_to(e, d);
        d
    }

    /// A counter: the key variable itself if nobody can tell.
    fn counter(&mut self, key: Option<LocalId>) -> u16 {
        if let Some(l) = key
            && !self.local(l).reassigned
            && self.wants_registers(l)
            && let Var::Reg(r) = self.place_var(l)
        {
            return r;
        }
        self.temp()
    }

    /// The key variable gets the counter, if it is not the counter.
    fn declare_key(&mut self, key: Option<LocalId>, counter: u16) {
        if let Some(l) = key
            && self.vars[l.0 as usize] != Var::Reg(counter)
        {
            self.declare_from(l, counter, true, false);
        }
    }

    /// Jumps to `exit` if a count is 0 or less.
    fn unless_positive(&mut self, n: u16, exit: Label) {
        if self.fuse {
            self.jump(Ins::JLeIK { a: n, i: 0, o: 0 }, exit);
            return;
        }
        let t = self.alloc(2);
        self.op(Ins::LoadI { d: t, i: 0 });
        self.op(Ins::LtI { d: t + 1, a: t, b: n });
        self.jump(Ins::JF { a: t + 1, o: 0 }, exit);
        self.top = u32::from(t);
    }

    /// Counts up and goes back to `start` while below the limit.
    fn count_up(&mut self, i: u16, n: u16, start: Label) {
        if self.fuse {
            self.jump(Ins::LoopIncLtI { a: i, b: n, o: 0 }, start);
            return;
        }
        let t = self.temp();
        self.op(Ins::AddIK { d: i, a: i, i: 1 });
        self.op(Ins::LtI { d: t, a: i, b: n });
        self.jump(Ins::LoopT { a: t, o: 0 }, start);
        self.top = u32::from(t);
    }

    fn range_int(&mut self, r: &'a Range) {
        let n = self.range_operand(r.x);
        let unsigned = self.info_of(r.x).class == Class::Int(64, false);
        let marks = self.marks();
        let i = self.counter(r.key);
        self.op(Ins::LoadI { d: i, i: 0 });
        if self.const_int(r.x).is_some_and(|k| k > 0) {
            // no test before the first iteration
        } else if unsigned {
            self.jump(Ins::JF { a: n, o: 0 }, marks.exit);
        } else {
            self.unless_positive(n, marks.exit);
        }
        self.bind(marks.start);
        let top = self.top;
        self.declare_key(r.key, i);
        self.loop_body(r.label, marks, &r.body);
        self.top = top;
        if unsigned {
            let t = self.temp();
            self.op(Ins::AddIK { d: i, a: i, i: 1 });
            self.op(Ins::NeI { d: t, a: i, b: n });
            self.jump(Ins::LoopT { a: t, o: 0 }, marks.start);
        } else {
            self.count_up(i, n, marks.start);
        }
        self.bind(marks.exit);
    }

    fn range_slice(&mut self, r: &'a Range) {
        let elem = self.expr(r.x).ty;
        let elem = self.elem(elem);
        let s = self.range_operand(r.x);
        let n = self.temp();
        self.op(Ins::Len { d: n, a: s });
        let stride = self.info(elem).layout.stride();
        let loc = |i| Loc { narrow: true, ..Loc::new(Base::Slice { s, i, stride }, elem) };
        self.range_indexed(r, n, loc);
    }

    fn range_array(&mut self, r: &'a Range) {
        let ty = self.expr(r.x).ty;
        let pointer = r.over == RangeOver::ArrayPtr;
        let array = if pointer { self.elem(ty) } else { ty };
        let Kind::Array(len, elem) = *self.types().under(array) else { return };
        let p = match (r.value, pointer) {
            (Some(_), true) => self.range_operand(r.x),
            (Some(_), false) => self.value(r.x),
            (None, _) => {
                if !self.is_simple(r.x) {
                    self.discard(r.x);
                }
                0
            }
        };
        let n = self.temp();
        self.load_word(n, len);
        let stride = self.info(elem).layout.stride();
        let loc = |i| Loc {
            base: Base::Ptr { p, safe: !pointer },
            steps: vec![Step::Index { i, len, stride }],
            ty: elem,
            narrow: true,
        };
        self.range_indexed(r, n, loc);
    }

    /// A loop over indices below `n`; the value is read from the place that `element` gives.
    fn range_indexed(&mut self, r: &'a Range, n: u16, element: impl Fn(u16) -> Loc) {
        let marks = self.marks();
        let i = self.counter(r.key);
        self.op(Ins::LoadI { d: i, i: 0 });
        self.unless_positive(n, marks.exit);
        self.bind(marks.start);
        let top = self.top;
        self.declare_key(r.key, i);
        if let Some(l) = r.value {
            self.declare_loc(l, &element(i));
        }
        self.loop_body(r.label, marks, &r.body);
        self.top = top;
        self.count_up(i, n, marks.start);
        self.bind(marks.exit);
    }

    /// Declares a variable with the value of a place.
    fn declare_loc(&mut self, l: LocalId, loc: &Loc) {
        if self.wants_registers(l)
            && let Var::Reg(d) = self.place_var(l)
        {
            let mark = self.top;
            self.load_loc(loc, d);
            self.top = mark;
            return;
        }
        let n = self.info(loc.ty).slots();
        let t = self.alloc(n);
        self.load_loc(loc, t);
        self.declare_from(l, t, false, false);
    }

    fn range_string(&mut self, r: &'a Range) {
        let s = self.range_operand(r.x);
        let marks = self.marks();
        let n = self.temp();
        self.op(Ins::Len { d: n, a: s });
        let i = self.counter(r.key);
        self.op(Ins::LoadI { d: i, i: 0 });
        self.unless_positive(n, marks.exit);
        let rune = self.alloc(2);
        self.bind(marks.start);
        let top = self.top;
        self.op(Ins::DecodeRune { r: rune, s, i });
        self.declare_key(r.key, i);
        if let Some(l) = r.value {
            self.declare_from(l, rune, true, true);
        }
        self.loop_body(r.label, marks, &r.body);
        self.top = top;
        self.op(Ins::AddI { d: i, a: i, b: rune + 1 });
        if self.fuse {
            self.jump(Ins::LoopLtI { a: i, b: n, o: 0 }, marks.start);
        } else {
            let t = self.temp();
            self.op(Ins::LtI { d: t, a: i, b: n });
            self.jump(Ins::LoopT { a: t, o: 0 }, marks.start);
        }
        self.bind(marks.exit);
    }

    /// Registers that an instruction writes an element to: the variable's own if it lives there.
    fn element_regs(&mut self, l: Option<LocalId>, ty: Ty) -> u16 {
        let Some(l) = l else { return NO_REG };
        if self.wants_registers(l)
            && let Var::Reg(r) = self.place_var(l)
        {
            return r;
        }
        let n = self.info(ty).slots();
        self.alloc(n)
    }

    fn declare_element(&mut self, l: Option<LocalId>, r: u16, owned: bool) {
        if let Some(l) = l
            && self.vars[l.0 as usize] != Var::Reg(r)
        {
            self.declare_from(l, r, owned, false);
        }
    }

    fn range_map(&mut self, r: &'a Range) {
        let ty = self.expr(r.x).ty;
        let t = self.type_id(ty);
        let (kt, vt) = (key(self.types(), ty), self.elem(ty));
        let m = self.range_operand(r.x);
        let marks = self.marks();
        let it = self.temp();
        self.op(Ins::MapIter { it, m });
        let k = self.element_regs(r.key, kt);
        let v = self.element_regs(r.value, vt);
        self.bind(marks.start);
        let top = self.top;
        self.jump(Ins::MapNext { it, k, v }, marks.exit);
        self.ext(0, 0);
        self.ext(0, t);
        self.declare_element(r.key, k, false);
        self.declare_element(r.value, v, false);
        self.loop_body(r.label, marks, &r.body);
        self.top = top;
        self.jump(Ins::Loop { o: 0 }, marks.start);
        self.bind(marks.exit);
    }

    fn range_chan(&mut self, r: &'a Range) {
        let ty = self.expr(r.x).ty;
        let elem = self.elem(ty);
        let c = self.range_operand(r.x);
        let marks = self.marks();
        let ok = self.temp();
        let d = self.element_regs(r.key, elem);
        let n = u16::try_from(self.info(elem).slots()).unwrap_or(0);
        self.bind(marks.start);
        let top = self.top;
        self.op(Ins::Recv { d, c, ok });
        self.ext(n, 0);
        self.jump(Ins::JF { a: ok, o: 0 }, marks.exit);
        self.declare_element(r.key, d, true);
        self.loop_body(r.label, marks, &r.body);
        self.top = top;
        self.jump(Ins::Loop { o: 0 }, marks.start);
        self.bind(marks.exit);
    }
}
