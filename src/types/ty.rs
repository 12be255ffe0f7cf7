//! The type store: every type is interned, so two types are identical exactly when their ids are equal.
//!
//! Rules implemented: Go specification, "Types", "Type identity", "Underlying types".
//!
//! Invariants:
//! * A [`Ty`] is an index into one [`Types`] store and means nothing outside it.
//! * Composite types are hash-consed; a defined type ([`Named`]) is a new entry for each declaration and list of type
//!   arguments, and its underlying type is filled in after it exists, which is how recursive types are tied.
//! * The typed tree that the back end reads holds no type parameter and no untyped type, save the type of `nil`.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds are treated alike")]

use super::table::HashMap;

use crate::source::Pos;

/// A type: an index into [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(pub u32);

/// Predeclared types, and the types of untyped constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Basic {
    /// The type of an expression that was already complained about; compatible with everything.
    Invalid,
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
    UntypedBool,
    UntypedInt,
    UntypedRune,
    UntypedFloat,
    UntypedComplex,
    UntypedString,
    UntypedNil,
}

impl Basic {
    /// All basic types in the order of their ids: `Ty(n)` is the n-th of them.
    pub const ALL: [Basic; 26] = [
        Basic::Invalid,
        Basic::Bool,
        Basic::Int,
        Basic::Int8,
        Basic::Int16,
        Basic::Int32,
        Basic::Int64,
        Basic::Uint,
        Basic::Uint8,
        Basic::Uint16,
        Basic::Uint32,
        Basic::Uint64,
        Basic::Uintptr,
        Basic::Float32,
        Basic::Float64,
        Basic::Complex64,
        Basic::Complex128,
        Basic::String,
        Basic::UnsafePointer,
        Basic::UntypedBool,
        Basic::UntypedInt,
        Basic::UntypedRune,
        Basic::UntypedFloat,
        Basic::UntypedComplex,
        Basic::UntypedString,
        Basic::UntypedNil,
    ];

    /// The id every store gives this type.
    pub const fn ty(self) -> Ty {
        Ty(self as u32)
    }
}

/// Direction of a channel type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ChanDir {
    Both,
    Send,
    Recv,
}

/// Index of a package in the checker.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PkgId(pub u32);

/// Index of a defined type in [`Types::named`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NamedId(pub u32);

/// Index of a type parameter in [`Types::params`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParamId(pub u32);

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Basic(Basic),
    Named(NamedId),
    Pointer(Ty),
    Slice(Ty),
    Array(u64, Ty),
    Map(Ty, Ty),
    Chan(ChanDir, Ty),
    Func(Signature),
    Struct(Vec<Field>),
    Interface(Interface),
    /// The results of a call with several; never the type of a variable.
    Tuple(Vec<Ty>),
    Param(ParamId),
}

/// A function type. The last parameter of a variadic one is the slice type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Signature {
    pub params: Vec<Ty>,
    pub results: Vec<Ty>,
    pub variadic: bool,
}

/// A struct field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: String,
    /// The package that declared it, for names that are not exported (they differ between packages).
    pub pkg: Option<PkgId>,
    pub ty: Ty,
    pub embedded: bool,
    /// The tag's value, without quotes.
    pub tag: String,
}

/// An interface type with everything embedded already flattened into it. Methods are sorted by name, then package.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Interface {
    pub methods: Vec<Method>,
    /// Each entry is one union that the type must satisfy; empty for an ordinary interface.
    pub unions: Vec<Vec<Term>>,
    /// Embeds `comparable`.
    pub comparable: bool,
}

/// A method of an interface.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    pub name: String,
    /// As in [`Field::pkg`].
    pub pkg: Option<PkgId>,
    /// Always a `Kind::Func`.
    pub sig: Ty,
}

/// One term of a union: `T` or `~T`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    pub tilde: bool,
    pub ty: Ty,
}

/// A defined type (`type T ...`), or one instance of a generic one.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    /// `None` for predeclared ones (`error`, `any` is an alias and has none).
    pub pkg: Option<PkgId>,
    pub pos: Pos,
    pub args: Vec<Ty>,
    /// Never `Kind::Named`; `Basic::Invalid` until it is known.
    pub underlying: Ty,
    /// A type declared inside a function: identical names are different types.
    pub local: bool,
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    pub name: String,
    pub pos: Pos,
    /// The constraint, an interface (a constraint that is none is wrapped in one).
    pub constraint: Ty,
    /// The constraint is spelled `any`.
    pub says_any: bool,
}

/// The store.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<Kind>,
    ids: HashMap<Kind, Ty>,
    pub named: Vec<Named>,
    pub params: Vec<TypeParam>,
}

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}

impl Types {
    /// A store that holds the basic types.
    pub fn new() -> Self {
        let mut t = Types {
            kinds: Vec::new(),
            ids: HashMap::default(),
            named: Vec::new(),
            params: Vec::new(),
        };
        for b in Basic::ALL {
            t.intern(Kind::Basic(b));
        }
        t
    }

    /// The id of the type with this structure.
    pub fn intern(&mut self, kind: Kind) -> Ty {
        if let Some(&t) = self.ids.get(&kind) {
            return t;
        }
        let t = Ty(u32::try_from(self.kinds.len()).expect("fewer than 2^32 types"));
        self.kinds.push(kind.clone());
        self.ids.insert(kind, t);
        t
    }

    /// The structure of a type, a defined type being `Kind::Named`.
    pub fn kind(&self, t: Ty) -> &Kind {
        &self.kinds[t.0 as usize]
    }

    /// The structure of the underlying type, never `Kind::Named`.
    pub fn under(&self, t: Ty) -> &Kind {
        self.kind(self.underlying(t))
    }

    /// The underlying type (Go specification, "Underlying types").
    pub fn underlying(&self, t: Ty) -> Ty {
        match self.kind(t) {
            Kind::Named(n) => self.named[n.0 as usize].underlying,
            _ => t,
        }
    }

    /// Makes a new defined type; its underlying type is set afterwards in [`Types::named`].
    pub fn new_named(&mut self, named: Named) -> Ty {
        let id = NamedId(u32::try_from(self.named.len()).expect("fewer than 2^32 defined types"));
        self.named.push(named);
        self.intern(Kind::Named(id))
    }

    /// Makes a new type parameter.
    pub fn new_param(&mut self, param: TypeParam) -> Ty {
        let id =
            ParamId(u32::try_from(self.params.len()).expect("fewer than 2^32 type parameters"));
        self.params.push(param);
        self.intern(Kind::Param(id))
    }

    /// The number of types, for tables indexed by type.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never true: the basic types are always there.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn pointer(&mut self, elem: Ty) -> Ty {
        self.intern(Kind::Pointer(elem))
    }

    pub fn slice(&mut self, elem: Ty) -> Ty {
        self.intern(Kind::Slice(elem))
    }

    /// The basic type under `t`, if it is one.
    pub fn basic(&self, t: Ty) -> Option<Basic> {
        match self.under(t) {
            Kind::Basic(b) => Some(*b),
            _ => None,
        }
    }

    /// Whether the underlying type is an interface (a type parameter is none).
    pub fn is_interface(&self, t: Ty) -> bool {
        matches!(self.under(t), Kind::Interface(_))
    }
}
