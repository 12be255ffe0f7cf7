//! Calls by package reflect: arguments and results as the slots that every call passes.
//!
//! A call only sees slots, so the guest's half calls any function as one with sixteen words as parameters and results; what is here turns
//! values into such words and back.

use crate::bytecode::module::TypeKind;
use crate::heap::{SHAPE_RAW, SHAPE_WORDS};
use crate::natives::{Ncx, Outcome};
use crate::value::{iface, mem};

use super::values::{from_slots, slots};

/// `func slotCount(t int) int`.
pub(super) fn slot_count(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.vm.types.at(n.arg(0) as u32).desc.slots;
    n.ret(0, u64::from(v));
    Outcome::Done
}

/// `func slotWords(t int, p *word) []*word`.
pub(super) fn slot_words(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, p) = (n.arg(0) as u32, n.arg(1));
    let mut words = slots(n, t, p);
    words.truncate(usize::from(n.vm.types.at(t).desc.slots));
    let s = n.alloc().word_slice(&words, SHAPE_WORDS);
    n.ret(0, s);
    Outcome::Done
}

/// `func fromWords(t int, words []*word, at int) *word`: a value whose slots start at `at`.
pub(super) fn from_words(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, words, at) = (n.arg(0) as u32, n.words(1), n.arg(2) as usize);
    let p = from_slots(n, t, words.get(at..).unwrap_or_default());
    n.ret(0, p);
    Outcome::Done
}

/// `func methodFunc(t int, p *word, name string) (closure, receiver *word, sig int)`: the function of a method of a value and its receiver
/// as the method wants it; nil if the type has no such method.
pub(super) fn method_func(n: &mut Ncx<'_, '_>) -> Outcome {
    let (mut t, mut p, name) = (n.arg(0) as u32, n.arg(1), n.string(2));
    let vm = n.vm;
    if matches!(vm.types.at(t).desc.kind, TypeKind::Interface(_)) && mem::load64(p) != 0 {
        let w = mem::load64(p);
        (t, p) = (iface::type_of(w), iface::payload(w));
    }
    let d = &vm.types.at(t).desc;
    let found = d.methods.iter().find(|m| vm.methods.at(m.method as usize).name == name);
    let Some(m) = found else {
        (0..3).for_each(|i| n.ret(i, 0));
        return Outcome::Done;
    };
    let receiver = if d.slots == 1 && !d.mem {
        mem::load_width(p, d.packed)
    } else {
        let copy = n.alloc().object(d.words.max(1) as usize, t);
        vm.types.copy(vm.types.at(t), copy as u64, p);
        copy as u64
    };
    let closure = n.alloc().object(1, SHAPE_RAW);
    mem::store(closure, 0, u64::from(m.func));
    let sig = vm.methods.at(m.method as usize).sig;
    n.ret(0, closure as u64);
    n.ret(1, receiver);
    n.ret(2, u64::from(sig));
    Outcome::Done
}
