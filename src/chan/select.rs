//! Select: one of several channel operations.
//!
//! All channels are locked, in the order of their addresses, so that "is one ready?" and "enter all queues"
//! are one step. A ready case is drawn uniformly from all that are ready. A parked select stands in every
//! queue; the waker that changes the G's `select_done` from 0 to 1 has won, the others skip the entry. When
//! it runs again it takes its entries out of the queues that it was not woken from ([`select_result`]).

#![expect(unsafe_code, reason = "cases point to channels and slots that the machine keeps alive")]

use super::channel::{Channel, Under, wake};
use crate::sched::Machine;
use crate::sched::cx::Cx;
use crate::sched::events::{Ev, Stat};
use crate::sched::g::GRef;
use crate::sched::wait::{SelectCase, WRef, WaitReason};
use crate::sync::Ordering;

/// One case.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The channel; null for a nil channel, which is never ready.
    pub chan: *const Channel,
    /// Send, else receive.
    pub send: bool,
    /// The value to send, or where a received one goes if the select does not park.
    pub slots: *mut u64,
}

/// The answer of [`select`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Selected {
    /// A case happened; `ok` is false for a receive from a closed channel.
    Chosen {
        /// Its number.
        case: u32,
        /// A value came.
        ok: bool,
    },
    /// A send on a closed channel was chosen: the panic.
    Closed,
    /// No case is ready, and there is a default.
    Default,
    /// The goroutine waits.
    Park,
}

/// How a parked select ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectEnd {
    /// A case happened. A received value of that case was copied out.
    Chosen {
        /// Its number.
        case: u32,
        /// A value came.
        ok: bool,
    },
    /// The channel of a send case was closed: the panic.
    Closed,
}

/// The distinct channels of a select in locking order.
struct Locked<'a> {
    inline: [Option<&'a Channel>; INLINE],
    more: Vec<&'a Channel>,
    n: usize,
}

/// Selects with up to this many channels allocate nothing.
const INLINE: usize = 8;

impl<'a> Locked<'a> {
    fn of(cases: &[Case]) -> Locked<'a> {
        let mut locked = Locked { inline: [None; INLINE], more: Vec::new(), n: 0 };
        if cases.len() > INLINE {
            locked.more = cases.iter().filter_map(channel).collect();
            locked.more.sort_unstable_by_key(|c| c.address());
            locked.more.dedup_by_key(|c| c.address());
            return locked;
        }
        for chan in cases.iter().filter_map(channel) {
            locked.insert(chan);
        }
        locked
    }

    fn insert(&mut self, chan: &'a Channel) {
        let mut at = 0;
        while at < self.n {
            match self.inline[at] {
                Some(c) if c.address() == chan.address() => return,
                Some(c) if c.address() > chan.address() => break,
                Some(_) | None => at += 1,
            }
        }
        self.inline.copy_within(at..self.n, at + 1);
        self.inline[at] = Some(chan);
        self.n += 1;
    }

    fn each(&self) -> impl Iterator<Item = &'a Channel> {
        self.inline[..self.n].iter().copied().flatten().chain(self.more.iter().copied())
    }

    fn lock<M: Machine>(&self, cx: &Cx<'_, M>) {
        for chan in self.each() {
            chan.lock(cx);
        }
    }

    fn unlock(&self) {
        for chan in self.each() {
            chan.unlock();
        }
    }
}

fn channel<'a>(case: &Case) -> Option<&'a Channel> {
    // SAFETY: the machine keeps the channels of a select alive, by the contract of `select`.
    unsafe { case.chan.as_ref() }
}

/// Performs one of the cases. Without `block` (there is a default) it never waits.
///
/// # Safety
/// Each case points to a live channel or null, and to slots of that channel's element size; the goroutine
/// keeps the channels alive while it waits; its state is saved.
pub unsafe fn select<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    cases: &[Case],
    block: bool,
) -> Selected {
    if cases.is_empty() && block {
        cx.begin_wait(g, WaitReason::SelectNoCases, 0);
        return Selected::Park;
    }
    watch_timers(cx, cases, block);
    let locked = Locked::of(cases);
    locked.lock(cx);
    if let Some((selected, waiter)) = try_cases(cx, cases) {
        locked.unlock();
        wake(cx, waiter, true);
        unwatch_timers(cx, cases, block);
        return selected;
    }
    if !block {
        locked.unlock();
        return Selected::Default;
    }
    // two cases of one channel: whoever comes must not always find the same one
    let shared = cases.iter().filter_map(channel).count() > locked.each().count();
    let order = if shared { shuffled(cx, cases.len()) } else { Vec::new() };
    enter_all(cx, g, cases, &order);
    cx.count(Stat::SelectBlock, 1);
    locked.unlock();
    Selected::Park
}

/// Timer channels are brought up to date; if the select may wait, their timers go into a heap.
fn watch_timers<M: Machine>(cx: &mut Cx<'_, M>, cases: &[Case], block: bool) {
    for timer in cases.iter().filter_map(channel).filter_map(Channel::timer) {
        timer.look(cx);
        if block {
            timer.watch(cx);
        }
    }
}

fn unwatch_timers<M: Machine>(cx: &mut Cx<'_, M>, cases: &[Case], block: bool) {
    if block {
        for timer in cases.iter().filter_map(channel).filter_map(Channel::timer) {
            timer.unwatch(cx);
        }
    }
}

/// Draws ready cases until one succeeds. All channels are locked. A failed try has thrown the entries of
/// lost selects out of the queue that made the case look ready, so this ends.
fn try_cases<M: Machine>(cx: &mut Cx<'_, M>, cases: &[Case]) -> Option<(Selected, Option<WRef>)> {
    let ready =
        |case: &&(usize, &Case)| channel(case.1).is_some_and(|c| c.maybe_ready(case.1.send));
    loop {
        let n = cases.iter().enumerate().filter(|case| ready(&case)).count();
        let nth = match n {
            0 => return None,
            1 => 0,
            n => cx.choose("select", u32::try_from(n).unwrap_or(u32::MAX)) as usize,
        };
        let (index, case) = cases.iter().enumerate().filter(|case| ready(&case)).nth(nth)?;
        let chan = channel(case)?;
        let under =
            if case.send { chan.send_under(case.slots) } else { chan.recv_under(case.slots) };
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        if cx.is_watched() {
            chan.tell(cx, if case.send { "send" } else { "recv" }, &under);
            cx.ev(&Ev::SelPick { cases: cases.len(), ready: n, chosen: index });
        }
        match under {
            Under::Done(waiter) => {
                return Some((Selected::Chosen { case: index, ok: true }, waiter));
            }
            Under::Closed if case.send => return Some((Selected::Closed, None)),
            Under::Closed => return Some((Selected::Chosen { case: index, ok: false }, None)),
            Under::Nothing => {}
        }
    }
}

/// The numbers below n in a random order.
fn shuffled<M: Machine>(cx: &mut Cx<'_, M>, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let most = u32::try_from(i + 1).unwrap_or(u32::MAX);
        order.swap(i, cx.choose("select", most) as usize);
    }
    order
}

/// Enters the G into the queues of all cases, in an order of their numbers if one is given. All channels are locked.
fn enter_all<M: Machine>(cx: &mut Cx<'_, M>, g: GRef, cases: &[Case], order: &[usize]) {
    let width = |case: &Case| channel(case).map_or(0, |c| c.slots() as usize);
    let received = cases.iter().filter(|c| !c.send).map(width).max().unwrap_or(0);
    let sent: usize = cases.iter().filter(|c| c.send).map(width).sum();
    let area = g.wake.reserve(received + sent);
    let entries = g.wake.begin_select(cases.len());
    g.select_done.store(0, Ordering::Relaxed);
    cx.begin_wait(g, WaitReason::Select, 0);
    let mut next_send = received;
    for (index, case) in cases.iter().enumerate() {
        entries.cases.push(SelectCase { chan: case.chan.cast(), send: case.send });
        let Some(chan) = channel(case) else { continue };
        let mut slots = area;
        if case.send {
            // SAFETY: the area has room for all sent values behind the one received value.
            slots = unsafe { area.add(next_send) };
            // SAFETY: as above; the case's slots hold one element.
            unsafe { std::ptr::copy_nonoverlapping(case.slots, slots, width(case)) };
            next_send += width(case);
        }
        let waiter = &entries.waiters[index];
        waiter.prepare(g, slots);
        waiter.for_case(u32::try_from(index).unwrap_or(u32::MAX));
        if order.is_empty() {
            chan.queue(case.send).push(WRef::of(waiter));
        }
    }
    for &index in order {
        if let Some(chan) = channel(&cases[index]) {
            chan.queue(cases[index].send).push(WRef::of(&entries.waiters[index]));
        }
    }
}

/// After a parked select: leaves all queues and copies a received value to where `dst` says for its case.
///
/// # Safety
/// `dst` returns, for a receive case, a pointer to slots of its channel's element size.
pub unsafe fn select_result<M: Machine>(
    cx: &mut Cx<'_, M>,
    g: GRef,
    dst: impl FnOnce(u32) -> *mut u64,
) -> SelectEnd {
    let chosen = g.wake.case.get();
    let ok = g.wake.ok.get();
    let n = g.wake.parked_select().cases.len();
    let (mut sent, mut width) = (false, 0);
    for index in 0..n {
        let case = g.wake.parked_select().cases[index];
        // SAFETY: the goroutine kept the channels of its select alive.
        let Some(chan) = (unsafe { case.chan.cast::<Channel>().as_ref() }) else { continue };
        let waiter = WRef::of(&g.wake.parked_select().waiters[index]);
        chan.lock(cx);
        if waiter.is_linked() {
            chan.queue(case.send).remove(waiter);
        }
        chan.unlock();
        if let Some(timer) = chan.timer() {
            timer.unwatch(cx);
        }
        if index == chosen as usize {
            sent = case.send;
            width = chan.slots() as usize;
        }
    }
    if !sent && width > 0 {
        // SAFETY: the received value stands at the start of the wait area; `dst` gives the caller's slots.
        unsafe { std::ptr::copy_nonoverlapping(g.wake.slots(), dst(chosen), width) };
    }
    g.wake.parked_select().cases.clear();
    g.end_wait();
    if sent && !ok { SelectEnd::Closed } else { SelectEnd::Chosen { case: chosen, ok } }
}
