//! What names stand for: packages, constants, types, variables, functions, builtins; and the tables they live in.
//!
//! An object of package level is collected first and resolved on demand ([`State`]); a local one is complete
//! when it is made.

use super::consts::Value;
use super::names::Sym;
use super::table::HashMap;
use super::ty::{NamedId, PkgId, Term, Ty};
use super::typed::{GlobalId, LocalId};
use crate::source::Pos;
use crate::syntax::ast::{Id, List};
use crate::syntax::{Ast, FuncHead, Outline, Range};
use std::rc::Rc;

/// Index of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjId(pub u32);

/// Index of a declared function or method (generic or not).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FuncId(pub u32);

/// Index of a generic type or alias.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct GenericId(pub u32);

/// How far an object of package level is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Not looked at yet.
    Waiting,
    /// On the path of objects that are being resolved.
    Active,
    /// Complete.
    Done,
}

/// A predeclared function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predeclared {
    Append,
    Cap,
    Clear,
    Close,
    Complex,
    Copy,
    Delete,
    Imag,
    Len,
    Make,
    Max,
    Min,
    New,
    Panic,
    Print,
    Println,
    Real,
    Recover,
    Alignof,
    Offsetof,
    Sizeof,
    UnsafeAdd,
    UnsafeSlice,
    UnsafeSliceData,
    UnsafeString,
    UnsafeStringData,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// Of a package (or of a script's top level).
    Global(GlobalId),
    /// Of the function at this depth of the environment.
    Local { depth: u32, local: LocalId },
}

/// What kind of thing a name is.
#[derive(Clone, Debug)]
pub(crate) enum ObjKind {
    /// An imported package.
    Package(PkgId),
    /// A constant.
    Const { ty: Ty, val: Value },
    /// A type; `param`: it stands for a type parameter, even where that is bound to a concrete type.
    Type { ty: Ty, generic: Option<GenericId>, param: bool },
    /// A variable.
    Var { ty: Ty, storage: Storage },
    /// A declared function.
    Func(FuncId),
    /// A predeclared function.
    Builtin(Predeclared),
    /// `nil`.
    Nil,
}

/// A named thing.
#[derive(Clone, Debug)]
pub(crate) struct Obj {
    /// Its name.
    pub(crate) name: Sym,
    /// The package that declares it; `None` for predeclared ones.
    pub(crate) pkg: Option<PkgId>,
    /// Where its name is declared.
    pub(crate) pos: Pos,
    /// What it is.
    pub(crate) kind: ObjKind,
    /// Something refers to it.
    pub(crate) used: bool,
    /// How far it is resolved.
    pub(crate) state: State,
    /// For objects of package level: index of the declaration.
    pub(crate) decl: Option<u32>,
}

/// A declaration of package level, to be resolved on demand.
#[derive(Clone, Debug)]
pub(crate) struct Decl {
    /// Index of the file.
    pub(crate) file: u32,
    /// What is declared.
    pub(crate) kind: DeclKind,
}

/// The syntax of a declaration. Ids are nodes of the file's tree, [`crate::syntax::NIL`] for none.
#[derive(Clone, Debug)]
pub(crate) enum DeclKind {
    /// `init` and `ty` may come from an earlier line of the group (`inherited`).
    Const { iota: u32, ty: Id, init: Id, inherited: bool },
    /// All variables of one spec share an index into the checker's `var_specs`.
    Var { spec: u32, index: u32 },
    /// A type or an alias.
    Type { spec: Id },
    /// A function.
    Func(FuncId),
    /// A constant, a type or a variable of the library that is not in a tree yet: the place of the declaration in its file.
    LeftOut(Range),
}

/// `var a, b T = x, y` at package level (or the statement of a script that declares variables).
#[derive(Clone, Debug)]
pub(crate) struct VarSpec {
    /// Index of the file.
    pub(crate) file: u32,
    /// The variables.
    pub(crate) objs: Vec<ObjId>,
    /// Declared type.
    pub(crate) ty: Id,
    /// Initial values.
    pub(crate) values: List,
    /// Which of the values belong to these variables (`var a, b = 1, 2` is split into two initialisations).
    pub(crate) from: Pos,
}

/// The receiver of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Receiver {
    /// The defined type (of a generic one the type as declared).
    pub(crate) named: NamedId,
    /// It is a pointer.
    pub(crate) ptr: bool,
}

/// A function of the library that is not in its file's tree, or only its head.
#[derive(Clone, Debug)]
pub(crate) struct LeftOut {
    /// Where it is.
    pub(crate) head: FuncHead,
    /// The name of the receiver's type, and whether the receiver is a pointer.
    pub(crate) recv: Option<(Sym, bool)>,
}

/// A declared function or method.
#[derive(Clone, Debug)]
pub(crate) struct FuncDecl {
    /// Its name.
    pub(crate) name: Sym,
    /// Its package.
    pub(crate) pkg: PkgId,
    /// Index of its file.
    pub(crate) file: u32,
    /// Its `FuncDecl` node; none as long as it is left out.
    pub(crate) node: Id,
    /// Of a function of the library whose body is not in the tree yet.
    pub(crate) left_out: Option<LeftOut>,
    /// Where its name stands.
    pub(crate) pos: Pos,
    /// Receiver, once the method was collected.
    pub(crate) recv: Option<Receiver>,
    /// It is declared with a receiver.
    pub(crate) is_method: bool,
    /// Its own type parameters (those of the receiver's type are not among them).
    pub(crate) tparams: Vec<Ty>,
    /// Type parameters of the receiver's type, as the type declares them.
    pub(crate) recv_params: Vec<Ty>,
    /// `Kind::Func` without the receiver, over the parameters above.
    pub(crate) sig: Ty,
    /// How far the signature is resolved.
    pub(crate) state: State,
    /// Declared without a body.
    pub(crate) native: bool,
}

/// A generic type or alias.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    /// Its name.
    pub(crate) obj: ObjId,
    /// Its type parameters.
    pub(crate) tparams: Vec<Ty>,
    /// It is an alias: instances are substitutions.
    pub(crate) alias: bool,
    /// The type as declared: an instance with its own parameters, or the alias' right side.
    pub(crate) origin: Ty,
    /// Instances by type arguments.
    pub(crate) instances: HashMap<Vec<Ty>, Ty>,
}

/// What the checker knows of a defined type beyond the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedInfo {
    /// Of an instance, and of the generic type itself.
    pub(crate) generic: Option<GenericId>,
    /// The declared type that has the methods (the type itself, unless it is an instance).
    pub(crate) origin: Option<NamedId>,
    /// Methods by name, in the order of declaration. Only of origins.
    pub(crate) methods: Vec<(Sym, FuncId)>,
    /// The underlying type of an instance has been computed (or of any type is final).
    pub(crate) complete: bool,
    /// The object that declares it.
    pub(crate) obj: Option<ObjId>,
    /// How deep instances nest in its arguments.
    pub(crate) depth: u32,
    /// What its declaration says that it is: perhaps the name of another type.
    pub(crate) rhs: Option<Ty>,
    /// Of a declared interface, the terms that it embeds.
    pub(crate) embeds: Option<Vec<Term>>,
    /// Where an instance was first written.
    pub(crate) pos: Option<Pos>,
}

/// A file that was parsed.
#[derive(Debug)]
pub(crate) struct File {
    /// The tree.
    pub(crate) ast: Ast,
    /// For each token that is a name, the name.
    pub(crate) syms: Vec<Sym>,
    /// Its package.
    pub(crate) pkg: PkgId,
}

/// An import of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Import {
    /// The package object in the file's scope.
    pub(crate) obj: ObjId,
    /// What it imports.
    pub(crate) pkg: PkgId,
    /// Of the import spec.
    pub(crate) pos: Pos,
    /// `import . "path"`.
    pub(crate) dot: bool,
}

/// A package.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// Import path; `main` for the program.
    pub(crate) path: String,
    /// Name in its package clause.
    pub(crate) name: String,
    /// Its scope.
    pub(crate) scope: HashMap<Sym, ObjId>,
    /// Indexes of its files.
    pub(crate) files: Vec<u32>,
    /// Packages it imports, in order.
    pub(crate) imports: Vec<PkgId>,
    /// Variable declarations in source order.
    pub(crate) var_specs: Vec<u32>,
    /// Its init functions in source order.
    pub(crate) inits: Vec<FuncId>,
    /// All declared functions and methods in source order.
    pub(crate) funcs: Vec<FuncId>,
    /// Functions before this are sorted by their receivers.
    pub(crate) sorted_funcs: usize,
    /// All objects in source order.
    pub(crate) objs: Vec<ObjId>,
    /// No package clause: a script.
    pub(crate) script: bool,
    /// Part of the library: bodies are checked on demand and silently.
    pub(crate) std: bool,
    /// Could not be found.
    pub(crate) fake: bool,
}

/// A file with its scope of imports.
#[derive(Clone, Debug)]
pub(crate) struct FileEntry {
    /// The parsed file.
    pub(crate) file: Rc<File>,
    /// Imported packages, and names of dot imports.
    pub(crate) scope: Rc<HashMap<Sym, ObjId>>,
    /// All imports, in order.
    pub(crate) imports: Vec<Import>,
    /// Of a file of the library, what the tree lacks, until it is collected.
    pub(crate) outline: Option<Outline>,
}
