//! Collections: the roots of a machine, and what the heap cannot know about maps and channels.
//!
//! Roots: the stacks of all goroutines, what hangs on them (deferred calls, panics, values on their way), the globals, what natives
//! keep, pending `AfterFunc` timers. Constants are outside the heap. Finalizers of objects that were not reached start a goroutine afterwards
//! (`natives::finals`).

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::bytecode::module::Func;
use crate::bytecode::op::Ins;
use crate::chan::Channel;
use crate::heap::{Marker, Roots, SHAPE_CHAN, SHAPE_MAP, SHAPE_NATIVE, Shape, TraceSpecial};
use crate::natives::NativeObject;
use crate::sched::{Cx, Ev, GRef, World};
use crate::value::map::MapData;
use crate::value::mem;

use super::co::Co;
use super::frames::window_before;
use super::gc_trace::Line;
use super::machine::Vm;
use super::traceback::LastFunc;

impl Vm {
    /// Stops the world and collects. The goroutine's state is saved; its stack may have moved afterwards.
    ///
    /// Unless it is `forced`, nothing happens if another P has collected meanwhile.
    /// `trigger` says why: `heap` (it is due), `forced` by the program, `stress`; `time` is found here.
    pub(crate) fn collect(&self, cx: &mut Cx<'_, Vm>, g: GRef, trigger: &'static str) {
        let by_time = self.gc_by_time.swap(false, std::sync::atomic::Ordering::Relaxed);
        let forced = trigger != "heap";
        let trigger = if by_time && !forced { "time" } else { trigger };
        let shrunk = Mutex::new(Vec::new());
        let mut freed = None;
        let threads = cx.procs().min(8) as usize;
        let (asked, mut stop, mut stacks) = (Instant::now(), Duration::ZERO, 0);
        let old_goal = self.heap.goal();
        cx.stop_the_world(g, "GC mark termination", |world| {
            if !forced && !self.heap.gc_wanted() {
                return;
            }
            stop = asked.elapsed();
            if trigger == "forced" {
                self.heap.count_forced();
            }
            world.each_local(|local| local.cache.flush(&self.heap));
            let before = self.heap.stats();
            world.tell(&Ev::GcBegin { n: before.collections + 1, trigger });
            let caller = (trigger == "forced").then_some(g);
            self.mark_and_sweep(world, threads, &shrunk, caller);
            freed = Some(before.live_bytes);
            if self.config.gc_trace {
                world.each_g(|_, co| stacks += co.bytes());
            }
        });
        let Some(before) = freed else { return };
        cx.note_gc();
        if let Some(drain) = self.natives_state.finals.to_start() {
            cx.spawn(None, 0, |co| self.start_closure(co, drain));
        }
        let (now, goal) = (self.heap.stats(), self.heap.goal());
        let (n, live) = (now.collections, now.live_bytes);
        cx.tell(&Ev::GcEnd { n, live, freed: before.saturating_sub(live), goal });
        if self.config.gc_trace {
            let line = Line {
                n,
                at: Duration::from_nanos(u64::try_from(cx.now()).unwrap_or(0)),
                pauses: Duration::from_nanos(now.total_pause_ns),
                stop,
                pause: Duration::from_nanos(now.last.ns),
                heap: (before, live, old_goal),
                stacks,
                globals: self.global_words().1 as u64 * 8,
                procs: cx.procs(),
                forced: trigger == "forced",
            };
            cx.write_error(&line.text());
        }
        for (g, old, new) in shrunk.into_inner().expect("never held across a panic") {
            self.stack_changed(cx, g, old, new);
        }
    }

    /// The collection itself; markers share the goroutines out. `shrunk`: stacks with their sizes before and after, in bytes. `caller`: who
    /// called `runtime.GC`.
    fn mark_and_sweep(
        &self,
        world: &mut World<'_, Vm>,
        threads: usize,
        shrunk: &Mutex<Shrunk>,
        caller: Option<GRef>,
    ) {
        let mut of_timers = Vec::new();
        world.each_timer_word(|w| of_timers.push(w));
        let first = |marker: &mut Marker<'_>| {
            of_timers.iter().for_each(|w| marker.word(*w));
            let (globals, n) = self.global_words();
            words(marker, globals, n);
            self.natives_state.trace(|w| marker.word(w));
            for object in self.natives_state.finals.finalized() {
                marker.inside(object, self);
            }
        };
        world.with_gs(|gs| {
            let share = |marker: &mut Marker<'_>| {
                let mut last = LastFunc::default();
                gs.each_of_share(|g, co| {
                    self.mark_co(co, &mut last, caller == Some(g), marker);
                    g.roots(|word| marker.word(word));
                    if self.config.gc_stress != 0 && co.started {
                        self.spoil_dead_slots(co);
                    }
                    let old = co.bytes();
                    shrink_stack(co, self);
                    if co.bytes() != old {
                        let mut shrunk = shrunk.lock().expect("never held across a panic");
                        shrunk.push((g, old, co.bytes()));
                    }
                })
            };
            let roots = Roots { first: &first, share: &share, many: gs.len() >= MANY_GS };
            self.heap.collect(self, threads, &roots);
        });
    }

    /// `calls`: the innermost frame waits for a call too, which has no arguments and no frame.
    fn mark_co<'a>(
        &'a self,
        co: &Co,
        last: &mut LastFunc<'a>,
        calls: bool,
        marker: &mut Marker<'_>,
    ) {
        for d in &co.defers {
            marker.word(d.closure);
        }
        for p in co.panics.iter() {
            marker.word(p.value);
        }
        if !co.started {
            return;
        }
        let mut inner = !calls;
        self.walk_known(co, last, |f, base, pc| {
            self.mark_frame(co, (f, base, pc), inner, marker);
            inner = false;
            true
        });
    }

    /// The innermost frame may be in the middle of an instruction, so all of it counts. In the others, which wait for a
    /// call, liveness says which slots are still read; what is above the call's window belongs to the next frame.
    fn mark_frame(
        &self,
        co: &Co,
        (f, base, pc): (&Func, usize, *const Ins),
        inner: bool,
        marker: &mut Marker<'_>,
    ) {
        let start = co.stack.as_ptr().wrapping_add(base);
        let closure = start.wrapping_sub(1);
        words(marker, closure, 1);
        let live = if inner { None } else { self.liveness(f).at(point(f, pc)) };
        let Some(bits) = live else {
            words(marker, start, (f.nslots as usize).min(co.stack.len() - base));
            return;
        };
        for (k, &word) in bits.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let slot = k * 64 + left.trailing_zeros() as usize;
                words(marker, start.wrapping_add(slot), 1);
                left &= left - 1;
            }
        }
    }

    /// Overwrites the slots that liveness takes for dead, so that a program which reads one fails at once. For stress runs.
    fn spoil_dead_slots(&self, co: &mut Co) {
        let mut dead = Vec::new();
        let mut inner = true;
        self.walk(co, |f, base, pc| {
            if !std::mem::replace(&mut inner, false)
                && let Some(bits) = self.liveness(f).at(point(f, pc))
            {
                let below = usize::from(window_before(pc)).min(f.nslots as usize);
                let is_dead = |&s: &usize| bits[s / 64] >> (s % 64) & 1 == 0;
                dead.extend((0..below).filter(is_dead).map(|s| base + s));
            }
            true
        });
        for slot in dead {
            co.stack[slot] = SPOILED;
        }
    }

    /// Slots of the stack that frames use.
    fn stack_top(&self, co: &Co) -> usize {
        let mut top = co.base;
        self.walk(co, |f, base, _| {
            top = top.max(base + f.nslots as usize);
            true
        });
        top.min(co.stack.len())
    }
}

/// Stacks that were shrunk, with their sizes before and after in bytes.
type Shrunk = Vec<(GRef, u64, u64)>;

/// So many goroutines are scanned by several threads.
const MANY_GS: usize = 4096;

/// What dead slots hold in stress runs: no address of anything.
const SPOILED: u64 = 0xDEAD_DEAD_DEAD_DEAD;

/// The index of the instruction at a saved pc.
fn point(f: &Func, pc: *const Ins) -> u32 {
    ((pc as usize - f.code.as_ptr() as usize) / size_of::<Ins>()) as u32
}

/// Halves a stack of which less than a quarter is in use, as Go does.
fn shrink_stack(co: &mut Co, vm: &Vm) {
    if !co.started || co.stack.len() <= vm.stacks.first * 4 {
        return;
    }
    let top = vm.stack_top(co);
    if top * 4 < co.stack.len() {
        let new = co.stack.len() / 2;
        co.stack.truncate(new);
        co.stack.shrink_to_fit();
    }
}

/// Offers words of memory that the world's stop keeps in place.
fn words(marker: &mut Marker<'_>, start: *const u64, n: usize) {
    raw::offer(marker, start, n);
}

mod raw {
    #![expect(
        unsafe_code,
        reason = "roots are read in a stopped world; native parts are Boxes made by the machine"
    )]

    use super::{Channel, MapData, Marker, NativeObject};

    pub(super) fn offer(marker: &mut Marker<'_>, start: *const u64, n: usize) {
        // SAFETY: the range is a stack or the globals, and the world is stopped.
        unsafe { marker.words(start, n) };
    }

    pub(super) fn map<'a>(p: u64) -> &'a MapData {
        // SAFETY: the first word of a live map object is its Box.
        unsafe { &*(p as *const MapData) }
    }

    pub(super) fn chan<'a>(p: u64) -> &'a Channel {
        // SAFETY: the first word of a live channel object is its Box.
        unsafe { &*(p as *const Channel) }
    }

    pub(super) fn native<'a>(p: u64) -> &'a NativeObject {
        // SAFETY: the first word of a live native object is its Box.
        unsafe { &*(p as *const NativeObject) }
    }

    pub(super) fn drop_box<T>(p: u64) {
        // SAFETY: made by Box::into_raw when the object was made; the object is dead and dropped once.
        drop(unsafe { Box::from_raw(p as *mut T) });
    }
}

impl TraceSpecial for Vm {
    fn trace(&self, shape: u32, payload: *mut u64, marker: &mut Marker<'_>) {
        let native = mem::load(payload, 0);
        match shape {
            SHAPE_MAP => raw::map(native).trace(|w| marker.word(w)),
            SHAPE_CHAN => raw::chan(native).trace(|w| marker.word(w)),
            SHAPE_NATIVE => raw::native(native).trace(&mut |w| marker.word(w)),
            _ => {}
        }
    }

    fn settle(&self, lives: &dyn Fn(u64) -> bool, marker: &mut Marker<'_>) {
        self.natives_state.finals.settle(lives, |w| marker.word(w));
    }

    fn bury(&self, lives: &dyn Fn(u64) -> bool) {
        self.natives_state.finals.bury(lives);
    }

    fn drop_native(&self, shape: u32, payload: *mut u64) {
        let native = mem::load(payload, 0);
        match shape {
            SHAPE_MAP => raw::drop_box::<MapData>(native),
            SHAPE_CHAN => raw::drop_box::<Channel>(native),
            SHAPE_NATIVE => raw::drop_box::<NativeObject>(native),
            _ => {}
        }
    }

    fn shape(&self, id: u32) -> &Shape {
        &self.types.at(id).shape
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        self.heap.drop_all_specials(&*self);
    }
}
