//! `sync.RWMutex`: six words of guest memory.
//!
//! A writer takes the mutex, announces itself by making the reader count negative, and waits for the readers
//! that are inside. Readers that come while a writer is announced wait for it, so a waiting writer stops new
//! readers; its unlock wakes all waiting readers before the next writer can come.

#![expect(unsafe_code, reason = "locks are words of guest memory, given by pointer")]

use super::mutex::{self, MutexWords};
use super::sema::{Phase, SyncFault, SyncFlow, acquire, release};
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::g::GRef;
use crate::sched::machine::Flow;
use crate::sched::wait::WaitReason;
use crate::sync::{AtomicI64, AtomicU64, Ordering};

/// The words of an RWMutex in guest memory; zero is an unlocked one.
#[derive(Debug, Default)]
#[repr(C)]
pub struct RwWords {
    /// Held by a writer.
    pub mutex: MutexWords,
    /// Where a writer waits for readers.
    pub writer_sema: AtomicU64,
    /// Where readers wait for a writer.
    pub reader_sema: AtomicU64,
    /// Readers inside or waiting; less by `MAX_READERS` while a writer is announced.
    pub readers: AtomicI64,
    /// Readers that the announced writer still waits for.
    pub leaving: AtomicI64,
}

/// More readers than there can be.
const MAX_READERS: i64 = 1 << 30;

/// `RLock`.
///
/// # Safety
/// `rw` points to live guest memory that the goroutine keeps alive; its state is saved.
#[inline]
pub unsafe fn rw_rlock<M: Machine>(cx: &mut Cx<'_, M>, g: GRef, rw: *const RwWords) -> Flow {
    // SAFETY: by the contract.
    let rw = unsafe { &*rw };
    if rw.readers.fetch_add(1, Ordering::SeqCst) + 1 >= 0 {
        return Flow::Done;
    }
    g.wake.phase.set(Phase::RwReader as u32);
    acquire(cx, g, &rw.reader_sema, false, WaitReason::RwRLock)
}

/// `TryRLock`.
///
/// # Safety
/// `rw` points to live guest memory.
pub unsafe fn rw_try_rlock(rw: *const RwWords) -> bool {
    // SAFETY: by the contract.
    let readers = unsafe { &(*rw).readers };
    let mut now = readers.load(Ordering::SeqCst);
    while now >= 0 {
        match readers.compare_exchange(now, now + 1, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return true,
            Err(other) => now = other,
        }
    }
    false
}

/// `RUnlock`.
///
/// # Errors
/// No reader holds it.
///
/// # Safety
/// `rw` points to live guest memory; the goroutine's state is saved.
#[inline]
pub unsafe fn rw_runlock<M: Machine>(cx: &mut Cx<'_, M>, rw: *const RwWords) -> SyncFlow {
    // SAFETY: by the contract.
    let rw = unsafe { &*rw };
    let now = rw.readers.fetch_sub(1, Ordering::SeqCst) - 1;
    if now >= 0 {
        return Ok(Flow::Done);
    }
    if now + 1 == 0 || now + 1 == -MAX_READERS {
        return Err(SyncFault::Fatal("sync: RUnlock of unlocked RWMutex"));
    }
    // A writer is announced; the last reader that it waits for wakes it.
    if rw.leaving.fetch_sub(1, Ordering::SeqCst) == 1 {
        return Ok(release(cx, &rw.writer_sema, false));
    }
    Ok(Flow::Done)
}

/// `Lock`.
///
/// # Safety
/// `rw` points to live guest memory that the goroutine keeps alive; its state is saved.
pub unsafe fn rw_lock<M: Machine>(cx: &mut Cx<'_, M>, g: GRef, rw: *const RwWords) -> Flow {
    // SAFETY: by the contract.
    let words = unsafe { &*rw };
    match mutex::lock(cx, g, &words.mutex, Phase::RwMutex, WaitReason::RwLock) {
        Flow::Done => announce(cx, g, words),
        flow @ (Flow::Park | Flow::Yield) => flow,
    }
}

/// With the mutex in hand: stops new readers and waits for those inside.
fn announce<M: Machine>(cx: &mut Cx<'_, M>, g: GRef, rw: &RwWords) -> Flow {
    let inside = rw.readers.fetch_sub(MAX_READERS, Ordering::SeqCst);
    if inside != 0 && rw.leaving.fetch_add(inside, Ordering::SeqCst) + inside != 0 {
        g.wake.phase.set(Phase::RwWriter as u32);
        return acquire(cx, g, &rw.writer_sema, false, WaitReason::RwLock);
    }
    Flow::Done
}

/// `RWMutex.Lock` got its mutex after a park.
pub(super) fn resume<M: Machine>(cx: &mut Cx<'_, M>, g: GRef) -> Flow {
    let rw = std::ptr::with_exposed_provenance::<RwWords>(g.wake.addr.get() as usize);
    // SAFETY: the address is that of the mutex, the first field of the lock which the goroutine keeps alive.
    announce(cx, g, unsafe { &*rw })
}

/// `TryLock`.
///
/// # Safety
/// `rw` points to live guest memory; the goroutine's state is saved.
pub unsafe fn rw_try_lock<M: Machine>(cx: &mut Cx<'_, M>, rw: *const RwWords) -> bool {
    // SAFETY: by the contract.
    let rw = unsafe { &*rw };
    // SAFETY: the mutex stands in the same guest memory.
    if !unsafe { mutex::mutex_try_lock(&rw.mutex) } {
        return false;
    }
    let free = rw.readers.compare_exchange(0, -MAX_READERS, Ordering::SeqCst, Ordering::SeqCst);
    if free.is_err() {
        // The mutex was taken here, so unlocking it cannot fail, and without starvation it does not yield.
        let _ = mutex::unlock(cx, &rw.mutex);
        return false;
    }
    true
}

/// `Unlock`.
///
/// # Errors
/// No writer holds it.
///
/// # Safety
/// `rw` points to live guest memory; the goroutine's state is saved.
pub unsafe fn rw_unlock<M: Machine>(cx: &mut Cx<'_, M>, rw: *const RwWords) -> SyncFlow {
    // SAFETY: by the contract.
    let rw = unsafe { &*rw };
    let waiting = rw.readers.fetch_add(MAX_READERS, Ordering::SeqCst) + MAX_READERS;
    if waiting >= MAX_READERS {
        return Err(SyncFault::Fatal("sync: Unlock of unlocked RWMutex"));
    }
    for _ in 0..waiting {
        let _ = release(cx, &rw.reader_sema, false);
    }
    mutex::unlock(cx, &rw.mutex)
}
