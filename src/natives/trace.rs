//! Package runtime/trace: events of the program itself, and traces that it starts.
//!
//! What a started trace has to say is kept in memory until the package's own goroutine fetches it, since nobody can call the guest's
//! writer from where events happen.

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::{Ncx, Outcome, Table};
use crate::sched::{Ev, EventHook, Flow};
use crate::trace::JsonTrace;

pub(super) const TABLE: Table =
    &[("start", start), ("stop", stop), ("read", read), ("enabled", enabled), ("user", user)];

/// Lines that wait to be fetched.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().expect("never held across a panic"))
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("never held across a panic").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The trace that the program has started.
#[derive(Debug, Default)]
pub(crate) struct Started {
    trace: Mutex<Option<Arc<JsonTrace>>>,
    kept: Kept,
}

/// `func start()`: the package sees to it that there is none yet.
fn start(n: &mut Ncx<'_, '_>) -> Outcome {
    let started = &n.vm.natives_state.started;
    let trace = Arc::new(JsonTrace::new(Box::new(started.kept.clone())));
    let hook: Arc<dyn EventHook> = Arc::<JsonTrace>::clone(&trace);
    *started.trace.lock().expect("never held across a panic") = Some(trace);
    n.cx.watch_from_now(n.g, hook);
    n.refresh();
    Outcome::Flow(Flow::Done)
}

/// `func stop()`
fn stop(n: &mut Ncx<'_, '_>) -> Outcome {
    n.cx.watch_no_more();
    let trace = n.vm.natives_state.started.trace.lock().expect("never held across a panic").take();
    if let Some(trace) = trace {
        // Memory takes all that is written.
        let _ = trace.finish();
    }
    Outcome::Done
}

/// `func read() []byte`: what has been traced since the last call.
fn read(n: &mut Ncx<'_, '_>) -> Outcome {
    let lines = n.vm.natives_state.started.kept.take();
    n.ret_bytes(0, &lines);
    Outcome::Done
}

/// `func enabled() bool`
fn enabled(n: &mut Ncx<'_, '_>) -> Outcome {
    let on = n.cx.is_traced();
    n.ret_bool(0, on);
    Outcome::Done
}

/// The kinds of events, by the package's numbers.
const KINDS: &[&str] =
    &["user.task.begin", "user.task.end", "user.region.begin", "user.region.end", "user.log"];

/// `func user(kind int, id, parent uint64, category, text string)`
fn user(n: &mut Ncx<'_, '_>) -> Outcome {
    if n.cx.is_traced()
        && let Some(name) = usize::try_from(n.int(0)).ok().and_then(|kind| KINDS.get(kind))
    {
        let (category, text) = (n.string(3), n.string(4));
        let (id, parent) = (n.arg(1), n.arg(2));
        n.cx.tell(&Ev::User { name, id, parent, category: &category, text: &text });
    }
    Outcome::Done
}
