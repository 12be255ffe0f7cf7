//! Semaphores keyed by address, and the common end of all lock operations.
//!
//! A semaphore is one word of guest memory with a count; its waiters stand in the runtime's wait table.
//! Acquire and release close the race between "count is 0" and "enter the queue" as Go does: the acquirer
//! announces itself in `waiting` and looks at the count once more under the lock; the releaser raises the
//! count first and looks at `waiting` then.

#![expect(unsafe_code, reason = "semaphores are words of guest memory, given by pointer")]

use super::{cond, mutex, rwmutex, waitgroup};
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::events::{Ev, Stat};
use crate::sched::g::GRef;
use crate::sched::machine::Flow;
use crate::sched::wait::{WRef, WaitReason};
use crate::sync::{AtomicU64, Ordering};

/// A lock operation that went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncFault {
    /// A fatal error, not recoverable: the text after `fatal error: `.
    Fatal(&'static str),
    /// A panic with this text.
    Panic(&'static str),
}

/// The answer of lock operations.
pub type SyncFlow = Result<Flow, SyncFault>;

/// Takes one unit if there is one.
pub(super) fn try_take(sema: &AtomicU64) -> bool {
    let mut count = sema.load(Ordering::SeqCst);
    while count > 0 {
        match sema.compare_exchange(count, count - 1, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(now) => count = now,
        }
    }
    false
}

fn key_of(sema: &AtomicU64) -> u64 {
    std::ptr::from_ref(sema).expose_provenance() as u64
}

/// The word with this key.
///
/// # Safety
/// The key is the address of a live word of guest memory.
pub(super) unsafe fn word<'a>(key: u64) -> &'a AtomicU64 {
    // SAFETY: by the contract; guest words are valid atomics.
    unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(key as usize) }
}

/// Takes one unit or waits for it. After a park the phase decides how it goes on; see [`resume_sync`].
pub(super) fn acquire<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    sema: &AtomicU64,
    front: bool,
    reason: WaitReason,
) -> Flow {
    if try_take(sema) {
        return Flow::Done;
    }
    let bucket = cx.bucket(key_of(sema));
    bucket.lock(cx);
    bucket.waiting.fetch_add(1, Ordering::SeqCst);
    if try_take(sema) {
        bucket.waiting.fetch_sub(1, Ordering::SeqCst);
        bucket.unlock();
        return Flow::Done;
    }
    g.waiter.prepare(g, std::ptr::null_mut());
    g.waiter.key.set(key_of(sema));
    cx.begin_wait(g, reason, key_of(sema));
    bucket.enter(WRef::of(&g.waiter), front);
    cx.count(Stat::LockBlock, 1);
    cx.ev(&Ev::LockWait { obj: key_of(sema), reason: reason.text() });
    bucket.unlock();
    Flow::Park
}

/// After a wake-up: whether the unit was taken for the waiter, or can be taken now.
pub(super) fn woken(g: GRef) -> bool {
    if g.waiter.ticket.get() == 1 {
        return true;
    }
    // SAFETY: the goroutine waited on this word, so it keeps it alive.
    try_take(unsafe { word(g.waiter.key.get()) })
}

/// Gives one unit back and wakes the first waiter. With `handoff` the waiter gets the unit at once and the
/// caller lets it run.
pub(super) fn release<M: Machine>(cx: &mut Cx<'_, M>, sema: &AtomicU64, handoff: bool) -> Flow {
    let key = key_of(sema);
    let bucket = cx.bucket(key);
    sema.fetch_add(1, Ordering::SeqCst);
    if bucket.waiting.load(Ordering::SeqCst) == 0 {
        return Flow::Done;
    }
    bucket.lock(cx);
    let waiter = bucket.take(key, |_| true);
    if waiter.is_some() {
        bucket.waiting.fetch_sub(1, Ordering::SeqCst);
    }
    bucket.unlock();
    let Some(w) = waiter else { return Flow::Done };
    let given = handoff && try_take(sema);
    w.ticket.set(u64::from(given));
    if cx.is_watched() {
        let wait_ns = (cx.now() - w.g().since.get()).max(0);
        cx.ev(&Ev::LockGot { obj: key, wait_ns, handoff: given });
    }
    cx.ready(w.g());
    if given {
        cx.count(Stat::LockHandoff, 1);
        return Flow::Yield;
    }
    Flow::Done
}

/// A plain semaphore of the guest: takes a unit or waits.
///
/// # Safety
/// `sema` points to a live word of guest memory; the goroutine's state is saved.
pub unsafe fn sema_acquire<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    sema: *const AtomicU64,
) -> Flow {
    g.wake.phase.set(Phase::Sema as u32);
    // SAFETY: by the contract.
    let sema = unsafe { &*sema };
    acquire(cx, g, sema, false, WaitReason::Semacquire)
}

/// A plain semaphore of the guest: gives a unit back.
///
/// # Safety
/// `sema` points to a live word of guest memory; the goroutine's state is saved.
pub unsafe fn sema_release<M: Machine>(
    cx: &mut Cx<'_, M>,
    sema: *const AtomicU64,
    handoff: bool,
) -> Flow {
    // SAFETY: by the contract.
    release(cx, unsafe { &*sema }, handoff)
}

/// Which operation is parked and how far it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Phase {
    /// A plain semaphore.
    Sema,
    /// `Mutex.Lock`.
    Mutex,
    /// `RWMutex.Lock`, waiting for its mutex.
    RwMutex,
    /// `RWMutex.Lock`, waiting for readers.
    RwWriter,
    /// `RWMutex.RLock`, waiting for a writer.
    RwReader,
    /// `WaitGroup.Wait`.
    WaitGroup,
    /// `Cond.Wait`.
    Cond,
}

impl Phase {
    fn from_u32(value: u32) -> Phase {
        match value {
            1 => Phase::Mutex,
            2 => Phase::RwMutex,
            3 => Phase::RwWriter,
            4 => Phase::RwReader,
            5 => Phase::WaitGroup,
            6 => Phase::Cond,
            _ => Phase::Sema,
        }
    }
}

/// Goes on with a lock operation after a park: it may be complete, or park again.
///
/// # Errors
/// Misuse that only shows at the end (a wait group reused too early).
pub fn resume_sync<M: Machine>(cx: &mut Cx<'_, M>, g: GRef) -> SyncFlow {
    g.end_wait();
    match Phase::from_u32(g.wake.phase.get()) {
        Phase::Cond => Ok(cond::resume()),
        Phase::Sema => Ok(again(cx, g, false, WaitReason::Semacquire)),
        Phase::RwReader => Ok(again(cx, g, false, WaitReason::RwRLock)),
        Phase::RwWriter => Ok(again(cx, g, false, WaitReason::RwLock)),
        Phase::WaitGroup => match again(cx, g, false, WaitReason::WaitGroupWait) {
            Flow::Done => waitgroup::resume(g),
            flow @ (Flow::Park | Flow::Yield) => Ok(flow),
        },
        Phase::Mutex => Ok(mutex::resume(cx, g, WaitReason::MutexLock)),
        Phase::RwMutex => match mutex::resume(cx, g, WaitReason::RwLock) {
            Flow::Done => Ok(rwmutex::resume(cx, g)),
            flow @ (Flow::Park | Flow::Yield) => Ok(flow),
        },
    }
}

/// Tries again to get the unit that the G was woken for; another may have been faster.
pub(super) fn again<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    front: bool,
    reason: WaitReason,
) -> Flow {
    if woken(g) {
        return Flow::Done;
    }
    // SAFETY: the goroutine waited on this word, so it keeps it alive.
    let sema = unsafe { word(g.waiter.key.get()) };
    acquire(cx, g, sema, front, reason)
}
