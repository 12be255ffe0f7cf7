//! Calls.
//!
//! A window is opened at `top`: two header slots, then the arguments, which are evaluated where they belong. The results
//! stay in the window, and `top` is put just above them.

use super::fun::Fun;
use super::methods::MethodKey;
use super::{Compiler, Target};
use crate::bytecode::op::{HEADER, Ins};
use crate::bytecode::rt::Rt;
use crate::types::ty::{PkgId, Ty};
use crate::types::typed::{Call, Callee, ExprId, ExprKind, FuncRef, Source};

impl Compiler {
    pub(super) fn new_cache(&mut self) -> u32 {
        let cache = self.module.caches;
        self.module.caches += 1;
        cache
    }

    /// The id of an interface's method.
    pub(super) fn iface_method(
        &mut self,
        src: &mut dyn Source,
        name: &str,
        pkg: Option<PkgId>,
        sig: Ty,
    ) -> u32 {
        self.method_id(src, &MethodKey { name: name.into(), pkg, sig })
    }
}

impl<'a> Fun<'a> {
    /// The call that an expression is, if it is one.
    pub(super) fn as_call(&self, e: ExprId) -> Option<&'a Call> {
        match &self.expr(e).kind {
            ExprKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Compiles a call; its results are in the register given and those after it, and `top` is above them.
    pub(super) fn call(&mut self, call: &'a Call, e: ExprId) -> u16 {
        let x = self.expr(e);
        if let Some(r) = self.intrinsic(call) {
            return r;
        }
        if let Some(inline) = self.inlined(call) {
            let n = self.info(x.ty).slots();
            let d = self.alloc(n);
            self.deeper(|f| f.inline_to(&inline, call, d));
            self.top = u32::from(d) + n;
            return d;
        }
        let mut at = 0;
        self.deeper(|f| {
            let results = f.info(x.ty).slots();
            at = f.call_results(call, results, x.pos);
        });
        at
    }

    /// The result of a call, moved to `d` if it is not computed there.
    pub(super) fn call_to(&mut self, call: &'a Call, e: ExprId, d: u16) {
        if let Some(inline) = self.inlined(call) {
            self.inline_to(&inline, call, d);
            return;
        }
        let r = self.call(call, e);
        let n = self.slots_of(e);
        self.mov(d, r, n);
    }

    /// A native that has an instruction of its own.
    fn intrinsic(&mut self, call: &'a Call) -> Option<u16> {
        let (Callee::Static(f), [arg], true) = (&call.callee, call.args.as_slice(), self.fuse)
        else {
            return None;
        };
        let Target::Native(x) = self.c.target(self.src, *f) else { return None };
        let ins: fn(u16, u16) -> Ins = match self.c.module.natives[x as usize].name.as_str() {
            "math.Sqrt" | "math.sqrt" => |d, a| Ins::SqrtF { d, a },
            "math.Abs" => |d, a| Ins::AbsF { d, a },
            "math.Floor" | "math.floor" => |d, a| Ins::FloorF { d, a },
            _ => return None,
        };
        let d = self.temp();
        let a = self.operand(*arg);
        self.op(ins(d, a));
        self.top = u32::from(d) + 1;
        Some(d)
    }

    /// Slots of results of a call used as a statement are those of its tuple or type; a call without results has an
    /// empty tuple.
    fn call_results(&mut self, call: &'a Call, results: u32, pos: crate::source::Pos) -> u16 {
        let (c, lead) = match &call.callee {
            Callee::Value(f) => (Some(self.callee_value(*f)), None),
            Callee::Interface { recv, .. } => (None, Some(*recv)),
            Callee::Static(_) => (None, None),
        };
        let w = self.window(0, 0);
        let end = self.arguments(w, lead, &call.args);
        self.top = u32::from(w);
        self.window(end - u32::from(w + HEADER), results);
        self.at(pos);
        match &call.callee {
            Callee::Static(f) => self.call_static(*f, w),
            Callee::Value(_) => {
                let n = u16::try_from(end).unwrap_or(0).saturating_sub(w + HEADER);
                self.op(Ins::CallC { w, c: c.unwrap_or(0), n });
            }
            Callee::Interface { name, pkg, sig, .. } => {
                let m = self.c.iface_method(self.src, name, *pkg, *sig);
                self.call_iface(w, m);
            }
        }
        self.top = u32::from(w + HEADER) + results;
        w + HEADER
    }

    pub(super) fn call_iface(&mut self, w: u16, m: u32) {
        let cache = self.c.new_cache();
        self.op(Ins::CallI { w, m });
        self.ext(w, cache);
    }

    /// The func value to call. A variable is copied if an argument could change it; it cannot, unless it has a cell.
    fn callee_value(&mut self, f: ExprId) -> u16 {
        self.operand(f)
    }

    pub(super) fn call_static(&mut self, f: FuncRef, w: u16) {
        match self.c.target(self.src, f) {
            Target::Func(f) => self.op(Ins::Call { w, f }),
            Target::Native(x) => self.call_native(w, x),
        }
    }

    /// Calls a native; some that are called all the time have an opcode of their own.
    fn call_native(&mut self, w: u16, x: u32) {
        let name = self.c.module.natives[x as usize].name.as_str();
        let lock = match name {
            "sync.Mutex.Lock" => true,
            "sync.Mutex.Unlock" => false,
            _ => return self.op(Ins::CallN { w, x }),
        };
        let Some(x) = u16::try_from(x).ok().filter(|_| self.fuse) else {
            return self.op(Ins::CallN { w, x });
        };
        let p = self.only_argument(w);
        if lock {
            return self.op(Ins::CallLock { w, p, x });
        }
        self.lock_only_to_add(p);
        self.op(Ins::CallUnlock { w, p, x });
    }

    /// Before the unlocking of the mutex in `p`: if all that is done under its lock is an addition, says so in the locking.
    fn lock_only_to_add(&mut self, p: u16) {
        let n = self.code.len();
        let (at, lock) = match *self.code {
            [.., Ins::CallLock { w, p: l, x }, Ins::AddMemK { .. }] if l == p => {
                (n - 2, Ins::CallLockAdd { w, p, x })
            }
            [
                ..,
                Ins::Lea { d: l, p: a, o: b },
                Ins::CallLock { w, p: of, x },
                Ins::AddMemK { .. },
                Ins::Lea { d, p: a2, o: b2 },
            ] if l == of && d == p && (a, b) == (a2, b2) => {
                (n - 3, Ins::CallLockAdd { w, p: of, x })
            }
            _ => return,
        };
        if self.bound <= at {
            self.code[at] = lock;
        }
    }

    /// The register that the argument of a call was copied from, if that was the last instruction, which goes; or the argument's.
    fn only_argument(&mut self, w: u16) -> u16 {
        match self.code.last() {
            Some(&Ins::Mov { d, a }) if d == w + HEADER && self.bound != self.code.len() => {
                self.code.pop();
                a
            }
            _ => w + HEADER,
        }
    }

    /// Evaluates arguments into a window; gives the first slot above them.
    pub(super) fn arguments(&mut self, w: u16, lead: Option<ExprId>, args: &[ExprId]) -> u32 {
        let first = u32::from(w + HEADER);
        let mut at = first;
        for e in lead.into_iter().chain(args.iter().copied()) {
            let n = self.slots_of(e);
            let slot = u16::try_from(at).unwrap_or(0);
            self.reach(at + n);
            if at == first && self.lands(e) {
                // an inner call as the first argument uses the same window, so its result lands in place
                self.top = u32::from(w);
                let r = self.operand(e);
                self.top = self.top.max(at + n);
                self.mov(slot, r, n);
            } else {
                self.top = at + n;
                self.value_to(e, slot);
            }
            at += n;
            self.top = at;
        }
        at
    }

    /// Calls a native of the compiler's own with operands (register, slots); gives the first result.
    pub(super) fn call_rt(&mut self, rt: Rt, operands: &[(u16, u32)]) -> u16 {
        let row = rt.row();
        let w = self.window(u32::from(row.params), u32::from(row.results));
        let mut at = w + HEADER;
        for &(r, n) in operands {
            self.mov(at, r, n);
            at += u16::try_from(n).unwrap_or(0);
        }
        let x = self.c.rt(rt);
        self.op(Ins::CallN { w, x });
        w + HEADER
    }

    /// A declared function as a value.
    pub(super) fn func_value(&mut self, f: FuncRef, d: u16) {
        let id = match self.c.target(self.src, f) {
            Target::Func(id) => id,
            Target::Native(x) => self.native_wrapper(f, x),
        };
        let k = self.c.func_const(id);
        self.op(Ins::LoadK { d, k });
    }

    /// Evaluates a call with several results and makes locals of them.
    pub(super) fn bind_tuple(&mut self, tuple: ExprId, locals: &[crate::types::typed::LocalId]) {
        let all: Vec<_> = locals.iter().map(|&l| Some(l)).collect();
        self.declare_tuple(tuple, &all);
    }
}
