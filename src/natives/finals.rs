//! Finalizers, cleanups and weak pointers: what becomes of objects that a collection finds dead.
//!
//! * A finalizer keeps its object once more: the object is marked after all others and handed to the guest with its function. What
//!   it refers to is marked from the start, so of two objects one of which refers to the other only the first is finalized,
//!   and a ring of them never is, as in Go.
//! * A cleanup does not keep its object; its function is a root, and so is what that holds.
//! * A weak pointer is a word that nothing traces, in an object of its own; it becomes 0 when the other object is dead, before a
//!   finalizer of that may run. Equal pointers have the same one.
//!
//! No goroutine waits for dead objects: a collection that finds something to run starts one (`runFinals` in `std/runtime`), which
//! ends when nothing is left.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use crate::bytecode::module::TypeKind;
use crate::heap::SHAPE_RAW;
use crate::value::{iface, mem};
use crate::vm::trap::Trap;

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("setFinalizer", set_finalizer),
    ("takeFinal", take_final),
    ("addCleanup", add_cleanup),
    ("stopCleanup", stop_cleanup),
];

pub(super) const WEAK: Table = &[("makeWeak", make_weak), ("strong", strong)];

/// A function to call with an object. `ty` is not 0 where the function takes an interface: the type of the pointer.
#[derive(Clone, Copy, Debug)]
struct Final {
    func: u64,
    object: u64,
    ty: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By the address of the object.
    finalizers: BTreeMap<u64, Final>,
    /// Functions without parameters, by their numbers; `object` is what they wait for.
    cleanups: BTreeMap<u64, Final>,
    next_cleanup: u64,
    /// Objects that hold a weak word, by that word.
    weak: BTreeMap<u64, u64>,
    ready: VecDeque<Final>,
    /// The guest's function that runs what is ready.
    drain: u64,
}

/// What waits for the death of objects.
#[derive(Debug, Default)]
pub(crate) struct Finals(Mutex<Waiting>);

/// Whether the object that a pointer is in was reached.
type Lives<'a> = &'a dyn Fn(u64) -> bool;

impl Finals {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().expect("never held across a panic")
    }

    /// Offers what must live whatever becomes of the objects.
    pub(crate) fn trace(&self, mut word: impl FnMut(u64)) {
        let t = self.lock();
        word(t.drain);
        t.finalizers.values().for_each(|f| word(f.func));
        t.cleanups.values().for_each(|f| word(f.func));
        t.weak.values().for_each(|h| word(*h));
        for f in &t.ready {
            word(f.func);
            word(f.object);
        }
    }

    /// Objects with finalizers: what they refer to is reached by way of them, they are not.
    pub(crate) fn finalized(&self) -> Vec<u64> {
        self.lock().finalizers.keys().copied().collect()
    }

    /// Everything reachable is marked: weak pointers to the rest become nil, and what has a finalizer is kept once more.
    pub(crate) fn settle(&self, lives: Lives<'_>, mut keep: impl FnMut(u64)) {
        let t = &mut *self.lock();
        t.weak.retain(|&pointer, handle| {
            let alive = lives(pointer);
            if !alive {
                mem::store64(*handle, 0);
            }
            alive
        });
        let Waiting { finalizers, ready, .. } = t;
        finalizers.retain(|&object, f| {
            let alive = lives(object);
            if !alive {
                keep(object);
                ready.push_back(*f);
            }
            alive
        });
    }

    /// What is not marked now is gone.
    pub(crate) fn bury(&self, lives: Lives<'_>) {
        let Waiting { cleanups, ready, .. } = &mut *self.lock();
        cleanups.retain(|_, f| {
            let alive = lives(f.object);
            if !alive {
                ready.push_back(Final { object: 0, ..*f });
            }
            alive
        });
    }

    /// The guest's function to start if something is ready.
    pub(crate) fn to_start(&self) -> Option<u64> {
        let t = self.lock();
        (!t.ready.is_empty()).then_some(t.drain)
    }
}

/// `func setFinalizer(obj, f any, drain func())`; a nil f takes the finalizer away.
fn set_finalizer(n: &mut Ncx<'_, '_>) -> Outcome {
    match checked(n) {
        Ok(()) => Outcome::Done,
        Err(text) => Outcome::Trap(Trap::Fatal(format!("runtime.SetFinalizer: {text}"))),
    }
}

fn checked(n: &mut Ncx<'_, '_>) -> Result<(), String> {
    let (obj, f, drain) = (n.arg(0), n.arg(1), n.arg(2));
    if obj == 0 {
        return Err("first argument is nil".into());
    }
    let types = &n.vm.types;
    let ty = iface::type_of(obj);
    let name = types.name(ty);
    let TypeKind::Pointer(_) = types.at(ty).desc.kind else {
        return Err(format!("first argument is {name}, not pointer"));
    };
    let object = mem::load64(iface::payload(obj));
    if object == 0 {
        return Err("pointer not in allocated block".into());
    }
    // a variable of a package lives for ever
    let Some(base) = n.vm.heap.find(object) else { return Ok(()) };
    if base as u64 != object {
        return Err("pointer not at beginning of allocated block".into());
    }
    let finals = &n.vm.natives_state.finals;
    if f == 0 {
        finals.lock().finalizers.remove(&object);
        return Ok(());
    }
    let ft = iface::type_of(f);
    let shown = types.name(ft);
    let TypeKind::Func { params, variadic, .. } = &types.at(ft).desc.kind else {
        return Err(format!("second argument is {shown}, not a function"));
    };
    if *variadic {
        return Err(format!("cannot pass {name} to finalizer {shown} because dotdotdot"));
    }
    let passed = match params.as_slice() {
        [p] if *p == ty => Some(0),
        [p] => {
            let kind = &types.at(*p).desc.kind;
            if let TypeKind::Interface(_) = kind {
                types.missing_method(ty, *p).is_none().then_some(ty)
            } else {
                // the same but for the name of one of them
                (*kind == types.at(ty).desc.kind).then_some(0)
            }
        }
        _ => None,
    };
    let Some(ty) = passed else {
        return Err(format!("cannot pass {name} to finalizer {shown}"));
    };
    let func = mem::load64(iface::payload(f));
    let mut t = finals.lock();
    t.drain = drain;
    if t.finalizers.insert(object, Final { func, object, ty }).is_some() {
        return Err("finalizer already set".into());
    }
    Ok(())
}

/// `func takeFinal() (f, arg *word)`: f is nil if nothing is ready.
fn take_final(n: &mut Ncx<'_, '_>) -> Outcome {
    let next = n.vm.natives_state.finals.lock().ready.pop_front();
    let (func, arg) = match next {
        None => (0, 0),
        Some(Final { func, object, ty: 0 }) => (func, object),
        Some(Final { func, object, ty }) => (func, iface::make_word(&mut n.alloc(), ty, object)),
    };
    n.ret(0, func);
    n.ret(1, arg);
    Outcome::Done
}

/// `func addCleanup(p unsafe.Pointer, f, drain func()) (id int)`.
fn add_cleanup(n: &mut Ncx<'_, '_>) -> Outcome {
    let (object, func, drain) = (n.arg(0), n.arg(1), n.arg(2));
    let mut t = n.vm.natives_state.finals.lock();
    t.drain = drain;
    t.next_cleanup += 1;
    let id = t.next_cleanup;
    t.cleanups.insert(id, Final { func, object, ty: 0 });
    drop(t);
    n.ret(0, id);
    Outcome::Done
}

/// `func stopCleanup(id int)`.
fn stop_cleanup(n: &mut Ncx<'_, '_>) -> Outcome {
    n.vm.natives_state.finals.lock().cleanups.remove(&n.arg(0));
    Outcome::Done
}

/// `func makeWeak(p unsafe.Pointer) *word`.
fn make_weak(n: &mut Ncx<'_, '_>) -> Outcome {
    let pointer = n.arg(0);
    let fresh = n.alloc().object(1, SHAPE_RAW) as u64;
    mem::store64(fresh, pointer);
    let handle = *n.vm.natives_state.finals.lock().weak.entry(pointer).or_insert(fresh);
    n.ret(0, handle);
    Outcome::Done
}

/// `func strong(h *word) unsafe.Pointer`.
fn strong(n: &mut Ncx<'_, '_>) -> Outcome {
    let handle = n.arg(0);
    n.ret(0, if handle == 0 { 0 } else { mem::load64(handle) });
    Outcome::Done
}
