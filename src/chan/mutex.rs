//! `sync.Mutex`: two words of guest memory, Go's two modes.
//!
//! Normal mode: waiters queue first come, first served, but a woken waiter competes with newcomers and, when
//! it loses, queues at the front. A waiter that has waited more than 1 ms turns the mutex to starvation mode:
//! the unlocker hands it to the first waiter directly and lets it run; newcomers queue. The last waiter, or
//! one that waited less, turns it back.
//!
//! The state word: bit 0 locked, bit 1 a waiter is awake and competing, bit 2 starving, above them the number
//! of waiters. Locking a free mutex and unlocking one without waiters is one compare-exchange.

#![expect(unsafe_code, reason = "mutexes are words of guest memory, given by pointer")]

use super::sema::{Phase, SyncFault, SyncFlow, acquire, release, woken};
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::g::GRef;
use crate::sched::machine::Flow;
use crate::sched::wait::WaitReason;
use crate::sync::{AtomicU64, Ordering, spin_loop};

/// The words of a mutex in guest memory; zero is an unlocked one.
#[derive(Debug, Default)]
#[repr(C)]
pub struct MutexWords {
    /// Locked, woken, starving, waiters.
    pub state: AtomicU64,
    /// The semaphore that waiters sleep on.
    pub sema: AtomicU64,
}

const LOCKED: u64 = 1;
const WOKEN: u64 = 2;
const STARVING: u64 = 4;
const WAITER: u64 = 8;

/// A waiter that waited longer than this makes the mutex starve others.
const STARVE_NS: i64 = 1_000_000;
/// How often, and how long each time, a locker spins before it sleeps. Only with several Ps.
const SPIN_ROUNDS: u32 = 4;
const SPINS: u32 = 30;
/// Looks after each pause.
const LOOKS: u32 = 16;

/// In `wake.flags`: what a waiter remembers over a park.
const F_STARVING: u32 = 1;
const F_AWOKE: u32 = 2;

/// `Lock`.
///
/// # Safety
/// `mutex` points to live guest memory that the goroutine keeps alive; its state is saved.
#[inline]
pub unsafe fn mutex_lock<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    mutex: *const MutexWords,
) -> Flow {
    // SAFETY: by the contract.
    let words = unsafe { &*mutex };
    if mutex_free(words) {
        return Flow::Done;
    }
    lock_slow(cx, g, words, Phase::Mutex, WaitReason::MutexLock)
}

/// Locks a mutex that nobody has and that does not starve; false if it is not so. `alone`: there is one P, so nobody comes
/// between the look and the change.
///
/// # Safety
/// `mutex` points to live guest memory.
#[inline(always)]
pub unsafe fn mutex_lock_free(mutex: *const MutexWords, alone: bool) -> bool {
    // SAFETY: by the contract.
    let words = unsafe { &*mutex };
    let state = words.state.load(Ordering::Relaxed);
    if state & (LOCKED | STARVING) == 0 && change(words, state, state | LOCKED, alone) {
        return true;
    }
    !alone && stay_away(words)
}

/// The mutex is locked. With several Ps: leaves it alone for a while, in which the thread that has it in its cache can lock
/// and unlock it many times, and looks once more. Threads that take turns at each operation spend their time moving cache lines.
#[cold]
#[inline(never)]
fn stay_away(words: &MutexWords) -> bool {
    becomes_free(words) && mutex_free(words)
}

/// Spins, and says whether the mutex was seen unlocked in the end. First a pause without a look, see [`stay_away`]; then a watch
/// that is longer than a short section of the other thread, which would be locked again in half of all single looks.
fn becomes_free(words: &MutexWords) -> bool {
    let free = || words.state.load(Ordering::Relaxed) & (LOCKED | STARVING) != LOCKED;
    if free() {
        return true;
    }
    (0..SPINS).for_each(|_| spin_loop());
    (0..LOOKS).any(|_| {
        spin_loop();
        free()
    })
}

/// Unlocks a mutex if nobody has to be woken; false if it is not so.
///
/// # Safety
/// `mutex` points to live guest memory.
#[inline(always)]
pub unsafe fn mutex_unlock_free(mutex: *const MutexWords, alone: bool) -> bool {
    // SAFETY: by the contract.
    let words = unsafe { &*mutex };
    let state = words.state.load(Ordering::Relaxed);
    let quiet = state < WAITER || state & WOKEN != 0;
    quiet && state & (LOCKED | STARVING) == LOCKED && change(words, state, state & !LOCKED, alone)
}

/// Whether a mutex is free and nobody waits for it.
///
/// # Safety
/// `mutex` points to live guest memory.
#[inline(always)]
pub unsafe fn mutex_is_free(mutex: *const MutexWords) -> bool {
    // SAFETY: by the contract.
    let words = unsafe { &*mutex };
    words.state.load(Ordering::Relaxed) == 0
}

#[inline(always)]
fn change(words: &MutexWords, from: u64, to: u64, alone: bool) -> bool {
    if alone {
        // One P: nobody else can have changed it.
        words.state.store(to, Ordering::Relaxed);
        return true;
    }
    words.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

#[inline(always)]
fn mutex_free(words: &MutexWords) -> bool {
    words.state.compare_exchange(0, LOCKED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

/// `TryLock`.
///
/// # Safety
/// `mutex` points to live guest memory.
pub unsafe fn mutex_try_lock(mutex: *const MutexWords) -> bool {
    // SAFETY: by the contract.
    let words = unsafe { &*mutex };
    let state = words.state.load(Ordering::Relaxed);
    state & (LOCKED | STARVING) == 0
        && words
            .state
            .compare_exchange(state, state | LOCKED, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
}

/// `Unlock`.
///
/// # Errors
/// The mutex is not locked.
///
/// # Safety
/// `mutex` points to live guest memory; the goroutine's state is saved.
#[inline]
pub unsafe fn mutex_unlock<M: Machine>(cx: &mut Cx<'_, M>, mutex: *const MutexWords) -> SyncFlow {
    // SAFETY: by the contract.
    unlock(cx, unsafe { &*mutex })
}

/// The slow path of locking: phase and reason say for whom.
#[cold]
pub(super) fn lock_slow<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    words: &MutexWords,
    phase: Phase,
    reason: WaitReason,
) -> Flow {
    g.wake.phase.set(phase as u32);
    g.wake.addr.set(std::ptr::from_ref(words).expose_provenance() as u64);
    g.wake.flags.set(0);
    g.wake.began.set(0);
    compete(cx, g, words, reason)
}

/// Locks as plain `lock` does, for a mutex inside another lock.
pub(super) fn lock<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    words: &MutexWords,
    phase: Phase,
    reason: WaitReason,
) -> Flow {
    if mutex_free(words) { Flow::Done } else { lock_slow(cx, g, words, phase, reason) }
}

/// Takes the mutex or enters the queue; counts itself as a waiter in the same step as it sees it locked.
fn compete<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    words: &MutexWords,
    reason: WaitReason,
) -> Flow {
    spin(cx, words);
    let flags = g.wake.flags.get();
    loop {
        let old = words.state.load(Ordering::SeqCst);
        let mut new = old;
        if old & STARVING == 0 {
            new |= LOCKED;
        }
        if old & (LOCKED | STARVING) != 0 {
            new += WAITER;
        }
        if flags & F_STARVING != 0 && old & LOCKED != 0 {
            new |= STARVING;
        }
        if flags & F_AWOKE != 0 {
            new &= !WOKEN;
        }
        if words.state.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            continue;
        }
        if old & (LOCKED | STARVING) == 0 {
            return Flow::Done;
        }
        let front = g.wake.began.get() != 0;
        if !front {
            g.wake.began.set(cx.now());
        }
        return match acquire(cx, g, &words.sema, front, reason) {
            Flow::Done => after_wait(cx, g, words, reason),
            flow @ (Flow::Park | Flow::Yield) => flow,
        };
    }
}

/// With several Ps a holder often is about to unlock: waits a moment before queueing.
fn spin<M: Machine>(cx: &Cx<'_, M>, words: &MutexWords) {
    if cx.alone {
        return;
    }
    let _ = (0..SPIN_ROUNDS).any(|_| becomes_free(words));
}

/// The semaphore let the waiter through: in starvation mode the mutex is its own now, else it competes.
fn after_wait<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    words: &MutexWords,
    reason: WaitReason,
) -> Flow {
    let waited = cx.now() - g.wake.began.get();
    let mut flags = g.wake.flags.get();
    if waited > STARVE_NS {
        flags |= F_STARVING;
    }
    let old = words.state.load(Ordering::SeqCst);
    if old & STARVING != 0 {
        // The unlocker left it unlocked and handed over; nobody else can take it.
        let mut less = WAITER - LOCKED;
        if flags & F_STARVING == 0 || old / WAITER == 1 {
            less += STARVING;
        }
        words.state.fetch_sub(less, Ordering::SeqCst);
        return Flow::Done;
    }
    g.wake.flags.set(flags | F_AWOKE);
    compete(cx, g, words, reason)
}

/// Goes on after a park.
pub(super) fn resume<M: Machine>(cx: &mut Cx<'_, M>, g: GRef, reason: WaitReason) -> Flow {
    let words = std::ptr::with_exposed_provenance::<MutexWords>(g.wake.addr.get() as usize);
    // SAFETY: the goroutine is in the middle of locking this mutex and keeps it alive.
    let words = unsafe { &*words };
    if woken(g) {
        return after_wait(cx, g, words, reason);
    }
    match acquire(cx, g, &words.sema, true, reason) {
        Flow::Done => after_wait(cx, g, words, reason),
        flow @ (Flow::Park | Flow::Yield) => flow,
    }
}

/// Unlocks and wakes a waiter if one is needed.
#[inline]
pub(super) fn unlock<M: Machine>(cx: &mut Cx<'_, M>, words: &MutexWords) -> SyncFlow {
    if words.state.compare_exchange(LOCKED, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
        return Ok(Flow::Done);
    }
    unlock_slow(cx, words)
}

#[cold]
fn unlock_slow<M: Machine>(cx: &mut Cx<'_, M>, words: &MutexWords) -> SyncFlow {
    let before = words.state.fetch_and(!LOCKED, Ordering::SeqCst);
    if before & LOCKED == 0 {
        return Err(SyncFault::Fatal("sync: unlock of unlocked mutex"));
    }
    let mut old = before & !LOCKED;
    if old & STARVING != 0 {
        return Ok(release(cx, &words.sema, true));
    }
    loop {
        // Nobody waits, or somebody is at it already.
        if old < WAITER || old & (LOCKED | WOKEN | STARVING) != 0 {
            return Ok(Flow::Done);
        }
        let new = (old - WAITER) | WOKEN;
        match words.state.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return Ok(release(cx, &words.sema, false)),
            Err(now) => old = now,
        }
    }
}
