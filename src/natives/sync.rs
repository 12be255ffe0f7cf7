//! Packages sync and sync/atomic, over `chan`'s locks. The words of each type stand in guest memory in the layout that
//! `chan` names; `std/sync` declares them.

#![expect(
    unsafe_code,
    reason = "locks and atomics are words of guest memory, kept alive by the register that holds their address"
)]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::chan::{self, SyncFault, SyncFlow};
use crate::sched::Flow;
use crate::vm::trap::Trap;

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("Mutex.Lock", mutex_lock),
    ("Mutex.TryLock", mutex_try_lock),
    ("Mutex.Unlock", mutex_unlock),
    ("RWMutex.RLock", rw_rlock),
    ("RWMutex.TryRLock", rw_try_rlock),
    ("RWMutex.RUnlock", rw_runlock),
    ("RWMutex.Lock", rw_lock),
    ("RWMutex.TryLock", rw_try_lock),
    ("RWMutex.Unlock", rw_unlock),
    ("WaitGroup.Add", wait_group_add),
    ("WaitGroup.Wait", wait_group_wait),
    ("condTicket", cond_ticket),
    ("condWait", cond_wait),
    ("condSignal", cond_signal),
    ("condBroadcast", cond_broadcast),
    ("fatal", |n| Outcome::Trap(Trap::Fatal(n.string(0)))),
];

/// The receiver: a pointer to words in guest memory.
macro_rules! receiver {
    ($n:expr) => {{
        let p = $n.arg(0);
        if p == 0 {
            return Outcome::Trap(Trap::Nil);
        }
        p as *const _
    }};
}

fn flow(f: Flow) -> Outcome {
    match f {
        Flow::Done => Outcome::Done,
        Flow::Park | Flow::Yield => Outcome::Flow(f),
    }
}

/// The trap for a misuse of a lock.
pub(crate) fn fault(f: SyncFault) -> Trap {
    match f {
        SyncFault::Fatal(s) => Trap::Fatal(s.into()),
        SyncFault::Panic(s) => Trap::Text(s.into()),
    }
}

fn sync_flow(f: SyncFlow) -> Outcome {
    match f {
        Ok(f) => flow(f),
        Err(e) => Outcome::Trap(fault(e)),
    }
}

fn mutex_lock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    n.may_park();
    // SAFETY: live guest memory, kept alive by the argument register; the state is saved.
    flow(unsafe { chan::mutex_lock(n.cx, n.g, p) })
}

/// Locks a mutex that is free, by its address (nil is not). `alone`: there is one P.
#[inline(always)]
pub(crate) fn lock_quickly(p: u64, alone: bool) -> bool {
    // SAFETY: live guest memory, kept alive by the argument register.
    p != 0 && unsafe { chan::mutex_lock_free(p as *const _, alone) }
}

/// Whether a mutex, by its address, is free and nobody waits for it.
#[inline(always)]
pub(crate) fn is_free(p: u64) -> bool {
    // SAFETY: as above.
    p != 0 && unsafe { chan::mutex_is_free(p as *const _) }
}

/// Unlocks a mutex that is locked and has no waiters.
#[inline(always)]
pub(crate) fn unlock_quickly(p: u64, alone: bool) -> bool {
    // SAFETY: as above.
    p != 0 && unsafe { chan::mutex_unlock_free(p as *const _, alone) }
}

fn mutex_try_lock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    let ok = unsafe { chan::mutex_try_lock(p) };
    n.ret_bool(0, ok);
    Outcome::Done
}

fn mutex_unlock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    sync_flow(unsafe { chan::mutex_unlock(n.cx, p) })
}

fn rw_rlock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    n.may_park();
    // SAFETY: as above.
    flow(unsafe { chan::rw_rlock(n.cx, n.g, p) })
}

fn rw_try_rlock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    let ok = unsafe { chan::rw_try_rlock(p) };
    n.ret_bool(0, ok);
    Outcome::Done
}

fn rw_runlock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    sync_flow(unsafe { chan::rw_runlock(n.cx, p) })
}

fn rw_lock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    n.may_park();
    // SAFETY: as above.
    flow(unsafe { chan::rw_lock(n.cx, n.g, p) })
}

fn rw_try_lock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    let ok = unsafe { chan::rw_try_lock(n.cx, p) };
    n.ret_bool(0, ok);
    Outcome::Done
}

fn rw_unlock(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    sync_flow(unsafe { chan::rw_unlock(n.cx, p) })
}

fn wait_group_add(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    let delta = n.int(1);
    // SAFETY: as above.
    sync_flow(unsafe { chan::wait_group_add(n.cx, p, delta) })
}

fn wait_group_wait(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    n.may_park();
    // SAFETY: as above.
    sync_flow(unsafe { chan::wait_group_wait(n.cx, n.g, p) })
}

/// `func condTicket(words *uint64) uint64`.
fn cond_ticket(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    let t = unsafe { chan::cond_ticket(p) };
    n.ret(0, t);
    Outcome::Done
}

/// `func condWait(words *uint64, ticket uint64)`.
fn cond_wait(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    let ticket = n.arg(1);
    n.may_park();
    // SAFETY: as above.
    flow(unsafe { chan::cond_wait(n.cx, n.g, p, ticket) })
}

fn cond_signal(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    unsafe { chan::cond_signal(n.cx, p) };
    Outcome::Done
}

fn cond_broadcast(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = receiver!(n);
    // SAFETY: as above.
    unsafe { chan::cond_broadcast(n.cx, p) };
    Outcome::Done
}

/// `func sameType(a, b any) bool`.
fn same_type(n: &mut Ncx<'_, '_>) -> Outcome {
    let same = crate::value::iface::type_of(n.arg(0)) == crate::value::iface::type_of(n.arg(1));
    n.ret_bool(0, same);
    Outcome::Done
}

pub(super) const ATOMIC: Table = &[
    ("sameType", same_type),
    ("load32", |n| w32(n, |a, _, _| a.load(Ordering::SeqCst))),
    ("store32", |n| {
        w32(n, |a, v, _| {
            a.store(v, Ordering::SeqCst);
            0
        })
    }),
    ("add32", |n| w32(n, |a, v, _| a.fetch_add(v, Ordering::SeqCst).wrapping_add(v))),
    ("swap32", |n| w32(n, |a, v, _| a.swap(v, Ordering::SeqCst))),
    ("cas32", |n| {
        w32(n, |a, v, w| {
            u32::from(a.compare_exchange(v, w, Ordering::SeqCst, Ordering::SeqCst).is_ok())
        })
    }),
    ("and32", |n| w32(n, |a, v, _| a.fetch_and(v, Ordering::SeqCst))),
    ("or32", |n| w32(n, |a, v, _| a.fetch_or(v, Ordering::SeqCst))),
    ("load64", |n| w64(n, |a, _, _| a.load(Ordering::SeqCst))),
    ("store64", |n| {
        w64(n, |a, v, _| {
            a.store(v, Ordering::SeqCst);
            0
        })
    }),
    ("add64", |n| w64(n, |a, v, _| a.fetch_add(v, Ordering::SeqCst).wrapping_add(v))),
    ("swap64", |n| w64(n, |a, v, _| a.swap(v, Ordering::SeqCst))),
    ("cas64", |n| {
        w64(n, |a, v, w| {
            u64::from(a.compare_exchange(v, w, Ordering::SeqCst, Ordering::SeqCst).is_ok())
        })
    }),
    ("and64", |n| w64(n, |a, v, _| a.fetch_and(v, Ordering::SeqCst))),
    ("or64", |n| w64(n, |a, v, _| a.fetch_or(v, Ordering::SeqCst))),
];

fn w32(n: &mut Ncx<'_, '_>, f: fn(&AtomicU32, u32, u32) -> u32) -> Outcome {
    let p: *const AtomicU32 = receiver!(n);
    // SAFETY: a pointer to a 32-bit variable of the guest, kept alive by the argument register.
    let a = unsafe { &*p };
    let v = f(a, n.arg(1) as u32, n.arg(2) as u32);
    n.ret(0, u64::from(v));
    Outcome::Done
}

fn w64(n: &mut Ncx<'_, '_>, f: fn(&AtomicU64, u64, u64) -> u64) -> Outcome {
    let p: *const AtomicU64 = receiver!(n);
    // SAFETY: a pointer to a word of the guest, kept alive by the argument register.
    let a = unsafe { &*p };
    let v = f(a, n.arg(1), n.arg(2));
    n.ret(0, v);
    Outcome::Done
}
