//! A channel: a ring of elements between a queue of waiting receivers and one of waiting senders.
//!
//! Invariants, under the lock: at most one of the two queues is non-empty (but for a select that stands on
//! both sides of one channel, and entries of selects that were won elsewhere); with elements in the ring no
//! receiver waits; with room in the ring no sender waits. A value goes directly to a waiting receiver; a
//! receiver from a full ring moves the first waiting sender's value into the ring. Waiters are served first
//! come, first served. No goroutine is readied under the lock.

#![expect(
    unsafe_code,
    reason = "elements are raw slots in the ring, in wait areas and in the machine's registers"
)]

use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::events::{Ev, Stat};
use crate::sched::g::{GHead, GRef};
use crate::sched::timers::{TimeSink, Timer};
use crate::sched::wait::{WRef, WaitList, WaitReason};
use crate::sync::{Arc, RelBool, RelU32, SpinLock};

/// A channel. Its address must not change while it lives.
#[derive(Debug)]
#[repr(C)]
pub struct Channel {
    lock: SpinLock,
    closed: RelBool,
    /// Slots of one element.
    slots: u32,
    /// Elements that the ring holds.
    cap: u32,
    /// Elements in the ring, and where the first one is. Written under the lock.
    count: RelU32,
    head: RelU32,
    /// `cap * slots` words, owned; touched under the lock.
    ring: *mut u64,
    receivers: WaitList,
    senders: WaitList,
    /// A word of the machine: what the elements are, or which object this channel belongs to.
    tag: u64,
    /// The timer that feeds it.
    timer: Option<Arc<Timer>>,
}

// SAFETY: the ring is touched only under the lock (or with exclusive access, in a stopped world).
unsafe impl Send for Channel {}
// SAFETY: as above.
unsafe impl Sync for Channel {}

/// The answer to a send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Sent {
    /// The value was taken.
    Done,
    /// The goroutine waits.
    Park,
    /// The channel is closed: `send on closed channel`.
    Closed,
    /// It would have to wait (only if it must not).
    WouldBlock,
}

/// The answer to a receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Received {
    /// A value was written to the destination; false: the zero value of a closed channel.
    Done(bool),
    /// The goroutine waits.
    Park,
    /// It would have to wait (only if it must not).
    WouldBlock,
}

/// What happened under the lock; the waiter is to be woken after it.
pub(super) enum Under {
    Done(Option<WRef>),
    Closed,
    Nothing,
}

/// In `wake.flags`: the receive waits on a timer channel.
const ON_TIMER: u32 = 1;

impl Channel {
    /// A channel for elements of `slots` words with room for `cap` of them.
    #[must_use]
    pub fn new(slots: u32, cap: u32, tag: u64) -> Channel {
        let words = vec![0_u64; slots as usize * cap as usize].into_boxed_slice();
        Channel {
            lock: SpinLock::new(),
            closed: RelBool::new(false),
            slots,
            cap,
            count: RelU32::new(0),
            head: RelU32::new(0),
            ring: Box::into_raw(words).cast(),
            receivers: WaitList::default(),
            senders: WaitList::default(),
            tag,
            timer: None,
        }
    }

    /// Makes a fresh channel of capacity 1 the channel of `timer` (of [`Timer::for_channel`]). Call it when
    /// the channel stands at its final address.
    pub fn attach_timer(&mut self, timer: &Arc<Timer>) {
        debug_assert_eq!(self.cap, 1);
        timer.set_channel(&raw const *self);
        self.timer = Some(Arc::clone(timer));
    }

    /// The timer that feeds it.
    pub fn timer(&self) -> Option<&Arc<Timer>> {
        self.timer.as_ref()
    }

    /// The machine's word.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// Slots of one element.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// `len(c)`. A timer channel always looks unbuffered.
    pub fn len(&self) -> usize {
        if self.timer.is_some() { 0 } else { self.count.get() as usize }
    }

    /// Whether [`Channel::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `cap(c)`.
    pub fn cap(&self) -> usize {
        if self.timer.is_some() { 0 } else { self.cap as usize }
    }

    /// Calls `f` with each word of the buffered elements. In a stopped world.
    pub fn trace(&self, mut f: impl FnMut(u64)) {
        for i in 0..self.count.get() {
            let at = self.cell((self.head.get() + i) % self.cap);
            for slot in 0..self.slots as usize {
                // SAFETY: the cell has `slots` words inside the ring.
                let word = unsafe { at.add(slot) };
                // SAFETY: as above; nobody writes in a stopped world.
                f(unsafe { word.read() });
            }
        }
    }

    /// The address, as the object of waits.
    pub(super) fn address(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    #[inline(always)]
    pub(super) fn lock<M: Machine>(&self, cx: &Cx<'_, M>) {
        if cx.alone { self.lock.lock_alone() } else { self.lock.lock() }
    }

    #[inline(always)]
    pub(super) fn unlock(&self) {
        self.lock.unlock();
    }

    /// Tells the watcher how an operation went; nothing if there is no watcher.
    #[inline(always)]
    pub(super) fn tell<M: Machine>(&self, cx: &Cx<'_, M>, op: &'static str, under: &Under) {
        if cx.is_watched() {
            let woke = match under {
                Under::Done(Some(w)) => w.g().id.get(),
                Under::Done(None) | Under::Closed | Under::Nothing => 0,
            };
            let way = match under {
                Under::Done(Some(_)) => "direct",
                Under::Done(None) => "buffer",
                Under::Closed => "closed",
                Under::Nothing => "block",
            };
            cx.ev(&Ev::ChOp { ch: self.address(), op, way, woke });
        }
    }

    #[inline(always)]
    fn cell(&self, index: u32) -> *mut u64 {
        debug_assert!(index < self.cap);
        // SAFETY: index < cap, so the offset is inside the ring's allocation.
        unsafe { self.ring.add(index as usize * self.slots as usize) }
    }

    /// Copies one element.
    #[inline(always)]
    fn copy(&self, from: *const u64, to: *mut u64) {
        match self.slots {
            0 => {}
            1 => {
                // SAFETY: both point to one element, by the contracts of the callers.
                let word = unsafe { from.read() };
                // SAFETY: as above.
                unsafe { to.write(word) };
            }
            n => {
                // SAFETY: as above; elements in different places do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(from, to, n as usize) };
            }
        }
    }

    fn zero(&self, to: *mut u64) {
        // SAFETY: `to` points to one element, by the contracts of the callers.
        unsafe { std::ptr::write_bytes(to, 0, self.slots as usize) };
    }

    /// Sends if that needs no waiting. Under the lock.
    #[inline(always)]
    pub(super) fn send_under(&self, src: *const u64) -> Under {
        if self.closed.get() {
            return Under::Closed;
        }
        if let Some(w) = self.receivers.pop_winner() {
            self.copy(src, w.slots.get());
            return Under::Done(Some(w));
        }
        let count = self.count.get();
        if count < self.cap {
            let mut at = self.head.get() + count;
            if at >= self.cap {
                at -= self.cap;
            }
            self.copy(src, self.cell(at));
            self.count.set(count + 1);
            return Under::Done(None);
        }
        Under::Nothing
    }

    /// Receives if that needs no waiting; `Closed` has written the zero value. Under the lock.
    #[inline(always)]
    pub(super) fn recv_under(&self, dst: *mut u64) -> Under {
        let count = self.count.get();
        if count > 0 {
            let head = self.head.get();
            let cell = self.cell(head);
            self.copy(cell, dst);
            self.head.set(if head + 1 == self.cap { 0 } else { head + 1 });
            if count == self.cap
                && let Some(w) = self.senders.pop_winner()
            {
                // The ring was full, so the cell just emptied is also its end.
                self.copy(w.slots.get(), cell);
                return Under::Done(Some(w));
            }
            self.zero(cell);
            self.count.set(count - 1);
            return Under::Done(None);
        }
        if self.closed.get() {
            self.zero(dst);
            return Under::Closed;
        }
        if let Some(w) = self.senders.pop_winner() {
            self.copy(w.slots.get(), dst);
            return Under::Done(Some(w));
        }
        Under::Nothing
    }

    /// Whether a send, or a receive, may succeed now; entries of lost selects make it say yes too often.
    pub(super) fn maybe_ready(&self, send: bool) -> bool {
        if send {
            self.closed.get() || !self.receivers.is_empty() || self.count.get() < self.cap
        } else {
            self.closed.get() || !self.senders.is_empty() || self.count.get() > 0
        }
    }

    /// The queue in which a case of a select stands.
    pub(super) fn queue(&self, send: bool) -> &WaitList {
        if send { &self.senders } else { &self.receivers }
    }

    /// Sends the element at `src`, waiting if needed.
    ///
    /// # Safety
    /// `src` points to `slots` readable words; the goroutine's state is saved.
    #[inline]
    pub unsafe fn send<M: Machine>(&self, cx: &mut Cx<'_, M>, g: GRef, src: *const u64) -> Sent {
        self.lock(cx);
        let under = self.send_under(src);
        self.tell(cx, "send", &under);
        match under {
            Under::Done(waiter) => {
                self.unlock();
                wake(cx, waiter, true);
                Sent::Done
            }
            Under::Closed => {
                self.unlock();
                Sent::Closed
            }
            Under::Nothing => {
                let area = g.wake.reserve(self.slots as usize);
                self.copy(src, area);
                g.waiter.prepare(g, area);
                cx.begin_wait(g, WaitReason::ChanSend, self.address());
                self.senders.push(WRef::of(&g.waiter));
                cx.count(Stat::ChanBlock, 1);
                self.unlock();
                Sent::Park
            }
        }
    }

    /// Sends the element at `src` if that needs no waiting.
    ///
    /// # Safety
    /// `src` points to `slots` readable words.
    pub unsafe fn try_send<M: Machine>(&self, cx: &mut Cx<'_, M>, src: *const u64) -> Sent {
        self.lock(cx);
        let under = self.send_under(src);
        self.unlock();
        match under {
            Under::Done(waiter) => {
                wake(cx, waiter, true);
                Sent::Done
            }
            Under::Closed => Sent::Closed,
            Under::Nothing => Sent::WouldBlock,
        }
    }

    /// Receives into `dst`, waiting if needed.
    ///
    /// # Safety
    /// `dst` points to `slots` writable words; the goroutine's state is saved.
    #[inline]
    pub unsafe fn recv<M: Machine>(&self, cx: &mut Cx<'_, M>, g: GRef, dst: *mut u64) -> Received {
        if self.timer.is_some() {
            return self.recv_timer(cx, g, dst);
        }
        self.recv_or_wait(cx, g, dst)
    }

    #[inline(always)]
    fn recv_or_wait<M: Machine>(&self, cx: &mut Cx<'_, M>, g: GRef, dst: *mut u64) -> Received {
        self.lock(cx);
        let under = self.recv_under(dst);
        self.tell(cx, "recv", &under);
        match under {
            Under::Done(waiter) => {
                self.unlock();
                wake(cx, waiter, true);
                Received::Done(true)
            }
            Under::Closed => {
                self.unlock();
                Received::Done(false)
            }
            Under::Nothing => {
                g.waiter.prepare(g, g.wake.reserve(self.slots as usize));
                cx.begin_wait(g, WaitReason::ChanReceive, self.address());
                self.receivers.push(WRef::of(&g.waiter));
                cx.count(Stat::ChanBlock, 1);
                self.unlock();
                Received::Park
            }
        }
    }

    /// A receive from a timer's channel: the timer must be up to date, and in a heap while somebody waits.
    #[cold]
    fn recv_timer<M: Machine>(&self, cx: &mut Cx<'_, M>, g: GRef, dst: *mut u64) -> Received {
        let Some(timer) = &self.timer else { return Received::WouldBlock };
        timer.look(cx);
        timer.watch(cx);
        g.wake.flags.set(ON_TIMER);
        g.wake.addr.set(self.address());
        let received = self.recv_or_wait(cx, g, dst);
        if received != Received::Park {
            g.wake.flags.set(0);
            timer.unwatch(cx);
        }
        received
    }

    /// Receives into `dst` if that needs no waiting.
    ///
    /// # Safety
    /// `dst` points to `slots` writable words.
    pub unsafe fn try_recv<M: Machine>(&self, cx: &mut Cx<'_, M>, dst: *mut u64) -> Received {
        if let Some(timer) = &self.timer {
            timer.look(cx);
        }
        self.lock(cx);
        let under = self.recv_under(dst);
        self.unlock();
        match under {
            Under::Done(waiter) => {
                wake(cx, waiter, true);
                Received::Done(true)
            }
            Under::Closed => Received::Done(false),
            Under::Nothing => Received::WouldBlock,
        }
    }

    /// Closes the channel and wakes all who wait: receivers with the zero value, senders to their panic.
    /// False: it was closed already (`close of closed channel`).
    pub fn close<M: Machine>(&self, cx: &mut Cx<'_, M>) -> bool {
        self.lock(cx);
        if self.closed.get() {
            self.unlock();
            return false;
        }
        self.closed.set(true);
        self.tell(cx, "close", &Under::Closed);
        // A stack, as in Go, so that the batch is readied in reverse and the first waiter runs first.
        let mut stack: *mut GHead = std::ptr::null_mut();
        for queue in [&self.receivers, &self.senders] {
            while let Some(w) = queue.pop_winner() {
                let g = w.g();
                g.wake.case.set(w.case.get());
                g.wake.ok.set(false);
                g.link.set(stack);
                stack = g.as_ptr();
            }
        }
        self.unlock();
        while let Some(g) = GRef::from_ptr(stack) {
            stack = g.link.get();
            g.link.set(std::ptr::null_mut());
            cx.ready(g);
        }
        true
    }
}

impl TimeSink for Channel {
    fn width(&self) -> usize {
        self.slots as usize
    }

    fn offer(&self, value: &[u64]) -> Option<GRef> {
        debug_assert_eq!(value.len(), self.slots as usize);
        self.lock.lock();
        let under = self.send_under(value.as_ptr());
        self.lock.unlock();
        let Under::Done(Some(w)) = under else { return None };
        let g = w.g();
        g.wake.case.set(w.case.get());
        g.wake.ok.set(true);
        Some(g)
    }

    fn drain(&self) -> bool {
        self.lock.lock();
        let had = self.count.get() > 0;
        self.count.set(0);
        self.lock.unlock();
        had
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.forget_channel();
        }
        let len = self.slots as usize * self.cap as usize;
        let words = std::ptr::slice_from_raw_parts_mut(self.ring, len);
        // SAFETY: the ring came from a boxed slice of this length in `new` and is freed once, here.
        drop(unsafe { Box::from_raw(words) });
    }
}

/// Readies a waiter that was taken out of a queue, with how its operation ended; none: the ring was enough.
#[inline(always)]
pub(super) fn wake<M: Machine>(cx: &mut Cx<'_, M>, waiter: Option<WRef>, ok: bool) {
    let Some(w) = waiter else {
        cx.count(Stat::ChanBuffer, 1);
        return;
    };
    let g = w.g();
    g.wake.case.set(w.case.get());
    g.wake.ok.set(ok);
    cx.count(Stat::ChanDirect, 1);
    cx.ready(g);
}

/// After a parked receive: copies the value (zero if the channel was closed) of `slots` words to `dst` and
/// says whether one was sent.
///
/// # Safety
/// `dst` points to `slots` writable words, and `slots` is that of the channel received from.
#[inline]
pub unsafe fn recv_result<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    slots: u32,
    dst: *mut u64,
) -> bool {
    if slots > 0 {
        // SAFETY: the wait area holds `slots` words, reserved when the receive parked.
        unsafe { std::ptr::copy_nonoverlapping(g.wake.slots(), dst, slots as usize) };
    }
    if g.wake.flags.get() == ON_TIMER {
        end_timer_wait(cx, g);
    }
    g.end_wait();
    g.wake.ok.get()
}

#[cold]
fn end_timer_wait<M: Machine>(cx: &mut Cx<'_, M>, g: GRef) {
    g.wake.flags.set(0);
    let chan = std::ptr::with_exposed_provenance::<Channel>(g.wake.addr.get() as usize);
    // SAFETY: `recv_timer` stored the address of the channel that this goroutine still holds.
    let chan = unsafe { &*chan };
    if let Some(timer) = &chan.timer {
        timer.unwatch(cx);
    }
}

/// After a parked send: whether the value was taken; false means `send on closed channel`.
#[inline]
pub fn send_result(g: GRef) -> bool {
    g.end_wait();
    g.wake.ok.get()
}
