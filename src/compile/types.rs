//! Types as the compiler sees them: what class of value a type is, its layout, and its run-time descriptor.
//!
//! Not the type checker's store: this is a cache beside it, indexed by [`Ty`].
//!
//! Invariant: a descriptor's id is reserved before what it refers to is described, so recursive types terminate.

use crate::diag::Code;
use std::rc::Rc;

use super::Compiler;
use super::methods::MethodKey;
use crate::bytecode::layout::{Layout, layout};
use crate::bytecode::module::{FieldDesc, TypeDesc, TypeKind};
use crate::diag::Diagnostic;
use crate::types::ty::{Basic, ChanDir, Kind, Ty, Types};
use crate::types::typed::Source;

/// The most words a type may have: byte offsets are 32-bit operands.
const MAX_WORDS: u64 = (1 << 29) - 1;

/// What operations a type has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Bool,
    /// Width in bits, and whether it is signed.
    Int(u8, bool),
    F64,
    F32,
    C128,
    C64,
    Str,
    /// Pointers, unsafe ones too.
    Ptr,
    Slice,
    Map,
    Chan,
    Func,
    Iface,
    Struct,
    Array,
    Tuple,
}

/// What is known of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Info {
    pub(super) class: Class,
    pub(super) layout: Layout,
}

impl Info {
    /// Slots in registers.
    pub(super) fn slots(self) -> u32 {
        self.layout.slots
    }

    /// Words in memory.
    pub(super) fn words(self) -> u64 {
        self.layout.words
    }

    /// Lives in memory.
    pub(super) fn mem(self) -> bool {
        self.layout.mem
    }
}

/// Type and byte offset of each field of a struct.
pub(super) type Fields = Rc<[(Ty, u64)]>;

/// Caches by [`Ty`].
#[derive(Debug, Default)]
pub(super) struct TypeTable {
    infos: Vec<Option<Info>>,
    ids: Vec<u32>,
    offsets: Vec<Option<Fields>>,
    /// By type id: the type.
    pub(super) of_id: Vec<Option<Ty>>,
}

fn slot<T: Clone + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 64, T::default());
    }
    &mut list[index]
}

fn basic_class(b: Basic) -> Class {
    match b {
        Basic::Bool | Basic::UntypedBool => Class::Bool,
        Basic::Int8 => Class::Int(8, true),
        Basic::Int16 => Class::Int(16, true),
        Basic::Int32 | Basic::UntypedRune => Class::Int(32, true),
        Basic::Int | Basic::Int64 | Basic::UntypedInt | Basic::Invalid => Class::Int(64, true),
        Basic::Uint8 => Class::Int(8, false),
        Basic::Uint16 => Class::Int(16, false),
        Basic::Uint32 => Class::Int(32, false),
        Basic::Uint | Basic::Uint64 | Basic::Uintptr => Class::Int(64, false),
        Basic::Float32 => Class::F32,
        Basic::Float64 | Basic::UntypedFloat => Class::F64,
        Basic::Complex64 => Class::C64,
        Basic::Complex128 | Basic::UntypedComplex => Class::C128,
        Basic::String | Basic::UntypedString => Class::Str,
        Basic::UnsafePointer | Basic::UntypedNil => Class::Ptr,
    }
}

fn class(types: &Types, t: Ty) -> Class {
    match types.under(t) {
        Kind::Basic(b) => basic_class(*b),
        Kind::Pointer(_) | Kind::Named(_) | Kind::Param(_) => Class::Ptr,
        Kind::Slice(_) => Class::Slice,
        Kind::Array(..) => Class::Array,
        Kind::Map(..) => Class::Map,
        Kind::Chan(..) => Class::Chan,
        Kind::Func(_) => Class::Func,
        Kind::Struct(_) => Class::Struct,
        Kind::Interface(_) => Class::Iface,
        Kind::Tuple(_) => Class::Tuple,
    }
}

/// The entry at index 0 of the descriptors.
pub(super) fn no_type() -> TypeDesc {
    TypeDesc {
        name: String::new(),
        pkg: String::new(),
        defined: None,
        kind: TypeKind::Int,
        slots: 0,
        words: 0,
        mem: false,
        packed: 0,
        pointers: Vec::new(),
        comparable: false,
        methods: Vec::new(),
    }
}

impl Compiler {
    /// Class and layout of a type.
    pub(super) fn info(&mut self, src: &mut dyn Source, t: Ty) -> Info {
        let cell = slot(&mut self.types.infos, t.0 as usize);
        if let Some(info) = *cell {
            return info;
        }
        let types = src.types();
        let info = Info { class: class(types, t), layout: layout(types, t) };
        *cell = Some(info);
        info
    }

    /// Type and byte offset in memory of the fields of a struct type.
    pub(super) fn fields(&mut self, src: &mut dyn Source, t: Ty) -> Fields {
        let t = src.types().underlying(t);
        if let Some(list) = slot(&mut self.types.offsets, t.0 as usize) {
            return Rc::clone(list);
        }
        let types: Vec<Ty> = match src.types().kind(t) {
            Kind::Struct(fields) => fields.iter().map(|f| f.ty).collect(),
            _ => Vec::new(),
        };
        let mut at = 0u64;
        let mut list = Vec::with_capacity(types.len());
        for ty in types {
            list.push((ty, at));
            at += self.info(src, ty).words() * 8;
        }
        let list: Fields = list.into();
        *slot(&mut self.types.offsets, t.0 as usize) = Some(Rc::clone(&list));
        list
    }

    /// The run-time type id of a type, described on first use.
    pub(super) fn type_id(&mut self, src: &mut dyn Source, t: Ty) -> u32 {
        let known = *slot(&mut self.types.ids, t.0 as usize);
        if known != 0 {
            return known;
        }
        let id = u32::try_from(self.module.types.len()).expect("fewer than 2^32 types");
        *slot(&mut self.types.ids, t.0 as usize) = id;
        self.module.types.push(no_type());
        *slot(&mut self.types.of_id, id as usize) = Some(t);
        let desc = self.describe(src, t);
        self.module.types[id as usize] = desc;
        id
    }

    fn describe(&mut self, src: &mut dyn Source, t: Ty) -> TypeDesc {
        let info = self.info(src, t);
        let name = src.type_string(t);
        if info.words() > MAX_WORDS {
            self.errors.push(Diagnostic::error(
                self.at,
                Code::TooLarge,
                format!("type {name} too large"),
            ));
        }
        let (pkg, defined) = self.defined_name(src, t);
        let kind = self.type_kind(src, t);
        let mut pointers = Vec::new();
        if info.words() <= MAX_WORDS {
            self.pointer_words(src, t, &mut pointers);
        }
        while pointers.last() == Some(&false) {
            pointers.pop();
        }
        TypeDesc {
            name,
            pkg,
            defined,
            kind,
            slots: u16::try_from(info.slots()).unwrap_or(u16::MAX),
            words: u32::try_from(info.words()).unwrap_or(u32::MAX),
            mem: info.mem(),
            packed: info.layout.packed,
            pointers,
            comparable: self.comparable(src, t),
            methods: Vec::new(),
        }
    }

    fn defined_name(&mut self, src: &mut dyn Source, t: Ty) -> (String, Option<String>) {
        let Kind::Named(n) = *src.types().kind(t) else { return (String::new(), None) };
        let named = &src.types().named[n.0 as usize];
        let (name, pkg) = (named.name.clone(), named.pkg);
        let path = pkg.map(|p| src.package(p).0).unwrap_or_default();
        (path, Some(name))
    }

    fn type_kind(&mut self, src: &mut dyn Source, t: Ty) -> TypeKind {
        match src.types().under(t).clone() {
            Kind::Basic(b) => basic_kind(b),
            Kind::Pointer(e) => TypeKind::Pointer(self.type_id(src, e)),
            Kind::Slice(e) => TypeKind::Slice(self.type_id(src, e)),
            Kind::Array(n, e) => TypeKind::Array(n, self.type_id(src, e)),
            Kind::Map(k, v) => TypeKind::Map(self.type_id(src, k), self.type_id(src, v)),
            Kind::Chan(dir, e) => {
                let dir = match dir {
                    ChanDir::Both => 0,
                    ChanDir::Send => 1,
                    ChanDir::Recv => 2,
                };
                TypeKind::Chan(dir, self.type_id(src, e))
            }
            Kind::Func(sig) => TypeKind::Func {
                params: sig.params.iter().map(|&p| self.type_id(src, p)).collect(),
                results: sig.results.iter().map(|&p| self.type_id(src, p)).collect(),
                variadic: sig.variadic,
            },
            Kind::Struct(_) => self.struct_kind(src, t),
            Kind::Interface(i) => {
                let ids = i.methods.iter().map(|m| {
                    self.method_id(src, &MethodKey { name: m.name.clone(), pkg: m.pkg, sig: m.sig })
                });
                TypeKind::Interface(ids.collect())
            }
            Kind::Named(_) | Kind::Param(_) | Kind::Tuple(_) => TypeKind::UnsafePointer,
        }
    }

    fn struct_kind(&mut self, src: &mut dyn Source, t: Ty) -> TypeKind {
        let offsets = self.fields(src, t);
        let Kind::Struct(fields) = src.types().under(t).clone() else { return TypeKind::Int };
        let list = fields.iter().zip(offsets.iter()).map(|(f, &(ty, offset))| FieldDesc {
            name: f.name.clone(),
            exported: f.pkg.is_none() && f.name != "_",
            embedded: f.embedded,
            ty: self.type_id(src, ty),
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            tag: f.tag.clone(),
        });
        TypeKind::Struct(list.collect())
    }

    /// Appends one entry for each word of the type in memory; for an array only those of one element, unless it is part
    /// of a struct.
    fn pointer_words(&mut self, src: &mut dyn Source, t: Ty, out: &mut Vec<bool>) {
        if let Kind::Array(_, e) = *src.types().under(t) {
            if self.info(src, e).layout.packed == 0 || self.info(src, e).layout.packed == 8 {
                self.pointer_words_flat(src, e, out);
            }
            return;
        }
        self.pointer_words_flat(src, t, out);
    }

    fn pointer_words_flat(&mut self, src: &mut dyn Source, t: Ty, out: &mut Vec<bool>) {
        match src.types().under(t).clone() {
            Kind::Struct(_) => {
                for &(ty, _) in self.fields(src, t).iter() {
                    self.pointer_words_flat(src, ty, out);
                }
            }
            Kind::Array(n, e) => {
                let mut one = Vec::new();
                self.pointer_words_flat(src, e, &mut one);
                if !one.contains(&true) {
                    let words = self.info(src, t).words();
                    out.resize(out.len() + usize::try_from(words).unwrap_or(0), false);
                    return;
                }
                for _ in 0..n {
                    out.extend_from_slice(&one);
                }
            }
            _ => {
                let info = self.info(src, t);
                let pointer = matches!(
                    info.class,
                    Class::Str
                        | Class::Ptr
                        | Class::Slice
                        | Class::Map
                        | Class::Chan
                        | Class::Func
                        | Class::Iface
                );
                out.resize(out.len() + info.slots() as usize, pointer);
            }
        }
    }

    /// Whether `==` is defined on values of the type (an interface may still hold an uncomparable value).
    fn comparable(&mut self, src: &mut dyn Source, t: Ty) -> bool {
        match self.info(src, t).class {
            Class::Slice | Class::Map | Class::Func | Class::Tuple => false,
            Class::Array => {
                let e = elem(src.types(), t);
                self.comparable(src, e)
            }
            Class::Struct => {
                let fields = self.fields(src, t);
                fields.iter().all(|&(ty, _)| self.comparable(src, ty))
            }
            _ => true,
        }
    }
}

fn basic_kind(b: Basic) -> TypeKind {
    match b {
        Basic::Bool | Basic::UntypedBool => TypeKind::Bool,
        Basic::Int | Basic::UntypedInt | Basic::Invalid => TypeKind::Int,
        Basic::Int8 => TypeKind::Int8,
        Basic::Int16 => TypeKind::Int16,
        Basic::Int32 | Basic::UntypedRune => TypeKind::Int32,
        Basic::Int64 => TypeKind::Int64,
        Basic::Uint => TypeKind::Uint,
        Basic::Uint8 => TypeKind::Uint8,
        Basic::Uint16 => TypeKind::Uint16,
        Basic::Uint32 => TypeKind::Uint32,
        Basic::Uint64 => TypeKind::Uint64,
        Basic::Uintptr => TypeKind::Uintptr,
        Basic::Float32 => TypeKind::Float32,
        Basic::Float64 | Basic::UntypedFloat => TypeKind::Float64,
        Basic::Complex64 => TypeKind::Complex64,
        Basic::Complex128 | Basic::UntypedComplex => TypeKind::Complex128,
        Basic::String | Basic::UntypedString => TypeKind::String,
        Basic::UnsafePointer | Basic::UntypedNil => TypeKind::UnsafePointer,
    }
}

/// Element type of a pointer, slice, array, channel or map (its values).
pub(super) fn elem(types: &Types, t: Ty) -> Ty {
    match types.under(t) {
        Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => *e,
        Kind::Map(_, v) => *v,
        Kind::Basic(Basic::String) => Basic::Uint8.ty(),
        _ => Basic::Invalid.ty(),
    }
}

/// Key type of a map.
pub(super) fn key(types: &Types, t: Ty) -> Ty {
    match types.under(t) {
        Kind::Map(k, _) => *k,
        _ => Basic::Invalid.ty(),
    }
}
