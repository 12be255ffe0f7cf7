//! The interface between the scheduler and the machine that runs goroutines.
//!
//! Not here: how a goroutine is found ([`super`]), what a goroutine does (the machine).
//!
//! # The park protocol
//! 1. The machine saves everything it needs to go on into the goroutine's `Co` **before** it calls anything
//!    that answers with [`Flow`] (channel operations, select, locks, sleep) or with [`Refill`].
//! 2. [`Flow::Done`]: go on. [`Flow::Park`]: the goroutine may already be running on another thread;
//!    give it up with [`Exit::Parked`] at once and never touch it again. [`Flow::Yield`]: the operation is
//!    complete, but the goroutine must let others run first: give it up with [`Exit::Yielded`].
//! 3. When the goroutine runs again after a park, the machine asks the operation for its result:
//!    `chan::recv_result`, `chan::send_result`, `chan::select_result` after a channel operation,
//!    `chan::resume_sync` after a lock operation (which may park again), nothing after a sleep.
//!
//! # Giving up and switching
//! `run` may return at every such point. It may also call `Cx::switch(g, exit)` with the exit it would
//! return (any of them): the answer is the next goroutine to run on the same P without leaving `run`, or
//! `None`, and then `run` returns [`Exit::Switched`]. This is the fast path of goroutine switches.

use super::cx::Cx;
use super::events::Place;
use super::g::{GInfo, GRef};

/// What runs goroutines: the bytecode interpreter, or a scripted fake in tests.
pub trait Machine: Sized + Send + Sync + 'static {
    /// The coroutine state of one goroutine: stack, program counter, defers. Owned by its G, reused with it.
    type Co: Send;
    /// The state of the machine that belongs to one P: allocation caches, scratch memory.
    type Local: Send;

    /// A coroutine for a new G record. Should be cheap; called once for each record, not each goroutine.
    fn new_co(&self) -> Self::Co;

    /// The machine's part of the P with this number.
    fn new_local(&self, p: u32) -> Self::Local;

    /// The goroutine ended: make `co` ready for the next one (keep a stack of standard size, free a grown one).
    fn recycle(&self, co: &mut Self::Co);

    /// Runs `g` with the fuel in `cx.fuel` until it gives up its thread. The unused fuel is back in `cx.fuel`
    /// on return.
    fn run(&self, cx: &mut Cx<'_, Self>, g: GRef) -> Exit;

    /// The timer of a `time.AfterFunc` fired: start a goroutine for the closure `arg`. Runs on an M with a
    /// P and without a G; must not park.
    fn timer_fired(&self, cx: &mut Cx<'_, Self>, arg: u64);

    /// The value which a channel timer sends: fills the slots of one `time.Time`. `when` is when it was due on the clock of the
    /// runtime in nanoseconds, `late` how long ago that is.
    fn timer_value(&self, when: i64, late: i64, out: &mut [u64]);

    /// Writes the frames of one goroutine in Go's traceback form, with its `created by` line; the header
    /// line `goroutine N [status]:` is already written. The goroutine does not run.
    fn traceback(&self, info: &GInfo, co: &Self::Co, out: &mut String);

    /// Where `co` stands: its innermost function and the line in it. For events; `co` does not run, or its state
    /// is saved.
    fn place(&self, co: &Self::Co) -> Place;

    /// How a goroutine that is done came to its end: `return` or `goexit`. For events.
    fn how_ended(&self, co: &Self::Co) -> &'static str;

    /// What a word that was given as a `site` to `Cx::spawn` means. For events.
    fn site_place(&self, site: u64) -> Place;

    /// Called on sysmon's thread when no collection ran for two minutes; may set a flag that the allocator
    /// looks at.
    fn force_gc(&self) {}
}

/// Why [`Machine::run`] gave its thread back.
#[derive(Debug)]
#[must_use]
pub enum Exit {
    /// A call answered [`Flow::Park`].
    Parked,
    /// `runtime.Gosched`: to the tail of the global queue.
    Gosched,
    /// A call answered [`Flow::Yield`]: to the tail of the local queue.
    Yielded,
    /// `Cx::refill` answered [`Refill::Preempt`]: to the tail of the global queue.
    Preempted,
    /// `Cx::exit_syscall` answered false: there was no P, the goroutine is already on the global queue.
    LostP,
    /// `Cx::switch` answered `None`: it already dealt with the goroutine.
    Switched,
    /// The goroutine returned or ended by `runtime.Goexit`. For the main goroutine this means Goexit: the
    /// others go on; when main returns the machine answers [`Exit::End`].
    Done,
    /// The program ends: main returned, `os.Exit`, an unrecovered panic or a fatal error. What there is to
    /// print has been printed.
    End(ProcessEnd),
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The exit status: 0, 2 after a panic or fatal error, what `os.Exit` was given, 70 for a fault of gmpl.
    pub code: i32,
    /// One line for an embedding program; `None` if the program ended by itself.
    pub error: Option<String>,
}

impl ProcessEnd {
    /// An end with an exit status and without an error.
    #[must_use]
    pub fn exit(code: i32) -> ProcessEnd {
        ProcessEnd { code, error: None }
    }

    /// An end by a panic or a fatal error, whose text was written to the sink already.
    #[must_use]
    pub fn fatal(error: impl Into<String>) -> ProcessEnd {
        ProcessEnd { code: 2, error: Some(error.into()) }
    }
}

/// The answer of an operation that may have to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    /// Complete: go on.
    Done,
    /// The goroutine waits: return [`Exit::Parked`] and do not touch it again.
    Park,
    /// Complete, but others go first: return [`Exit::Yielded`] (the state was saved before the call).
    Yield,
}

/// The answer of `Cx::refill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Refill {
    /// Go on with this much fuel.
    Run(i64),
    /// The slice is over: return [`Exit::Preempted`].
    Preempt,
}
