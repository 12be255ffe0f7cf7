//! The state of one function while it is compiled: code, registers, variables, labels.
//!
//! **Registers.** One bump stack: variables take slots where they are declared and give them back at the end of their block;
//! temporaries are above them, call windows above those. What a statement takes it gives back when it ends.
//!
//! Invariants:
//! * `top` is the first free slot; everything at or above it may be overwritten.
//! * `max` is never less than any slot that was ever used plus one, call windows with header, arguments and results included.
//! * `pos` is the position of what is being emitted; `lines` changes only where it changes.

use super::closure::CapKind;
use super::jumps::{Label, Labels};
use super::rangefunc::{Exit, RangeCx, RangeParent};
use super::stmt::ends;
use super::types::{Class, Info, elem};
use super::vars::Var;
use super::{Compiler, MAX_FRAME};
use crate::bytecode::op::{HEADER, Ins};
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::source::Pos;
use crate::types::ty::{Ty, Types};
use crate::types::typed::{Expr, ExprId, FuncBody, LabelId, LocalId, Source};

/// How deep expressions and statements may nest.
const MAX_DEPTH: u32 = 5000;

/// A statement that `break` or `continue` can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nest {
    pub(super) label: LabelId,
    pub(super) brk: Label,
    pub(super) cont: Option<Label>,
}

/// How results are returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Results {
    /// Straight from where they were computed.
    Direct,
    /// Through result variables.
    Vars,
}

/// A function being compiled.
pub(super) struct Fun<'a> {
    pub(super) c: &'a mut Compiler,
    pub(super) src: &'a mut (dyn Source + 'a),
    pub(super) body: &'a FuncBody,
    pub(super) code: Vec<Ins>,
    pub(super) lines: Vec<(u32, Pos)>,
    pub(super) pos: Pos,
    pub(super) labels: Labels,
    pub(super) vars: Vec<Var>,
    pub(super) top: u32,
    pub(super) max: u32,
    pub(super) nests: Vec<Nest>,
    pub(super) gotos: Vec<(LabelId, Label)>,
    /// Variables that the statement being compiled assigns: reading one must copy it.
    pub(super) pinned: Vec<LocalId>,
    /// Expressions evaluated ahead of the one that contains them.
    pub(super) ready: Vec<(ExprId, u16)>,
    /// Constants in registers: word and register.
    pub(super) consts: Vec<(u64, u16)>,
    pub(super) results: Results,
    pub(super) result_slots: u32,
    /// The epilogue that returns the result variables.
    pub(super) epilogue: Option<Label>,
    /// In the body of a range over a function.
    pub(super) range: Option<RangeCx>,
    /// Where a label was bound last: what stands before it need not have run.
    pub(super) bound: usize,
    /// Fused jumps with short offsets are allowed.
    pub(super) fuse: bool,
    pub(super) depth: u32,
    pub(super) failed: Option<&'static str>,
}

/// What a function literal gets from its parent.
#[derive(Debug, Default)]
pub(super) struct Parent {
    /// How each capture is passed.
    pub(super) captures: Vec<CapKind>,
    pub(super) range: Option<RangeParent>,
}

impl<'a> Fun<'a> {
    /// Compiles `body` as function `id`. Gives the ways in which the body of a range over a function leaves the loop.
    pub(super) fn compile(
        c: &mut Compiler,
        src: &mut dyn Source,
        body: &FuncBody,
        id: u32,
        parent: Option<&Parent>,
    ) -> Vec<Exit> {
        let fuse = c.opts.opt;
        for fuse in [fuse, false] {
            let mut f = Fun::new(c, src, body, fuse);
            f.whole(id, parent);
            if f.install(id) {
                return f.range.map(|r| r.exits).unwrap_or_default();
            }
        }
        unreachable!("jumps without fusion reach everything")
    }

    /// An empty function.
    pub(super) fn new(
        c: &'a mut Compiler,
        src: &'a mut (dyn Source + 'a),
        body: &'a FuncBody,
        fuse: bool,
    ) -> Self {
        Fun {
            c,
            src,
            body,
            code: Vec::with_capacity(64),
            lines: Vec::new(),
            pos: body.pos,
            labels: Labels::default(),
            vars: vec![Var::None; body.locals.len()],
            top: 0,
            max: 0,
            nests: Vec::new(),
            gotos: Vec::new(),
            pinned: Vec::new(),
            ready: Vec::new(),
            consts: Vec::new(),
            results: Results::Direct,
            result_slots: 0,
            epilogue: None,
            range: None,
            bound: 0,
            fuse,
            depth: 0,
            failed: None,
        }
    }

    fn whole(&mut self, id: u32, parent: Option<&Parent>) {
        let body = self.body;
        self.c.at = body.pos;
        self.params();
        let closure = parent.is_some_and(|p| !p.captures.is_empty() || p.range.is_some());
        self.c.module.funcs[id as usize].closure = closure;
        if let Some(parent) = parent {
            self.captured(parent);
        }
        self.result_vars();
        self.block(&body.body);
        self.at(body.end);
        self.ending(id);
    }

    /// The code behind the last statement: the implicit return, and the epilogue.
    fn ending(&mut self, id: u32) {
        if self.range.is_some() {
            self.range_continue();
            return;
        }
        if self.body.has_defer {
            let label = self.epilogue_label();
            self.labels.bind(label, self.code.len());
            let pc = u32::try_from(self.code.len()).expect("small code");
            self.c.module.funcs[id as usize].recover_at = Some(pc);
            let w = self.window(0, 0);
            self.op(Ins::RunDefers { w });
            self.ext(w, 0);
            self.return_vars();
            return;
        }
        let reached = self.bound == self.code.len() || !ends(&self.body.body);
        if !reached {
            // the last statement has returned
        } else if self.body.results.is_empty() {
            self.op(Ins::Ret0 {});
        } else {
            self.op(Ins::Unreachable {});
        }
        if let Some(label) = self.epilogue {
            self.labels.bind(label, self.code.len());
            self.return_vars();
        }
    }

    pub(super) fn epilogue_label(&mut self) -> Label {
        if let Some(label) = self.epilogue {
            return label;
        }
        let label = self.labels.fresh();
        self.epilogue = Some(label);
        label
    }

    /// Puts the code into the module. False if a jump does not reach.
    pub(super) fn install(&mut self, id: u32) -> bool {
        if !self.labels.patch(&mut self.code) {
            return false;
        }
        if let Some(text) = self.failed {
            self.c.errors.push(Diagnostic::error(self.body.pos, Code::TooLarge, text));
        }
        let params = self.param_slots();
        let func = &mut self.c.module.funcs[id as usize];
        func.code = std::mem::take(&mut self.code);
        func.lines = std::mem::take(&mut self.lines);
        func.nslots = self.max;
        func.params = params;
        func.results = self.result_slots;
        true
    }

    fn param_slots(&mut self) -> u32 {
        let body = self.body;
        body.params.iter().map(|&p| self.local_info(p).slots()).sum()
    }

    // ---- emission ----

    /// Sets the position of what follows.
    pub(super) fn at(&mut self, pos: Pos) {
        if pos.is_known() {
            self.pos = pos;
        }
    }

    pub(super) fn op(&mut self, ins: Ins) {
        if self.lines.last().is_none_or(|l| l.1 != self.pos) {
            let pc = u32::try_from(self.code.len())
                .expect("a function has fewer than 2^32 instructions");
            self.lines.push((pc, self.pos));
        }
        self.code.push(ins);
    }

    pub(super) fn ext(&mut self, a: u16, b: u32) {
        self.code.push(Ins::Ext { a, b });
    }

    /// Emits a jump to `label`.
    pub(super) fn jump(&mut self, ins: Ins, label: Label) {
        self.op(ins);
        self.labels.refer(self.code.len() - 1, label);
    }

    /// Unconditional jump to a label that is not bound yet, or back to one that is.
    pub(super) fn goto(&mut self, label: Label) {
        if self.labels.place(label).is_some() {
            self.jump(Ins::Loop { o: 0 }, label);
        } else {
            self.jump(Ins::Jmp { o: 0 }, label);
        }
    }

    pub(super) fn bind(&mut self, label: Label) {
        self.bound = self.code.len();
        self.labels.bind(label, self.code.len());
    }

    // ---- registers ----

    /// Takes `n` consecutive slots.
    pub(super) fn alloc(&mut self, n: u32) -> u16 {
        let r = self.top;
        self.reach(r + n);
        self.top = (r + n).min(MAX_FRAME);
        u16::try_from(r).unwrap_or(0)
    }

    pub(super) fn temp(&mut self) -> u16 {
        self.alloc(1)
    }

    /// Slots below `end` are used.
    pub(super) fn reach(&mut self, end: u32) {
        if end > MAX_FRAME {
            self.fail("function too big: its variables and temporaries need more than 65000 words");
            return;
        }
        self.max = self.max.max(end);
    }

    pub(super) fn fail(&mut self, text: &'static str) {
        self.failed = Some(text);
    }

    /// The window at `top` for a call with so many slots of arguments and results. Nothing is reserved.
    pub(super) fn window(&mut self, args: u32, results: u32) -> u16 {
        let w = self.top;
        self.reach(w + u32::from(HEADER) + args.max(results));
        u16::try_from(w).unwrap_or(0)
    }

    /// Runs `f` one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, f: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            self.fail("expression or statement nested too deeply");
            return;
        }
        self.depth += 1;
        f(self);
        self.depth -= 1;
    }

    // ---- look-ups ----

    pub(super) fn expr(&self, e: ExprId) -> &'a Expr {
        let body: &'a FuncBody = self.body;
        &body.exprs[e.0 as usize]
    }

    pub(super) fn types(&mut self) -> &mut Types {
        self.src.types()
    }

    pub(super) fn info(&mut self, t: Ty) -> Info {
        self.c.info(self.src, t)
    }

    pub(super) fn class(&mut self, t: Ty) -> Class {
        self.info(t).class
    }

    pub(super) fn info_of(&mut self, e: ExprId) -> Info {
        let t = self.expr(e).ty;
        self.info(t)
    }

    pub(super) fn slots_of(&mut self, e: ExprId) -> u32 {
        self.info_of(e).slots()
    }

    pub(super) fn local_info(&mut self, l: LocalId) -> Info {
        let t = self.body.locals[l.0 as usize].ty;
        self.info(t)
    }

    pub(super) fn type_id(&mut self, t: Ty) -> u32 {
        self.c.type_id(self.src, t)
    }

    pub(super) fn elem(&mut self, t: Ty) -> Ty {
        elem(self.src.types(), t)
    }

    // ---- small code ----

    /// Copies `n` slots.
    pub(super) fn mov(&mut self, d: u16, a: u16, n: u32) {
        if d == a || n == 0 {
            return;
        }
        match n {
            1 => self.op(Ins::Mov { d, a }),
            _ => self.op(Ins::MovN { d, a, n: u16::try_from(n).unwrap_or(u16::MAX) }),
        }
    }

    /// Zeroes `n` slots.
    pub(super) fn zero(&mut self, d: u16, n: u32) {
        match n {
            0 => {}
            1 => self.op(Ins::LoadI { d, i: 0 }),
            _ => self.op(Ins::ZeroN { d, n: u16::try_from(n).unwrap_or(u16::MAX) }),
        }
    }

    /// Loads a constant word.
    pub(super) fn load_word(&mut self, d: u16, word: u64) {
        match i32::try_from(word.cast_signed()) {
            Ok(i) => self.op(Ins::LoadI { d, i }),
            Err(_) => {
                let k = self.c.word_const(word);
                self.op(Ins::LoadK { d, k });
            }
        }
    }

    pub(super) fn load_str(&mut self, d: u16, text: &[u8]) {
        if text.is_empty() {
            self.op(Ins::LoadI { d, i: 0 });
            return;
        }
        let k = self.c.str_const(text);
        self.op(Ins::LoadK { d, k });
    }
}
