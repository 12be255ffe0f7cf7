//! A watcher that comes while the program runs, as `runtime/trace.Start` asks for.
//!
//! It is set in a stopped world and is told first how everything stands: a `p.status` for each P and a `go.status` for each
//! goroutine, each with the M that has it. So what it sees from then on can be checked like a whole trace. It goes without a stop: events on
//! their way to it are dropped by itself.
//!
//! There is at most one, beside the one of `Config::events`. Nobody pays for it while there is none: [`Rt::has_hook`] reads one flag.

use super::Machine;
use super::cx::Cx;
use super::events::{Ev, EventHook, Stamp};
use super::g::{GRef, Status};
use super::rt::{Central, Rt};
use crate::sync::{Arc, Lock, RelBool, RelI64};

/// The late watcher's place.
#[derive(Default)]
pub(crate) struct Late {
    /// Whether there is one. Written by whoever sets or takes it.
    on: RelBool,
    /// When it came; what began earlier is said to have begun then.
    since: RelI64,
    hook: Lock<Option<Arc<dyn EventHook>>>,
}

impl Late {
    /// Tells it, if it is there.
    pub(crate) fn event(&self, stamp: Stamp, ev: &Ev<'_>) {
        if self.on.get()
            && let Some(hook) = &*self.hook.lock()
        {
            hook.event(stamp, ev);
        }
    }

    /// When the watcher came, or 0.
    pub(crate) fn since(&self) -> i64 {
        self.since.get()
    }
}

impl<M: Machine> Cx<'_, M> {
    /// From now on `hook` is told what happens, in place of an earlier late watcher. The goroutine's state is saved.
    pub fn watch_from_now(&mut self, g: GRef, hook: Arc<dyn EventHook>) {
        self.stop_the_world(g, "start trace", |world| world.begin_watch(hook));
        self.mark_run();
    }

    /// The late watcher is told no more.
    pub fn watch_no_more(&mut self) {
        let rt = self.rt;
        let hook = rt.late.hook.lock().take();
        rt.late.on.set(false);
        rt.watched.set(rt.config.events.is_some());
        drop(hook);
    }

    /// Whether anybody is told what happens.
    pub fn is_traced(&self) -> bool {
        self.rt.has_hook()
    }

    /// For what the running goroutine will have used when it gives up the M: if the watcher came later than it began, it
    /// counts from now.
    pub(crate) fn mark_run(&mut self) {
        if self.rt.has_hook() && self.run_mark.0 < self.rt.late.since() {
            self.run_mark = (self.rt.clock.now(), self.burnt());
        }
    }
}

impl<M: Machine> Rt<M> {
    /// In a stopped world: sets the watcher and tells it how everything stands. Under the central lock, since who comes back from a
    /// call now, or finds something ready, changes the state of a goroutine under it.
    pub(crate) fn begin_watch(&self, hook: Arc<dyn EventHook>) {
        let c = self.central.lock();
        *self.late.hook.lock() = Some(hook);
        self.late.since.set(self.clock.now());
        self.late.on.set(true);
        self.watched.set(true);
        for p in self.allp() {
            let m = u32::try_from(p.m.get()).unwrap_or(super::rt::NOBODY);
            self.tell_late(i64::from(p.id), m, 0, &Ev::PStatus { status: p.status.get() });
        }
        let running = Self::running_gs(&c);
        self.each_live_g(|g| {
            let m = running.iter().find(|(_, other)| *other == g).map(|(m, _)| *m);
            let (state, reason) = (g.status() as u32, g.reason());
            let reason = if g.status() == Status::Waiting { reason.text() } else { "" };
            let ev = Ev::GoStatus { state, reason };
            self.tell_late(-1, m.unwrap_or(super::rt::NOBODY), g.id.get(), &ev);
        });
    }

    /// Which M has which goroutine.
    fn running_gs(c: &Central<M>) -> Vec<(u32, GRef)> {
        let of = |m: &Arc<super::m::Mach<M>>| GRef::from_ptr(m.cur_g.get()).map(|g| (m.id, g));
        c.all_ms.iter().filter_map(of).collect()
    }

    /// Only the late watcher needs to know.
    fn tell_late(&self, p: i64, m: u32, g: u64, ev: &Ev<'_>) {
        self.late.event(Stamp { t: self.clock.now(), m, p, g }, ev);
    }
}
