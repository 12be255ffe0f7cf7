//! What a parked G carries: why it waits, its entries in wait queues, and what its waker leaves for it.
//!
//! Nothing here points into the G's stack: values that are sent or received while the G is parked stand in
//! the G's own record, so stacks can move and a collector finds the values (`Wake::words`).
//!
//! A [`Waiter`] is linked into at most one [`WaitList`]; the list's lock (of the channel, of the semaphore
//! bucket) guards `prev`, `next` and `linked`. The other fields are written by the G before it is entered.

#![expect(unsafe_code, reason = "wait lists are intrusive: they link entries inside G records")]

use super::g::GRef;
use crate::sync::{RelBool, RelI64, RelPtr, RelU32, RelU64};
use std::cell::UnsafeCell;
use std::ptr::NonNull;

macro_rules! wait_reasons {
    ($($name:ident $text:literal $doc:literal)*) => {
        /// Why a goroutine waits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum WaitReason { $(#[doc = $doc] $name,)* }

        impl WaitReason {
            /// All reasons, in the order of their numbers.
            pub const ALL: &'static [WaitReason] = &[$(WaitReason::$name,)*];

            /// Go's text in tracebacks.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(WaitReason::$name => $text,)* }
            }
        }
    };
}

wait_reasons! {
    None "waiting" "Does not wait."
    ChanReceive "chan receive" "A receive."
    ChanSend "chan send" "A send."
    ChanReceiveNil "chan receive (nil chan)" "A receive from nil: for ever."
    ChanSendNil "chan send (nil chan)" "A send to nil: for ever."
    Select "select" "A select with cases."
    SelectNoCases "select (no cases)" "A select without cases: for ever."
    Sleep "sleep" "`time.Sleep`."
    IoWait "IO wait" "The poller."
    MutexLock "sync.Mutex.Lock" "A mutex."
    RwRLock "sync.RWMutex.RLock" "A reader."
    RwLock "sync.RWMutex.Lock" "A writer."
    WaitGroupWait "sync.WaitGroup.Wait" "A wait group."
    CondWait "sync.Cond.Wait" "A condition."
    Semacquire "semacquire" "Another semaphore."
    GcAssist "GC assist wait" "Paying for its allocations."
    GcCycle "wait for GC cycle" "`runtime.GC`."
    StopTheWorld "stopping the world" "Its turn to stop the world."
    Preempted "preempted" "Stopped at a safe point."
    PanicWait "panicwait" "Another goroutine's panic to be printed."
}

impl WaitReason {
    /// The word of Go's execution traces, which is coarser than that of tracebacks.
    #[must_use]
    pub fn trace_text(self) -> &'static str {
        match self {
            WaitReason::None => "unspecified",
            WaitReason::ChanReceive => "chan receive",
            WaitReason::ChanSend => "chan send",
            WaitReason::ChanReceiveNil | WaitReason::ChanSendNil | WaitReason::SelectNoCases => {
                "forever"
            }
            WaitReason::Select => "select",
            WaitReason::Sleep => "sleep",
            WaitReason::IoWait => "network",
            WaitReason::MutexLock
            | WaitReason::RwRLock
            | WaitReason::RwLock
            | WaitReason::WaitGroupWait
            | WaitReason::Semacquire
            | WaitReason::StopTheWorld => "sync",
            WaitReason::CondWait => "sync.(*Cond).Wait",
            WaitReason::GcAssist => "GC mark assist wait for work",
            WaitReason::GcCycle => "wait until GC ends",
            WaitReason::Preempted => "preempted",
            WaitReason::PanicWait => "system goroutine wait",
        }
    }

    /// The reason with this number.
    pub(crate) fn from_u32(value: u32) -> WaitReason {
        WaitReason::ALL.get(value as usize).copied().unwrap_or(WaitReason::None)
    }
}

/// The entry of a G in one wait queue.
#[derive(Debug)]
pub struct Waiter {
    prev: RelPtr<Waiter>,
    next: RelPtr<Waiter>,
    linked: RelBool,
    /// Who waits: a `GRef` in pointer form.
    g: RelPtr<super::g::GHead>,
    /// Which case of a select this is; 0 otherwise.
    pub(crate) case: RelU32,
    /// Whether it belongs to a select, so that its waker must win first.
    pub(crate) is_select: RelBool,
    /// Where the value stands (to be sent) or goes (received): inside the G's record.
    pub(crate) slots: RelPtr<u64>,
    /// Semaphores and condition lists: the address waited for.
    pub(crate) key: RelU64,
    /// Semaphores: the waker took the unit on the waiter's behalf. Condition lists: the ticket.
    pub(crate) ticket: RelU64,
}

impl Default for Waiter {
    fn default() -> Waiter {
        Waiter {
            prev: RelPtr::default(),
            next: RelPtr::default(),
            linked: RelBool::new(false),
            g: RelPtr::default(),
            case: RelU32::new(0),
            is_select: RelBool::new(false),
            slots: RelPtr::default(),
            key: RelU64::new(0),
            ticket: RelU64::new(0),
        }
    }
}

impl Waiter {
    /// Prepares an entry that is in no queue.
    #[inline(always)]
    pub(crate) fn prepare(&self, g: GRef, slots: *mut u64) {
        debug_assert!(!self.linked.get());
        self.g.set(g.as_ptr());
        self.slots.set(slots);
        self.case.set(0);
        self.is_select.set(false);
        self.ticket.set(0);
    }

    /// Makes a prepared entry one of a select.
    pub(crate) fn for_case(&self, case: u32) {
        self.case.set(case);
        self.is_select.set(true);
    }

    /// Whether it is in a queue; ask under the queue's lock.
    pub(crate) fn is_linked(&self) -> bool {
        self.linked.get()
    }
}

/// A reference to a [`Waiter`]. It stands in a G record, so it lives as long as the runtime, as `GRef`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WRef(NonNull<Waiter>);

impl std::ops::Deref for WRef {
    type Target = Waiter;

    #[inline(always)]
    fn deref(&self) -> &Waiter {
        // SAFETY: waiters stand in G records (or in a select's block owned by one, which is replaced only
        // while none of its entries is linked), and records live as long as the runtime.
        unsafe { self.0.as_ref() }
    }
}

impl WRef {
    #[inline(always)]
    pub(crate) fn of(waiter: &Waiter) -> WRef {
        WRef(NonNull::from(waiter))
    }

    fn from_ptr(ptr: *mut Waiter) -> Option<WRef> {
        NonNull::new(ptr).map(WRef)
    }

    /// Who waits.
    #[inline(always)]
    pub(crate) fn g(self) -> GRef {
        GRef::from_ptr(self.g.get()).expect("a linked waiter was prepared with its G")
    }
}

/// A FIFO queue of waiters. Its owner's lock guards every call.
#[derive(Debug, Default)]
pub struct WaitList {
    head: RelPtr<Waiter>,
    tail: RelPtr<Waiter>,
}

impl WaitList {
    /// Whether nobody waits.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.get().is_null()
    }

    /// The first waiter.
    pub(crate) fn first(&self) -> Option<WRef> {
        WRef::from_ptr(self.head.get())
    }

    /// The waiter behind `w`.
    pub(crate) fn after(&self, w: WRef) -> Option<WRef> {
        WRef::from_ptr(w.next.get())
    }

    /// Appends at the tail.
    #[inline(always)]
    pub(crate) fn push(&self, w: WRef) {
        let tail = self.tail.get();
        w.prev.set(tail);
        w.next.set(std::ptr::null_mut());
        w.linked.set(true);
        match WRef::from_ptr(tail) {
            Some(tail) => tail.next.set(w.0.as_ptr()),
            None => self.head.set(w.0.as_ptr()),
        }
        self.tail.set(w.0.as_ptr());
    }

    /// Puts in front of all others.
    pub(crate) fn push_front(&self, w: WRef) {
        let head = self.head.get();
        w.next.set(head);
        w.prev.set(std::ptr::null_mut());
        w.linked.set(true);
        match WRef::from_ptr(head) {
            Some(head) => head.prev.set(w.0.as_ptr()),
            None => self.tail.set(w.0.as_ptr()),
        }
        self.head.set(w.0.as_ptr());
    }

    /// Takes out a waiter that is in this list.
    #[inline(always)]
    pub(crate) fn remove(&self, w: WRef) {
        debug_assert!(w.linked.get());
        let (prev, next) = (w.prev.get(), w.next.get());
        match WRef::from_ptr(prev) {
            Some(prev) => prev.next.set(next),
            None => self.head.set(next),
        }
        match WRef::from_ptr(next) {
            Some(next) => next.prev.set(prev),
            None => self.tail.set(prev),
        }
        w.linked.set(false);
    }

    /// Takes the first waiter that nobody else has woken: a select may have been won through another of its
    /// channels, and such entries are dropped here.
    #[inline(always)]
    pub(crate) fn pop_winner(&self) -> Option<WRef> {
        loop {
            let first = self.first()?;
            self.remove(first);
            if !first.is_select.get() || first.g().win_select() {
                return Some(first);
            }
        }
    }
}

/// How many slots of a value stand in the G record itself; larger values get a block of their own.
const INLINE_SLOTS: usize = 4;

/// What a waker leaves for the G, and what the G's parked operation needs when it goes on. Written by the
/// G's own M before it parks and after it runs again, and by the one waker between the two.
#[derive(Debug, Default)]
pub struct Wake {
    /// The case of a select that happened.
    pub(crate) case: RelU32,
    /// Receive: a value came (not: the channel was closed). Send: it was taken (not: closed).
    pub(crate) ok: RelBool,
    /// Which phase a parked lock operation is in, for `chan::resume_sync`.
    pub(crate) phase: RelU32,
    /// A lock operation's flags: woken, starving.
    pub(crate) flags: RelU32,
    /// A lock operation's object.
    pub(crate) addr: RelU64,
    /// When a lock operation began to wait.
    pub(crate) began: RelI64,
    /// How many slots of the value area are in use; a collector marks them.
    used: RelU32,
    inline: [RelU64; INLINE_SLOTS],
    more: MoreCell,
}

/// The parts of a wake area that most goroutines never need.
#[derive(Debug, Default)]
struct More {
    words: Vec<RelU64>,
    waiters: Vec<Waiter>,
    cases: Vec<SelectCase>,
}

/// One case of a select that is parked, as its end needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SelectCase {
    /// The channel, or null for a nil channel; what a channel is, is not known here.
    pub(crate) chan: *const (),
    /// Whether it sends.
    pub(crate) send: bool,
}

#[derive(Debug, Default)]
struct MoreCell(UnsafeCell<Option<Box<More>>>);

// SAFETY: the cell is used only by the M that runs the G (to prepare and to end an operation) and, with the
// world stopped, by the collector; see `Wake`.
unsafe impl Sync for MoreCell {}
// SAFETY: as above; the raw channel pointers in it are followed only while the G keeps the channels alive.
unsafe impl Send for MoreCell {}

impl Wake {
    /// Reserves `n` slots for a value, zeroed, and returns where they stand. Only the G's own M calls this,
    /// before the G is entered anywhere.
    #[inline(always)]
    pub(crate) fn reserve(&self, n: usize) -> *mut u64 {
        self.used.set(u32::try_from(n).unwrap_or(u32::MAX));
        if n > INLINE_SLOTS {
            return self.reserve_more(n);
        }
        for slot in &self.inline[..n] {
            slot.set(0);
        }
        self.inline.as_ptr().cast_mut().cast()
    }

    #[cold]
    fn reserve_more(&self, n: usize) -> *mut u64 {
        let more = self.more();
        more.words.clear();
        more.words.resize_with(n, || RelU64::new(0));
        more.words.as_mut_ptr().cast()
    }

    /// The value area in use: a sent value not yet taken, or a received one not yet fetched.
    pub(crate) fn slots(&self) -> *const u64 {
        let n = self.used.get() as usize;
        if n > INLINE_SLOTS {
            self.more().words.as_ptr().cast()
        } else {
            self.inline.as_ptr().cast()
        }
    }

    /// Forgets the value area, so that a collector no longer sees it.
    #[inline(always)]
    pub(crate) fn release(&self) {
        self.used.set(0);
    }

    /// The channels of a parked select, as words.
    pub(crate) fn select_words(&self) -> Vec<u64> {
        let cases = self.parked_select().cases;
        cases.iter().map(|case| case.chan.expose_provenance() as u64).collect()
    }

    /// The values that a collector must mark.
    pub(crate) fn words(&self) -> Vec<u64> {
        let n = self.used.get() as usize;
        if n > INLINE_SLOTS {
            return self.more().words.iter().take(n).map(RelU64::get).collect();
        }
        self.inline.iter().take(n).map(RelU64::get).collect()
    }

    /// The cases and entries of a select about to park, emptied and with room for `n`.
    pub(crate) fn begin_select(&self, n: usize) -> SelectArea<'_> {
        let more = self.more();
        more.cases.clear();
        if more.waiters.len() < n {
            more.waiters.resize_with(n, Waiter::default);
        }
        SelectArea { cases: &mut more.cases, waiters: &more.waiters }
    }

    /// The cases and entries of a select that parked.
    pub(crate) fn parked_select(&self) -> SelectArea<'_> {
        let more = self.more();
        SelectArea { cases: &mut more.cases, waiters: &more.waiters }
    }

    #[expect(clippy::mut_from_ref, reason = "the cell has one user at a time, see MoreCell")]
    fn more(&self) -> &mut More {
        // SAFETY: only the G's own M (or the collector in a stopped world) is here, and no caller keeps the
        // reference over another call of this function.
        let cell = unsafe { &mut *self.more.0.get() };
        cell.get_or_insert_with(Box::default)
    }
}

/// See [`Wake::begin_select`].
#[derive(Debug)]
pub(crate) struct SelectArea<'a> {
    pub(crate) cases: &'a mut Vec<SelectCase>,
    pub(crate) waiters: &'a [Waiter],
}
