//! A compiled program: what the compiler hands to the machine.
//!
//! Invariants:
//! * Everything is named by a dense index: functions, types, methods, natives, constants, select tables. They only grow, so
//!   that the REPL can add to a module that is running.
//! * Type id 0 is no type. Two types are identical exactly when their ids are equal.

use crate::bytecode::op::Ins;
use crate::source::Pos;

/// A program, or what has been compiled of it.
#[derive(Debug, Default)]
pub struct Module {
    pub funcs: Vec<Func>,
    /// Index 0 is unused.
    pub types: Vec<TypeDesc>,
    pub consts: Vec<Const>,
    /// Natives that are called: those of std packages (`strings.Index`) and those the compiler inserts (`rt.bytesToStr`).
    pub natives: Vec<NativeDecl>,
    /// Method ids: name and signature.
    pub methods: Vec<MethodName>,
    pub selects: Vec<SelectTable>,
    pub globals: Vec<Global>,
    /// Words of all globals.
    pub global_words: u32,
    /// Number of inline caches (`CallI`).
    pub caches: u32,
    /// The function to run: initialises the packages, then calls `main.main`. No parameters.
    pub entry: u32,
    /// Types and functions the machine needs to know: see [`WellKnown`].
    pub known: WellKnown,
}

/// What the machine itself makes or calls. Type ids and function ids; 0 / `None` where the program does not have it.
#[derive(Clone, Debug, Default)]
pub struct WellKnown {
    pub bool_: u32,
    pub int: u32,
    pub string: u32,
    /// `[]string`, for os.Args and the like.
    pub slice_string: u32,
    pub slice_byte: u32,
    pub error: u32,
    /// `runtime.errorString`: a run-time error whose text has the prefix `runtime error: `.
    pub runtime_error_string: u32,
    /// `runtime.boundsError`.
    pub runtime_bounds_error: u32,
    /// `runtime.plainError`: without the prefix.
    pub runtime_plain_error: u32,
    /// `*runtime.TypeAssertionError`.
    pub runtime_type_assertion_error: u32,
    /// `*runtime.PanicNilError`.
    pub runtime_panic_nil_error: u32,
    /// `runtime.printPanicValue(v any) string`, called before a panic is printed if v is an error or a Stringer.
    pub runtime_panic_text: Option<u32>,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub struct Func {
    /// As tracebacks show it.
    pub name: String,
    pub code: Vec<Ins>,
    /// Slots of the frame from its base, call windows included (each window with [`crate::bytecode::op::HEADER`]).
    pub nslots: u32,
    /// Slots of the parameters: the first slots of the frame.
    pub params: u32,
    pub results: u32,
    /// Reads captured words.
    pub closure: bool,
    /// Where a panic that was recovered in this frame goes on: the `RunDefers` before the epilogue that returns the result
    /// variables.
    pub recover_at: Option<u32>,
    /// (first instruction, position), sorted; an instruction has the position of the last entry at or before it.
    pub lines: Vec<(u32, Pos)>,
    /// Compiler-made wrapper: tracebacks leave it out, and `recover` looks through it.
    pub wrapper: bool,
    /// Where it is declared.
    pub pos: Pos,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Const {
    Word(u64),
    Str(Vec<u8>),
    /// A func value without captured variables.
    Func(u32),
    /// An interface holding a constant of this type (its slots in register form; a string is in `Str`).
    IfaceWord {
        ty: u32,
        word: u64,
    },
    IfaceStr {
        ty: u32,
        text: Vec<u8>,
    },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MethodName {
    pub name: String,
    /// Path of the package if the name is not exported.
    pub pkg: String,
    /// The signature as a type id (`Kind::Func` without receiver).
    pub sig: u32,
}

/// A native as its callers see it: arguments in slots from the window's third slot on, results to the same place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeDecl {
    pub name: String,
    /// Slots of the arguments.
    pub params: u16,
    /// Slots of the results.
    pub results: u16,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    /// Offset in words.
    pub at: u32,
    pub ty: u32,
}

#[derive(Clone, Debug)]
pub struct SelectTable {
    pub cases: Vec<SelectEntry>,
    /// Has a default: chosen index = number of cases.
    pub default: bool,
}

/// A case of a select; all are registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SelectEntry {
    pub send: bool,
    pub chan: u16,
    /// First slot of the value to send, or to receive into (or `NO_REG`).
    pub value: u16,
    /// Register for ok, or `NO_REG`.
    pub ok: u16,
    pub slots: u16,
}

/// A type at run time.
#[derive(Clone, Debug)]
pub struct TypeDesc {
    /// As `%T` prints it.
    pub name: String,
    /// Path and name for a defined type, e.g. (`main`, `T`); empty for others.
    pub pkg: String,
    pub defined: Option<String>,
    pub kind: TypeKind,
    /// Slots in registers.
    pub slots: u16,
    /// Words in memory.
    pub words: u32,
    pub mem: bool,
    /// See `layout::Layout::packed`.
    pub packed: u8,
    /// One entry for each word in memory: may it hold a pointer? Truncated after the last pointer; for an array only the
    /// pattern of one element, repeated by the machine.
    pub pointers: Vec<bool>,
    pub comparable: bool,
    /// The method set for interface calls, sorted by method id.
    pub methods: Vec<MethodImpl>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MethodImpl {
    pub method: u32,
    /// Takes the receiver in one slot: the value itself for a type of one flat slot, else a pointer to a value in memory
    /// that it must not change (a compiler-made wrapper loads or copies it).
    pub func: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    Bool,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uintptr,
    Float32,
    Float64,
    Complex64,
    Complex128,
    String,
    UnsafePointer,
    Pointer(u32),
    Slice(u32),
    Array(u64, u32),
    Map(u32, u32),
    /// Direction: 0 both, 1 send, 2 receive.
    Chan(u8, u32),
    Func {
        params: Vec<u32>,
        results: Vec<u32>,
        variadic: bool,
    },
    Struct(Vec<FieldDesc>),
    /// Method ids, sorted by name.
    Interface(Vec<u32>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct FieldDesc {
    pub name: String,
    pub exported: bool,
    pub embedded: bool,
    pub ty: u32,
    /// Byte offset in memory.
    pub offset: u32,
    pub tag: String,
}
