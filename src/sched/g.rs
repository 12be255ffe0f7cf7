//! G: the record of one goroutine, and the reference to it that all queues hold.
//!
//! Records live as long as the runtime: they are reused, never freed, so a [`GRef`] can always be followed.
//! All fields of the head are relaxed atomics: who may write a field follows from the G's status and is said
//! beside it. The coroutine is behind a raw pointer and is touched only by the M that runs the G, or while
//! the world is stopped, or when the G is dead.
//!
//! Rejected: `Arc<G>` (queue operations must not touch reference counts) and indices (one more load).

#![expect(unsafe_code, reason = "GRef follows pointers to records that the runtime keeps alive")]

use super::wait::{WaitReason, Waiter, Wake};
use crate::sync::cache::{CACHE_LINE, fetch_soon};
use crate::sync::{AtomicU32, Ordering, RelBool, RelI64, RelPtr, RelU32, RelU64, StateU32};
use std::cell::UnsafeCell;
use std::ops::Deref;
use std::ptr::NonNull;

/// The state of a G; the numbers are Go's, which `scheddetail` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Just allocated, never ran.
    Idle = 0,
    /// In a run queue.
    Runnable = 1,
    /// On an M.
    Running = 2,
    /// In a blocking native, without using a P.
    Syscall = 3,
    /// Parked; whoever it waits for readies it.
    Waiting = 4,
    /// Ended; on a free list.
    Dead = 6,
}

impl Status {
    fn from_u32(value: u32) -> Status {
        match value {
            1 => Status::Runnable,
            2 => Status::Running,
            3 => Status::Syscall,
            4 => Status::Waiting,
            6 => Status::Dead,
            _ => Status::Idle,
        }
    }

    /// Whether a G may go from this state to `to`. Every change goes through [`GHead::set_status`].
    fn may_become(self, to: Status) -> bool {
        match self {
            Status::Idle | Status::Dead => matches!(to, Status::Runnable | Status::Dead),
            Status::Runnable => to == Status::Running,
            Status::Running => to != Status::Idle && to != Status::Running,
            Status::Syscall => matches!(to, Status::Running | Status::Runnable),
            Status::Waiting => matches!(to, Status::Runnable | Status::Running),
        }
    }
}

/// The machine-independent part of a G.
#[derive(Debug)]
#[repr(C)]
pub struct GHead {
    /// A [`Status`]. Written by the running M, by the waker of a waiting G, by whoever reuses a dead one.
    status: StateU32,
    /// Why it waits: a [`WaitReason`]. Written by the G's own M before it parks.
    reason: RelU32,
    /// The goroutine's number; a reused record gets a new one.
    pub id: RelU64,
    /// The number of the goroutine that created it; 0 for main.
    pub parent: RelU64,
    /// Where it was created: a word of the machine.
    pub site: RelU64,
    /// What it waits for: an address or another number for people.
    pub object: RelU64,
    /// When it began to wait, or to be runnable, by the coarse clock of its P (good to one refill).
    pub since: RelI64,
    /// The next G of a private list (a batch to ready, a free list). Written by the list's owner.
    pub link: RelPtr<GHead>,
    /// 1 + the id of the M it is locked to, or 0.
    pub locked_m: RelU32,
    /// How often `LockOSThread` was called without its counterpart.
    pub lock_depth: RelU32,
    /// Whether this is the main goroutine.
    pub is_main: RelBool,
    /// Set when another runs it as a system goroutine: not counted, not dumped.
    pub is_system: RelBool,
    /// 0 while a select waits; the waker that changes it to 1 has won.
    pub select_done: AtomicU32,
    /// What the waker leaves and what a parked operation needs when it goes on.
    pub wake: Wake,
    /// The wait queue entry of an operation on one channel, semaphore or list.
    pub waiter: Waiter,
}

impl GHead {
    /// A record that never ran.
    pub(crate) fn new() -> GHead {
        GHead {
            status: StateU32::new(Status::Idle as u32),
            reason: RelU32::new(0),
            id: RelU64::new(0),
            parent: RelU64::new(0),
            site: RelU64::new(0),
            object: RelU64::new(0),
            since: RelI64::new(0),
            link: RelPtr::default(),
            locked_m: RelU32::new(0),
            lock_depth: RelU32::new(0),
            is_main: RelBool::new(false),
            is_system: RelBool::new(false),
            select_done: AtomicU32::new(0),
            wake: Wake::default(),
            waiter: Waiter::default(),
        }
    }

    /// The present state.
    #[inline(always)]
    pub fn status(&self) -> Status {
        Status::from_u32(self.status.get())
    }

    /// The only way to change the state. The caller owns the G by the rule beside `status`.
    #[inline(always)]
    pub(crate) fn set_status(&self, to: Status) {
        debug_assert!(
            self.status().may_become(to),
            "G{} {:?} -> {to:?}",
            self.id.get(),
            self.status()
        );
        self.status.set(to as u32);
    }

    /// Why it waits.
    pub fn reason(&self) -> WaitReason {
        WaitReason::from_u32(self.reason.get())
    }

    /// Marks the running G as waiting. Must come before it is entered into any wait queue.
    #[inline(always)]
    pub(crate) fn begin_wait(&self, reason: WaitReason, object: u64, now: i64) {
        self.reason.set(reason as u32);
        self.object.set(object);
        self.since.set(now);
        self.set_status(Status::Waiting);
    }

    /// The operation that parked has been ended: a collector need no longer look at what it kept.
    #[inline(always)]
    pub(crate) fn end_wait(&self) {
        self.object.set(0);
        self.wake.release();
    }

    /// Calls `f` with every word that a parked (or just woken) operation keeps: the object waited for, the
    /// channels of a select, values on their way. A collector marks those that are pointers.
    pub fn roots(&self, mut f: impl FnMut(u64)) {
        f(self.object.get());
        self.wake.words().into_iter().for_each(&mut f);
        self.wake.select_words().into_iter().for_each(f);
    }

    /// Whether the caller is the one who ends this select: at most one ever is.
    #[inline(always)]
    pub(crate) fn win_select(&self) -> bool {
        self.select_done.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// A G with its coroutine. `head` comes first so that a pointer to it is a pointer to the G. It shares no cache line with another one,
/// which may run on another core.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct G<C> {
    pub(crate) head: GHead,
    pub(crate) co: UnsafeCell<C>,
}

/// A reference to a G; `Copy`, one word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GRef(NonNull<GHead>);

// SAFETY: G records are shared between threads by design; all fields of the head are atomics, and the
// coroutine is reached only through `co`, whose users own the G.
unsafe impl Send for GRef {}
// SAFETY: as above.
unsafe impl Sync for GRef {}

impl std::fmt::Debug for GRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "G{}", self.id.get())
    }
}

impl Deref for GRef {
    type Target = GHead;

    #[inline(always)]
    fn deref(&self) -> &GHead {
        // SAFETY: a GRef is made from a record in the runtime's slab, and records live as long as the
        // runtime; no GRef leaves it.
        unsafe { self.0.as_ref() }
    }
}

impl GRef {
    /// The reference to a record of the slab.
    pub(crate) fn of<C>(g: &G<C>) -> GRef {
        GRef(NonNull::from(g).cast())
    }

    /// The reference from the pointer form, `None` for null.
    #[inline(always)]
    pub(crate) fn from_ptr(ptr: *mut GHead) -> Option<GRef> {
        NonNull::new(ptr).map(GRef)
    }

    /// The pointer form, for atomic fields.
    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut GHead {
        self.0.as_ptr()
    }

    /// Asks the processor to fetch the record into its cache: it is about to be run here, and another core may have used it
    /// last.
    #[inline(always)]
    pub(crate) fn fetch_soon<C>(self) {
        let first: *const u8 = self.0.as_ptr().cast_const().cast();
        for offset in (0..size_of::<G<C>>()).step_by(CACHE_LINE) {
            fetch_soon(first.wrapping_add(offset));
        }
    }

    /// The coroutine. The caller runs the G, or holds it while it does not run.
    #[inline(always)]
    pub(crate) fn co<C>(self) -> *mut C {
        let g: *mut G<C> = self.0.as_ptr().cast();
        // SAFETY: the pointer is to a whole G<C> (`of`), C being fixed by the runtime's machine; taking the
        // address of a field of a live record is no access.
        let cell = unsafe { &raw const (*g).co };
        UnsafeCell::raw_get(cell)
    }
}

/// What a traceback needs to know about a goroutine.
#[derive(Debug, Clone)]
pub struct GInfo {
    /// Its number.
    pub id: u64,
    /// The number of its creator, 0 for main.
    pub parent: u64,
    /// The machine's word about where it was created.
    pub site: u64,
    /// The word in the header: a wait reason, `running`, `runnable`, `syscall`.
    pub status: &'static str,
    /// Whole minutes that it has been waiting.
    pub minutes: u64,
    /// Locked to its thread.
    pub locked: bool,
}

impl GInfo {
    /// The facts about `g` at `now`.
    pub(crate) fn of(g: GRef, now: i64) -> GInfo {
        let status = match g.status() {
            Status::Waiting => g.reason().text(),
            Status::Running => "running",
            Status::Syscall => "syscall",
            Status::Idle | Status::Runnable | Status::Dead => "runnable",
        };
        let waited =
            if g.status() == Status::Waiting { now.saturating_sub(g.since.get()) } else { 0 };
        GInfo {
            id: g.id.get(),
            parent: g.parent.get(),
            site: g.site.get(),
            status,
            minutes: u64::try_from(waited / 60_000_000_000).unwrap_or(0),
            locked: g.lock_depth.get() > 0,
        }
    }

    /// The header line of a traceback, with its newline.
    #[must_use]
    pub fn header(&self) -> String {
        let minutes =
            if self.minutes > 0 { format!(", {} minutes", self.minutes) } else { String::new() };
        let locked = if self.locked { ", locked to thread" } else { "" };
        format!("goroutine {} [{}{minutes}{locked}]:\n", self.id, self.status)
    }
}
