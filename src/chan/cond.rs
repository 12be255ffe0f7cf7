//! The waiting list under `sync.Cond`: two words of guest memory.
//!
//! A waiter takes a ticket before it unlocks the condition's lock ([`cond_ticket`]), then waits with it.
//! Signals are given to tickets in order, so one that comes between the two finds its waiter. The unlocking
//! and relocking of `Cond.L` is done by the guest.

#![expect(unsafe_code, reason = "condition lists are words of guest memory, given by pointer")]

use super::sema::Phase;
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::g::GRef;
use crate::sched::machine::Flow;
use crate::sched::wait::{WRef, WaitReason};
use crate::sync::{AtomicU64, Ordering};

/// The words of a condition list in guest memory; zero is an empty one.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CondWords {
    /// The next ticket to give out.
    pub next: AtomicU64,
    /// The next ticket to signal. Written under the bucket's lock.
    pub notified: AtomicU64,
}

fn key(cond: *const CondWords) -> u64 {
    cond.expose_provenance() as u64
}

/// A ticket for [`cond_wait`].
///
/// # Safety
/// `cond` points to live guest memory.
pub unsafe fn cond_ticket(cond: *const CondWords) -> u64 {
    // SAFETY: by the contract.
    unsafe { &(*cond).next }.fetch_add(1, Ordering::SeqCst)
}

/// Waits until the ticket is signalled.
///
/// # Safety
/// `cond` points to live guest memory that the goroutine keeps alive; its state is saved.
pub unsafe fn cond_wait<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    cond: *const CondWords,
    ticket: u64,
) -> Flow {
    // SAFETY: by the contract.
    let words = unsafe { &*cond };
    let bucket = cx.bucket(key(cond));
    bucket.lock(cx);
    if ticket < words.notified.load(Ordering::SeqCst) {
        bucket.unlock();
        return Flow::Done;
    }
    g.wake.phase.set(Phase::Cond as u32);
    g.waiter.prepare(g, std::ptr::null_mut());
    g.waiter.key.set(key(cond));
    g.waiter.ticket.set(ticket);
    cx.begin_wait(g, WaitReason::CondWait, key(cond));
    bucket.enter(WRef::of(&g.waiter), false);
    bucket.unlock();
    Flow::Park
}

/// Goes on after a park: a signalled waiter is done.
pub(super) fn resume() -> Flow {
    Flow::Done
}

/// `Signal`: wakes the longest waiter.
///
/// # Safety
/// `cond` points to live guest memory.
pub unsafe fn cond_signal<M: Machine>(cx: &mut Cx<'_, M>, cond: *const CondWords) {
    // SAFETY: by the contract.
    let words = unsafe { &*cond };
    let bucket = cx.bucket(key(cond));
    bucket.lock(cx);
    let ticket = words.notified.load(Ordering::SeqCst);
    if ticket == words.next.load(Ordering::SeqCst) {
        bucket.unlock();
        return;
    }
    words.notified.store(ticket + 1, Ordering::SeqCst);
    // If its owner has not come to wait yet, it will find itself notified.
    let waiter = bucket.take(key(cond), |w| w.ticket.get() == ticket);
    bucket.unlock();
    if let Some(w) = waiter {
        cx.ready(w.g());
    }
}

/// `Broadcast`: wakes all, the longest waiter first.
///
/// # Safety
/// `cond` points to live guest memory.
pub unsafe fn cond_broadcast<M: Machine>(cx: &mut Cx<'_, M>, cond: *const CondWords) {
    // SAFETY: by the contract.
    let words = unsafe { &*cond };
    let bucket = cx.bucket(key(cond));
    bucket.lock(cx);
    words.notified.store(words.next.load(Ordering::SeqCst), Ordering::SeqCst);
    let mut waiters = Vec::new();
    while let Some(w) = bucket.take(key(cond), |_| true) {
        waiters.push(w.g());
    }
    bucket.unlock();
    for g in waiters {
        cx.ready(g);
    }
}
