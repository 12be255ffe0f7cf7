//! Package session: the guest's side of the REPL. The front end sends pieces of code, which run as goroutines of one program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::vm::co::Completion;

use super::{Job, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[("next", next), ("started", started), ("finished", finished)];

/// What the front end hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The piece began as the goroutine with this number.
    Started(u64),
    /// Its goroutine has ended, or died of a panic.
    Finished(u64),
}

/// The link between a machine and the front end of its session.
#[derive(Debug)]
pub struct Session {
    code: Mutex<Option<Sender<u32>>>,
    waiting: Arc<Mutex<Receiver<u32>>>,
    events: Mutex<Option<Sender<Event>>>,
    /// The goroutine that is to end at its next safe point; 0 is none.
    stop: AtomicU64,
}

impl Default for Session {
    fn default() -> Self {
        let (send, receive) = channel();
        Session {
            code: Mutex::new(Some(send)),
            waiting: Arc::new(Mutex::new(receive)),
            events: Mutex::new(None),
            stop: AtomicU64::new(0),
        }
    }
}

impl Session {
    /// Where the front end hears what happens.
    pub fn events(&self) -> Receiver<Event> {
        let (send, receive) = channel();
        *self.events.lock().expect("never held across a panic") = Some(send);
        receive
    }

    /// Sends a piece of code: a function without parameters.
    pub fn send(&self, func: u32) {
        if let Some(code) = &*self.code.lock().expect("never held across a panic") {
            // Nobody receives only when the program has ended.
            let _ = code.send(func);
        }
    }

    /// No more code comes: the program ends.
    pub fn close(&self) {
        *self.code.lock().expect("never held across a panic") = None;
    }

    /// Asks a goroutine to end at its next safe point. One that waits keeps waiting.
    pub fn stop(&self, goroutine: u64) {
        self.stop.store(goroutine, Ordering::SeqCst);
    }

    pub(crate) fn is_stopped(&self, goroutine: u64) -> bool {
        self.stop.load(Ordering::Relaxed) == goroutine && goroutine != 0
    }

    pub(crate) fn take_stopped(&self, goroutine: u64) -> bool {
        let taken =
            self.stop.compare_exchange(goroutine, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if taken {
            self.tell(Event::Finished(goroutine));
        }
        taken
    }

    pub(crate) fn finished(&self, goroutine: u64) {
        self.tell(Event::Finished(goroutine));
    }

    fn tell(&self, event: Event) {
        if let Some(events) = &*self.events.lock().expect("never held across a panic") {
            // A front end that is gone does not care.
            let _ = events.send(event);
        }
    }
}

/// `func next() func()`: waits for code; nil at the end.
fn next(n: &mut Ncx<'_, '_>) -> Outcome {
    let waiting = Arc::clone(&n.vm.natives_state.session.waiting);
    let run = move || -> Completion {
        let code = waiting.lock().expect("never held across a panic").recv().ok();
        Box::new(move |n| {
            let f = code.map_or(0, |func| n.vm.func_value(func));
            n.ret(0, f);
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block: true, run: Box::new(run) })
}

/// `func started()`: this goroutine runs a piece.
fn started(n: &mut Ncx<'_, '_>) -> Outcome {
    n.vm.natives_state.session.tell(Event::Started(n.g.id.get()));
    Outcome::Done
}

/// `func finished()`: it is done with it, unless it is dying of a panic, whose end is told by the machine.
fn finished(n: &mut Ncx<'_, '_>) -> Outcome {
    if !n.vm.is_panicking(n.cx, n.g) {
        n.vm.natives_state.session.finished(n.g.id.get());
    }
    Outcome::Done
}
