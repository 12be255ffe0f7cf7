//! Timers: one heap of four-way nodes for each P, and the timer objects of the guest.
//!
//! A heap is added to by its P's owner, but anybody may run what is due in it (a stealing M does), so it has
//! a lock; `next_when` is what others read without it. Stopping is lazy: an entry carries the generation of
//! its timer, and one whose generation is past is skipped when it comes up, or swept out when such entries
//! are more than a quarter. Entries are ordered by `(when, seq)`, so equal times fire in the order of adding.
//!
//! `time.Sleep` needs no timer object: its entry holds the G, which was marked as waiting before the entry
//! was added. Timer functions run on an M with a P and without a G; they only ready a G, send without
//! waiting, or start a G.
//!
//! Channel timers follow Go 1.23: a timer whose channel nobody waits on stands in no heap (it holds off no
//! deadlock report and costs nothing), its channel is filled lazily by whoever looks at it, and after Stop
//! or Reset no older value can be received: a value is sent under the timer's lock after its generation was
//! checked, and Stop and Reset empty the channel under the same lock.

#![expect(
    unsafe_code,
    reason = "a channel timer points to its channel, which tells it when it dies"
)]

use super::Flow;
use super::Machine;
use super::cx::Cx;
use super::events::{Ev, Stat};
use super::g::GRef;
use super::wait::WaitReason;
use crate::sync::{Arc, AtomicI64, Lock, LockGuard, Ordering};

/// The timers of one P.
#[derive(Debug)]
pub(crate) struct Timers {
    heap: Lock<Heap>,
    /// When the first entry is due, or `i64::MAX`. Written under the lock.
    next: AtomicI64,
}

impl Default for Timers {
    fn default() -> Timers {
        Timers { heap: Lock::new(Heap::default()), next: AtomicI64::new(i64::MAX) }
    }
}

/// What happens when an entry is due.
#[derive(Debug, Clone)]
pub(crate) enum Due {
    /// Ready a sleeper.
    Sleep(GRef),
    /// Run a timer object, if its generation still is this.
    Timer(Arc<Timer>, u64),
    /// A deadline of a descriptor: token, whether of writing, generation.
    Deadline { token: u64, write: bool, generation: u64 },
}

#[derive(Debug, Clone)]
struct Entry {
    when: i64,
    seq: u64,
    due: Due,
}

impl Entry {
    fn before(&self, other: &Entry) -> bool {
        (self.when, self.seq) < (other.when, other.seq)
    }
}

/// Children of a heap node: four, which makes the heap half as deep as two and keeps siblings together.
const ARITY: usize = 4;

#[derive(Debug, Default)]
struct Heap {
    entries: Vec<Entry>,
    seq: u64,
    /// Entries whose generation is past, about.
    dead: usize,
}

impl Heap {
    fn push(&mut self, when: i64, due: Due) {
        self.seq += 1;
        self.entries.push(Entry { when, seq: self.seq, due });
        self.sift_up(self.entries.len() - 1);
    }

    fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.len().checked_sub(1)?;
        self.entries.swap(0, last);
        let entry = self.entries.pop();
        self.sift_down(0);
        entry
    }

    fn sift_up(&mut self, mut i: usize) {
        while i > 0 {
            let parent = (i - 1) / ARITY;
            if !self.entries[i].before(&self.entries[parent]) {
                return;
            }
            self.entries.swap(i, parent);
            i = parent;
        }
    }

    fn sift_down(&mut self, mut i: usize) {
        loop {
            let first = i * ARITY + 1;
            let last = (first + ARITY).min(self.entries.len());
            let Some(child) = (first..last)
                .reduce(|a, b| if self.entries[b].before(&self.entries[a]) { b } else { a })
            else {
                return;
            };
            if !self.entries[child].before(&self.entries[i]) {
                return;
            }
            self.entries.swap(i, child);
            i = child;
        }
    }

    fn first(&self) -> i64 {
        self.entries.first().map_or(i64::MAX, |e| e.when)
    }

    /// Throws out entries whose generation is past, if they are many.
    fn sweep(&mut self) {
        if self.dead * 4 <= self.entries.len() {
            return;
        }
        self.dead = 0;
        self.entries.retain(|e| match &e.due {
            Due::Timer(timer, generation) => timer.generation() == *generation,
            Due::Sleep(_) | Due::Deadline { .. } => true,
        });
        for i in (0..self.entries.len() / ARITY + 1).rev() {
            self.sift_down(i);
        }
    }
}

impl Timers {
    /// When the first entry is due, or `i64::MAX`.
    #[inline(always)]
    pub(crate) fn next_when(&self) -> i64 {
        self.next.load(Ordering::SeqCst)
    }

    /// Adds an entry.
    pub(crate) fn add(&self, when: i64, due: Due) {
        let mut heap = self.heap.lock();
        heap.sweep();
        heap.push(when, due);
        self.next.store(heap.first(), Ordering::SeqCst);
    }

    /// Takes the first entry if it is due.
    fn take_due(&self, now: i64) -> Option<(i64, Due)> {
        let mut heap = self.heap.lock();
        if heap.first() > now {
            self.next.store(heap.first(), Ordering::SeqCst);
            return None;
        }
        let entry = heap.pop()?;
        self.next.store(heap.first(), Ordering::SeqCst);
        Some((entry.when, entry.due))
    }

    /// An entry of this heap, probably, became void.
    fn note_dead(&self) {
        self.heap.lock().dead += 1;
    }

    /// Moves everything to another heap.
    pub(crate) fn move_to(&self, other: &Timers) {
        let mut entries = std::mem::take(&mut self.heap.lock().entries);
        self.next.store(i64::MAX, Ordering::SeqCst);
        entries.sort_by_key(|e| (e.when, e.seq));
        for entry in entries {
            other.add(entry.when, entry.due);
        }
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.heap.lock().entries.len()
    }

    /// The timers that stand in the heap, for the collector.
    pub(crate) fn each_timer(&self, f: &mut dyn FnMut(&Timer)) {
        for entry in &self.heap.lock().entries {
            if let Due::Timer(timer, generation) = &entry.due
                && timer.generation() == *generation
            {
                f(timer);
            }
        }
    }
}

/// The channel of a timer, as timers see it. All calls come under the timer's lock.
pub(crate) trait TimeSink {
    /// Slots of one element.
    fn width(&self) -> usize;
    /// Sends without waiting, unless the last value is still there; a receiver that waited is returned, to be
    /// readied after the timer's lock.
    fn offer(&self, value: &[u64]) -> Option<GRef>;
    /// Throws a value away that nobody received; true if there was one.
    fn drain(&self) -> bool;
}

/// What a timer object does when it fires.
#[derive(Debug, Clone, Copy)]
enum Action {
    /// Sends the time on its channel; `None` until the channel is attached and after it has gone.
    Chan(Option<*const dyn TimeSink>),
    /// Starts a goroutine for this word of the machine.
    Func(u64),
}

#[derive(Debug)]
struct State {
    /// When it fires, or 0 if it is stopped.
    when: i64,
    /// Between two ticks, or 0.
    period: i64,
    /// An entry of the present generation stands in a heap.
    in_heap: bool,
    /// The P in whose heap the entry was put.
    heap: u32,
    /// Goroutines that wait on the channel.
    watchers: u32,
    /// A receiver that the last send found, to be readied after the lock.
    woken: Option<GRef>,
    action: Action,
}

/// A timer of the guest: `time.Timer`, `time.Ticker`, `time.AfterFunc`.
#[derive(Debug)]
pub struct Timer {
    /// Counts every arming and stopping; heap entries of older ones are void. Written under `state`.
    generation: AtomicI64,
    state: Lock<State>,
}

// SAFETY: the channel pointer in the state is followed only under the state's lock, and the channel clears it
// under the same lock before it goes (`forget_channel`).
unsafe impl Send for Timer {}
// SAFETY: as above.
unsafe impl Sync for Timer {}

impl Timer {
    fn new(action: Action) -> Arc<Timer> {
        Arc::new(Timer {
            generation: AtomicI64::new(0),
            state: Lock::new(State {
                when: 0,
                period: 0,
                in_heap: false,
                heap: 0,
                watchers: 0,
                woken: None,
                action,
            }),
        })
    }

    /// A stopped timer that will start a goroutine for `arg` (`time.AfterFunc`).
    #[must_use]
    pub fn for_func(arg: u64) -> Arc<Timer> {
        Timer::new(Action::Func(arg))
    }

    /// A stopped timer that will send on a channel; `Channel::attach_timer` completes the pair.
    #[must_use]
    pub fn for_channel() -> Arc<Timer> {
        Timer::new(Action::Chan(None))
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire) as u64
    }

    /// Makes all heap entries void.
    fn next_generation(&self) -> u64 {
        (self.generation.fetch_add(1, Ordering::AcqRel) + 1) as u64
    }

    /// The channel it belongs to. Called by the channel when it is made.
    pub(crate) fn set_channel(&self, chan: *const dyn TimeSink) {
        self.state.lock().action = Action::Chan(Some(chan));
    }

    /// The channel goes. Called when it is dropped.
    pub(crate) fn forget_channel(&self) {
        self.state.lock().action = Action::Chan(None);
    }

    /// The word of an `AfterFunc` timer, for the collector: it must be marked while the timer stands in a
    /// heap.
    pub fn func_word(&self) -> Option<u64> {
        match self.state.lock().action {
            Action::Func(arg) => Some(arg),
            Action::Chan(_) => None,
        }
    }

    /// Arms a timer (new, or stopped before) to fire at `when` and then each `period` ns, if not 0.
    pub fn start<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>, when: i64, period: i64) {
        self.reset(cx, when, period);
    }

    /// Disarms. True if that kept it from firing; for a channel timer also if it had fired and the value was
    /// not received yet (it never will be).
    pub fn stop<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>) -> bool {
        let mut state = self.state.lock();
        self.catch_up(cx, &mut state);
        let pending = self.disarm(cx, &mut state);
        cx.ev(&Ev::TStop { id: self.number(), pending });
        pending
    }

    /// Arms anew. The answer is that of [`Timer::stop`].
    pub fn reset<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>, when: i64, period: i64) -> bool {
        let mut state = self.state.lock();
        self.catch_up(cx, &mut state);
        let pending = self.disarm(cx, &mut state);
        state.when = when.max(1);
        state.period = period.max(0);
        let (kind, period) = (state.kind(), state.period);
        cx.ev(&Ev::TAdd { id: self.number(), kind, when, period });
        if state.wants_heap() {
            self.enter_heap(cx, &mut state);
        }
        pending
    }

    /// A number for people: the address.
    fn number(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    fn disarm<M: Machine>(&self, cx: &mut Cx<'_, M>, state: &mut LockGuard<'_, State>) -> bool {
        let mut pending = state.when != 0;
        state.when = 0;
        state.period = 0;
        self.next_generation();
        self.left_heap(cx, state);
        if let Some(chan) = state.channel() {
            pending |= chan.drain();
        }
        pending
    }

    fn left_heap<M: Machine>(&self, cx: &mut Cx<'_, M>, state: &mut State) {
        if state.in_heap {
            state.in_heap = false;
            cx.rt.live_timers.fetch_sub(1, Ordering::SeqCst);
            cx.rt.p_at(state.heap).timers.note_dead();
        }
    }

    fn enter_heap<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>, state: &mut State) {
        state.in_heap = true;
        state.heap = cx.p().id;
        let generation = self.next_generation();
        cx.add_timer(state.when, Due::Timer(Arc::clone(self), generation));
    }

    /// A channel timer outside the heap that is due fires now, because somebody looks.
    fn catch_up<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>, state: &mut State) {
        if !state.in_heap && state.when != 0 && state.channel().is_some() {
            let now = cx.rt.clock.now();
            if state.when <= now {
                self.fire_locked(cx, state, now);
            }
        }
    }

    /// Somebody looks at the channel.
    pub(crate) fn look<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>) {
        let mut state = self.state.lock();
        self.catch_up(cx, &mut state);
        let woken = state.woken.take();
        drop(state);
        if let Some(g) = woken {
            cx.ready(g);
        }
    }

    /// A goroutine is about to wait on the channel: the timer must be in a heap.
    pub(crate) fn watch<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>) {
        let mut state = self.state.lock();
        state.watchers += 1;
        if !state.in_heap && state.when != 0 {
            self.enter_heap(cx, &mut state);
        }
    }

    /// A goroutine no longer waits on the channel.
    pub(crate) fn unwatch<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>) {
        let mut state = self.state.lock();
        state.watchers -= 1;
        if state.watchers == 0 && state.in_heap {
            self.next_generation();
            self.left_heap(cx, &mut state);
        }
    }

    /// Its heap entry is due.
    fn fire<M: Machine>(self: &Arc<Self>, cx: &mut Cx<'_, M>, generation: u64, now: i64) {
        let mut state = self.state.lock();
        if self.generation() != generation {
            return;
        }
        state.in_heap = false;
        cx.rt.live_timers.fetch_sub(1, Ordering::SeqCst);
        self.fire_locked(cx, &mut state, now);
        if state.when != 0 && state.wants_heap() {
            self.enter_heap(cx, &mut state);
        }
        let (woken, func) = (state.woken.take(), state.func());
        drop(state);
        if let Some(g) = woken {
            cx.ready(g);
        }
        if let Some(arg) = func {
            cx.rt.machine.timer_fired(cx, arg);
        }
    }

    /// Moves on to the next period and sends. Functions are started by the caller, after the lock.
    fn fire_locked<M: Machine>(&self, cx: &mut Cx<'_, M>, state: &mut State, now: i64) {
        let late = now - state.when;
        let when = state.when;
        let victim = state.heap;
        cx.ev(&Ev::TFire { id: self.number(), kind: state.kind(), when, late_ns: late, victim });
        if state.period > 0 {
            let missed = late / state.period;
            state.when += state.period * (1 + missed);
        } else {
            state.when = 0;
        }
        if let Some(chan) = state.channel() {
            let mut value = vec![0; chan.width()];
            cx.rt.machine.timer_value(when, late, &mut value);
            let woken = chan.offer(&value);
            debug_assert!(state.woken.is_none());
            state.woken = woken;
        }
    }
}

impl State {
    fn channel(&self) -> Option<&dyn TimeSink> {
        match self.action {
            Action::Func(_) | Action::Chan(None) => None,
            Action::Chan(Some(chan)) => {
                // SAFETY: the channel clears this pointer, under the lock that the caller holds, before it
                // goes (`Timer::forget_channel`).
                Some(unsafe { &*chan })
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self.action {
            Action::Func(_) => "func",
            Action::Chan(_) => "chan",
        }
    }

    fn func(&self) -> Option<u64> {
        match self.action {
            Action::Func(arg) => Some(arg),
            Action::Chan(_) => None,
        }
    }

    /// Function timers always stand in a heap, channel timers while somebody waits.
    fn wants_heap(&self) -> bool {
        matches!(self.action, Action::Func(_)) || self.watchers > 0
    }
}

impl<M: Machine> Cx<'_, M> {
    /// `time.Sleep`. The goroutine's state is saved.
    pub fn sleep(&mut self, g: GRef, ns: i64) -> Flow {
        if ns <= 0 {
            return Flow::Done;
        }
        let when = self.rt.clock.now().saturating_add(ns);
        self.begin_wait(g, WaitReason::Sleep, 0);
        let id = g.id.get();
        self.ev(&Ev::TAdd { id, kind: "sleep", when, period: 0 });
        self.add_timer(when, Due::Sleep(g));
        Flow::Park
    }

    /// Adds an entry to the own heap; an M that waits in the poller for longer comes out.
    pub(crate) fn add_timer(&mut self, when: i64, due: Due) {
        self.rt.live_timers.fetch_add(1, Ordering::SeqCst);
        self.count(Stat::TimerAdd, 1);
        self.p().shared().timers.add(when, due);
        self.rt.wake_poller_for(when);
    }

    /// Runs what is due in the own heap.
    #[inline]
    pub(crate) fn run_due_timers(&mut self, now: i64) {
        let shared = self.p().shared();
        if shared.timers.next_when() <= now {
            let id = shared.id;
            self.run_timers_of(id, now);
        }
    }

    /// Runs what is due in the heap of some P.
    pub(crate) fn run_timers_of(&mut self, p: u32, now: i64) {
        let rt = self.rt;
        let timers = &rt.p_at(p).timers;
        while let Some((when, due)) = timers.take_due(now) {
            self.count(Stat::TimerFire, 1);
            let late = u64::try_from(now - when).unwrap_or(0);
            self.p().shared().stats.raise(Stat::TimerLateMaxNs, late);
            match due {
                Due::Sleep(g) => {
                    rt.live_timers.fetch_sub(1, Ordering::SeqCst);
                    let (id, late_ns) = (g.id.get(), now - when);
                    self.ev(&Ev::TFire { id, kind: "sleep", when, late_ns, victim: p });
                    self.ready(g);
                }
                Due::Timer(timer, generation) => timer.fire(self, generation, now),
                Due::Deadline { token, write, generation } => {
                    rt.live_timers.fetch_sub(1, Ordering::SeqCst);
                    let (kind, late_ns) = ("deadline", now - when);
                    self.ev(&Ev::TFire { id: token, kind, when, late_ns, victim: p });
                    if let Some(g) = rt.net.deadline(token, write, generation) {
                        rt.net_waiters.fetch_sub(1, Ordering::SeqCst);
                        self.ready(g);
                    }
                }
            }
        }
    }
}
