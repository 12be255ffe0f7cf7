//! `defer` and `go`.
//!
//! A deferred call is a func value without parameters and results: the function itself if it has none, else a closure over a thunk
//! (`forward`) with the operands, which are evaluated at the statement. `go` passes arguments in a window where the callee is a
//! function or func value, and uses a thunk for the rest.

use super::closure::CapKind;
use super::fun::{Fun, Parent};
use crate::bytecode::op::{HEADER, Ins};
use crate::source::Pos;
use crate::types::ty::{PkgId, Ty};
use crate::types::typed::{
    Builtin, Call, Callee, Capture, Expr, ExprId, ExprKind, FuncBody, Local, LocalId, Stmt,
    StmtKind,
};

/// What a made function calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum ThunkTarget {
    Func(u32),
    Native(u32),
    /// Method of the interface that is the first captured word.
    Method(u32),
    /// The func value that is the first captured word.
    Value,
    /// A method expression; it has code of its own.
    MethodExpr(Ty, String, Option<PkgId>),
}

/// What makes two made functions the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ThunkKey {
    pub(super) target: ThunkTarget,
    /// Captured values: slots, and the type if memory must be copied for each call.
    pub(super) captured: Vec<(u32, Option<Ty>)>,
    /// Slots of parameters and of the target's results.
    pub(super) params: u32,
    pub(super) results: u32,
    /// Returns the results.
    pub(super) keep: bool,
}

impl<'a> Fun<'a> {
    /// `defer e`
    pub(super) fn defer(&mut self, e: ExprId, pos: Pos) {
        let mark = self.top;
        let kept = self.ready.len();
        if let Some(call) = self.as_call(e) {
            self.hoist(&call.args);
        }
        let c = self.suspended(e);
        self.ready.truncate(kept);
        self.at(pos);
        match self.range.as_ref().map(|r| r.token) {
            Some(t) => self.op(Ins::DeferTo { c, t }),
            None => self.op(Ins::Defer { c }),
        }
        self.top = mark;
    }

    /// `go e`
    pub(super) fn go(&mut self, e: ExprId, pos: Pos) {
        let mark = self.top;
        let kept = self.ready.len();
        if let Some(call) = self.as_call(e) {
            self.hoist(&call.args);
            if self.go_call(call, pos) {
                self.ready.truncate(kept);
                self.top = mark;
                return;
            }
        }
        let c = self.suspended(e);
        self.ready.truncate(kept);
        let w = self.window(0, 0);
        self.at(pos);
        self.op(Ins::GoC { w, c, n: 0 });
        self.top = mark;
    }

    /// `go` of a function or func value with its arguments in a window.
    fn go_call(&mut self, call: &'a Call, pos: Pos) -> bool {
        let start = match &call.callee {
            Callee::Static(f) => match self.thunk_target(*f) {
                ThunkTarget::Func(f) => (Some(f), 0),
                _ => return false,
            },
            Callee::Value(v) => (None, self.operand(*v)),
            Callee::Interface { .. } => return false,
        };
        let w = self.window(0, 0);
        let end = self.arguments(w, None, &call.args);
        self.reach(end);
        self.at(pos);
        match start {
            (Some(f), _) => self.op(Ins::Go { w, f }),
            (None, c) => {
                let n = u16::try_from(end).unwrap_or(0).saturating_sub(w + HEADER);
                self.op(Ins::GoC { w, c, n });
            }
        }
        true
    }

    /// A call as a func value without parameters and results, its operands evaluated.
    fn suspended(&mut self, e: ExprId) -> u16 {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Call(call) => self.suspended_call(call, x),
            ExprKind::Builtin(b) => self.suspended_builtin(b, x),
            ExprKind::WithTuple { tuple, temps, body } => {
                self.bind_tuple(*tuple, temps);
                self.suspended(*body)
            }
            ExprKind::Let { local, init, body } => {
                self.declare(*local, *init);
                self.suspended(*body)
            }
            _ => unreachable!("the checker lets only calls be deferred or started"),
        }
    }

    fn suspended_call(&mut self, call: &'a Call, x: &Expr) -> u16 {
        let results = self.info(x.ty).slots();
        if call.args.is_empty() && results == 0 {
            match &call.callee {
                Callee::Value(v) => return self.operand(*v),
                Callee::Static(f) => {
                    let d = self.temp();
                    self.func_value(*f, d);
                    return d;
                }
                Callee::Interface { .. } => {}
            }
        }
        let d = self.temp();
        let first = u16::try_from(self.top).unwrap_or(0);
        let mut captured = Vec::new();
        let (target, lead) = match &call.callee {
            Callee::Static(f) => (self.thunk_target(*f), None),
            Callee::Value(v) => (ThunkTarget::Value, Some(*v)),
            Callee::Interface { recv, name, pkg, sig } => {
                let m = self.c.iface_method(self.src, name, *pkg, *sig);
                (ThunkTarget::Method(m), Some(*recv))
            }
        };
        for &e in lead.iter().chain(&call.args) {
            let n = self.slots_of(e);
            let r = self.alloc(n);
            self.value_to(e, r);
            captured.push((n, None));
        }
        if let ThunkTarget::Method(_) = target {
            self.at(x.pos);
            self.op(Ins::ChkNil { p: first });
        }
        let n = u16::try_from(self.top).unwrap_or(0).saturating_sub(first);
        let id = self.thunk(ThunkKey { target, captured, params: 0, results, keep: false });
        self.make_closure(d, id, first, n);
        d
    }

    /// A call of a predeclared function becomes a function literal whose captured variables are the arguments.
    fn suspended_builtin(&mut self, b: &Builtin, x: &Expr) -> u16 {
        let d = self.temp();
        let first = u16::try_from(self.top).unwrap_or(0);
        let mut lit =
            FuncBody { name: "runtime.call".into(), pos: x.pos, end: x.pos, ..FuncBody::default() };
        let mut parent = Parent::default();
        let replaced = map_builtin(b, &mut |e| self.capture_argument(e, &mut lit, &mut parent));
        let e = ExprId(u32::try_from(lit.exprs.len()).unwrap_or(0));
        lit.exprs.push(Expr { kind: ExprKind::Builtin(replaced), ty: x.ty, pos: x.pos });
        lit.body.push(Stmt { kind: StmtKind::Expr(e), pos: x.pos });
        let id = self.c.new_func(lit.name.clone(), lit.pos);
        Fun::compile(self.c, self.src, &lit, id, Some(&parent));
        self.c.module.funcs[id as usize].wrapper = true;
        let n = u16::try_from(self.top).unwrap_or(0).saturating_sub(first);
        self.make_closure(d, id, first, n);
        d
    }

    /// Evaluates an argument and gives the expression that reads it in the literal.
    fn capture_argument(&mut self, e: ExprId, lit: &mut FuncBody, parent: &mut Parent) -> ExprId {
        let x = self.expr(e);
        let info = self.info(x.ty);
        let r = self.alloc(info.slots());
        self.value_to(e, r);
        let local = LocalId(u32::try_from(lit.locals.len()).unwrap_or(0));
        lit.locals.push(Local {
            name: String::new(),
            ty: x.ty,
            pos: x.pos,
            addr_taken: false,
            captured: false,
            reassigned: false,
        });
        lit.captures.push(Capture { outer: LocalId(0), inner: local });
        parent.captures.push(if info.mem() { CapKind::Memory } else { CapKind::Value });
        lit.exprs.push(Expr { kind: ExprKind::Local(local), ty: x.ty, pos: x.pos });
        ExprId(u32::try_from(lit.exprs.len() - 1).unwrap_or(0))
    }
}

/// The same call with other arguments.
fn map_builtin(b: &Builtin, f: &mut dyn FnMut(ExprId) -> ExprId) -> Builtin {
    let list = |l: &[ExprId], f: &mut dyn FnMut(ExprId) -> ExprId| {
        l.iter().map(|&e| f(e)).collect::<Vec<_>>()
    };
    match b {
        Builtin::Len(x) => Builtin::Len(f(*x)),
        Builtin::Cap(x) => Builtin::Cap(f(*x)),
        Builtin::Append { slice, elems } => {
            Builtin::Append { slice: f(*slice), elems: list(elems, f) }
        }
        Builtin::AppendSlice { slice, tail } => {
            Builtin::AppendSlice { slice: f(*slice), tail: f(*tail) }
        }
        Builtin::Copy { dst, src } => Builtin::Copy { dst: f(*dst), src: f(*src) },
        Builtin::Delete { map, key } => Builtin::Delete { map: f(*map), key: f(*key) },
        Builtin::Clear(x) => Builtin::Clear(f(*x)),
        Builtin::Close(x) => Builtin::Close(f(*x)),
        Builtin::Make { len, cap } => {
            Builtin::Make { len: len.map(&mut *f), cap: cap.map(&mut *f) }
        }
        Builtin::New(x) => Builtin::New(x.map(f)),
        Builtin::Panic(x) => Builtin::Panic(f(*x)),
        Builtin::Recover => Builtin::Recover,
        Builtin::Print { args, newline } => {
            Builtin::Print { args: list(args, f), newline: *newline }
        }
        Builtin::Min(args) => Builtin::Min(list(args, f)),
        Builtin::Max(args) => Builtin::Max(list(args, f)),
        Builtin::Complex(a, b) => Builtin::Complex(f(*a), f(*b)),
        Builtin::Real(x) => Builtin::Real(f(*x)),
        Builtin::Imag(x) => Builtin::Imag(f(*x)),
        Builtin::UnsafeData(x) => Builtin::UnsafeData(f(*x)),
        Builtin::UnsafeView { pointer, len } => {
            Builtin::UnsafeView { pointer: f(*pointer), len: f(*len) }
        }
        Builtin::UnsafeUnsupported => Builtin::UnsafeUnsupported,
    }
}
