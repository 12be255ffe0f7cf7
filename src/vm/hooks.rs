//! What the scheduler asks of the machine, and what natives ask about the running goroutine.

use std::sync::Arc;

use crate::chan::Channel;
use crate::heap::{Cache, SHAPE_CHAN};
use crate::sched::timers::Timer;
use crate::sched::{Cx, Exit, GInfo, GRef, Machine, Place};
use crate::value::mem;

use super::co::{Co, Pending};
use super::machine::{Local, Vm};
use super::run::alloc;

impl Machine for Vm {
    type Co = Co;
    type Local = Local;

    fn new_co(&self) -> Co {
        self.stacks.changed(0, self.stacks.first as u64 * 8);
        Co::new(self.stacks.first)
    }

    fn new_local(&self, _p: u32) -> Local {
        Local { cache: Cache::new() }
    }

    #[inline]
    fn recycle(&self, co: &mut Co) {
        self.stacks.recycle(co);
    }

    fn run(&self, cx: &mut Cx<'_, Vm>, g: GRef) -> Exit {
        super::run::run(self, cx, g)
    }

    fn timer_fired(&self, cx: &mut Cx<'_, Vm>, arg: u64) {
        cx.spawn(None, 0, |co| self.start_closure(co, arg));
    }

    /// The time when it was due, however late it is looked at.
    fn timer_value(&self, when: i64, late: i64, out: &mut [u64]) {
        let now = when + late;
        let (sec, nsec) = crate::natives::wall(self.config.virtual_time.then_some(now));
        let due = sec as i128 * 1_000_000_000 + i128::from(nsec) - i128::from(late);
        let (sec, nsec) =
            (due.div_euclid(1_000_000_000) as i64, due.rem_euclid(1_000_000_000) as i64);
        for (slot, v) in out.iter_mut().zip([sec as u64, nsec as u64, when as u64, 0]) {
            *slot = v;
        }
    }

    fn traceback(&self, info: &GInfo, co: &Co, out: &mut String) {
        self.write_traceback(info, co, out);
    }

    fn place(&self, co: &Co) -> Place {
        let mut found = Place::default();
        self.walk(co, |f, _, pc| {
            if f.wrapper {
                return true;
            }
            let (file, line) = self.line_of(f, pc);
            found = Place { func: f.name.clone(), file, line };
            false
        });
        found
    }

    fn how_ended(&self, co: &Co) -> &'static str {
        if co.panics.iter().any(|p| p.goexit) { "goexit" } else { "return" }
    }

    fn site_place(&self, site: u64) -> Place {
        let pc = site as *const crate::bytecode::op::Ins;
        let Some((_, f)) = self.func_at(pc).filter(|_| site != 0) else {
            return Place::default();
        };
        let (file, line) = self.line_of(f, pc);
        Place { func: f.name.clone(), file, line }
    }

    fn force_gc(&self) {
        self.gc_by_time.store(true, std::sync::atomic::Ordering::Relaxed);
        self.heap.want_gc();
    }
}

impl Vm {
    /// The channel of a timer, as a guest object.
    pub(crate) fn new_timer_chan(
        &self,
        cx: &mut Cx<'_, Vm>,
        slots: u32,
        timer: &Arc<Timer>,
    ) -> u64 {
        let mut c = Box::new(Channel::new(slots, 1, 0));
        c.attach_timer(timer);
        let mut a = alloc(self, cx);
        let p = a.object(1, SHAPE_CHAN);
        mem::store(p, 0, Box::into_raw(c) as u64);
        a.cache.add_special(p);
        p as u64
    }

    /// Where the arguments of the native at hand are.
    pub(crate) fn native_window(&self, cx: &mut Cx<'_, Vm>, g: GRef) -> *mut u64 {
        let co = super::run::co_of(cx, g);
        let base = co.base_ptr(co.base);
        super::frames::at(base, super::frames::window_before(co.pc) + crate::bytecode::op::HEADER)
    }

    /// The native at hand may park the goroutine in a lock operation.
    pub(crate) fn set_pending_sync(&self, cx: &mut Cx<'_, Vm>, g: GRef) {
        super::run::co_of(cx, g).pending = Pending::Sync;
    }

    /// The native at hand may park the goroutine; what is left to do when it runs again.
    pub(crate) fn set_pending_native(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        done: super::co::Completion,
    ) {
        super::run::co_of(cx, g).pending = Pending::Native(done);
    }

    /// Whether a panic that was not recovered is under way in the goroutine that runs a native.
    pub(crate) fn is_panicking(&self, cx: &mut Cx<'_, Vm>, g: GRef) -> bool {
        super::run::co_of(cx, g).panics.last().is_some_and(|p| !p.recovered && !p.goexit)
    }

    /// The native at hand may park the goroutine in a wait that leaves nothing to be done when it is over.
    pub(crate) fn set_pending_nothing(&self, cx: &mut Cx<'_, Vm>, g: GRef) {
        super::run::co_of(cx, g).pending = Pending::Nothing;
    }

    /// The frames of the goroutine that runs a native; its state is saved.
    pub(crate) fn traceback_running(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        info: &GInfo,
        out: &mut String,
    ) {
        self.write_traceback(info, super::run::co_of(cx, g), out);
    }

    /// Function, file and line of the frame `skip` frames above the one that runs a native.
    pub(crate) fn frame_of_running(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        skip: usize,
    ) -> Option<(String, String, u32)> {
        let mut left = skip;
        let mut found = None;
        let co = super::run::co_of(cx, g);
        self.walk(co, |f, base, pc| {
            if !f.wrapper {
                if left == 0 {
                    let (file, line) = self.line_of(f, pc);
                    found = Some((f.name.clone(), file, line));
                    return false;
                }
                left -= 1;
            }
            // Go's panics have frames of their own above the function that panicked
            let by = co.panics.iter().find(|p| p.running.is_some_and(|(call, _)| call == base));
            for name in by.map_or(&[][..], |p| p.go_frames()) {
                if left == 0 {
                    found = Some(((*name).into(), "runtime/panic.go".into(), 1));
                    return false;
                }
                left -= 1;
            }
            true
        });
        found
    }
}
