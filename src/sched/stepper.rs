//! Deterministic mode: all Ps are stepped on one thread, in an order drawn from the seed.
//!
//! A step gives one P the thread until its goroutine waits, ends, yields, or uses up one refill of fuel; the
//! goroutine that was cut off goes on when its P is stepped again. The same program with the same seed then
//! makes the same choices, as long as it takes nothing from the outside. The code that runs is the same as
//! with threads; there is just one M, and no P is ever idle in the list.

use super::Machine;
use super::cx::Cx;
use super::deadlock::Verdict;
use super::events::{Ev, From};
use super::g::GRef;
use super::m::Mach;
use super::p::{POwn, mix};
use super::rt::Rt;
use crate::netpoll::Wait;
use crate::sync::{Arc, Ordering};

/// A simulated P and the goroutine that its last step cut off.
struct Seat<M: Machine> {
    p: POwn<M>,
    kept: Option<(GRef, From)>,
}

/// Runs the program to its end on this thread.
pub(crate) fn run<M: Machine>(rt: &Arc<Rt<M>>) {
    let mut c = rt.central();
    let m = Arc::new(Mach::new(c.m_next));
    c.m_next += 1;
    c.m_count += 1;
    c.all_ms.push(Arc::clone(&m));
    drop(c);
    let mut cx = rt.cx(Arc::clone(&m));
    let mut seats = Vec::new();
    let mut random = mix(rt.config.seed ^ 0x5354_4550);
    while !rt.is_ending() {
        collect_seats(rt, &mut seats);
        step_round(&mut cx, &mut seats, &mut random);
    }
    let mut c = rt.central();
    for seat in seats {
        c.idle_ps.push(seat.p);
    }
    c.m_count -= 1;
    c.all_ms.clear();
}

/// Takes all Ps that are in the idle list (at the start, and after GOMAXPROCS grew).
fn collect_seats<M: Machine>(rt: &Rt<M>, seats: &mut Vec<Seat<M>>) {
    let mut c = rt.central();
    while let Some(p) = rt.take_idle_p(&mut c) {
        seats.push(Seat { p, kept: None });
    }
    seats.sort_by_key(|seat| seat.p.id);
}

/// Steps one P; if it has nothing, the others in turn; if none has, waits for the outside.
fn step_round<M: Machine>(cx: &mut Cx<'_, M>, seats: &mut Vec<Seat<M>>, random: &mut u64) {
    *random = mix(*random);
    let first = (*random >> 33) as usize % seats.len().max(1);
    for i in 0..seats.len() {
        let at = (first + i) % seats.len();
        let seat = seats.swap_remove(at);
        let (seat, ran) = step(cx, seat);
        seats.extend(seat);
        seats.sort_by_key(|seat| seat.p.id);
        if ran || cx.rt.is_ending() {
            return;
        }
    }
    wait(cx.rt);
}

/// One step of one P. The P does not come back if it is beyond GOMAXPROCS.
fn step<M: Machine>(cx: &mut Cx<'_, M>, seat: Seat<M>) -> (Option<Seat<M>>, bool) {
    cx.set_p(seat.p);
    cx.pending = seat.kept;
    cx.heed_stop();
    if cx.p.is_none() {
        return (None, true);
    }
    let found = cx.look();
    let ran = found.is_some();
    if let Some((g, from)) = found {
        cx.start(g, from);
        let exit = cx.rt.machine.run(cx, g);
        let last = GRef::from_ptr(cx.m.cur_g.get()).unwrap_or(g);
        cx.finish(last, exit);
        cx.step_over = false;
    }
    let kept = cx.pending.take();
    cx.ev(&Ev::PStop { why: "step" });
    let p = cx.take_p();
    if let Some(p) = &p {
        p.shared().m.set(-1);
        p.shared().status.set(super::p::pstatus::IDLE);
    }
    (p.map(|p| Seat { p, kept }), ran)
}

/// Nothing is runnable: jump to the next timer, wait for the outside, or report the deadlock.
fn wait<M: Machine>(rt: &Arc<Rt<M>>) {
    let timer = rt.next_timer();
    if timer != 0 && rt.clock.is_virtual() {
        rt.clock.advance_to(timer);
        return;
    }
    let nobody_outside = rt.net_waiters.load(Ordering::SeqCst) == 0;
    if timer == 0 && nobody_outside {
        let verdict = rt.judge(&rt.central());
        if let Verdict::Dead(text) = verdict {
            rt.report_dead(text);
        }
        return;
    }
    let wait = match timer {
        0 => Wait::Forever,
        when => Wait::Nanos(u64::try_from(when - rt.clock.now()).unwrap_or(0)),
    };
    let ready = rt.poller.wait(wait);
    let gs = rt.net.ready_list(rt, ready);
    rt.inject(gs);
}
