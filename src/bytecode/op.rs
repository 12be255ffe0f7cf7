//! The opcode table. One row defines an instruction: its operands and their roles, its mnemonic and its meaning. The enum,
//! the operand lists that liveness, the verifier and the disassembler read, and the names all come from it.
//!
//! Invariants:
//! * An instruction is 8 bytes ([`Ins`] is `repr(u16)`: a 16-bit tag, then the operands in order). Some are followed by
//!   one or more [`Ins::Ext`] words, which are part of them and never executed on their own ([`Ins::ext_words`]).
//! * Registers are 16-bit indexes of 64-bit slots of the current frame. Slot contents are untyped; an opcode knows
//!   what it works on. **Canonical form**: bool is 0 or 1; an integer or float narrower than 64 bits has its
//!   bits in the low end and zeros above, the signed ones too (so whole words can be copied, and a store through a narrow
//!   pointer keeps the word canonical). `Sext*` makes a full signed word of a narrow one where an opcode needs it.
//! * Jumps are counted in instructions from the one after the jump (its `Ext` words excluded: from the next opcode).
//! * Backward control flow happens only through the `Loop*` opcodes, which charge the budget; they are safe points, as are calls
//!   and blocking operations. Nothing else is.
//! * A call window `w` of the caller: slot w receives the return pc, slot w+1 the callee's closure, arguments are at w+2..;
//!   the callee's frame base is w+2, results come back at w+2... The first operand of every call (or of its last `Ext`) is `w`, so that
//!   a return finds the caller's base from the instruction before the return pc.
//!
//! What values look like in slots and in memory is said in `bytecode::layout`.

/// Operand roles. In the table below each operand has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Register written.
    Def,
    /// Register read.
    Use,
    /// Register read and written.
    UseDef,
    /// First of `n` registers written, n being the operand named `n`.
    DefN,
    /// First of `n` registers read.
    UseN,
    /// Register written, or [`NO_REG`].
    OptDef,
    /// A call window.
    Win,
    /// Signed immediate.
    Imm,
    /// A count.
    Count,
    /// Unsigned byte offset.
    Off,
    /// Relative jump.
    Jump,
    /// Index into the constant pool.
    Const,
    /// Word offset in the globals.
    Global,
    /// Function id.
    Func,
    /// Runtime type id.
    Type,
    /// Method id.
    Method,
    /// Native id.
    Native,
    /// Index of a select table.
    Select,
    /// Registers whose roles only the opcode knows (see `bytecode::liveness`).
    Special,
}

/// "No register" for optional operands.
pub const NO_REG: u16 = u16::MAX;

/// Slots before a frame's base: return pc and closure.
pub const HEADER: u16 = 2;

macro_rules! role_type {
    (Imm16) => {
        i16
    };
    (Imm32) => {
        i32
    };
    (Jump16) => {
        i16
    };
    (Jump32) => {
        i32
    };
    (Const32) => {
        u32
    };
    (Global32) => {
        u32
    };
    (Func32) => {
        u32
    };
    (Type32) => {
        u32
    };
    (Method32) => {
        u32
    };
    (Native32) => {
        u32
    };
    (Native16) => {
        u16
    };
    (Select32) => {
        u32
    };
    (Word32) => {
        u32
    };
    ($reg:ident) => {
        u16
    };
}

macro_rules! role_of {
    (Imm16) => {
        Role::Imm
    };
    (Imm32) => {
        Role::Imm
    };
    (Jump16) => {
        Role::Jump
    };
    (Jump32) => {
        Role::Jump
    };
    (Const32) => {
        Role::Const
    };
    (Global32) => {
        Role::Global
    };
    (Func32) => {
        Role::Func
    };
    (Type32) => {
        Role::Type
    };
    (Method32) => {
        Role::Method
    };
    (Native32) => {
        Role::Native
    };
    (Native16) => {
        Role::Native
    };
    (Select32) => {
        Role::Select
    };
    (Word32) => {
        Role::Special
    };
    (Count16) => {
        Role::Count
    };
    (Off16) => {
        Role::Off
    };
    ($role:ident) => {
        Role::$role
    };
}

/// An operand of a decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    pub name: &'static str,
    pub role: Role,
    pub value: i64,
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    list: [Operand; 3],
    len: usize,
}

impl Operands {
    const NONE: Operands =
        Operands { list: [Operand { name: "", role: Role::Imm, value: 0 }; 3], len: 0 };

    fn push(&mut self, o: Operand) {
        self.list[self.len] = o;
        self.len += 1;
    }
}

impl std::ops::Deref for Operands {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        &self.list[..self.len]
    }
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])* $name:ident { $($field:ident : $role:ident),* } = $ext:literal; )*) => {
        /// An instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u16)]
        pub enum Ins {
            $( $(#[doc = $doc])* $name { $($field: role_type!($role)),* }, )*
        }

        impl Ins {
            /// How many `Ext` words follow.
            pub fn ext_words(self) -> usize {
                match self { $( Ins::$name { .. } => $ext, )* }
            }

            /// The mnemonic.
            pub fn name(self) -> &'static str {
                match self { $( Ins::$name { .. } => stringify!($name), )* }
            }

            /// The operands in the order of the table.
            pub fn operands(self) -> Operands {
                match self {
                    $( #[allow(unused_mut, reason = "not every opcode has operands")]
                    Ins::$name { $($field),* } => {
                        let mut list = Operands::NONE;
                        $( list.push(Operand { name: stringify!($field), role: role_of!($role), value: i64::from($field) }); )*
                        list
                    } )*
                }
            }
        }

        /// Calls a macro with the names of all opcodes, in the order of their tags.
        macro_rules! with_opcodes {
            ($callback:ident) => { $callback! { $($name)* } };
        }
        pub(crate) use with_opcodes;

        /// The number of opcodes.
        pub(crate) const OPCODES: usize = MANUAL.len();

        /// Name, `Ext` words and meaning of every opcode, for the manual.
        pub const MANUAL: &[(&str, usize, &str)] = &[ $( (stringify!($name), $ext, concat!($($doc),*)) ),* ];
    };
}

ops! {
    // ---- moves and constants ----
    /// Does nothing.
    Nop {} = 0;
    /// Operand word of the instruction before it. Executed only behind `RunDefers`, as the return point of a deferred call: it steps
    /// back to the `RunDefers`.
    Ext { a: Special, b: Word32 } = 0;
    /// d = a
    Mov { d: Def, a: Use } = 0;
    /// d.. = a.. (n slots, may overlap)
    MovN { d: DefN, a: UseN, n: Count16 } = 0;
    /// d = sign-extended immediate
    LoadI { d: Def, i: Imm32 } = 0;
    /// d = constant k (number, string, static closure, interface constant)
    LoadK { d: Def, k: Const32 } = 0;
    /// d.. = 0 (n slots)
    ZeroN { d: DefN, n: Count16 } = 0;
    /// d = word of a global
    LoadG { d: Def, g: Global32 } = 0;
    /// word of a global = a
    StoreG { a: Use, g: Global32 } = 0;
    /// word of a global += a
    AddG { a: Use, g: Global32 } = 0;
    /// word of a global += immediate
    AddGK { i: Imm16, g: Global32 } = 0;
    /// word of a global += a, float64
    AddGF { a: Use, g: Global32 } = 0;
    /// d = address of a global
    AddrG { d: Def, g: Global32 } = 0;
    /// d = captured word i of the running closure
    LoadCap { d: Def, i: Count16 } = 0;

    // ---- integers, 64 bits ----
    /// d = a + b
    AddI { d: Def, a: Use, b: Use } = 0;
    /// d = a - b
    SubI { d: Def, a: Use, b: Use } = 0;
    /// d = a * b
    MulI { d: Def, a: Use, b: Use } = 0;
    /// d = a / b, signed; panics on 0
    DivI { d: Def, a: Use, b: Use } = 0;
    /// d = a % b, signed; panics on 0
    RemI { d: Def, a: Use, b: Use } = 0;
    /// d = a / b, unsigned; panics on 0
    DivU { d: Def, a: Use, b: Use } = 0;
    /// d = a % b, unsigned; panics on 0
    RemU { d: Def, a: Use, b: Use } = 0;
    /// d = a & b
    And { d: Def, a: Use, b: Use } = 0;
    /// d = a | b
    Or { d: Def, a: Use, b: Use } = 0;
    /// d = a ^ b
    Xor { d: Def, a: Use, b: Use } = 0;
    /// d = a &^ b
    AndNot { d: Def, a: Use, b: Use } = 0;
    /// d = a << b, b unsigned, 0 from 64 on
    Shl { d: Def, a: Use, b: Use } = 0;
    /// d = a >> b, arithmetic, b unsigned
    ShrI { d: Def, a: Use, b: Use } = 0;
    /// d = a >> b, logical, b unsigned
    ShrU { d: Def, a: Use, b: Use } = 0;
    /// panics with "negative shift amount" if a < 0 (signed)
    ChkShift { a: Use } = 0;
    /// d = a + immediate
    AddIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a * immediate
    MulIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a / immediate, signed; the immediate is positive
    DivIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a % immediate, signed; the immediate is positive
    RemIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a & immediate (sign-extended)
    AndIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a << immediate (0..63)
    ShlIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a >> immediate, arithmetic
    ShrIK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a >> immediate, logical
    ShrUK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = d + a * b
    MulAddI { d: UseDef, a: Use, b: Use } = 0;
    /// d = a << immediate (0..31), in 32 bits
    Shl32K { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a rotated left by immediate (0..31), in 32 bits
    Rotl32K { d: Def, a: Use, i: Imm16 } = 0;
    /// d = a rotated left by immediate (0..63)
    RotlK { d: Def, a: Use, i: Imm16 } = 0;
    /// d = -a
    NegI { d: Def, a: Use } = 0;
    /// d = ^a
    NotI { d: Def, a: Use } = 0;
    /// d = !a (bool)
    NotB { d: Def, a: Use } = 0;
    /// d = low 8 bits of a
    Zext8 { d: Def, a: Use } = 0;
    /// d = low 16 bits of a
    Zext16 { d: Def, a: Use } = 0;
    /// d = low 32 bits of a
    Zext32 { d: Def, a: Use } = 0;
    /// d = low 8 bits of a, sign-extended
    Sext8 { d: Def, a: Use } = 0;
    /// d = low 16 bits of a, sign-extended
    Sext16 { d: Def, a: Use } = 0;
    /// d = low 32 bits of a, sign-extended
    Sext32 { d: Def, a: Use } = 0;
    /// d = (a + b) in 32 bits
    Add32 { d: Def, a: Use, b: Use } = 0;
    /// d = (a - b) in 32 bits
    Sub32 { d: Def, a: Use, b: Use } = 0;
    /// d = (a * b) in 32 bits
    Mul32 { d: Def, a: Use, b: Use } = 0;

    // ---- floats ----
    /// d = a + b
    AddF { d: Def, a: Use, b: Use } = 0;
    /// d = a - b
    SubF { d: Def, a: Use, b: Use } = 0;
    /// d = a * b
    MulF { d: Def, a: Use, b: Use } = 0;
    /// d = a / b
    DivF { d: Def, a: Use, b: Use } = 0;
    /// d = -a
    NegF { d: Def, a: Use } = 0;
    /// d = d + a * b, each rounded
    MulAddF { d: UseDef, a: Use, b: Use } = 0;
    /// d = square root of a
    SqrtF { d: Def, a: Use } = 0;
    /// d = |a|
    AbsF { d: Def, a: Use } = 0;
    /// d = a rounded down
    FloorF { d: Def, a: Use } = 0;
    /// d = a + b, float32
    AddF32 { d: Def, a: Use, b: Use } = 0;
    /// d = a - b, float32
    SubF32 { d: Def, a: Use, b: Use } = 0;
    /// d = a * b, float32
    MulF32 { d: Def, a: Use, b: Use } = 0;
    /// d = a / b, float32
    DivF32 { d: Def, a: Use, b: Use } = 0;
    /// d = -a, float32
    NegF32 { d: Def, a: Use } = 0;
    /// d = float64(int64 a)
    I2F { d: Def, a: Use } = 0;
    /// d = float64(uint64 a)
    U2F { d: Def, a: Use } = 0;
    /// d = int64(float64 a), as amd64 does it
    F2I { d: Def, a: Use } = 0;
    /// d = uint64(float64 a)
    F2U { d: Def, a: Use } = 0;
    /// d = float32(float64 a)
    F64To32 { d: Def, a: Use } = 0;
    /// d = float64(float32 a)
    F32To64 { d: Def, a: Use } = 0;
    /// d = float32(int64 a), rounded once
    I2F32 { d: Def, a: Use } = 0;
    /// d = float32(uint64 a), rounded once
    U2F32 { d: Def, a: Use } = 0;

    // ---- comparisons to a bool ----
    /// d = a == b (words)
    EqI { d: Def, a: Use, b: Use } = 0;
    /// d = a != b (words)
    NeI { d: Def, a: Use, b: Use } = 0;
    /// d = a < b, signed
    LtI { d: Def, a: Use, b: Use } = 0;
    /// d = a <= b, signed
    LeI { d: Def, a: Use, b: Use } = 0;
    /// d = a < b, unsigned
    LtU { d: Def, a: Use, b: Use } = 0;
    /// d = a <= b, unsigned
    LeU { d: Def, a: Use, b: Use } = 0;
    /// d = a == b, float64
    EqF { d: Def, a: Use, b: Use } = 0;
    /// d = a != b, float64
    NeF { d: Def, a: Use, b: Use } = 0;
    /// d = a < b, float64
    LtF { d: Def, a: Use, b: Use } = 0;
    /// d = a <= b, float64
    LeF { d: Def, a: Use, b: Use } = 0;
    /// d = a == b, strings
    EqS { d: Def, a: Use, b: Use } = 0;
    /// d = a != b, strings
    NeS { d: Def, a: Use, b: Use } = 0;
    /// d = a < b, strings
    LtS { d: Def, a: Use, b: Use } = 0;
    /// d = a <= b, strings
    LeS { d: Def, a: Use, b: Use } = 0;
    /// d = a == b for values of type Ext.b (structs, arrays, interfaces, complex ...); a and b are the first slots. May panic (uncomparable).
    EqT { d: Def, a: Special, b: Special } = 1;

    // ---- jumps ----
    /// jump
    Jmp { o: Jump32 } = 0;
    /// jump if a
    JT { a: Use, o: Jump32 } = 0;
    /// jump if not a
    JF { a: Use, o: Jump32 } = 0;
    /// jump if a == b
    JEqI { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a != b
    JNeI { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a < b, signed
    JLtI { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a <= b, signed
    JLeI { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a < b, unsigned
    JLtU { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a <= b, unsigned
    JLeU { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a == immediate
    JEqIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a != immediate
    JNeIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a < immediate, signed
    JLtIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a <= immediate, signed
    JLeIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a > immediate, signed
    JGtIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a >= immediate, signed
    JGeIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// jump if a == b, float64
    JEqF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a != b, float64
    JNeF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a < b, float64
    JLtF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a <= b, float64
    JLeF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if !(a < b), float64
    JNltF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if !(a <= b), float64
    JNleF { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a == b, strings
    JEqS { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if a != b, strings
    JNeS { a: Use, b: Use, o: Jump16 } = 0;
    /// jump if s\[i\], a bool
    JIx8T { s: Use, i: Use, o: Jump16 } = 0;
    /// jump if not s\[i\], a bool
    JIx8F { s: Use, i: Use, o: Jump16 } = 0;
    /// jump if the 64-bit word at p+f is zero; panics if p is nil
    JMemZ { p: Use, f: Off16, o: Jump16 } = 0;
    /// jump if the 64-bit word at p+f is not zero; panics if p is nil
    JMemNZ { p: Use, f: Off16, o: Jump16 } = 0;
    /// back edge: jump (o < 0)
    Loop { o: Jump32 } = 0;
    /// back edge: jump if a
    LoopT { a: Use, o: Jump32 } = 0;
    /// back edge: jump if not a
    LoopF { a: Use, o: Jump32 } = 0;
    /// back edge: jump if a < b, signed
    LoopLtI { a: Use, b: Use, o: Jump16 } = 0;
    /// back edge: jump if a <= b, signed
    LoopLeI { a: Use, b: Use, o: Jump16 } = 0;
    /// back edge: jump if a != b
    LoopNeI { a: Use, b: Use, o: Jump16 } = 0;
    /// back edge: jump if a < immediate, signed
    LoopLtIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// back edge: jump if a >= immediate, signed
    LoopGeIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// back edge: jump if a < b, float64
    LoopLtF { a: Use, b: Use, o: Jump16 } = 0;
    /// back edge: jump if a <= b, float64
    LoopLeF { a: Use, b: Use, o: Jump16 } = 0;
    /// back edge: jump if a != immediate
    LoopNeIK { a: Use, i: Imm16, o: Jump16 } = 0;
    /// back edge: a = a + 1, jump if a < b, signed
    LoopIncLtI { a: UseDef, b: Use, o: Jump16 } = 0;
    /// back edge: a = a + 1, jump if a < immediate, signed
    LoopIncLtIK { a: UseDef, i: Imm16, o: Jump16 } = 0;
    /// back edge: a = a + 1, jump if a < len of slice or string s
    LoopIncLtLen { a: UseDef, s: Use, o: Jump16 } = 0;

    // ---- memory; a nil pointer panics ----
    /// d = word at p + o (a field, a cell, or what a pointer to a 64-bit type points to)
    Load { d: Def, p: Use, o: Off16 } = 0;
    /// d.. = n words at p
    LoadN { d: DefN, p: Use, n: Count16 } = 0;
    /// word at p + o = a (no pointer)
    Store { p: Use, o: Off16, a: Use } = 0;
    /// word at p + o = a, a pointer (or anything that may hold one)
    StoreP { p: Use, o: Off16, a: Use } = 0;
    /// word at p + o += a
    AddMem { p: Use, o: Off16, a: Use } = 0;
    /// word at p + o += immediate
    AddMemK { p: Use, o: Off16, i: Imm16 } = 0;
    /// word at p + o += a, float64
    AddMemF { p: Use, o: Off16, a: Use } = 0;
    /// word at p + o -= a, float64
    SubMemF { p: Use, o: Off16, a: Use } = 0;
    /// n words at p = a..
    StoreN { p: Use, a: UseN, n: Count16 } = 0;
    /// d = byte at p
    Load8 { d: Def, p: Use } = 0;
    /// d = 16 bits at p
    Load16 { d: Def, p: Use } = 0;
    /// d = 32 bits at p
    Load32 { d: Def, p: Use } = 0;
    /// byte at p = a
    Store8 { p: Use, a: Use } = 0;
    /// 16 bits at p = a
    Store16 { p: Use, a: Use } = 0;
    /// 32 bits at p = a
    Store32 { p: Use, a: Use } = 0;
    /// d = p + o (address of a field); panics if p is nil
    Lea { d: Def, p: Use, o: Off16 } = 0;
    /// d = p + Ext.b, for offsets beyond 16 bits; panics if p is nil
    LeaBig { d: Def, p: Use } = 1;
    /// panics if p is nil
    ChkNil { p: Use } = 0;
    /// d = new zeroed variable of type t, in memory layout
    New { d: Def, t: Type32 } = 0;
    /// copies n words of memory from s to d (pointers to memory; may be the same)
    CopyMem { d: Use, s: Use, n: Count16 } = 0;
    /// copies Ext.b words of memory
    CopyMemBig { d: Use, s: Use } = 1;
    /// copies Ext.b bytes of memory: an array of packed elements, which may lie anywhere in a longer one
    CopyBytes { d: Use, s: Use } = 1;
    /// zeroes Ext.b words of memory at p
    ZeroMem { p: Use } = 1;

    // ---- arrays in memory: p points to the first element; Ext.b is the length, checked ----
    /// d = p\[i\], 64-bit elements
    Ax64 { d: Def, p: Use, i: Use } = 1;
    /// d = p\[i\], 32-bit elements
    Ax32 { d: Def, p: Use, i: Use } = 1;
    /// d = p\[i\], 16-bit elements
    Ax16 { d: Def, p: Use, i: Use } = 1;
    /// d = p\[i\], 8-bit elements
    Ax8 { d: Def, p: Use, i: Use } = 1;
    /// p\[i\] = a, 64-bit elements
    SetAx64 { p: Use, i: Use, a: Use } = 1;
    /// p\[i\] = a, 32-bit elements
    SetAx32 { p: Use, i: Use, a: Use } = 1;
    /// p\[i\] = a, 16-bit elements
    SetAx16 { p: Use, i: Use, a: Use } = 1;
    /// p\[i\] = a, 8-bit elements
    SetAx8 { p: Use, i: Use, a: Use } = 1;
    /// d = address of p\[i\]; the second Ext.b is the stride in bytes
    AxAddr { d: Def, p: Use, i: Use } = 2;

    // ---- slices and strings: one pointer to a header {data, len, cap}, nil = 0 ----
    /// d = len of slice or string a
    Len { d: Def, a: Use } = 0;
    /// d = cap of slice a
    Cap { d: Def, a: Use } = 0;
    /// d = pointer to the first element of slice a (0 if nil)
    SliceData { d: Def, a: Use } = 0;
    /// d = s\[i\], 64-bit elements
    Ix64 { d: Def, s: Use, i: Use } = 0;
    /// d = s\[i\], 32-bit elements
    Ix32 { d: Def, s: Use, i: Use } = 0;
    /// d = s\[i\], 16-bit elements
    Ix16 { d: Def, s: Use, i: Use } = 0;
    /// d = s\[i\], 8-bit elements, or a byte of a string
    Ix8 { d: Def, s: Use, i: Use } = 0;
    /// d.. = s\[i\], Ext.a slots
    IxN { d: Special, s: Use, i: Use } = 1;
    /// d = word at byte Ext.a of s\[i\], whose stride is Ext.b (a field)
    IxLoad { d: Def, s: Use, i: Use } = 1;
    /// word at byte Ext.a of s\[i\], whose stride is Ext.b, = a
    IxStore { s: Use, i: Use, a: Use } = 1;
    /// s\[i\] = a, 64-bit elements
    SetIx64 { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] += a, 64-bit integers
    AddIx { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] += immediate, 64-bit integers
    AddIxK { s: Use, i: Use, k: Imm16 } = 0;
    /// s\[i\] += a, float64
    AddIxF { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] = a, 32-bit elements
    SetIx32 { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] = a, 16-bit elements
    SetIx16 { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] = a, 8-bit elements
    SetIx8 { s: Use, i: Use, a: Use } = 0;
    /// s\[i\] = a.., Ext.a slots
    SetIxN { s: Use, i: Use, a: Special } = 1;
    /// d = address of s\[i\]; Ext.b is the stride in bytes
    IxAddr { d: Def, s: Use, i: Use } = 1;
    /// d = s\[lo:hi:max\] of a slice; w, w+1, w+2 hold lo, hi, max; Ext.a says which are given (1, 2, 4), Ext.b the stride
    Slice { d: Def, s: Use, w: Special } = 1;
    /// d = s\[lo:hi\] of a string; Ext.a as above
    SliceStr { d: Def, s: Use, w: Special } = 1;
    /// d = slice of the array that p points to; Ext.a as above, Ext.b the stride; second Ext.b the length
    SliceArr { d: Def, p: Use, w: Special } = 2;
    /// d = make([]T, len, cap); Ext.b is the element type; both are ints (signed, checked)
    MakeSlice { d: Def, len: Use, cap: Use } = 1;
    /// d = append(s, a); Ext.b is the element type, which says how many slots a has
    Append { d: Def, s: Use, a: Special } = 1;
    /// d = append(s, elements...): Ext.a elements in register form, one after the other from a; Ext.b the element type
    AppendN { d: Def, s: Use, a: Special } = 1;
    /// d = append(s, t...), t a slice or string; Ext.b is the element type
    AppendSlice { d: Def, s: Use, t: Use } = 1;
    /// d = copy(a, b), b a slice or string; Ext.b is the element type
    Copy { d: Def, a: Use, b: Use } = 1;
    /// d = concatenation of the strings a..a+n
    Concat { d: Def, a: UseN, n: Count16 } = 0;
    /// d = d + a on strings, where d is the variable itself (lets the machine grow in place)
    ConcatTo { d: UseDef, a: Use } = 0;
    /// r = rune of string s at byte i (in range), r+1 = its width
    DecodeRune { r: Special, s: Use, i: Use } = 0;

    // ---- interfaces: one word, 0 = nil ----
    /// d = interface holding the value a.. of type Ext.b
    MkIface { d: Def, a: Special } = 1;
    /// d = dynamic type id of interface a, 0 if nil
    TypeOf { d: Def, a: Use } = 0;
    /// d.. = value of interface x, whose dynamic type is known to be Ext.b
    Unbox { d: Special, x: Use } = 1;
    /// d.. = x.(T) for a concrete T = Ext.b; panics; the second Ext.b is x's static type (for the message)
    AssertT { d: Special, x: Use } = 2;
    /// d.. , ok = x.(T) for a concrete T = Ext.b, zero if not; ok is Ext.a
    AssertTOk { d: Special, x: Use } = 1;
    /// d = x.(I) for an interface type I = Ext.b; panics; the second Ext.b is x's static type
    AssertI { d: Def, x: Use } = 2;
    /// d, ok = x.(I) for an interface type I = Ext.b
    AssertIOk { d: Def, x: Use, ok: Def } = 1;

    // ---- calls ----
    /// calls function f with window w
    Call { w: Win, f: Func32 } = 0;
    /// calls the func value c with window w and n slots of arguments; panics if nil
    CallC { w: Win, c: Use, n: Count16 } = 0;
    /// calls method m of the interface in the first argument slot; Ext.a is w again, Ext.b the number of an inline cache
    CallI { w: Win, m: Method32 } = 1;
    /// calls native x with window w: arguments from w+2, results to w+2
    CallN { w: Win, x: Native32 } = 0;
    /// as CallN with the argument p, for `Mutex.Lock`: a mutex that is free is locked on the spot
    CallLock { w: Win, p: Use, x: Native16 } = 0;
    /// as CallLock, before an AddMemK and the CallUnlock of the same mutex, between which a Lea may stand: if there is one P and the
    /// mutex is free, the number is added and all of them are skipped, since nobody could see the mutex locked
    CallLockAdd { w: Win, p: Use, x: Native16 } = 0;
    /// as CallN with the argument p, for `Mutex.Unlock`: a mutex that nobody waits for is unlocked on the spot
    CallUnlock { w: Win, p: Use, x: Native16 } = 0;
    /// go f(args) with window w
    Go { w: Win, f: Func32 } = 0;
    /// go c(args) with window w and n slots of arguments; fatal error if nil
    GoC { w: Win, c: Use, n: Count16 } = 0;
    /// defers the func value c, which has no parameters and no results. (A nil one panics when it is run.)
    Defer { c: Use } = 0;
    /// as Defer, but for the frame whose token (from `FrameToken`) is t: a defer in the body of a range over a function
    DeferTo { c: Use, t: Use } = 0;
    /// d = token of this frame for DeferTo
    FrameToken { d: Def } = 0;
    /// runs the deferred calls of this frame, one at a time: calls the last with window w and comes back to this same instruction, until none is left. Ext is the return point.
    RunDefers { w: Win } = 1;
    /// d = recover()
    Recover { d: Def } = 0;
    /// panic(a), an interface
    Panic { a: Use } = 0;
    /// returns n slots from a..
    Ret { a: UseN, n: Count16 } = 0;
    /// returns one slot
    Ret1 { a: Use } = 0;
    /// returns the constant i
    RetI { i: Imm32 } = 0;
    /// returns a + b
    RetAddI { a: Use, b: Use } = 0;
    /// returns nothing
    Ret0 {} = 0;
    /// d = closure of function Ext.b with n captured words from a..
    MkClosure { d: Def, a: UseN, n: Count16 } = 1;

    // ---- maps ----
    /// d = make(map) of map type Ext.b with a size hint (any value, negative is 0)
    MakeMap { d: Def, hint: Use } = 1;
    /// d.. = m[k..]; zero if absent; Ext.a is a register for ok or NO_REG; Ext.b the map type
    MapGet { d: Special, m: Use, k: Special } = 1;
    /// m[k..] = v..; Ext.b the map type; panics if nil
    MapSet { m: Use, k: Special, v: Special } = 1;
    /// m[k..] += a, values being 64-bit integers; Ext.b the map type; panics if nil
    MapAdd { m: Use, k: Special, a: Use } = 1;
    /// delete(m, k..); Ext.b the map type
    MapDelete { m: Use, k: Special } = 1;
    /// clear(m)
    MapClear { m: Use } = 0;
    /// d = len(m)
    MapLen { d: Def, m: Use } = 0;
    /// it = a new iterator over m
    MapIter { it: Def, m: Use } = 0;
    /// next entry to k.. and v.. (each may be NO_REG), or jump by Ext.b (signed) at the end; second Ext.b is the map type
    MapNext { it: Use, k: Special, v: Special } = 2;

    // ---- channels: each may park ----
    /// d = make(chan) with capacity n (int, checked); Ext.b is the channel type
    MakeChan { d: Def, n: Use } = 1;
    /// c <- v..; Ext.a is the number of slots
    Send { c: Use, v: Special } = 1;
    /// d.. , ok = <-c; d and ok may be NO_REG; Ext.a is the number of slots
    Recv { d: Special, c: Use, ok: OptDef } = 1;
    /// close(c)
    Close { c: Use } = 0;
    /// d = len(c)
    ChanLen { d: Def, c: Use } = 0;
    /// d = cap(c)
    ChanCap { d: Def, c: Use } = 0;
    /// d = index of the case chosen; the table says the cases
    Select { d: Def, t: Select32 } = 0;

    // ---- the machine's own: never in a compiled function ----
    /// the goroutine's first function returned
    EndG {} = 0;
    /// a deferred call that a panic runs returned
    EndDefer {} = 0;
    /// the function that makes the text of a panic value returned
    EndPanicText {} = 0;

    // ---- rest ----
    /// cannot be reached (after a call that does not return): a bug of gmpl if it is
    Unreachable {} = 0;
}

const _: () = assert!(size_of::<Ins>() == 8);
