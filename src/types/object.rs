//! What names stand for: packages, constants, types, variables, functions, builtins; and the tables they live in.
//!
//! An object of package level is collected first and resolved on demand ([`State`]); a local one is complete
//! when it is made.

use super::consts::Value;
use super::names::Sym;
use super::ty::{NamedId, PkgId, Ty};
use super::typed::{GlobalId, LocalId};
use crate::source::Pos;
use crate::syntax::Ast;
use crate::syntax::ast::{Id, List};
use std::collections::HashMap;
use std::rc::Rc;

/// Index of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjId(pub u32);

/// Index of a declared function or method (generic or not).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(pub u32);

/// Index of a generic type or alias.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GenericId(pub u32);

/// How far an object of package level is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not looked at yet.
    Waiting,
    /// On the path of objects that are being resolved.
    Active,
    /// Complete.
    Done,
}

/// A predeclared function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the language's")]
pub enum Predeclared {
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
pub enum Storage {
    /// Of a package (or of a script's top level).
    Global(GlobalId),
    /// Of the function at this depth of the environment.
    Local { depth: u32, local: LocalId },
}

/// What kind of thing a name is.
#[derive(Clone, Debug)]
pub enum ObjKind {
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
pub struct Obj {
    /// Its name.
    pub name: Sym,
    /// The package that declares it; `None` for predeclared ones.
    pub pkg: Option<PkgId>,
    /// Where its name is declared.
    pub pos: Pos,
    /// What it is.
    pub kind: ObjKind,
    /// Something refers to it.
    pub used: bool,
    /// How far it is resolved.
    pub state: State,
    /// For objects of package level: index of the declaration.
    pub decl: Option<u32>,
}

/// A declaration of package level, to be resolved on demand.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Index of the file.
    pub file: u32,
    /// What is declared.
    pub kind: DeclKind,
}

/// The syntax of a declaration. Ids are nodes of the file's tree, [`crate::syntax::NIL`] for none.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `init` and `ty` may come from an earlier line of the group (`inherited`).
    Const { iota: u32, ty: Id, init: Id, inherited: bool },
    /// All variables of one spec share an index into the checker's `var_specs`.
    Var { spec: u32, index: u32 },
    /// A type or an alias.
    Type { spec: Id },
    /// A function.
    Func(FuncId),
}

/// `var a, b T = x, y` at package level (or the statement of a script that declares variables).
#[derive(Clone, Debug)]
pub struct VarSpec {
    /// Index of the file.
    pub file: u32,
    /// The variables.
    pub objs: Vec<ObjId>,
    /// Declared type.
    pub ty: Id,
    /// Initial values.
    pub values: List,
    /// Which of the values belong to these variables (`var a, b = 1, 2` is split into two initialisations).
    pub from: Pos,
}

/// The receiver of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receiver {
    /// The defined type (of a generic one the type as declared).
    pub named: NamedId,
    /// It is a pointer.
    pub ptr: bool,
}

/// A declared function or method.
#[derive(Clone, Debug)]
pub struct FuncDecl {
    /// Its name.
    pub name: Sym,
    /// Its package.
    pub pkg: PkgId,
    /// Index of its file.
    pub file: u32,
    /// Its `FuncDecl` node.
    pub node: Id,
    /// Where its name stands.
    pub pos: Pos,
    /// Receiver, once the method was collected.
    pub recv: Option<Receiver>,
    /// It is declared with a receiver.
    pub is_method: bool,
    /// Its own type parameters (those of the receiver's type are not among them).
    pub tparams: Vec<Ty>,
    /// Type parameters of the receiver's type, as the type declares them.
    pub recv_params: Vec<Ty>,
    /// `Kind::Func` without the receiver, over the parameters above.
    pub sig: Ty,
    /// How far the signature is resolved.
    pub state: State,
    /// Declared without a body.
    pub native: bool,
}

/// A generic type or alias.
#[derive(Clone, Debug)]
pub struct Generic {
    /// Its name.
    pub obj: ObjId,
    /// Its type parameters.
    pub tparams: Vec<Ty>,
    /// It is an alias: instances are substitutions.
    pub alias: bool,
    /// The type as declared: an instance with its own parameters, or the alias' right side.
    pub origin: Ty,
    /// Instances by type arguments.
    pub instances: HashMap<Vec<Ty>, Ty>,
}

/// What the checker knows of a defined type beyond the store.
#[derive(Clone, Debug, Default)]
pub struct NamedInfo {
    /// Of an instance, and of the generic type itself.
    pub generic: Option<GenericId>,
    /// The declared type that has the methods (the type itself, unless it is an instance).
    pub origin: Option<NamedId>,
    /// Methods by name, in the order of declaration. Only of origins.
    pub methods: Vec<(Sym, FuncId)>,
    /// The underlying type of an instance has been computed (or of any type is final).
    pub complete: bool,
    /// The object that declares it.
    pub obj: Option<ObjId>,
}

/// A file that was parsed.
#[derive(Debug)]
pub struct File {
    /// The tree.
    pub ast: Ast,
    /// For each token that is a name, the name.
    pub syms: Vec<Sym>,
    /// Its package.
    pub pkg: PkgId,
}

/// An import of a file.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The package object in the file's scope.
    pub obj: ObjId,
    /// What it imports.
    pub pkg: PkgId,
    /// `import name "path"`.
    pub renamed: bool,
    /// Of the import spec.
    pub pos: Pos,
    /// `import . "path"`.
    pub dot: bool,
}

/// A package.
#[derive(Debug, Default)]
pub struct Package {
    /// Import path; `main` for the program.
    pub path: String,
    /// Name in its package clause.
    pub name: String,
    /// Its scope.
    pub scope: HashMap<Sym, ObjId>,
    /// Indexes of its files.
    pub files: Vec<u32>,
    /// Packages it imports, in order.
    pub imports: Vec<PkgId>,
    /// Variable declarations in source order.
    pub var_specs: Vec<u32>,
    /// Its init functions in source order.
    pub inits: Vec<FuncId>,
    /// All declared functions and methods in source order.
    pub funcs: Vec<FuncId>,
    /// All objects in source order.
    pub objs: Vec<ObjId>,
    /// No package clause: a script.
    pub script: bool,
    /// Part of the library: bodies are checked on demand and silently.
    pub std: bool,
    /// Could not be found.
    pub fake: bool,
}

/// A file with its scope of imports.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// The parsed file.
    pub file: Rc<File>,
    /// Imported packages, and names of dot imports.
    pub scope: HashMap<Sym, ObjId>,
    /// All imports, in order.
    pub imports: Vec<Import>,
}
