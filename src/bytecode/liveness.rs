//! Which slots of a frame may still be read: the collector's map of a stack.
//!
//! A slot is *live* at a point if some path from there reads it before writing it. Dead slots hold anything (frames are not
//! zeroed); live ones may hold pointers, and the collector treats them as if they did.
//!
//! Backward data flow over basic blocks with one bit a slot, computed for a function when the collector first meets it.
//! Maps are kept for safe points only: the entry, calls and their return points, back edges and blocking operations.
//!
//! Invariants:
//! * At a return point only slots below the call's window count: those above belong to the callee's frame, or are its results.
//! * A panic may end in the frame at `recover_at`, so what is live there is live everywhere.

#![expect(clippy::wildcard_enum_match_arm, reason = "few opcodes are safe points")]

use super::effects::{Effects, Shapes, effects, falls_through, is_loop};
use super::module::Func;
use super::op::Ins;

/// The maps of one function.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    /// Words of a map.
    words: usize,
    /// Sorted.
    points: Vec<u32>,
    bits: Vec<u64>,
}

type Bits = Vec<u64>;

fn set(bits: &mut [u64], r: u16, n: u32, on: bool) {
    for k in u32::from(r)..u32::from(r) + n {
        let Some(word) = bits.get_mut(k as usize / 64) else { return };
        if on {
            *word |= 1 << (k % 64);
        } else {
            *word &= !(1 << (k % 64));
        }
    }
}

fn union(into: &mut [u64], from: &[u64]) -> bool {
    let mut changed = false;
    for (a, b) in into.iter_mut().zip(from) {
        changed |= *b & !*a != 0;
        *a |= *b;
    }
    changed
}

/// Whether control may be taken from the goroutine at this instruction (besides back edges and calls).
fn blocks(ins: Ins) -> bool {
    matches!(
        ins,
        Ins::Send { .. }
            | Ins::Recv { .. }
            | Ins::Select { .. }
            | Ins::Panic { .. }
            | Ins::Go { .. }
            | Ins::GoC { .. }
    )
}

/// The window of a call whose callee gets a frame.
fn call_window(ins: Ins) -> Option<u16> {
    match ins {
        Ins::Call { w, .. }
        | Ins::CallC { w, .. }
        | Ins::CallI { w, .. }
        | Ins::CallN { w, .. }
        | Ins::CallLock { w, .. }
        | Ins::CallLockAdd { w, .. }
        | Ins::CallUnlock { w, .. } => Some(w),
        _ => None,
    }
}

/// A basic block: its instructions, and where control goes from its end.
struct Block {
    start: usize,
    end: usize,
    next: Vec<usize>,
}

struct Flow<'a> {
    module: &'a dyn Shapes,
    func: &'a Func,
    words: usize,
    blocks: Vec<Block>,
    /// Live at the start of each block.
    live: Vec<Bits>,
    /// Live wherever a panic may happen.
    always: Bits,
}

impl Liveness {
    /// Analyses a verified function.
    pub fn compute(func: &Func, module: &dyn Shapes) -> Liveness {
        let words = (func.nslots as usize).div_ceil(64);
        let mut flow = Flow {
            module,
            func,
            words,
            blocks: Vec::new(),
            live: Vec::new(),
            always: vec![0; words],
        };
        flow.find_blocks();
        flow.solve();
        if let Some(at) = func.recover_at {
            let block = flow.blocks.iter().position(|b| b.start == at as usize);
            if let Some(b) = block {
                flow.always = flow.live[b].clone();
            }
        }
        flow.maps()
    }

    /// The live slots at a safe point: one bit a slot. `None` if it is no safe point.
    pub fn at(&self, pc: u32) -> Option<&[u64]> {
        let k = self.points.binary_search(&pc).ok()?;
        Some(&self.bits[k * self.words..(k + 1) * self.words])
    }

    /// The live slots at a safe point, by number.
    pub fn slots(&self, pc: u32) -> Vec<u16> {
        let bits = self.at(pc).unwrap_or(&[]);
        let all = 0..u16::try_from(bits.len() * 64).unwrap_or(u16::MAX);
        all.filter(|&k| bits[usize::from(k) / 64] >> (k % 64) & 1 == 1).collect()
    }
}

impl Flow<'_> {
    fn find_blocks(&mut self) {
        let n = self.func.code.len();
        let mut leader = vec![false; n + 1];
        let mut fx = Effects::default();
        leader[0] = true;
        if let Some(at) = self.func.recover_at {
            leader[at as usize] = true;
        }
        let mut pc = 0;
        while pc < n {
            let ins = self.func.code[pc];
            effects(self.module, self.func, pc, &mut fx);
            let next = pc + 1 + ins.ext_words();
            if let Some(t) = fx.target {
                leader[usize::try_from(t).unwrap_or(0)] = true;
                leader[next] = true;
            } else if !falls_through(ins) {
                leader[next] = true;
            }
            pc = next;
        }
        let starts: Vec<usize> = (0..n).filter(|&pc| leader[pc]).collect();
        for (k, &start) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(n);
            let next = self.successors(start, end, &starts);
            self.blocks.push(Block { start, end, next });
        }
        self.live = vec![vec![0; self.words]; self.blocks.len()];
    }

    fn successors(&self, start: usize, end: usize, starts: &[usize]) -> Vec<usize> {
        let mut last = start;
        let mut pc = start;
        while pc < end {
            last = pc;
            pc += 1 + self.func.code[pc].ext_words();
        }
        let mut fx = Effects::default();
        effects(self.module, self.func, last, &mut fx);
        let jump = fx.target.and_then(|t| usize::try_from(t).ok());
        let fall = falls_through(self.func.code[last]).then_some(end);
        [jump, fall].into_iter().flatten().filter_map(|t| starts.binary_search(&t).ok()).collect()
    }

    fn solve(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..self.blocks.len()).rev() {
                let mut bits = self.live_out(b);
                self.walk(b, &mut bits, &mut |_, _| {});
                changed |= union(&mut self.live[b], &bits);
            }
        }
    }

    fn live_out(&self, b: usize) -> Bits {
        let mut bits = vec![0; self.words];
        for &n in &self.blocks[b].next {
            union(&mut bits, &self.live[n]);
        }
        bits
    }

    /// Goes through a block backwards; `visit` gets each instruction with what is live before it.
    fn walk(&self, b: usize, bits: &mut Bits, visit: &mut dyn FnMut(usize, &Bits)) {
        let block = &self.blocks[b];
        let mut pcs = Vec::new();
        let mut pc = block.start;
        while pc < block.end {
            pcs.push(pc);
            pc += 1 + self.func.code[pc].ext_words();
        }
        let mut fx = Effects::default();
        for &pc in pcs.iter().rev() {
            effects(self.module, self.func, pc, &mut fx);
            for &(r, n) in &fx.defs {
                set(bits, r, n, false);
            }
            if let Some((w, ..)) = fx.window {
                set(bits, w, self.func.nslots.saturating_sub(u32::from(w)), false);
            }
            for &(r, n) in &fx.uses {
                set(bits, r, n, true);
            }
            visit(pc, bits);
        }
    }

    fn maps(&self) -> Liveness {
        let mut list: Vec<(u32, Bits)> = Vec::new();
        for b in 0..self.blocks.len() {
            let mut bits = self.live_out(b);
            let mut after = bits.clone();
            self.walk(b, &mut bits, &mut |pc, before| {
                self.points(pc, before, &after, &mut list);
                after.clone_from(before);
            });
        }
        list.sort_by_key(|p| p.0);
        // a return point may be the next call as well: the union is right for both
        list.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                union(&mut a.1, &b.1);
            }
            same
        });
        let mut out = Liveness { words: self.words, ..Liveness::default() };
        for (pc, mut bits) in list {
            union(&mut bits, &self.always);
            out.points.push(pc);
            out.bits.extend_from_slice(&bits);
        }
        out
    }

    /// Notes the maps at an instruction, given what is live before and after it.
    fn points(&self, pc: usize, before: &Bits, after: &Bits, list: &mut Vec<(u32, Bits)>) {
        let ins = self.func.code[pc];
        let at = |pc: usize| u32::try_from(pc).unwrap_or(u32::MAX);
        if let Some(w) = call_window(ins) {
            let mut below = after.clone();
            set(&mut below, w, self.func.nslots.saturating_sub(u32::from(w)), false);
            list.push((at(pc + 1 + ins.ext_words()), below));
        }
        if let Ins::RunDefers { .. } = ins {
            list.push((at(pc), before.clone()));
            list.push((at(pc + 1), before.clone()));
        }
        if pc == 0 || is_loop(ins) || blocks(ins) || call_window(ins).is_some() {
            list.push((at(pc), before.clone()));
        }
    }
}
