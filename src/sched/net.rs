//! Goroutines that wait for descriptors: the table between the poller's tokens and Gs.
//!
//! Each direction of a descriptor is in one of four states: nothing known, ready (an event came and nobody
//! used it), one G waits, closed. "Would block" seen by the G and an event that arrives at the same time
//! meet here: an event on "nothing" leaves "ready", and a G that comes to wait finds it and tries again
//! instead of parking. Tokens hold the place in the table and a generation, so that a late event of a closed
//! descriptor wakes nobody. Records are reused, never freed.

use super::cx::Cx;
use super::events::Ev;
use super::g::GRef;
use super::rt::Rt;
use super::timers::Due;
use super::wait::WaitReason;
use super::{Flow, Machine};
use crate::netpoll::Readiness;
use crate::sync::{Lock, Ordering};
use std::io;
use std::os::fd::RawFd;

/// Reading or writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Read, accept.
    Read,
    /// Write, connect.
    Write,
}

/// How a wait for a descriptor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetResult {
    /// Try again.
    Ready,
    /// `i/o timeout`.
    Timeout,
    /// `use of closed network connection`.
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    #[default]
    Nothing,
    Ready,
    Waits(GRef),
}

#[derive(Debug, Default, Clone, Copy)]
struct Half {
    side: Side,
    /// The deadline: 0 none, negative past.
    deadline: i64,
    /// Counts changes of the deadline, so that an old timer does nothing.
    generation: u64,
}

#[derive(Debug, Default)]
struct Desc {
    fd: RawFd,
    open: bool,
    generation: u32,
    halves: [Half; 2],
}

/// The descriptors of one runtime.
#[derive(Debug, Default)]
pub(crate) struct NetTable(Lock<Table>);

#[derive(Debug, Default)]
struct Table {
    descs: Vec<Desc>,
    free: Vec<usize>,
}

/// Bits of a token that hold the place; the rest is the generation.
const PLACE_BITS: u32 = 24;

impl Table {
    fn find(&mut self, token: u64) -> Option<&mut Desc> {
        let place = usize::try_from(token & ((1 << PLACE_BITS) - 1)).ok()?;
        let desc = self.descs.get_mut(place)?;
        (desc.open && u64::from(desc.generation) == token >> PLACE_BITS).then_some(desc)
    }

    fn take(&mut self, fd: RawFd) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.descs.push(Desc::default());
            self.descs.len() - 1
        });
        let desc = &mut self.descs[place];
        let generation = desc.generation;
        *desc = Desc { fd, open: true, generation, ..Desc::default() };
        u64::from(generation) << PLACE_BITS | place as u64
    }
}

impl Desc {
    fn half(&mut self, write: bool) -> &mut Half {
        &mut self.halves[usize::from(write)]
    }
}

impl Half {
    /// Takes the waiting G out, leaving `side`.
    fn wake(&mut self, side: Side) -> Option<GRef> {
        let old = std::mem::replace(&mut self.side, side);
        match old {
            Side::Waits(g) => {
                // The waiter itself used up the event.
                self.side = Side::Nothing;
                Some(g)
            }
            Side::Nothing | Side::Ready => None,
        }
    }
}

impl NetTable {
    /// The Gs that wait for these events.
    pub(crate) fn ready_list<M: Machine>(&self, rt: &Rt<M>, ready: Vec<Readiness>) -> Vec<GRef> {
        if ready.is_empty() {
            return Vec::new();
        }
        let mut table = self.0.lock();
        let mut gs = Vec::new();
        for event in ready {
            let Some(desc) = table.find(event.token as u64) else { continue };
            let fd = desc.fd;
            for (happened, write) in [(event.read, false), (event.write, true)] {
                if happened && let Some(g) = desc.half(write).wake(Side::Ready) {
                    g.wake.case.set(NetResult::Ready as u32);
                    rt.tell_ready(fd, write, g);
                    gs.push(g);
                }
            }
        }
        drop(table);
        rt.net_waiters.fetch_sub(gs.len() as i64, Ordering::SeqCst);
        gs
    }

    /// A deadline timer fired: the G that waits, if the deadline still is that one.
    pub(crate) fn deadline(&self, token: u64, write: bool, generation: u64) -> Option<GRef> {
        let mut table = self.0.lock();
        let half = table.find(token)?.half(write);
        if half.generation != generation {
            return None;
        }
        half.deadline = -1;
        let g = half.wake(half.side)?;
        g.wake.case.set(NetResult::Timeout as u32);
        Some(g)
    }
}

impl<M: Machine> Rt<M> {
    /// Tells the watcher that a descriptor became ready for `g`.
    fn tell_ready(&self, fd: RawFd, write: bool, g: GRef) {
        if self.has_hook() {
            let mode = if write { "write" } else { "read" };
            self.emit_here(&Ev::NpReady { fd: i64::from(fd), mode, who: g.id.get() });
        }
    }
}

impl<M: Machine> Cx<'_, M> {
    /// Begins to watch a descriptor; the token names it from now on.
    ///
    /// # Errors
    /// What the kernel says, for instance that a regular file cannot be polled.
    pub fn net_open(&mut self, fd: RawFd) -> io::Result<u64> {
        let token = self.rt.net.0.lock().take(fd);
        let place = usize::try_from(token).unwrap_or(usize::MAX);
        let opened = self.rt.poller.register(fd, place);
        if let Err(error) = opened {
            self.forget(token);
            return Err(error);
        }
        self.ev(&Ev::NpOpen { fd: i64::from(fd) });
        Ok(token)
    }

    fn forget(&mut self, token: u64) {
        let mut table = self.rt.net.0.lock();
        if let Some(desc) = table.find(token) {
            desc.open = false;
            desc.generation = desc.generation.wrapping_add(1);
            let place = usize::try_from(token & ((1 << PLACE_BITS) - 1)).unwrap_or(0);
            table.free.push(place);
        }
    }

    /// Stops watching, before the descriptor is closed: both waiters come back with [`NetResult::Closed`].
    pub fn net_close(&mut self, token: u64) {
        let mut table = self.rt.net.0.lock();
        let Some(desc) = table.find(token) else { return };
        let fd = desc.fd;
        let woken: Vec<GRef> =
            desc.halves.iter_mut().filter_map(|half| half.wake(Side::Nothing)).collect();
        drop(table);
        // The descriptor may be gone already; then there is nothing to take out.
        let _ = self.rt.poller.deregister(fd);
        self.ev(&Ev::NpClose { fd: i64::from(fd) });
        self.forget(token);
        for g in woken {
            g.wake.case.set(NetResult::Closed as u32);
            self.rt.net_waiters.fetch_sub(1, Ordering::SeqCst);
            self.ready(g);
        }
    }

    /// After an operation would have blocked: waits until it may not. [`Flow::Done`]: do not wait,
    /// [`Cx::net_result`] says why.
    pub fn net_wait(&mut self, g: GRef, token: u64, mode: Mode) -> Flow {
        let write = mode == Mode::Write;
        let rt = self.rt;
        let mut table = rt.net.0.lock();
        let Some(desc) = table.find(token) else {
            g.wake.case.set(NetResult::Closed as u32);
            return Flow::Done;
        };
        let half = desc.half(write);
        if half.deadline < 0 {
            g.wake.case.set(NetResult::Timeout as u32);
            return Flow::Done;
        }
        if half.side == Side::Ready {
            half.side = Side::Nothing;
            g.wake.case.set(NetResult::Ready as u32);
            return Flow::Done;
        }
        rt.net_waiters.fetch_add(1, Ordering::SeqCst);
        self.begin_wait(g, WaitReason::IoWait, token);
        half.side = Side::Waits(g);
        drop(table);
        Flow::Park
    }

    /// Under the model checker: the descriptor becomes ready.
    #[cfg(feature = "loom")]
    pub fn net_pretend(&self, token: u64, mode: Mode) {
        let token = usize::try_from(token).unwrap_or(usize::MAX);
        let (read, write) = (mode == Mode::Read, mode == Mode::Write);
        self.rt.poller.pretend(Readiness { token, read, write });
    }

    /// How the last [`Cx::net_wait`] of this goroutine ended.
    pub fn net_result(&self, g: GRef) -> NetResult {
        match g.wake.case.get() {
            1 => NetResult::Timeout,
            2 => NetResult::Closed,
            _ => NetResult::Ready,
        }
    }

    /// Sets the deadline of one direction: `when` by the runtime's clock, 0 for none. A waiting goroutine
    /// comes back if it is past.
    pub fn net_deadline(&mut self, token: u64, mode: Mode, when: i64) {
        let write = mode == Mode::Write;
        let now = self.now();
        let mut table = self.rt.net.0.lock();
        let Some(desc) = table.find(token) else { return };
        let half = desc.half(write);
        half.generation += 1;
        let generation = half.generation;
        half.deadline = if when != 0 && when <= now { -1 } else { when };
        let woken = if half.deadline < 0 { half.wake(half.side) } else { None };
        drop(table);
        if let Some(g) = woken {
            g.wake.case.set(NetResult::Timeout as u32);
            self.rt.net_waiters.fetch_sub(1, Ordering::SeqCst);
            self.ready(g);
        } else if when > now {
            self.add_timer(when, Due::Deadline { token, write, generation });
        }
    }
}
