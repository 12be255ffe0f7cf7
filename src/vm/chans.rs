//! Channel opcodes: between registers and `chan`.

#![expect(clippy::wildcard_enum_match_arm, reason = "only three opcodes park as operations")]

use crate::bytecode::module::{SelectEntry, TypeKind};
use crate::bytecode::op::{Ins, NO_REG};
use crate::chan::{self, Case, Channel, Received, SelectEnd, Selected, Sent};
use crate::heap::SHAPE_CHAN;
use crate::sched::{Cx, Exit, Flow, GRef, WaitReason};
use crate::value::mem;

use super::co::{Co, Pending};
use super::frames::{at, ext, fetch, rd, wr};
use super::machine::Vm;
use super::run::{Step, alloc};
use super::trap::Trap;

/// Slots of the largest flat value: room for a received value that nobody wants.
const MAX_SLOTS: usize = crate::bytecode::layout::MAX_FLAT as usize;

/// Up to so many cases of a select need no allocation.
const FEW_CASES: usize = 6;

fn closed_send() -> Trap {
    Trap::Plain("send on closed channel".into())
}

impl Vm {
    /// `make(chan T, n)`.
    pub(crate) fn make_chan(&self, cx: &mut Cx<'_, Vm>, ty: u32, n: i64) -> Result<u64, Trap> {
        let TypeKind::Chan(_, elem) = self.types.at(ty).desc.kind else { return Ok(0) };
        let d = &self.types.at(elem).desc;
        let bytes = (d.words as i128).max(1) * 8 * i128::from(n);
        let Ok(cap) = u32::try_from(n) else {
            return Err(Trap::Plain("makechan: size out of range".into()));
        };
        if bytes > 1 << 40 {
            return Err(Trap::Plain("makechan: size out of range".into()));
        }
        Ok(self.new_chan(cx, Channel::new(u32::from(d.slots), cap, u64::from(ty))))
    }

    /// The guest object of a channel.
    pub(crate) fn new_chan(&self, cx: &mut Cx<'_, Vm>, c: Channel) -> u64 {
        self.heap.account_native(size_of::<Channel>() + c.cap() * c.slots() as usize * 8);
        let mut a = alloc(self, cx);
        let p = a.object(1, SHAPE_CHAN);
        mem::store(p, 0, Box::into_raw(Box::new(c)) as u64);
        a.cache.add_special(p);
        p as u64
    }

    /// `c <- v`: `Some`: the goroutine leaves the M.
    #[inline]
    pub(super) fn send(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        c: u64,
        v: *const u64,
        _n: u16,
    ) -> Result<Option<Exit>, Trap> {
        co.pending = Pending::Operation;
        if c == 0 {
            let _ = cx.park_forever(g, WaitReason::ChanSendNil);
            return Ok(Some(Exit::Parked));
        }
        match raw::send(channel(c), cx, g, v) {
            Sent::Done => Ok(None),
            Sent::Closed => Err(closed_send()),
            Sent::Park | Sent::WouldBlock => Ok(Some(Exit::Parked)),
        }
    }

    /// `<-c`: whether a value came; `Err`: the goroutine leaves the M.
    #[inline]
    #[expect(
        clippy::too_many_arguments,
        reason = "the operands of one opcode and the three contexts"
    )]
    pub(super) fn recv(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        c: u64,
        d: *mut u64,
        wanted: bool,
        _n: u16,
    ) -> Result<bool, Exit> {
        co.pending = Pending::Operation;
        if c == 0 {
            let _ = cx.park_forever(g, WaitReason::ChanReceiveNil);
            return Err(Exit::Parked);
        }
        let received = if wanted { raw::recv(channel(c), cx, g, d) } else { discard(cx, g, c) };
        match received {
            Received::Done(ok) => {
                if !ok && wanted {
                    self.fix_zero(cx, c, d);
                }
                Ok(ok)
            }
            Received::Park | Received::WouldBlock => Err(Exit::Parked),
        }
    }

    /// The zero value that a closed channel gives needs memory if its type is memory-resident.
    fn fix_zero(&self, cx: &mut Cx<'_, Vm>, c: u64, d: *mut u64) {
        if let TypeKind::Chan(_, elem) = self.types.at(channel(c).tag() as u32).desc.kind
            && self.types.at(elem).desc.mem
        {
            self.zero_value(cx, elem, d);
        }
    }

    /// `close(c)`.
    pub(super) fn close(&self, cx: &mut Cx<'_, Vm>, c: u64) -> Result<(), Trap> {
        if c == 0 {
            return Err(Trap::Plain("close of nil channel".into()));
        }
        if channel(c).close(cx) {
            Ok(())
        } else {
            Err(Trap::Plain("close of closed channel".into()))
        }
    }

    /// `len(c)`.
    pub(super) fn chan_len(&self, _cx: &mut Cx<'_, Vm>, c: u64) -> u64 {
        if c == 0 { 0 } else { channel(c).len() as u64 }
    }

    /// `cap(c)`.
    pub(super) fn chan_cap(&self, _cx: &mut Cx<'_, Vm>, c: u64) -> u64 {
        if c == 0 { 0 } else { channel(c).cap() as u64 }
    }

    /// A select: the index chosen, or the way to leave.
    pub(super) fn select(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        base: *mut u64,
        t: u32,
    ) -> Result<Result<u64, Exit>, Trap> {
        co.pending = Pending::Operation;
        let table = self.selects.at(t as usize);
        let mut scratch = [0u64; MAX_SLOTS];
        let (mut few, many);
        let cases = if table.cases.len() <= FEW_CASES {
            few = [Case { chan: std::ptr::null(), send: false, slots: base }; FEW_CASES];
            for (to, e) in few.iter_mut().zip(&table.cases) {
                *to = case(base, e, &mut scratch);
            }
            &few[..table.cases.len()]
        } else {
            many = table.cases.iter().map(|e| case(base, e, &mut scratch)).collect::<Vec<_>>();
            &many
        };
        match raw::select(cx, g, cases, !table.default) {
            Selected::Chosen { case, ok } => {
                self.selected(cx, base, &table.cases[case as usize], ok);
                Ok(Ok(u64::from(case)))
            }
            Selected::Closed => Err(closed_send()),
            Selected::Default => Ok(Ok(table.cases.len() as u64)),
            Selected::Park => Ok(Err(Exit::Parked)),
        }
    }

    /// A select over channels, directions and addresses of slots in guest memory, for package reflect.
    pub(crate) fn select_memory(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        cases: &[(u64, bool, u64)],
        block: bool,
    ) -> Selected {
        let case = |&(c, send, slots): &(u64, bool, u64)| Case {
            chan: if c == 0 { std::ptr::null() } else { channel(c) },
            send,
            slots: slots as *mut u64,
        };
        let cases: Vec<Case> = cases.iter().map(case).collect();
        raw::select(cx, g, &cases, block)
    }

    /// The end of such a select that parked.
    pub(crate) fn select_memory_end(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        slots: impl FnOnce(u32) -> u64,
    ) -> SelectEnd {
        raw::select_result(cx, g, |i| slots(i) as *mut u64)
    }

    /// A case happened; for a receive `ok` says that a value came.
    fn selected(&self, cx: &mut Cx<'_, Vm>, base: *mut u64, e: &SelectEntry, ok: bool) {
        if e.send {
            return;
        }
        if !ok && e.value != NO_REG {
            self.fix_zero(cx, rd(base, e.chan), at(base, e.value));
        }
        if e.ok != NO_REG {
            wr(base, e.ok, u64::from(ok));
        }
    }

    /// The goroutine parked in the opcode before its pc and was woken: stores the results.
    pub(super) fn complete_operation(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
    ) -> Option<Exit> {
        let base = co.base_ptr(co.base);
        let fine = match fetch(co.pc.wrapping_sub(1)) {
            Ins::Send { .. } => {
                co.pc = co.pc.wrapping_add(1);
                chan::send_result(g)
            }
            Ins::Recv { d, c, ok } => {
                let (n, _) = ext(co.pc);
                co.pc = co.pc.wrapping_add(1);
                let came = if d == NO_REG {
                    discard_result(cx, g, u32::from(n))
                } else {
                    // Before the result, which may go to the same register.
                    let c = rd(base, c);
                    let came = raw::recv_result(cx, g, u32::from(n), at(base, d));
                    if !came {
                        self.fix_zero(cx, c, at(base, d));
                    }
                    came
                };
                if ok != NO_REG {
                    wr(base, ok, u64::from(came));
                }
                true
            }
            Ins::Select { d, t } => self.complete_select(cx, g, base, d, t),
            other => panic!("{} does not park", other.name()),
        };
        if fine {
            return None;
        }
        match self.raise(cx, g, co, closed_send()) {
            Step::Reload => None,
            Step::Leave(exit) => Some(exit),
        }
    }

    /// False: the channel of the chosen send was closed.
    fn complete_select(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        base: *mut u64,
        d: u16,
        t: u32,
    ) -> bool {
        let table = self.selects.at(t as usize);
        let mut scratch = [0u64; MAX_SLOTS];
        let nobody = scratch.as_mut_ptr();
        let place = |i: u32| {
            let e = &table.cases[i as usize];
            if e.value == NO_REG { nobody } else { at(base, e.value) }
        };
        match raw::select_result(cx, g, place) {
            SelectEnd::Chosen { case, ok } => {
                wr(base, d, u64::from(case));
                self.selected(cx, base, &table.cases[case as usize], ok);
                true
            }
            SelectEnd::Closed => false,
        }
    }

    /// A lock operation in a native was woken: it may have to wait again.
    pub(super) fn complete_sync(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Option<Exit> {
        co.pending = Pending::Sync;
        match chan::resume_sync(cx, g) {
            Ok(Flow::Done) => {
                co.pending = Pending::Nothing;
                None
            }
            Ok(Flow::Park) => Some(Exit::Parked),
            Ok(Flow::Yield) => {
                co.pending = Pending::Nothing;
                Some(Exit::Yielded)
            }
            Err(f) => match self.raise(cx, g, co, crate::natives::sync_fault(f)) {
                Step::Reload => None,
                Step::Leave(exit) => Some(exit),
            },
        }
    }
}

fn case(base: *mut u64, e: &SelectEntry, scratch: &mut [u64; MAX_SLOTS]) -> Case {
    let c = rd(base, e.chan);
    let value = if e.value == NO_REG { scratch.as_mut_ptr() } else { at(base, e.value) };
    Case { chan: if c == 0 { std::ptr::null() } else { channel(c) }, send: e.send, slots: value }
}

/// Receives a value that nobody wants.
#[inline(never)]
fn discard(cx: &mut Cx<'_, Vm>, g: GRef, c: u64) -> Received {
    let mut scratch = [0u64; MAX_SLOTS];
    raw::recv(channel(c), cx, g, scratch.as_mut_ptr())
}

/// As `discard`, for a goroutine that was woken.
#[inline(never)]
fn discard_result(cx: &mut Cx<'_, Vm>, g: GRef, n: u32) -> bool {
    let mut scratch = [0u64; MAX_SLOTS];
    raw::recv_result(cx, g, n, scratch.as_mut_ptr())
}

/// The channel behind a channel word that is not nil.
pub(crate) fn channel<'a>(c: u64) -> &'a Channel {
    raw::channel(c)
}

mod raw {
    #![expect(
        unsafe_code,
        reason = "operands are registers of the running goroutine (R2), channels live as long as their objects"
    )]

    use super::{Case, Channel, Cx, GRef, Received, SelectEnd, Selected, Sent, Vm, chan, mem};

    pub(super) fn channel<'a>(c: u64) -> &'a Channel {
        let p = mem::load64(c) as *const Channel;
        // SAFETY: the first word of a channel object is its Box; the guest holds the object.
        unsafe { &*p }
    }

    #[inline(always)]
    pub(super) fn send(c: &Channel, cx: &mut Cx<'_, Vm>, g: GRef, v: *const u64) -> Sent {
        // SAFETY: `v` is a register window of as many slots as the channel's elements have.
        unsafe { c.send(cx, g, v) }
    }

    #[inline(always)]
    pub(super) fn recv(c: &Channel, cx: &mut Cx<'_, Vm>, g: GRef, d: *mut u64) -> Received {
        // SAFETY: as above, or the scratch array, which is large enough for any flat value.
        unsafe { c.recv(cx, g, d) }
    }

    pub(super) fn recv_result(cx: &mut Cx<'_, Vm>, g: GRef, n: u32, d: *mut u64) -> bool {
        // SAFETY: as above.
        unsafe { chan::recv_result(cx, g, n, d) }
    }

    pub(super) fn select(cx: &mut Cx<'_, Vm>, g: GRef, cases: &[Case], block: bool) -> Selected {
        // SAFETY: the cases' values are registers or scratch, as above.
        unsafe { chan::select(cx, g, cases, block) }
    }

    pub(super) fn select_result(
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        place: impl FnOnce(u32) -> *mut u64,
    ) -> SelectEnd {
        // SAFETY: as above.
        unsafe { chan::select_result(cx, g, place) }
    }
}
