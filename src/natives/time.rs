//! Package time: clocks, sleeping, timers. Dates and printing are in `std/time`.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::heap::SHAPE_NATIVE;
use crate::sched::timers::Timer;
use crate::value::mem;

use super::{NativeObject, NativePart, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("now", now),
    ("nanotime", |n| {
        let t = n.cx.now();
        n.ret(0, t as u64);
        Outcome::Done
    }),
    ("Sleep", sleep),
    ("newTimer", new_timer),
    ("newFuncTimer", new_func_timer),
    ("stopTimer", stop_timer),
    ("resetTimer", reset_timer),
];

/// Seconds from the year 1 to 1970.
const UNIX_TO_INTERNAL: i64 = 62_135_596_800;

/// A timer behind a guest's `*time.handle`.
#[derive(Debug)]
struct TimerPart(Arc<Timer>);

impl NativePart for TimerPart {
    fn trace(&self, word: &mut dyn FnMut(u64)) {
        if let Some(w) = self.0.func_word() {
            word(w);
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The wall clock: seconds since the year 1 and nanoseconds. The machine's clock decides where time is virtual.
pub(crate) fn wall(virtual_ns: Option<i64>) -> (i64, i64) {
    /// 2009-11-10 23:00:00 UTC, where virtual time starts.
    const VIRTUAL_START: i64 = 1_257_894_000;
    if let Some(ns) = virtual_ns {
        return (
            UNIX_TO_INTERNAL + VIRTUAL_START + ns.div_euclid(1_000_000_000),
            ns.rem_euclid(1_000_000_000),
        );
    }
    let d = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (UNIX_TO_INTERNAL + d.as_secs() as i64, i64::from(d.subsec_nanos()))
}

/// `func now() (sec, nsec, mono int64)`.
fn now(n: &mut Ncx<'_, '_>) -> Outcome {
    let mono = n.cx.now();
    let (sec, nsec) = wall(n.vm.config.virtual_time.then_some(mono));
    n.ret(0, sec as u64);
    n.ret(1, nsec as u64);
    n.ret(2, mono as u64);
    Outcome::Done
}

fn sleep(n: &mut Ncx<'_, '_>) -> Outcome {
    let ns = n.int(0);
    n.may_wait();
    Outcome::Flow(n.cx.sleep(n.g, ns))
}

/// The guest object of a timer.
fn handle(n: &mut Ncx<'_, '_>, timer: Arc<Timer>) -> u64 {
    let part = Box::new(NativeObject(Box::new(TimerPart(timer))));
    let mut a = n.alloc();
    let p = a.object(1, SHAPE_NATIVE);
    mem::store(p, 0, Box::into_raw(part) as u64);
    a.cache.add_special(p);
    p as u64
}

/// Slots of a `time.Time`: seconds, nanoseconds, monotonic clock, location.
const TIME_SLOTS: u32 = 4;

fn at(n: &Ncx<'_, '_>, delay: i64) -> i64 {
    n.cx.now().saturating_add(delay.max(0))
}

/// `func newTimer(delay, period int64) (c chan Time, h *handle)`.
fn new_timer(n: &mut Ncx<'_, '_>) -> Outcome {
    let (delay, period) = (n.int(0), n.int(1));
    let timer = Timer::for_channel();
    let c = n.vm.new_timer_chan(n.cx, TIME_SLOTS, &timer);
    let when = at(n, delay);
    timer.start(n.cx, when, period);
    n.ret(0, c);
    let h = handle(n, timer);
    n.ret(1, h);
    Outcome::Done
}

/// `func newFuncTimer(delay int64, f func()) *handle`.
fn new_func_timer(n: &mut Ncx<'_, '_>) -> Outcome {
    let (delay, f) = (n.int(0), n.arg(1));
    let timer = Timer::for_func(f);
    let when = at(n, delay);
    timer.start(n.cx, when, 0);
    let h = handle(n, timer);
    n.ret(0, h);
    Outcome::Done
}

fn timer_of(n: &Ncx<'_, '_>, i: usize) -> Option<Arc<Timer>> {
    let part = native_object(n.arg(i))?;
    part.as_any().downcast_ref::<TimerPart>().map(|t| Arc::clone(&t.0))
}

/// `func stopTimer(h *handle) bool`.
fn stop_timer(n: &mut Ncx<'_, '_>) -> Outcome {
    let stopped = timer_of(n, 0).is_some_and(|t| t.stop(n.cx));
    n.ret_bool(0, stopped);
    Outcome::Done
}

/// `func resetTimer(h *handle, delay, period int64) bool`.
fn reset_timer(n: &mut Ncx<'_, '_>) -> Outcome {
    let (delay, period) = (n.int(1), n.int(2));
    let when = at(n, delay);
    let active = timer_of(n, 0).is_some_and(|t| t.reset(n.cx, when, period));
    n.ret_bool(0, active);
    Outcome::Done
}

/// The native part behind a guest object of shape `SHAPE_NATIVE`; `None` for nil.
pub(crate) fn native_object<'a>(w: u64) -> Option<&'a dyn NativePart> {
    raw::object(w)
}

mod raw {
    #![expect(
        unsafe_code,
        reason = "the first word of a native object is the Box made with it; the guest holds the object"
    )]

    use super::{NativeObject, NativePart, mem};

    pub(super) fn object<'a>(w: u64) -> Option<&'a dyn NativePart> {
        if w == 0 {
            return None;
        }
        let p = mem::load64(w) as *const NativeObject;
        // SAFETY: see the reason.
        let object = unsafe { &*p };
        Some(object.0.as_ref())
    }
}
