//! The natives that the compiler inserts on its own, as one table: the machine implements every row under its name.
//!
//! Not the natives of std packages: those are declared by bodiless functions and need no table.
//!
//! Invariants:
//! * Arguments and results are in register form (`bytecode::layout`), from the window's third slot on.
//! * A row never changes its meaning; a new need is a new row.
//! * None of them parks or calls guest code. Those that may panic say so.

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtNative {
    pub name: &'static str,
    /// Slots of the arguments.
    pub params: u16,
    /// Slots of the results.
    pub results: u16,
    pub meaning: &'static str,
}

macro_rules! rt {
    ($( $id:ident = $name:literal ($params:literal) -> $results:literal : $meaning:literal; )*) => {
        /// Name of a row.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rt { $( #[doc = $meaning] $id ),* }

        /// All rows, indexed by [`Rt`].
        pub const TABLE: &[RtNative] = &[ $(
            RtNative { name: $name, params: $params, results: $results, meaning: $meaning }
        ),* ];
    };
}

rt! {
    RuneToStr = "rt.runeToStr"(1) -> 1: "string(r) of a sign- or zero-extended 64-bit integer; U+FFFD if it is no rune";
    BytesToStr = "rt.bytesToStr"(1) -> 1: "string(b) of a byte slice";
    StrToBytes = "rt.strToBytes"(1) -> 1: "[]byte(s), a new slice; empty but not nil for the empty string";
    RunesToStr = "rt.runesToStr"(1) -> 1: "string(r) of a rune slice";
    StrToRunes = "rt.strToRunes"(1) -> 1: "[]rune(s), a new slice; empty but not nil for the empty string";
    SliceToArray = "rt.sliceToArray"(2) -> 1: "(slice, length): the data pointer; panics if the slice is shorter; 0 for a nil slice";
    SliceClear = "rt.sliceClear"(2) -> 0: "(slice, element type id): zeroes all elements";
    ComplexMul = "rt.complexMul"(4) -> 2: "complex128 product of (re, im, re, im)";
    ComplexDiv = "rt.complexDiv"(4) -> 2: "complex128 quotient, as Go's runtime computes it";
    ComplexMul32 = "rt.complexMul32"(4) -> 2: "complex64 product";
    ComplexDiv32 = "rt.complexDiv32"(4) -> 2: "complex64 quotient";
    MinF = "rt.minF"(2) -> 1: "min of float64s with Go's rules for NaN and -0";
    MaxF = "rt.maxF"(2) -> 1: "max of float64s";
    MinF32 = "rt.minF32"(2) -> 1: "min of float32s";
    MaxF32 = "rt.maxF32"(2) -> 1: "max of float32s";
    PrintBool = "rt.printBool"(1) -> 0: "print of a bool to stderr, as all that follow";
    PrintInt = "rt.printInt"(1) -> 0: "print of a signed integer, sign-extended";
    PrintUint = "rt.printUint"(1) -> 0: "print of an unsigned integer";
    PrintFloat = "rt.printFloat"(1) -> 0: "print of a float64: the shortest digits that give it back";
    PrintFloat32 = "rt.printFloat32"(1) -> 0: "print of a float32, widened";
    PrintComplex = "rt.printComplex"(2) -> 0: "print of a complex128";
    PrintComplex64 = "rt.printComplex64"(2) -> 0: "print of a complex64, its parts widened";
    PrintString = "rt.printString"(1) -> 0: "print of a string";
    PrintPointer = "rt.printPointer"(1) -> 0: "print of a pointer, map, channel or func in hexadecimal";
    PrintSlice = "rt.printSlice"(1) -> 0: "print of a slice, as [len/cap]0xaddr";
    PrintIface = "rt.printIface"(1) -> 0: "print of an interface, as (0xtype,0xdata)";
    PrintSpace = "rt.printSpace"(0) -> 0: "print of a space";
    PrintNewline = "rt.printNewline"(0) -> 0: "print of a newline";
    UnsafeString = "rt.unsafeString"(2) -> 1: "(pointer, length): a string over the bytes there; panics if they cannot be there";
    UnsafeSlice = "rt.unsafeSlice"(3) -> 1: "(pointer, length, element type id): a slice over the elements there; panics as above";
    PanicRange = "rt.panicRange"(1) -> 0: "panics with the run-time error of a misused range function, by the state of the loop: 0 after the body returned false, 2 after a loop body panic, 3 after whole loop exit, 4 recovered a loop body panic and did not resume panicking";
    PanicValueMethod = "rt.panicValueMethod"(1) -> 0: "panics: value method NAME called using nil pointer; the argument is the text";
}

impl Rt {
    /// The row.
    pub fn row(self) -> RtNative {
        TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = TABLE.iter().map(|r| r.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TABLE.len());
        assert_eq!(Rt::RuneToStr.row().name, "rt.runeToStr");
    }
}
