//! P: the right to run goroutines, with everything that only its owner touches.
//!
//! A P is two records. [`PShared`] may be read by everybody; [`PCore`] belongs to whoever has the [`POwn`],
//! a pointer that is neither `Copy` nor `Clone`. Owning a P *is* having that value: in an M's `Cx`, in the
//! idle list, in the slot of a P in a syscall, in a waking M's hand-over word.
//!
//! Where a G stands in a P: `runnext` (private, runs next and inherits the slice), the ring (stealable), or
//! the `offer`: a runnext that did not get to run for a whole refill while other Ps were idle is moved there
//! by its owner, and from there it can be stolen. Go lets thieves take runnext itself after a pause of 3 µs;
//! the offer has the same effect ("stealable, but last, and not from a running ping-pong") and leaves
//! runnext a plain field: no atomic read-modify-write at a switch.

#![expect(
    unsafe_code,
    reason = "P ownership is a unique pointer; the runtime frees the cores at its end"
)]

use super::Machine;
use super::events::Stats;
use super::g::{GHead, GRef};
use super::timers::Timers;
use crate::sync::{AtomicBool, AtomicPtr, Deque, Ordering, RelBool, RelI64, RelU32, Thief};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// P states with Go's numbers.
pub(crate) mod pstatus {
    /// In the idle list.
    pub(crate) const IDLE: u32 = 0;
    /// Owned by an M, or in the slot of one that is in a syscall.
    pub(crate) const RUNNING: u32 = 1;
    /// Stopped for a stop-the-world.
    pub(crate) const GCSTOP: u32 = 3;
    /// Beyond GOMAXPROCS.
    pub(crate) const DEAD: u32 = 4;
}

/// The part of a P that everybody may look at. It shares no cache line with another one's.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct PShared<M: Machine> {
    /// Its number.
    pub(crate) id: u32,
    /// The stealing end of the ring.
    pub(crate) thief: Thief<GRef>,
    /// A G that its owner offers to thieves; see the head of the file. Swapped by the owner and thieves.
    pub(crate) offer: AtomicPtr<GHead>,
    /// Ask the owner to come to the scheduler at its next refill. Set by sysmon and stop-the-world.
    pub(crate) preempt: AtomicBool,
    /// When `preempt` was last set, for events. Written by whoever sets it.
    pub(crate) asked_at: RelI64,
    /// A `pstatus`; written by the owner.
    pub(crate) status: RelU32,
    /// The core while the owner is in a syscall: whoever swaps it out owns the P.
    pub(crate) slot: AtomicPtr<PCore<M>>,
    /// Whether runnext or the offer held a G when the owner entered a syscall. Written by the owner.
    pub(crate) has_next: RelBool,
    /// Counts syscalls, for sysmon. Written by the owner.
    pub(crate) sys_tick: RelU32,
    /// When the owner entered its present syscall; kept only while somebody watches. Written by the owner.
    pub(crate) sys_since: RelI64,
    /// Copy of the scheduling tick for sysmon and schedtrace. Written by the owner.
    pub(crate) sched_tick: RelU32,
    /// The M that has it, or -1; for schedtrace. Written by the owner.
    pub(crate) m: RelI64,
    /// Free G records; for schedtrace. Written by the owner.
    pub(crate) gfree_count: RelU32,
    /// Its timers.
    pub(crate) timers: Timers,
    /// Its counters.
    pub(crate) stats: Stats,
    /// When sysmon last saw a new tick, and which.
    pub(crate) seen: Seen,
    /// The core, wherever it is. Followed only by the owner, in a stopped world, or at the end.
    pub(crate) core: AtomicPtr<PCore<M>>,
}

/// What sysmon remembers of a P. Only sysmon writes it.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) sched_tick: RelU32,
    pub(crate) sched_when: RelI64,
    pub(crate) sys_tick: RelU32,
    pub(crate) sys_when: RelI64,
}

/// The part of a P that only its owner touches.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct PCore<M: Machine> {
    /// The part of the machine.
    pub(crate) local: M::Local,
    /// The shared half; lives as long as the runtime.
    shared: NonNull<PShared<M>>,
    pub(crate) id: u32,
    /// The ring; at most `local_queue` long.
    pub(crate) queue: Deque<GRef>,
    /// Runs next and inherits the slice.
    pub(crate) runnext: Option<GRef>,
    /// How much had been put into runnext at the last refill, which can see so that it is stale.
    pub(crate) runnext_seen: u64,
    /// Counts starts that do not inherit the slice; every 61st looks at the global queue first.
    pub(crate) tick: u32,
    /// The fuel of the present refill when it was granted.
    pub(crate) grant: i64,
    /// Fuel used in this slice by earlier refills; negative if the slice began inside a refill.
    pub(crate) slice_used: i64,
    /// How fast this P burns fuel.
    pub(crate) pace: Pace,
    /// The clock at the last refill or scheduling pause.
    pub(crate) now: i64,
    /// `now` when this slice began, and when the running G was started.
    pub(crate) slice_began: i64,
    pub(crate) run_began: i64,
    /// Fuel of all whole grants so far, for events.
    pub(crate) burnt: i64,
    /// Dead G records for reuse, youngest last.
    pub(crate) gfree: Vec<GRef>,
    /// Records that were never used.
    pub(crate) gnew: Vec<GRef>,
    /// Goroutine numbers reserved for this P: next and end.
    pub(crate) ids: (u64, u64),
    pub(crate) rng: u64,
}

// SAFETY: a PCore moves between threads with its POwn; everything in it is Send except the pointer to the
// shared half, which may be followed from everywhere.
unsafe impl<M: Machine> Send for PCore<M> {}

impl<M: Machine> PCore<M> {
    /// The shared half.
    #[inline(always)]
    pub(crate) fn shared(&self) -> &PShared<M> {
        // SAFETY: the runtime keeps the shared halves to its end, and PCores do not outlive it.
        unsafe { self.shared.as_ref() }
    }

    /// A number below `n` from this P's own generator (xorshift64*).
    #[inline]
    pub(crate) fn random(&mut self, n: u32) -> u32 {
        self.rng ^= self.rng >> 12;
        self.rng ^= self.rng << 25;
        self.rng ^= self.rng >> 27;
        let high = self.rng.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        ((high * u64::from(n)) >> 32) as u32
    }

    /// Nothing local to run.
    pub(crate) fn has_no_work(&self) -> bool {
        self.runnext.is_none()
            && self.queue.is_empty()
            && self.shared().offer.load(Ordering::Relaxed).is_null()
    }
}

/// The ownership of a P.
#[derive(Debug)]
pub(crate) struct POwn<M: Machine>(NonNull<PCore<M>>);

// SAFETY: it is the unique access to a PCore, which is Send.
unsafe impl<M: Machine> Send for POwn<M> {}

impl<M: Machine> POwn<M> {
    /// Makes the two halves of a new P.
    pub(crate) fn create(id: u32, machine: &M, seed: u64) -> (Box<PShared<M>>, POwn<M>) {
        let queue = Deque::default();
        let shared = Box::new(PShared {
            id,
            thief: queue.thief(),
            offer: AtomicPtr::default(),
            preempt: AtomicBool::new(false),
            asked_at: RelI64::new(0),
            status: RelU32::new(pstatus::IDLE),
            slot: AtomicPtr::default(),
            has_next: RelBool::new(false),
            sys_tick: RelU32::new(0),
            sys_since: RelI64::new(0),
            sched_tick: RelU32::new(0),
            m: RelI64::new(-1),
            gfree_count: RelU32::new(0),
            timers: Timers::default(),
            stats: Stats::default(),
            seen: Seen::default(),
            core: AtomicPtr::default(),
        });
        let core = Box::new(PCore {
            local: machine.new_local(id),
            shared: NonNull::from(&*shared),
            id,
            queue,
            runnext: None,
            runnext_seen: 0,
            tick: 0,
            grant: 0,
            slice_used: 0,
            pace: Pace::default(),
            now: 1,
            slice_began: 1,
            run_began: 1,
            burnt: 0,
            gfree: Vec::new(),
            gnew: Vec::new(),
            ids: (0, 0),
            rng: mix(seed.wrapping_add(u64::from(id))),
        });
        let core = Box::into_raw(core);
        shared.core.store(core, Ordering::Relaxed);
        let own = POwn(NonNull::new(core).expect("a box is not null"));
        (shared, own)
    }

    /// Gives the ownership to a pointer word (a slot, a hand-over).
    #[inline(always)]
    pub(crate) fn into_raw(self) -> *mut PCore<M> {
        self.0.as_ptr()
    }

    /// Takes the ownership from a pointer word that was swapped to null; `None` if it was null.
    #[inline(always)]
    pub(crate) fn from_raw(raw: *mut PCore<M>) -> Option<POwn<M>> {
        NonNull::new(raw).map(POwn)
    }
}

impl<M: Machine> Deref for POwn<M> {
    type Target = PCore<M>;

    #[inline(always)]
    fn deref(&self) -> &PCore<M> {
        // SAFETY: a POwn is the unique access to its live core.
        unsafe { self.0.as_ref() }
    }
}

impl<M: Machine> DerefMut for POwn<M> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut PCore<M> {
        // SAFETY: a POwn is the unique access to its live core.
        unsafe { self.0.as_mut() }
    }
}

/// Spreads a seed over 64 bits (the finaliser of splitmix64); never 0, which xorshift cannot leave.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) | 1
}

/// Fuel burnt in a millisecond, measured between refills.
#[derive(Debug)]
pub(crate) struct Pace {
    /// A moving average.
    per_ms: i64,
    /// The clock at the last refill, or 0 if the P has been idle since.
    last: i64,
}

/// The first guess: 200 million units a second.
const FIRST_PACE: i64 = 200_000;
/// Bounds, so that one odd measurement (a thread that lost its core) cannot spoil a slice.
const PACE_BOUNDS: (i64, i64) = (5_000, 2_000_000);

impl Default for Pace {
    fn default() -> Pace {
        Pace { per_ms: FIRST_PACE, last: 0 }
    }
}

impl Pace {
    /// Learns from a whole grant that was burnt at `now`.
    pub(crate) fn learn(&mut self, grant: i64, now: i64) {
        let took = now - self.last;
        if self.last != 0 && took > 0 {
            let seen = (grant.saturating_mul(1_000_000) / took).clamp(PACE_BOUNDS.0, PACE_BOUNDS.1);
            self.per_ms += (seen - self.per_ms) / 8;
        }
        self.last = now;
    }

    /// The P was idle or in a native: the next interval says nothing.
    pub(crate) fn forget(&mut self) {
        self.last = 0;
    }

    /// Fuel for this many nanoseconds.
    pub(crate) fn fuel_for(&self, ns: i64) -> i64 {
        (self.per_ms.saturating_mul(ns / 1000) / 1000).max(1)
    }
}

impl<M: Machine> PShared<M> {
    /// The ring's length, about.
    pub(crate) fn queue_len(&self) -> usize {
        self.thief.len()
    }
}
