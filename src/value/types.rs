//! Types at run time: the descriptors of the module, with what the machine adds to them.

use crate::bytecode::module::{MethodImpl, TypeDesc, TypeKind};
use crate::heap::Shape;
use crate::value::append_vec::AppendVec;
use crate::value::mem;

/// A runtime type.
#[derive(Debug)]
pub struct Type {
    pub desc: TypeDesc,
    /// The pointers of a variable of this type, of a box, and of each element of an array or slice backing of it.
    pub shape: Shape,
    /// How keys of this type are hashed and compared in maps.
    pub key: KeyKind,
    /// Bytes from one element to the next in arrays and slices.
    pub stride: usize,
}

/// What a map needs to know of its key type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyKind {
    /// One slot, equal exactly when the words are.
    Word,
    String,
    /// Everything else: floats, structs, arrays, interfaces, complex.
    General,
}

/// All types of a machine, by type id.
#[derive(Debug)]
pub struct TypeTable(AppendVec<Type>);

/// How many types a program may have.
const MAX_TYPES: usize = 1 << 18;

impl Default for TypeTable {
    fn default() -> Self {
        TypeTable::new()
    }
}

impl TypeTable {
    /// An empty table.
    pub fn new() -> Self {
        TypeTable(AppendVec::new(MAX_TYPES))
    }

    /// Adds the next type.
    pub fn push(&self, desc: TypeDesc) {
        let shape = Shape::new(&desc.pointers, period(&desc));
        let key = key_kind(&desc);
        let stride =
            if desc.packed != 0 { usize::from(desc.packed) } else { desc.words as usize * 8 };
        self.0.push(Type { desc, shape, key, stride });
    }

    /// The type with this id.
    #[inline(always)]
    pub fn at(&self, id: u32) -> &Type {
        self.0.at(id as usize)
    }

    /// Copies a memory-resident value. An array of packed elements may lie anywhere in a longer one: neither aligned nor padded.
    pub fn copy(&self, ty: &Type, dst: u64, src: u64) {
        if let TypeKind::Array(n, elem) = ty.desc.kind {
            mem::copy_bytes(dst, src, n as usize * self.at(elem).stride);
        } else {
            mem::copy_words(dst, src, ty.desc.words as usize);
        }
    }

    /// How many there are, the unused id 0 included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The implementation of a method by a type.
    pub fn method(&self, ty: u32, method: u32) -> Option<MethodImpl> {
        let methods = &self.at(ty).desc.methods;
        methods.binary_search_by_key(&method, |m| m.method).ok().map(|i| methods[i])
    }

    /// The first method of an interface type that `ty` lacks.
    pub fn missing_method(&self, ty: u32, iface: u32) -> Option<u32> {
        let TypeKind::Interface(wanted) = &self.at(iface).desc.kind else { return None };
        wanted.iter().copied().find(|m| self.method(ty, *m).is_none())
    }

    /// The name of a type as `%T` prints it.
    pub fn name(&self, id: u32) -> &str {
        &self.at(id).desc.name
    }
}

/// Words after which the pointer pattern repeats.
fn period(d: &TypeDesc) -> u32 {
    let pattern = d.pointers.len() as u32;
    let repeats = matches!(d.kind, TypeKind::Array(..)) && pattern > 0;
    if repeats { pattern } else { d.words.max(pattern).max(1) }
}

fn key_kind(d: &TypeDesc) -> KeyKind {
    match d.kind {
        TypeKind::String => KeyKind::String,
        TypeKind::Bool
        | TypeKind::Int
        | TypeKind::Int8
        | TypeKind::Int16
        | TypeKind::Int32
        | TypeKind::Int64
        | TypeKind::Uint
        | TypeKind::Uint8
        | TypeKind::Uint16
        | TypeKind::Uint32
        | TypeKind::Uint64
        | TypeKind::Uintptr
        | TypeKind::UnsafePointer
        | TypeKind::Pointer(_)
        | TypeKind::Chan(..) => KeyKind::Word,
        TypeKind::Float32
        | TypeKind::Float64
        | TypeKind::Complex64
        | TypeKind::Complex128
        | TypeKind::Slice(_)
        | TypeKind::Array(..)
        | TypeKind::Map(..)
        | TypeKind::Func { .. }
        | TypeKind::Struct(_)
        | TypeKind::Interface(_) => KeyKind::General,
    }
}
