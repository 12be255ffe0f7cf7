//! The state of one goroutine: its stack and what hangs on it.
//!
//! The stack is one array of 64-bit slots. Frames are windows on it: return pc and closure below the base, registers from the base on.
//! Offsets, not addresses, are kept here wherever the stack could grow in between.

use crate::bytecode::op::Ins;

use super::machine::Vm;
use crate::bytecode::op::HEADER;
use crate::sched::{Cx, GRef};
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots of a new goroutine's stack: 512 bytes. (Go's frames need more room; it starts with 2048.)
pub const FIRST_STACK: usize = 64;

/// The stacks of all goroutines: how large they begin, and how much memory they take.
#[derive(Debug)]
pub struct Stacks {
    /// Slots of a new stack; tests make it smaller.
    pub first: usize,
    bytes: AtomicU64,
}

impl Stacks {
    /// No stacks yet; new ones have `first` slots, or the ordinary number if that is 0.
    #[must_use]
    pub fn new(first: usize) -> Stacks {
        let first = if first == 0 { FIRST_STACK } else { first };
        Stacks { first, bytes: AtomicU64::new(0) }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A stack changed its size; the answer is what all use now.
    pub(crate) fn changed(&self, old: u64, new: u64) -> u64 {
        let before = self.bytes.fetch_add(new.wrapping_sub(old), Ordering::Relaxed);
        before.wrapping_add(new).wrapping_sub(old)
    }

    /// Makes `co` ready for the next goroutine: a stack of standard size is kept.
    pub(crate) fn recycle(&self, co: &mut Co) {
        if co.stack.len() != self.first {
            self.changed(co.bytes(), self.first as u64 * 8);
            co.stack = vec![0; self.first];
        }
        co.reset();
    }

    /// Room for the first frame of a goroutine.
    pub(super) fn fit(&self, co: &mut Co, nslots: u32) {
        let need = usize::from(HEADER) + nslots as usize;
        if co.stack.len() < need {
            let old = co.bytes();
            co.stack.resize(need.next_power_of_two(), 0);
            self.changed(old, co.bytes());
        }
    }
}

impl Vm {
    /// Counts a change of `g`'s stack and tells the watcher. Sizes in bytes.
    #[cold]
    pub(super) fn stack_changed(&self, cx: &mut Cx<'_, Vm>, g: GRef, old: u64, new: u64) {
        let all = self.stacks.changed(old, new);
        cx.note_stack(g, old, new, all);
    }
}

/// What a goroutine has to do when it runs again.
#[derive(Default)]
pub enum Pending {
    /// Just go on.
    #[default]
    Nothing,
    /// The opcode before the saved pc parked (send, receive, select, lock): fetch its result.
    Operation,
    /// A lock operation in a native parked; it may have to park again.
    Sync,
    /// A blocking native finished without a P: its result waits here.
    Native(Completion),
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Pending::Nothing => "Nothing",
            Pending::Operation => "Operation",
            Pending::Sync => "Sync",
            Pending::Native(_) => "Native",
        })
    }
}

/// The second half of a blocking native: runs with a P again and stores the results.
pub type Completion =
    Box<dyn FnOnce(&mut crate::natives::Ncx<'_, '_>) -> crate::natives::Outcome + Send>;

/// A deferred call.
#[derive(Clone, Copy, Debug)]
pub struct Deferred {
    /// Offset of the base of the frame that deferred it.
    pub frame: usize,
    /// The func value.
    pub closure: u64,
}

/// A panic (or Goexit) on its way through the frames.
#[derive(Clone, Debug)]
pub struct Panicking {
    /// The value, an interface. 0 for Goexit.
    pub value: u64,
    /// `runtime.Goexit`: runs all deferred calls, cannot be recovered.
    pub goexit: bool,
    /// `recover` was called; takes effect when the deferred call returns.
    pub recovered: bool,
    /// Its deferred call will never return: a later panic passed it.
    pub aborted: bool,
    /// The frame that panicked, and its pc.
    pub frame: usize,
    pub pc: *const Ins,
    /// Base offset of the deferred call that it runs now, if any, and of the frame that deferred it.
    pub running: Option<(usize, usize)>,
    /// The text to print, made by guest code before the program dies.
    pub text: Option<String>,
    /// Raised by an access to address 0, which prints the signal line.
    pub signal: bool,
    /// An earlier panic with this value had been recovered and it was raised again.
    pub repanicked: bool,
}

impl Panicking {
    /// The frames that Go's runtime has between the deferred call and the function that panicked.
    pub fn go_frames(&self) -> &'static [&'static str] {
        match (self.goexit, self.signal) {
            (true, _) => &["runtime.Goexit"],
            (_, true) => &["runtime.gopanic", "runtime.panicmem", "runtime.sigpanic"],
            _ => &["runtime.gopanic"],
        }
    }
}

/// The panics of a goroutine, innermost last. One word as long as there was none: there may be millions of goroutines.
#[derive(Debug, Default)]
#[expect(clippy::box_collection, reason = "one word instead of three")]
pub struct Panics(Option<Box<Vec<Panicking>>>);

impl std::ops::Deref for Panics {
    type Target = Vec<Panicking>;

    fn deref(&self) -> &Vec<Panicking> {
        const NONE: &Vec<Panicking> = &Vec::new();
        self.0.as_deref().unwrap_or(NONE)
    }
}

impl std::ops::DerefMut for Panics {
    fn deref_mut(&mut self) -> &mut Vec<Panicking> {
        self.0.get_or_insert_default()
    }
}

/// See the head of the file.
#[derive(Debug)]
pub struct Co {
    pub stack: Vec<u64>,
    /// Base of the running frame, as an offset. Valid while the goroutine does not run.
    pub base: usize,
    /// Where to go on: after the first word of the instruction at hand.
    pub pc: *const Ins,
    pub pending: Pending,
    pub defers: Vec<Deferred>,
    pub panics: Panics,
    /// Whether it has a frame.
    pub started: bool,
}

// SAFETY is not needed here: a raw pc points into code that is immutable and lives as long as the machine.
mod send {
    #![expect(
        unsafe_code,
        reason = "pc points into immutable code that lives as long as the machine"
    )]
    // SAFETY: see the reason above; everything else is owned.
    unsafe impl Send for super::Co {}
    // SAFETY: as above.
    unsafe impl Send for super::Panicking {}
}

impl Co {
    /// A goroutine that has not started.
    pub fn new(slots: usize) -> Co {
        Co {
            stack: vec![0; slots],
            base: 0,
            pc: std::ptr::null(),
            pending: Pending::Nothing,
            defers: Vec::new(),
            panics: Panics::default(),
            started: false,
        }
    }

    /// Bytes of its stack.
    pub fn bytes(&self) -> u64 {
        self.stack.len() as u64 * 8
    }

    /// Forgets the goroutine that ended.
    fn reset(&mut self) {
        self.pending = Pending::Nothing;
        self.defers.clear();
        self.panics = Panics::default();
        self.started = false;
        self.pc = std::ptr::null();
    }

    /// Address of a frame's base.
    pub fn base_ptr(&mut self, offset: usize) -> *mut u64 {
        debug_assert!(offset <= self.stack.len());
        self.stack.as_mut_ptr().wrapping_add(offset)
    }
}
