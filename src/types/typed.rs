//! The typed tree: what the checker gives and the only thing that the back end, the language server and the documentation
//! read.
//!
//! Invariants:
//! * Every expression has a type; no type is a type parameter, and none is untyped (`nil` is [`ExprKind::Nil`] with the type it
//!   is used as).
//! * Conversions are explicit, constants are folded, selections are resolved to field steps with explicit dereferences, the `&`
//!   of a method call on an addressable operand is explicit, variadic arguments are packed, operands of a comparison have one type.
//! * Expressions live in the arena of the function that contains them; a function literal is a [`FuncBody`] of its own
//!   with its own locals, tied to its parent by [`Capture`]s.
//! * The order of lists is the order of evaluation.

use num_bigint::BigInt;

use crate::source::Pos;
use crate::types::ty::{PkgId, Ty};

/// A function with a body or a native: a declared function, or a method, with its type arguments. Interned by the checker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncRef(pub u32);

/// A package-level variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

/// A variable of a function: parameter, result, declared, or made by the checker. Index into [`FuncBody::locals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// Index into [`FuncBody::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);

/// A function literal: index into [`FuncBody::closures`] of the function that contains it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClosureId(pub u32);

/// A place that `break`, `continue` or `goto` can name. Unique within a declared function, its function literals included,
/// so that a branch out of the body of a range over a function can be told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// The body of a function, method, function literal, package initialisation or script.
#[derive(Debug, Default)]
pub struct FuncBody {
    /// As tracebacks show it: `main.f`, `main.(*T).M`, `main.f.func1`, `main.init`.
    pub name: String,
    pub pos: Pos,
    /// The closing brace: where the implicit return is.
    pub end: Pos,
    /// The receiver first, if there is one. Blank and unnamed parameters have a local as well.
    pub params: Vec<LocalId>,
    /// One for each result, named or not.
    pub results: Vec<LocalId>,
    /// Results have names, so a deferred function can change them and a bare `return` returns them.
    pub named_results: bool,
    pub locals: Vec<Local>,
    pub exprs: Vec<Expr>,
    pub body: Vec<Stmt>,
    pub closures: Vec<FuncBody>,
    /// Variables of the parent that this function literal uses.
    pub captures: Vec<Capture>,
    /// Contains a `defer` statement of its own (one in the body of a range over a function counts for the function it belongs to).
    pub has_defer: bool,
    /// Contains a call of `recover`.
    pub has_recover: bool,
    /// This is the body of a range over a function (see `Stmt::RangeFunc`).
    pub range_body: bool,
    /// Declared without a body: written in Rust.
    pub native: bool,
}

#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: Ty,
    pub pos: Pos,
    /// Its address is taken (`&x`, a pointer method called on it, slicing an array variable).
    pub addr_taken: bool,
    /// A function literal or the body of a range over a function uses it.
    pub captured: bool,
    /// Assigned to, other than by its declaration. A variable that is captured and reassigned needs a cell.
    pub reassigned: bool,
}

/// `inner` of a function literal is the variable `outer` of its parent, shared (or copied, where nobody can tell).
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    pub outer: LocalId,
    pub inner: LocalId,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Ty,
    /// Where a run-time panic of this operation is reported.
    pub pos: Pos,
}

/// The value of a typed constant.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstVal {
    Bool(bool),
    /// In the range of its type.
    Int(BigInt),
    /// Already rounded to its type.
    Float(f64),
    Complex(f64, f64),
    /// May hold any bytes.
    Str(Vec<u8>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Neg,
    /// `^x`
    BitNot,
    /// `!x`
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    AndNot,
    /// The right operand of a shift has its own integer type.
    Shl,
    Shr,
}

impl BinaryOp {
    /// Whether the operands may be exchanged.
    pub fn commutes(self) -> bool {
        matches!(self, BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const(ConstVal),
    /// `nil` as a pointer, slice, map, channel, func, interface or unsafe.Pointer.
    Nil,
    /// The zero value of the type.
    Zero,
    Local(LocalId),
    Global(GlobalId),
    /// A declared function (or method expression of one without adjustment) used as a value.
    Func(FuncRef),
    Closure(ClosureId),
    Unary(UnaryOp, ExprId),
    /// Arithmetic on numbers; on strings it is [`ExprKind::Concat`].
    Binary(BinaryOp, ExprId, ExprId),
    /// `a + b + c` on strings, flattened.
    Concat(Vec<ExprId>),
    /// Both operands have the same type; for interface against concrete the concrete one was converted. A comparison with
    /// `nil` has `Nil` as its right operand.
    Compare(CompareOp, ExprId, ExprId),
    /// `&&`
    AndAnd(ExprId, ExprId),
    /// `||`
    OrOr(ExprId, ExprId),
    /// A conversion between non-interface types, from the operand's type to this type (no-ops included).
    Convert(ExprId),
    /// A value of a concrete type becomes an interface.
    ToInterface(ExprId),
    /// An interface becomes another interface that it implements (nil stays nil).
    IfaceToIface(ExprId),
    /// `x.(T)`. With `comma_ok` the type is a tuple (T, bool) (the bool untyped became `bool` or a defined one by conversion).
    TypeAssert {
        x: ExprId,
        to: Ty,
        comma_ok: bool,
    },
    /// Field `index` of a struct; the operand is a struct value, a place if it is a place.
    Field {
        x: ExprId,
        index: u32,
    },
    /// `*p`: a place.
    Deref(ExprId),
    /// The operand is an array (a place if it is a place); the index has any integer type, constants are in range.
    IndexArray {
        x: ExprId,
        index: ExprId,
    },
    IndexSlice {
        x: ExprId,
        index: ExprId,
    },
    IndexString {
        x: ExprId,
        index: ExprId,
    },
    /// With `comma_ok` the type is a tuple (V, bool).
    IndexMap {
        x: ExprId,
        key: ExprId,
        comma_ok: bool,
    },
    /// `x[lo:hi:max]` of a string, slice, or place of array type.
    Slice {
        x: ExprId,
        lo: Option<ExprId>,
        hi: Option<ExprId>,
        max: Option<ExprId>,
    },
    /// `&x` of a place, or of a composite literal (which makes a new variable).
    AddrOf(ExprId),
    Call(Call),
    Builtin(Builtin),
    /// `<-c`. With `comma_ok` the type is a tuple (T, bool).
    Recv {
        chan: ExprId,
        comma_ok: bool,
    },
    /// Fields given, by index, in the order of the source; the others are zero.
    StructLit(Vec<(u32, ExprId)>),
    /// Elements given, by index; the others are zero. The type says the length.
    ArrayLit(Vec<(u64, ExprId)>),
    /// As `ArrayLit`, with the length.
    SliceLit {
        len: u64,
        elems: Vec<(u64, ExprId)>,
    },
    MapLit(Vec<(ExprId, ExprId)>),
    /// `x.M` as a value: the receiver is evaluated now (adjusted as for a call), the call comes later. A nil interface panics now.
    MethodValue {
        recv: ExprId,
        callee: Callee,
    },
    /// `T.M` where a wrapper is needed (promoted method, interface method, value method through a pointer). A func value
    /// whose first parameter is the receiver.
    MethodExpr {
        recv: Ty,
        method: MethodEntry,
    },
    /// Evaluates a call with several results into fresh locals, then `body`, which uses them: `f(g())`.
    WithTuple {
        tuple: ExprId,
        temps: Vec<LocalId>,
        body: ExprId,
    },
    /// Evaluates `init` into a fresh local, then `body`.
    Let {
        local: LocalId,
        init: ExprId,
        body: ExprId,
    },
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: Callee,
    /// As many as the callee has parameters; for a static method the receiver is the first.
    pub args: Vec<ExprId>,
}

#[derive(Clone, Debug)]
pub enum Callee {
    /// A declared function, method or native.
    Static(FuncRef),
    /// A func value.
    Value(ExprId),
    /// A method of an interface value. The expression is the interface; in a `MethodValue` it is the receiver.
    Interface { recv: ExprId, name: String, pkg: Option<PkgId>, sig: Ty },
}

/// A call of a predeclared function that is not folded.
#[derive(Clone, Debug)]
pub enum Builtin {
    /// The operand is a string, slice, map, channel (an array's is a constant, or `Let` if it must be evaluated).
    Len(ExprId),
    Cap(ExprId),
    /// `append(s, a, b)`.
    Append {
        slice: ExprId,
        elems: Vec<ExprId>,
    },
    /// `append(s, t...)`, where t is a slice, or a string for a byte slice.
    AppendSlice {
        slice: ExprId,
        tail: ExprId,
    },
    /// `copy(dst, src)`, src a slice or a string.
    Copy {
        dst: ExprId,
        src: ExprId,
    },
    Delete {
        map: ExprId,
        key: ExprId,
    },
    /// Of a map or a slice.
    Clear(ExprId),
    Close(ExprId),
    /// `make(T, len, cap)` of the expression's type: slice, map or channel.
    Make {
        len: Option<ExprId>,
        cap: Option<ExprId>,
    },
    /// `new(T)`, or `new(expr)` with an initial value.
    New(Option<ExprId>),
    /// The argument is an interface.
    Panic(ExprId),
    Recover,
    /// Arguments as they are.
    Print {
        args: Vec<ExprId>,
        newline: bool,
    },
    Min(Vec<ExprId>),
    Max(Vec<ExprId>),
    Complex(ExprId, ExprId),
    Real(ExprId),
    Imag(ExprId),
    /// `unsafe.SliceData`, `unsafe.StringData`.
    UnsafeData(ExprId),
    /// `unsafe.Slice`, `unsafe.String`; the expression's type says which.
    UnsafeView {
        pointer: ExprId,
        len: ExprId,
    },
    /// `unsafe.Add` is out of scope; `unsafe.Sizeof` is folded.
    UnsafeUnsupported,
}

/// Where something can be stored: an expression that is `Local`, `Global`, `Deref`, `Field`, `IndexArray`, `IndexSlice`,
/// `IndexMap` (store only), or nothing for the blank identifier.
pub type Place = Option<ExprId>;

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Expr(ExprId),
    /// A new variable comes to life; zero without an initial value.
    Decl {
        local: LocalId,
        init: Option<ExprId>,
    },
    /// New variables (`None`: blank) from a call, receive, map index or assertion with several results.
    DeclTuple {
        locals: Vec<Option<LocalId>>,
        x: ExprId,
    },
    /// Parallel assignment (Go specification, "Assignment statements": two phases).
    Assign {
        lhs: Vec<Place>,
        rhs: Vec<ExprId>,
    },
    /// `a, b = f()`: operands of the places, then `x` into `temps`, then `values` (which convert the temps) into the places.
    AssignTuple {
        lhs: Vec<Place>,
        temps: Vec<LocalId>,
        x: ExprId,
        values: Vec<ExprId>,
    },
    /// `x op= y`, `x++`. On strings `Add` concatenates.
    OpAssign {
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    Send {
        chan: ExprId,
        value: ExprId,
    },
    /// The expression is a call or a builtin call.
    Go(ExprId),
    Defer(ExprId),
    /// One value a result; empty for a bare return (also with named results).
    Return(Vec<ExprId>),
    /// `return f()` with several results.
    ReturnTuple {
        temps: Vec<LocalId>,
        x: ExprId,
        values: Vec<ExprId>,
    },
    Block(Vec<Stmt>),
    If {
        cond: ExprId,
        then: Vec<Stmt>,
        els: Vec<Stmt>,
    },
    /// The init statement stands before it in a block. Variables of `per_iteration` are copied anew for each iteration
    /// before `post` (only matters for those with a cell).
    For {
        label: LabelId,
        cond: Option<ExprId>,
        post: Vec<Stmt>,
        body: Vec<Stmt>,
        per_iteration: Vec<LocalId>,
    },
    Range(Box<Range>),
    /// Range over a function. `body` is a function literal with one parameter for each yield parameter; the loop variables
    /// are assigned or declared at its start by the checker. A `Return` in it returns from the function that contains the loop
    /// (its results are captured), a `Break`/`Continue` of `label` ends or continues the loop, any other label leaves it.
    RangeFunc {
        label: LabelId,
        func: ExprId,
        body: ClosureId,
    },
    /// Clauses are tried in order; `tag` was stored in a local by a `Decl` before, so each condition is a bool expression.
    Switch {
        label: LabelId,
        clauses: Vec<Clause>,
    },
    TypeSwitch {
        label: LabelId,
        x: ExprId,
        clauses: Vec<TypeClause>,
    },
    Select {
        label: LabelId,
        cases: Vec<SelectCase>,
    },
    Break(LabelId),
    Continue(LabelId),
    Goto(LabelId),
    /// The target of a goto.
    Label(LabelId),
}

#[derive(Clone, Debug)]
pub struct Range {
    pub label: LabelId,
    pub over: RangeOver,
    /// Evaluated once. For `ArrayPlace` a place.
    pub x: ExprId,
    /// New variables, fresh in each iteration; for assignment forms these are temporaries and the body starts with the assignment.
    pub key: Option<LocalId>,
    pub value: Option<LocalId>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeOver {
    /// The array is copied if the value is wanted.
    Array,
    /// Through a pointer to an array: `x` is the pointer.
    ArrayPtr,
    Slice,
    String,
    Map,
    Chan,
    /// `for i := range n`; the key's type is x's.
    Int,
}

#[derive(Clone, Debug)]
pub struct Clause {
    /// Bool expressions; empty for `default`.
    pub conds: Vec<ExprId>,
    pub default: bool,
    pub body: Vec<Stmt>,
    pub fallthrough: bool,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub struct TypeClause {
    /// `None` is `nil`; empty for `default`.
    pub types: Vec<Option<Ty>>,
    pub default: bool,
    /// The variable of `switch v := x.(type)` in this clause: of the clause's type where there is one type, else of x's.
    pub bind: Option<LocalId>,
    pub body: Vec<Stmt>,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub struct SelectCase {
    pub comm: Comm,
    pub body: Vec<Stmt>,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub enum Comm {
    Default,
    Send {
        chan: ExprId,
        value: ExprId,
    },
    /// `value` and `ok` are new variables; for assignment forms temporaries, and the body starts with the assignment.
    Recv {
        chan: ExprId,
        value: Option<LocalId>,
        ok: Option<LocalId>,
    },
}

/// One step from a value to an embedded field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PathStep {
    /// The operand is a pointer to the struct: dereference first.
    pub deref: bool,
    pub index: u32,
}

/// A method in the method set of a type, promoted ones included.
#[derive(Clone, PartialEq, Debug)]
pub struct MethodEntry {
    pub name: String,
    pub pkg: Option<PkgId>,
    /// `Kind::Func` without the receiver.
    pub sig: Ty,
    /// From the receiver to the embedded field that has the method; empty if it is the type's own.
    pub path: Vec<PathStep>,
    pub target: MethodTarget,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MethodTarget {
    /// A declared method. `ptr`: its receiver is a pointer.
    Func { func: FuncRef, ptr: bool },
    /// The embedded field is an interface.
    Interface,
}

/// A part of the initialisation of the library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LibraryInit {
    /// Of variables that are declared together.
    Vars(u32),
    /// The init functions of a package.
    Funcs(PkgId),
}

/// What the back end asks the checker for.
///
/// Everything is made on demand, so that a program pays only for what it reaches.
pub trait Source {
    fn types(&mut self) -> &mut crate::types::ty::Types;
    /// The types, only to look at.
    fn known_types(&self) -> &crate::types::ty::Types;
    /// The checked body of a function or method, fully concrete.
    fn body(&mut self, f: FuncRef) -> FuncBody;
    /// The signature (`Kind::Func`), the receiver as its first parameter.
    fn signature(&mut self, f: FuncRef) -> Ty;
    /// As tracebacks show it.
    fn func_name(&mut self, f: FuncRef) -> String;
    /// The methods of a non-interface type (for `*T` those of both), sorted as in an interface type.
    fn method_set(&mut self, t: Ty) -> Vec<MethodEntry>;
    /// Name and type of a package-level variable.
    fn global(&mut self, g: GlobalId) -> (String, Ty);
    /// The initialisation of the user's packages that were not handed out before, dependencies first: each sets the package's variables in the order of
    /// the Go specification ("Package initialization") and calls its init functions. The script's body comes last as `main.main`.
    fn inits(&mut self) -> Vec<FuncBody>;
    /// The parts of the library's initialisation that have become necessary since the last call: of variables that were asked for ([`Source::global`]),
    /// and of packages that were imported. They run before the user's packages, in the order of [`Source::init_order`].
    fn library_inits(&mut self) -> Vec<(LibraryInit, FuncBody)>;
    /// The order in which parts of the library's initialisation are to run.
    fn init_order(&mut self, parts: &[LibraryInit]) -> Vec<LibraryInit>;
    /// `main.main`; `None` for a script, whose statements are the last of `inits`.
    fn main(&mut self) -> Option<FuncRef>;
    /// The path of a package, and its name.
    fn package(&mut self, p: PkgId) -> (String, String);
    /// `main.T`, `[]int`, `map[string]main.Pair[int]`: as `%T` prints it.
    fn type_string(&mut self, t: Ty) -> String;
    /// A defined type of a std package by name (`runtime`, `Error`), for what the machine itself makes.
    fn std_type(&mut self, pkg: &str, name: &str) -> Option<Ty>;
    /// A function of a std package by name, for what the machine itself calls.
    fn std_func(&mut self, pkg: &str, name: &str) -> Option<FuncRef>;
}
