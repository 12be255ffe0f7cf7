//! The predeclared names (Go specification, "Predeclared identifiers") and package `unsafe`.

use super::checker::Checker;
use super::consts::Value;
use super::names::Sym;
use super::object::{Obj, ObjId, ObjKind, Package, Predeclared, State};
use super::ty::{Basic, Interface, Kind, Method, Named, PkgId, Signature, Ty};
use crate::source::Pos;

const TYPES: [(&str, Basic); 21] = [
    ("bool", Basic::Bool),
    ("byte", Basic::Uint8),
    ("complex64", Basic::Complex64),
    ("complex128", Basic::Complex128),
    ("float32", Basic::Float32),
    ("float64", Basic::Float64),
    ("int", Basic::Int),
    ("int8", Basic::Int8),
    ("int16", Basic::Int16),
    ("int32", Basic::Int32),
    ("int64", Basic::Int64),
    ("rune", Basic::Int32),
    ("string", Basic::String),
    ("uint", Basic::Uint),
    ("uint8", Basic::Uint8),
    ("uint16", Basic::Uint16),
    ("uint32", Basic::Uint32),
    ("uint64", Basic::Uint64),
    ("uintptr", Basic::Uintptr),
    ("_invalid", Basic::Invalid),
    ("_nil", Basic::UntypedNil),
];

const FUNCS: [(&str, Predeclared); 18] = [
    ("append", Predeclared::Append),
    ("cap", Predeclared::Cap),
    ("clear", Predeclared::Clear),
    ("close", Predeclared::Close),
    ("complex", Predeclared::Complex),
    ("copy", Predeclared::Copy),
    ("delete", Predeclared::Delete),
    ("imag", Predeclared::Imag),
    ("len", Predeclared::Len),
    ("make", Predeclared::Make),
    ("max", Predeclared::Max),
    ("min", Predeclared::Min),
    ("new", Predeclared::New),
    ("panic", Predeclared::Panic),
    ("print", Predeclared::Print),
    ("println", Predeclared::Println),
    ("real", Predeclared::Real),
    ("recover", Predeclared::Recover),
];

const UNSAFE: [(&str, Predeclared); 8] = [
    ("Alignof", Predeclared::Alignof),
    ("Offsetof", Predeclared::Offsetof),
    ("Sizeof", Predeclared::Sizeof),
    ("Add", Predeclared::UnsafeAdd),
    ("Slice", Predeclared::UnsafeSlice),
    ("SliceData", Predeclared::UnsafeSliceData),
    ("String", Predeclared::UnsafeString),
    ("StringData", Predeclared::UnsafeStringData),
];

impl Predeclared {
    /// Its name as messages show it.
    pub(crate) fn name(self) -> &'static str {
        let unsafe_name = |n: &'static str| match n {
            "Alignof" => "unsafe.Alignof",
            "Offsetof" => "unsafe.Offsetof",
            "Sizeof" => "unsafe.Sizeof",
            "Add" => "unsafe.Add",
            "Slice" => "unsafe.Slice",
            "SliceData" => "unsafe.SliceData",
            "String" => "unsafe.String",
            _ => "unsafe.StringData",
        };
        let plain = FUNCS.iter().find(|(_, f)| *f == self).map(|(n, _)| *n);
        plain.unwrap_or_else(|| {
            UNSAFE.iter().find(|(_, f)| *f == self).map_or("", |(n, _)| unsafe_name(n))
        })
    }

    /// Least number of arguments, and whether there may be more.
    pub(crate) fn arity(self) -> (usize, bool) {
        match self {
            Predeclared::Append | Predeclared::Make | Predeclared::Max | Predeclared::Min => {
                (1, true)
            }
            Predeclared::Print | Predeclared::Println => (0, true),
            Predeclared::Recover => (0, false),
            Predeclared::Complex
            | Predeclared::Copy
            | Predeclared::Delete
            | Predeclared::UnsafeAdd
            | Predeclared::UnsafeSlice
            | Predeclared::UnsafeString => (2, false),
            Predeclared::Cap
            | Predeclared::Clear
            | Predeclared::Close
            | Predeclared::Imag
            | Predeclared::Len
            | Predeclared::New
            | Predeclared::Panic
            | Predeclared::Real
            | Predeclared::Alignof
            | Predeclared::Offsetof
            | Predeclared::Sizeof
            | Predeclared::UnsafeSliceData
            | Predeclared::UnsafeStringData => (1, false),
        }
    }

    /// Whether a call of it may stand as a statement.
    pub(crate) fn is_statement(self) -> bool {
        matches!(
            self,
            Predeclared::Clear
                | Predeclared::Close
                | Predeclared::Copy
                | Predeclared::Delete
                | Predeclared::Panic
                | Predeclared::Print
                | Predeclared::Println
                | Predeclared::Recover
        )
    }
}

impl Checker {
    fn predeclare(&mut self, name: &str, kind: ObjKind) {
        let name = self.names.intern(name);
        let obj = self.add_predeclared(name, kind);
        self.universe.insert(name, obj);
    }

    fn add_predeclared(&mut self, name: Sym, kind: ObjKind) -> ObjId {
        let state = State::Done;
        self.objs.push(Obj {
            name,
            pkg: None,
            pos: Pos::NONE,
            kind,
            used: false,
            state,
            decl: None,
        });
        ObjId(self.objs.len() as u32 - 1)
    }

    /// Fills the universe.
    pub(crate) fn declare_universe(&mut self) {
        for (name, b) in TYPES {
            if !name.starts_with('_') {
                self.predeclare(name, ObjKind::Type { ty: b.ty(), generic: None, param: false });
            }
        }
        for (name, f) in FUNCS {
            self.predeclare(name, ObjKind::Builtin(f));
        }
        for (name, b) in [("true", true), ("false", false)] {
            self.predeclare(
                name,
                ObjKind::Const { ty: Basic::UntypedBool.ty(), val: Value::Bool(b) },
            );
        }
        self.predeclare("iota", ObjKind::Const { ty: Basic::UntypedInt.ty(), val: Value::int(0) });
        self.predeclare("nil", ObjKind::Nil);
        self.any_ty = self.types.intern(Kind::Interface(Interface::default()));
        self.predeclare("any", ObjKind::Type { ty: self.any_ty, generic: None, param: false });
        self.declare_error();
        let comparable = self
            .types
            .intern(Kind::Interface(Interface { comparable: true, ..Interface::default() }));
        self.comparable_ty = self.predeclared_named("comparable", comparable);
        self.declare_unsafe();
    }

    fn predeclared_named(&mut self, name: &str, underlying: Ty) -> Ty {
        let named = Named {
            name: name.into(),
            pkg: None,
            pos: Pos::NONE,
            args: vec![],
            underlying,
            local: false,
        };
        let ty = self.new_named(named);
        self.named_info_mut(ty).complete = true;
        self.predeclare(name, ObjKind::Type { ty, generic: None, param: false });
        ty
    }

    fn declare_error(&mut self) {
        let results = vec![Basic::String.ty()];
        let sig =
            self.types.intern(Kind::Func(Signature { params: vec![], results, variadic: false }));
        let methods = vec![Method { name: "Error".into(), pkg: None, sig }];
        let iface =
            self.types.intern(Kind::Interface(Interface { methods, ..Interface::default() }));
        self.error_ty = self.predeclared_named("error", iface);
    }

    /// Package `unsafe`: it has no source.
    fn declare_unsafe(&mut self) {
        let mut pkg = Package {
            path: "unsafe".into(),
            name: "unsafe".into(),
            std: true,
            ..Package::default()
        };
        for (name, f) in UNSAFE {
            let name = self.names.intern(name);
            let obj = self.add_predeclared(name, ObjKind::Builtin(f));
            pkg.scope.insert(name, obj);
        }
        let name = self.names.intern("Pointer");
        let kind = ObjKind::Type { ty: Basic::UnsafePointer.ty(), generic: None, param: false };
        let obj = self.add_predeclared(name, kind);
        pkg.scope.insert(name, obj);
        self.packages.push(pkg);
        self.pkg_ids.insert("unsafe".into(), PkgId(0));
    }
}
