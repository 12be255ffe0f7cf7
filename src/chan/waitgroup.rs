//! `sync.WaitGroup`: two words of guest memory, the counter in the upper half of the first and the number
//! of waiters in the lower.

#![expect(unsafe_code, reason = "wait groups are words of guest memory, given by pointer")]

use super::sema::{Phase, SyncFault, SyncFlow, acquire, release};
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::g::GRef;
use crate::sched::machine::Flow;
use crate::sched::wait::WaitReason;
use crate::sync::{AtomicU64, Ordering};

/// The words of a wait group in guest memory; zero is an empty one.
#[derive(Debug, Default)]
#[repr(C)]
pub struct WaitGroupWords {
    /// Counter and waiters.
    pub state: AtomicU64,
    /// The semaphore that waiters sleep on.
    pub sema: AtomicU64,
}

const NEGATIVE: &str = "sync: negative WaitGroup counter";
const MISUSE: &str = "sync: WaitGroup misuse: Add called concurrently with Wait";
const REUSED: &str = "sync: WaitGroup is reused before previous Wait has returned";

fn counter(state: u64) -> i32 {
    (state >> 32) as u32 as i32
}

fn waiters(state: u64) -> u32 {
    state as u32
}

/// `Add(delta)`, `Done()`.
///
/// # Errors
/// The misuses that Go panics at.
///
/// # Safety
/// `wg` points to live guest memory; the goroutine's state is saved.
#[inline]
pub unsafe fn wait_group_add<M: Machine>(
    cx: &mut Cx<'_, M>,
    wg: *const WaitGroupWords,
    delta: i64,
) -> SyncFlow {
    // SAFETY: by the contract.
    let wg = unsafe { &*wg };
    let add = (delta as u64) << 32;
    let state = wg.state.fetch_add(add, Ordering::SeqCst).wrapping_add(add);
    let count = counter(state);
    if count < 0 {
        return Err(SyncFault::Panic(NEGATIVE));
    }
    if waiters(state) != 0 && delta > 0 && i64::from(count) == delta {
        return Err(SyncFault::Panic(MISUSE));
    }
    if count > 0 || waiters(state) == 0 {
        return Ok(Flow::Done);
    }
    wake_all(cx, wg, state)
}

#[cold]
fn wake_all<M: Machine>(cx: &mut Cx<'_, M>, wg: &WaitGroupWords, state: u64) -> SyncFlow {
    if wg.state.load(Ordering::SeqCst) != state {
        return Err(SyncFault::Panic(MISUSE));
    }
    wg.state.store(0, Ordering::SeqCst);
    for _ in 0..waiters(state) {
        let _ = release(cx, &wg.sema, false);
    }
    Ok(Flow::Done)
}

/// `Wait()`.
///
/// # Errors
/// The wait group was reused too early.
///
/// # Safety
/// `wg` points to live guest memory that the goroutine keeps alive; its state is saved.
pub unsafe fn wait_group_wait<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    wg: *const WaitGroupWords,
) -> SyncFlow {
    // SAFETY: by the contract.
    let wg = unsafe { &*wg };
    loop {
        let state = wg.state.load(Ordering::SeqCst);
        if counter(state) == 0 {
            return Ok(Flow::Done);
        }
        let more = wg.state.compare_exchange(state, state + 1, Ordering::SeqCst, Ordering::SeqCst);
        if more.is_err() {
            continue;
        }
        g.wake.phase.set(Phase::WaitGroup as u32);
        g.wake.addr.set(std::ptr::from_ref(wg).expose_provenance() as u64);
        return match acquire(cx, g, &wg.sema, false, WaitReason::WaitGroupWait) {
            Flow::Done => resume(g),
            flow @ (Flow::Park | Flow::Yield) => Ok(flow),
        };
    }
}

/// `Wait` got its unit.
pub(super) fn resume(g: GRef) -> SyncFlow {
    let wg = std::ptr::with_exposed_provenance::<WaitGroupWords>(g.wake.addr.get() as usize);
    // SAFETY: the goroutine is in `Wait` of this wait group and keeps it alive.
    let state = unsafe { &(*wg).state };
    if state.load(Ordering::SeqCst) != 0 {
        return Err(SyncFault::Panic(REUSED));
    }
    Ok(Flow::Done)
}
