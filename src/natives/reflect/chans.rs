//! Channels by package reflect: making one, and a select over any number of cases.

use crate::chan::{SelectEnd, Selected};
use crate::natives::{Ncx, Outcome};
use crate::sched::Flow;
use crate::value::{mem, text};
use crate::vm::trap::Trap;

/// Words of a `selectEntry`: the channel, whether to send, eight slots of the value, whether one came.
const ENTRY: usize = 11;
const SLOTS: usize = 2;
const OK: usize = 10;

/// `func makeChan(t, n int) *word`: a variable that holds a new channel.
pub(super) fn make_chan(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, size) = (n.arg(0) as u32, n.int(1));
    match n.vm.make_chan(n.cx, t, size) {
        Ok(c) => {
            let p = n.alloc().object(1, t);
            mem::store(p, 0, c);
            n.ret(0, p as u64);
            Outcome::Done
        }
        Err(t) => Outcome::Trap(t),
    }
}

/// `func selectChans(cases []selectEntry, block bool) int`: the index of the case that happened, -1 if none did and it must not wait.
/// The caller keeps the entries.
pub(super) fn select_chans(n: &mut Ncx<'_, '_>) -> Outcome {
    let (cases, block) = (n.arg(0), n.arg(1) != 0);
    let entries: Vec<u64> =
        (0..text::len(cases)).map(|i| text::data(cases) + (i * ENTRY * 8) as u64).collect();
    let sources: Vec<(u64, bool, u64)> = entries
        .iter()
        .map(|&e| {
            let word = |i: usize| mem::load(e as *const u64, i);
            (word(0), word(1) != 0, e + SLOTS as u64 * 8)
        })
        .collect();
    // What is to be done when it was woken is said before it may park.
    n.set_completion(Box::new(move |n| {
        let end = n.vm.select_memory_end(n.cx, n.g, |i| entries[i as usize] + SLOTS as u64 * 8);
        match end {
            SelectEnd::Chosen { case, ok } => chosen(n, entries[case as usize], case, ok),
            SelectEnd::Closed => Outcome::Trap(closed()),
        }
    }));
    let selected = n.vm.select_memory(n.cx, n.g, &sources, block);
    if !matches!(selected, Selected::Park) {
        n.clear_completion();
    }
    match selected {
        Selected::Chosen { case, ok } => {
            let entry = text::data(cases) + u64::from(case) * ENTRY as u64 * 8;
            chosen(n, entry, case, ok)
        }
        Selected::Closed => Outcome::Trap(closed()),
        Selected::Default => {
            n.ret(0, u64::MAX);
            Outcome::Done
        }
        Selected::Park => Outcome::Flow(Flow::Park),
    }
}

fn closed() -> Trap {
    Trap::Plain("send on closed channel".into())
}

fn chosen(n: &mut Ncx<'_, '_>, entry: u64, case: u32, ok: bool) -> Outcome {
    mem::store(entry as *mut u64, OK, u64::from(ok));
    n.ret(0, u64::from(case));
    Outcome::Done
}
