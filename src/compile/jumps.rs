//! Labels, and the jumps that wait for them.
//!
//! Invariants:
//! * A jump is emitted with offset 0 and patched at the end of the function, when all labels are bound.
//! * A 16-bit jump that does not reach makes the whole function be compiled again without fused jumps.

use crate::bytecode::op::Ins;

/// A place in the code, known or not yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(u32);

/// The labels of a function.
#[derive(Debug, Default)]
pub(super) struct Labels {
    places: Vec<Option<u32>>,
    fixups: Vec<(u32, Label)>,
}

impl Labels {
    pub(super) fn fresh(&mut self) -> Label {
        self.places.push(None);
        Label(u32::try_from(self.places.len() - 1).expect("fewer labels than instructions"))
    }

    pub(super) fn bind(&mut self, label: Label, pc: usize) {
        let place = &mut self.places[label.0 as usize];
        debug_assert!(place.is_none(), "a label is bound once");
        *place = Some(u32::try_from(pc).expect("a function has fewer than 2^32 instructions"));
    }

    pub(super) fn place(&self, label: Label) -> Option<u32> {
        self.places[label.0 as usize]
    }

    /// The instruction at `pc` jumps to `label`.
    pub(super) fn refer(&mut self, pc: usize, label: Label) {
        let pc = u32::try_from(pc).expect("a function has fewer than 2^32 instructions");
        self.fixups.push((pc, label));
    }

    /// Patches all jumps. False if one does not reach.
    pub(super) fn patch(&self, code: &mut [Ins]) -> bool {
        for &(pc, label) in &self.fixups {
            let target = i64::from(self.places[label.0 as usize].expect("every label is bound"));
            let at = pc as usize;
            let from = i64::from(pc) + 1 + code[at].ext_words() as i64;
            if !set_offset(code, at, target - from) {
                return false;
            }
        }
        true
    }
}

macro_rules! set {
    ($ins:expr, $off:expr; short: $($s:ident)*; long: $($l:ident)*) => {
        match $ins {
            $( Ins::$s { o, .. } => match i16::try_from($off) {
                Ok(short) => { *o = short; true }
                Err(_) => false,
            }, )*
            $( Ins::$l { o, .. } => match i32::try_from($off) {
                Ok(long) => { *o = long; true }
                Err(_) => false,
            }, )*
            other => unreachable!("{} is no jump", other.name()),
        }
    };
}

fn set_offset(code: &mut [Ins], at: usize, off: i64) -> bool {
    if let Ins::MapNext { .. } = code[at] {
        let Ins::Ext { b, .. } = &mut code[at + 1] else {
            unreachable!("MapNext has two operand words")
        };
        let Ok(off) = i32::try_from(off) else { return false };
        *b = off.cast_unsigned();
        return true;
    }
    set!(&mut code[at], off;
        short: JEqI JNeI JLtI JLeI JLtU JLeU JEqIK JNeIK JLtIK JLeIK JGtIK JGeIK JEqF JNeF JLtF JLeF JNltF JNleF JEqS JNeS JIx8T JIx8F JMemZ JMemNZ
            LoopLtI LoopLeI LoopNeI LoopLtIK LoopGeIK LoopLtF LoopLeF LoopNeIK LoopIncLtI LoopIncLtIK LoopIncLtLen;
        long: Jmp JT JF Loop LoopT LoopF)
}
