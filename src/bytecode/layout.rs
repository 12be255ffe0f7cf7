//! What values look like in registers and in memory. The compiler and the machine both follow this page.
//!
//! **Registers.** A type is *flat* or *memory-resident*:
//! * bool, numbers, string, slice, map, chan, func, pointer, interface: one slot. complex: two slots (real, imaginary),
//!   each in the canonical form of its float type.
//! * a struct without arrays of at most [`MAX_FLAT`] slots in all: the slots of its fields one after the other (a flat
//!   struct may have 0 slots);
//! * arrays, and structs that contain one or are larger: *memory-resident*: one slot that points to memory that
//!   holds the value. A variable of such a type owns its memory, which never changes place; storing copies the contents
//!   (`CopyMem`), taking the address is just the pointer, and an argument, an element of a channel, a map value or key and a boxed
//!   value are private copies. A zero value needs memory too (`New`).
//!
//! **Memory.** In structs every flat field takes its slots as 8-byte words, in the canonical form of `bytecode::op`; a
//! memory-resident field lies there inline. Arrays (and the backing of slices) of scalars of 1, 2, 4 bytes are packed at that
//! width; every other element takes whole words. The size of a value in memory is rounded up to 8. So the memory
//! form of a flat type is its register form, and a word-wise copy is right for all but packed arrays.
//! A pointer to a narrow scalar may point to a word or into a packed array: loads and stores through it use its width. A pointer to
//! an array of packed elements may point anywhere into a longer one (a slice can be converted to it): such arrays are copied byte by
//! byte (`CopyBytes`), never beyond their last element.
//!
//! **Single words.**
//! * string: 0 for the empty string, or pointer to {data, len}. slice: 0 for nil, or pointer to {data, len, cap}. Both headers are immutable.
//! * map, chan: 0 for nil or pointer to an object. func: 0 for nil or pointer to {function id, captured words...}.
//! * interface: 0 for nil, else the machine's business (`MkIface`, `Unbox`, `TypeOf`).
//! * pointer: an address, interior ones included.

use crate::types::ty::{Basic, Kind, Ty, Types};

/// The most slots a flat struct has.
pub const MAX_FLAT: u32 = 8;

/// Layout of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Slots in registers (1 for a memory-resident type).
    pub slots: u32,
    /// Words in memory as a variable or field.
    pub words: u64,
    /// Lives in memory.
    pub mem: bool,
    /// Width in bytes of a scalar that is packed in arrays: 1, 2, 4 or 8; 0 for everything that takes whole words as an
    /// element.
    pub packed: u8,
}

impl Layout {
    const WORD: Layout = Layout { slots: 1, words: 1, mem: false, packed: 8 };

    /// Bytes from one array element to the next.
    pub fn stride(self) -> u64 {
        if self.packed != 0 { u64::from(self.packed) } else { self.words * 8 }
    }
}

/// The layout of a type, which must be concrete.
pub fn layout(types: &Types, t: Ty) -> Layout {
    match types.under(t) {
        Kind::Basic(b) => basic(*b),
        Kind::Array(n, elem) => {
            let bytes = layout(types, *elem).stride().saturating_mul(*n);
            Layout { slots: 1, words: bytes.div_ceil(8), mem: true, packed: 0 }
        }
        Kind::Struct(fields) => {
            let mut words = 0u64;
            let mut mem = false;
            for f in fields {
                let l = layout(types, f.ty);
                mem |= l.mem;
                words = words.saturating_add(l.words);
            }
            mem |= words > u64::from(MAX_FLAT);
            let slots = if mem { 1 } else { u32::try_from(words).expect("at most MAX_FLAT") };
            Layout { slots, words, mem, packed: 0 }
        }
        Kind::Tuple(elems) => {
            let slots = elems.iter().map(|e| layout(types, *e).slots).sum();
            Layout { slots, words: u64::from(slots), mem: false, packed: 0 }
        }
        Kind::Named(_)
        | Kind::Pointer(_)
        | Kind::Slice(_)
        | Kind::Map(..)
        | Kind::Chan(..)
        | Kind::Func(_)
        | Kind::Interface(_)
        | Kind::Param(_) => Layout::WORD,
    }
}

fn basic(b: Basic) -> Layout {
    let packed = match b {
        Basic::Bool | Basic::Int8 | Basic::Uint8 => 1,
        Basic::Int16 | Basic::Uint16 => 2,
        Basic::Int32 | Basic::Uint32 | Basic::Float32 => 4,
        Basic::Complex64 | Basic::Complex128 => {
            return Layout { slots: 2, words: 2, mem: false, packed: 0 };
        }
        Basic::Invalid
        | Basic::Int
        | Basic::Int64
        | Basic::Uint
        | Basic::Uint64
        | Basic::Uintptr
        | Basic::Float64
        | Basic::String
        | Basic::UnsafePointer
        | Basic::UntypedBool
        | Basic::UntypedInt
        | Basic::UntypedRune
        | Basic::UntypedFloat
        | Basic::UntypedComplex
        | Basic::UntypedString
        | Basic::UntypedNil => 8,
    };
    Layout { packed, ..Layout::WORD }
}
