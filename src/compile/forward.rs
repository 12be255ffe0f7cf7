//! Functions that the compiler makes itself: they only pass a call on.
//!
//! * receiver wrappers: an interface call of a promoted method, or of one whose receiver is not one slot;
//! * method expressions and method values;
//! * thunks: a deferred or started call with its operands captured.
//!
//! Invariant: all are marked `wrapper`, so tracebacks leave them out and `recover` looks through them.

use super::defer::{ThunkKey, ThunkTarget};
use super::fun::Fun;
use super::place::{Base, Loc};
use super::{Compiler, Target};
use crate::bytecode::op::{HEADER, Ins};
use crate::bytecode::rt::Rt;
use crate::source::Pos;
use crate::types::ty::{Kind, Signature, Ty};
use crate::types::typed::{Callee, ExprId, FuncBody, FuncRef, MethodEntry, MethodTarget, Source};

impl Compiler {
    /// A function whose code is emitted by `build`; its parameters are in the first slots.
    pub(super) fn synthesise(
        &mut self,
        src: &mut dyn Source,
        name: String,
        (params, results, closure): (u32, u32, bool),
        build: impl FnOnce(&mut Fun<'_>),
    ) -> u32 {
        let id = self.new_func(name, Pos::NONE);
        let body = FuncBody::default();
        let mut f = Fun::new(self, src, &body, false);
        f.alloc(params);
        f.result_slots = results;
        build(&mut f);
        f.install(id);
        let func = &mut self.module.funcs[id as usize];
        func.params = params;
        func.closure = closure;
        func.wrapper = true;
        id
    }

    fn signature(&mut self, src: &mut dyn Source, sig: Ty) -> Signature {
        match src.types().under(sig) {
            Kind::Func(sig) => sig.clone(),
            _ => Signature::default(),
        }
    }

    fn slots(&mut self, src: &mut dyn Source, list: &[Ty]) -> u32 {
        list.iter().map(|&t| self.info(src, t).slots()).sum()
    }

    /// The function for interface calls of `entry` on values of type `t`.
    pub(super) fn receiver_wrapper(
        &mut self,
        src: &mut dyn Source,
        t: Ty,
        entry: &MethodEntry,
    ) -> u32 {
        let sig = self.signature(src, entry.sig);
        let params = self.slots(src, &sig.params);
        let results = self.slots(src, &sig.results);
        let name = wrapper_name(src, t, &entry.name);
        let direct = self.is_direct(src, t);
        self.synthesise(src, name, (params + 1, results, false), |f| {
            let base = if direct { Base::Reg(0) } else { Base::Ptr { p: 0, safe: true } };
            f.forward_method(Loc::new(base, t), entry, 1, params);
        })
    }

    /// `T.M` as a function with the receiver as its first parameter.
    fn method_function(&mut self, src: &mut dyn Source, t: Ty, entry: &MethodEntry) -> u32 {
        let key = ThunkKey {
            target: ThunkTarget::MethodExpr(t, entry.name.clone(), entry.pkg),
            captured: Vec::new(),
            params: 0,
            results: 0,
            keep: true,
        };
        if let Some(&id) = self.thunks.get(&key) {
            return id;
        }
        let sig = self.signature(src, entry.sig);
        let params = self.slots(src, &sig.params);
        let results = self.slots(src, &sig.results);
        let info = self.info(src, t);
        let name = wrapper_name(src, t, &entry.name);
        let recv = info.slots();
        let id = self.synthesise(src, name, (params + recv, results, false), |f| {
            let base = if info.mem() { Base::Ptr { p: 0, safe: true } } else { Base::Reg(0) };
            f.forward_method(Loc::new(base, t), entry, recv, params);
        });
        self.thunks.insert(key, id);
        id
    }
}

impl Fun<'_> {
    /// Calls the method `entry` of the value at `loc` with the parameters in the slots from `from` on, and returns its results.
    fn forward_method(&mut self, mut loc: Loc, entry: &MethodEntry, from: u32, params: u32) {
        let own = entry.path.is_empty();
        for step in &entry.path {
            if step.deref {
                loc = self.deref_loc(&loc);
            }
            loc = self.field_loc(loc, step.index);
        }
        let recv = match entry.target {
            MethodTarget::Interface => {
                let r = self.temp();
                self.load_loc(&loc, r);
                (r, 1)
            }
            MethodTarget::Func { func, ptr } => self.static_receiver(loc, ptr, own, func),
        };
        let w = self.window(recv.1 + params, self.result_slots);
        self.mov(w + HEADER, recv.0, recv.1);
        let arg = w + HEADER + u16::try_from(recv.1).unwrap_or(0);
        self.mov(arg, u16::try_from(from).unwrap_or(0), params);
        match entry.target {
            MethodTarget::Interface => {
                let m = self.c.iface_method(self.src, &entry.name, entry.pkg, entry.sig);
                self.call_iface(w, m);
            }
            MethodTarget::Func { func, .. } => self.call_static(func, w),
        }
        self.ret(w + HEADER, self.result_slots);
    }

    fn deref_loc(&mut self, loc: &Loc) -> Loc {
        let p = self.temp();
        self.load_loc(loc, p);
        let ty = self.elem(loc.ty);
        Loc { narrow: true, ..Loc::new(Base::Ptr { p, safe: false }, ty) }
    }

    /// The receiver of a declared method from the value at `loc`: registers and number of slots.
    fn static_receiver(&mut self, mut loc: Loc, ptr: bool, own: bool, func: FuncRef) -> (u16, u32) {
        let pointer = matches!(self.types().kind(loc.ty), Kind::Pointer(_));
        if ptr && !pointer {
            let r = self.temp();
            self.addr_loc(&loc, r);
            return (r, 1);
        }
        if !ptr && pointer {
            if own && let Base::Reg(r) = loc.base {
                self.check_value_method(r, loc.ty, func);
            }
            loc = self.deref_loc(&loc);
        }
        let info = self.info(loc.ty);
        let r = self.alloc(info.slots());
        self.load_loc(&loc, r);
        if info.mem() {
            let copy = self.temp();
            self.copy_new(copy, r, loc.ty);
            return (copy, 1);
        }
        (r, info.slots())
    }

    fn check_value_method(&mut self, r: u16, ty: Ty, func: FuncRef) {
        let elem = self.elem(ty);
        let Kind::Named(n) = *self.types().kind(elem) else { return };
        let short = self.types().named[n.0 as usize].name.clone();
        let method = self.src.func_name(func);
        let text = format!("value method {method} called using nil *{short} pointer");
        let fine = self.labels.fresh();
        self.jump(Ins::JT { a: r, o: 0 }, fine);
        let t = self.temp();
        self.load_str(t, text.as_bytes());
        self.call_rt(Rt::PanicValueMethod, &[(t, 1)]);
        self.bind(fine);
    }

    /// `T.M` as a value.
    pub(super) fn method_expr(&mut self, recv: Ty, entry: &MethodEntry, d: u16) {
        let id = self.c.method_function(self.src, recv, entry);
        let k = self.c.func_const(id);
        self.op(Ins::LoadK { d, k });
    }

    /// A native as a func value.
    pub(super) fn native_wrapper(&mut self, f: FuncRef, x: u32) -> u32 {
        let sig = self.src.signature(f);
        let sig = self.c.signature(self.src, sig);
        let params = self.c.slots(self.src, &sig.params);
        let results = self.c.slots(self.src, &sig.results);
        self.thunk(ThunkKey {
            target: ThunkTarget::Native(x),
            captured: Vec::new(),
            params,
            results,
            keep: true,
        })
    }

    /// `x.M` as a value: a closure over the receiver.
    pub(super) fn method_value(&mut self, recv: ExprId, callee: &Callee, pos: Pos, d: u16) {
        let r = self.value(recv);
        let ty = self.expr(recv).ty;
        let info = self.info(ty);
        let (target, mut sig) = match callee {
            Callee::Static(f) => {
                let sig = self.src.signature(*f);
                let mut sig = self.c.signature(self.src, sig);
                sig.params.remove(0);
                (self.thunk_target(*f), sig)
            }
            Callee::Interface { name, pkg, sig, .. } => {
                self.at(pos);
                self.op(Ins::ChkNil { p: r });
                let m = self.c.iface_method(self.src, name, *pkg, *sig);
                (ThunkTarget::Method(m), self.c.signature(self.src, *sig))
            }
            Callee::Value(_) => (ThunkTarget::Value, Signature::default()),
        };
        let params = self.c.slots(self.src, &std::mem::take(&mut sig.params));
        let results = self.c.slots(self.src, &sig.results);
        let captured = vec![(info.slots(), info.mem().then_some(ty))];
        let id = self.thunk(ThunkKey { target, captured, params, results, keep: true });
        self.make_closure(d, id, r, u16::try_from(info.slots()).unwrap_or(0));
    }

    pub(super) fn thunk_target(&mut self, f: FuncRef) -> ThunkTarget {
        match self.c.target(self.src, f) {
            Target::Func(id) => ThunkTarget::Func(id),
            Target::Native(id) => ThunkTarget::Native(id),
        }
    }

    /// The function that calls a target with captured words in front of its own parameters.
    pub(super) fn thunk(&mut self, key: ThunkKey) -> u32 {
        if let Some(&id) = self.c.thunks.get(&key) {
            return id;
        }
        let name = match &key.target {
            ThunkTarget::Func(f) => format!("{}-fm", self.c.module.funcs[*f as usize].name),
            _ => "runtime.call".into(),
        };
        let closure = key.captured.iter().any(|c| c.0 > 0);
        let shape = (key.params, if key.keep { key.results } else { 0 }, closure);
        let id = self.c.synthesise(self.src, name, shape, |f| f.thunk_code(&key));
        self.c.thunks.insert(key, id);
        id
    }

    fn thunk_code(&mut self, key: &ThunkKey) {
        let value = key.target == ThunkTarget::Value;
        let c = self.temp();
        if value {
            self.op(Ins::LoadCap { d: c, i: 0 });
        }
        let words: u32 = key.captured.iter().map(|c| c.0).sum();
        let args = words - u32::from(value) + key.params;
        let w = self.window(args, key.results);
        let mut at = w + HEADER;
        let mut cap = 0u16;
        for (k, &(slots, copy)) in key.captured.iter().enumerate() {
            for _ in 0..slots {
                if !(value && k == 0) {
                    self.op(Ins::LoadCap { d: at, i: cap });
                    at += 1;
                }
                cap += 1;
            }
            if let Some(ty) = copy {
                self.top = u32::from(at);
                self.copy_new(at - 1, at - 1, ty);
            }
        }
        self.mov(at, 0, key.params);
        match key.target {
            ThunkTarget::Func(f) => self.op(Ins::Call { w, f }),
            ThunkTarget::Native(x) => self.op(Ins::CallN { w, x }),
            ThunkTarget::Method(m) => self.call_iface(w, m),
            ThunkTarget::Value => {
                let n = u16::try_from(args).unwrap_or(u16::MAX);
                self.op(Ins::CallC { w, c, n });
            }
            ThunkTarget::MethodExpr(..) => unreachable!("has code of its own"),
        }
        let results = if key.keep { key.results } else { 0 };
        self.ret(w + HEADER, results);
    }
}

/// A method that the compiler makes for a type, as tracebacks show it: `main.(*T).M`, `main.E.M`.
fn wrapper_name(src: &mut dyn Source, t: Ty, method: &str) -> String {
    let (pointer, base) = match *src.types().kind(t) {
        Kind::Pointer(e) => (true, e),
        _ => (false, t),
    };
    let Kind::Named(n) = *src.types().kind(base) else {
        return format!("{}.{method}", src.type_string(t));
    };
    let named = &src.types().named[n.0 as usize];
    let (pkg, name) = (named.pkg, named.name.clone());
    let path = pkg.map_or(String::new(), |p| src.package(p).0 + ".");
    if pointer { format!("{path}(*{name}).{method}") } else { format!("{path}{name}.{method}") }
}
