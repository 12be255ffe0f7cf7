//! What natives of package reflect tell of types.

use crate::bytecode::module::{TypeDesc, TypeKind};
use crate::natives::{Ncx, Outcome};
use crate::vm::Vm;

/// Kinds as Go numbers them.
pub(in crate::natives) fn kind_number(kind: &TypeKind) -> u64 {
    match kind {
        TypeKind::Bool => 1,
        TypeKind::Int => 2,
        TypeKind::Int8 => 3,
        TypeKind::Int16 => 4,
        TypeKind::Int32 => 5,
        TypeKind::Int64 => 6,
        TypeKind::Uint => 7,
        TypeKind::Uint8 => 8,
        TypeKind::Uint16 => 9,
        TypeKind::Uint32 => 10,
        TypeKind::Uint64 => 11,
        TypeKind::Uintptr => 12,
        TypeKind::Float32 => 13,
        TypeKind::Float64 => 14,
        TypeKind::Complex64 => 15,
        TypeKind::Complex128 => 16,
        TypeKind::Array(..) => 17,
        TypeKind::Chan(..) => 18,
        TypeKind::Func { .. } => 19,
        TypeKind::Interface(_) => 20,
        TypeKind::Map(..) => 21,
        TypeKind::Pointer(_) => 22,
        TypeKind::Slice(_) => 23,
        TypeKind::String => 24,
        TypeKind::Struct(_) => 25,
        TypeKind::UnsafePointer => 26,
    }
}

fn desc<'b>(n: &Ncx<'b, '_>, i: usize) -> &'b TypeDesc {
    &n.vm.types.at(n.arg(i) as u32).desc
}

/// `func typeInfo(t int) (kind, size, parts int, comparable bool)`: parts are fields, methods of an interface, elements of an array.
pub(super) fn type_info(n: &mut Ncx<'_, '_>) -> Outcome {
    let d = desc(n, 0);
    #[expect(clippy::wildcard_enum_match_arm, reason = "only these have parts")]
    let parts = match &d.kind {
        TypeKind::Struct(f) => f.len() as u64,
        TypeKind::Array(len, _) => *len,
        TypeKind::Interface(m) => m.len() as u64,
        TypeKind::Chan(dir, _) => u64::from(*dir),
        TypeKind::Func { params, results, .. } => {
            (params.len() as u64) << 32 | results.len() as u64
        }
        _ => exported(n.vm, d).len() as u64,
    };
    let (kind, size, comparable) =
        (kind_number(&d.kind), size(n.vm, n.arg(0) as u32), d.comparable);
    n.ret(0, kind);
    n.ret(1, size);
    n.ret(2, parts);
    n.ret_bool(3, comparable);
    Outcome::Done
}

/// Bytes as Go counts them.
fn size(vm: &Vm, t: u32) -> u64 {
    layout(vm, t).0
}

/// Size and alignment of a type in Go's own memory.
fn layout(vm: &Vm, t: u32) -> (u64, u64) {
    match &vm.types.at(t).desc.kind {
        TypeKind::Bool | TypeKind::Int8 | TypeKind::Uint8 => (1, 1),
        TypeKind::Int16 | TypeKind::Uint16 => (2, 2),
        TypeKind::Int32 | TypeKind::Uint32 | TypeKind::Float32 => (4, 4),
        TypeKind::Complex64 => (8, 4),
        TypeKind::Complex128 | TypeKind::String | TypeKind::Interface(_) => (16, 8),
        TypeKind::Slice(_) => (24, 8),
        TypeKind::Array(n, e) => {
            let (size, align) = layout(vm, *e);
            (size * n, align)
        }
        TypeKind::Struct(fields) => {
            let (mut at, mut most) = (0u64, 1);
            for f in fields {
                let (size, align) = layout(vm, f.ty);
                at = at.next_multiple_of(align) + size;
                most = most.max(align);
            }
            (at.next_multiple_of(most), most)
        }
        TypeKind::Int
        | TypeKind::Int64
        | TypeKind::Uint
        | TypeKind::Uint64
        | TypeKind::Uintptr
        | TypeKind::Float64
        | TypeKind::UnsafePointer
        | TypeKind::Pointer(_)
        | TypeKind::Map(..)
        | TypeKind::Chan(..)
        | TypeKind::Func { .. } => (8, 8),
    }
}

/// `func typeNames(t int) (str, name, pkg string)`.
pub(super) fn type_names(n: &mut Ncx<'_, '_>) -> Outcome {
    let d = desc(n, 0);
    let basic = (1..=16).contains(&kind_number(&d.kind)) || d.kind == TypeKind::String;
    let name = match &d.defined {
        // A generic type's name has its arguments, which stand behind the dot of the package in the full name.
        Some(name) => match d.name.find('[') {
            Some(i) => format!("{name}{}", &d.name[i..]),
            None => name.clone(),
        },
        None if basic => d.name.clone(),
        None => String::new(),
    };
    n.ret_string(0, d.name.as_bytes());
    n.ret_string(1, name.as_bytes());
    n.ret_string(2, d.pkg.as_bytes());
    Outcome::Done
}

/// `func typePart(t, which, i int) int`: 0 element, 1 key, 2 parameter, 3 result, 4 whether variadic.
pub(super) fn type_part(n: &mut Ncx<'_, '_>) -> Outcome {
    let (which, i) = (n.int(1), n.arg(2) as usize);
    let part = match (&desc(n, 0).kind, which) {
        (
            TypeKind::Pointer(e)
            | TypeKind::Slice(e)
            | TypeKind::Array(_, e)
            | TypeKind::Chan(_, e)
            | TypeKind::Map(_, e),
            0,
        ) => *e,
        (TypeKind::Map(k, _), 1) => *k,
        (TypeKind::Func { params, .. }, 2) => params.get(i).copied().unwrap_or(0),
        (TypeKind::Func { results, .. }, 3) => results.get(i).copied().unwrap_or(0),
        (TypeKind::Func { variadic, .. }, 4) => u32::from(*variadic),
        _ => 0,
    };
    n.ret(0, u64::from(part));
    Outcome::Done
}

/// `func fieldAt(t, i int) (name, tag string, typ, offset, flags int)`; flags: 1 exported, 2 embedded.
pub(super) fn field_at(n: &mut Ncx<'_, '_>) -> Outcome {
    let i = n.arg(1) as usize;
    if let TypeKind::Struct(fields) = &desc(n, 0).kind
        && let Some(f) = fields.get(i)
    {
        n.ret_string(0, f.name.as_bytes());
        n.ret_string(1, f.tag.as_bytes());
        n.ret(2, u64::from(f.ty));
        n.ret(3, u64::from(f.offset));
        n.ret(4, u64::from(f.exported) | u64::from(f.embedded) << 1);
        return Outcome::Done;
    }
    Outcome::Trap(crate::vm::trap::Trap::Text("reflect: Field index out of bounds".into()))
}

/// The exported methods of a type that the program can call, by name.
fn exported(vm: &Vm, d: &TypeDesc) -> Vec<u32> {
    let name = |m: u32| vm.methods.at(m as usize).name.as_str();
    let mut list: Vec<u32> = if let TypeKind::Interface(m) = &d.kind {
        m.clone()
    } else {
        d.methods.iter().map(|m| m.method).collect()
    };
    list.retain(|m| name(*m).starts_with(char::is_uppercase));
    list.sort_by(|a, b| name(*a).cmp(name(*b)));
    list
}

/// `func methodAt(t, i int) (name string, sig int, count int)`.
pub(super) fn method_at(n: &mut Ncx<'_, '_>) -> Outcome {
    let i = n.int(1);
    let list = exported(n.vm, desc(n, 0));
    let method = usize::try_from(i).ok().and_then(|i| list.get(i));
    let (name, sig) = method.map_or(("", 0), |m| {
        let m = n.vm.methods.at(*m as usize);
        (m.name.as_str(), m.sig)
    });
    n.ret_string(0, name.as_bytes());
    n.ret(1, u64::from(sig));
    n.ret(2, list.len() as u64);
    Outcome::Done
}

/// `func missing(t, iface int) bool`: whether a type lacks a method of an interface type.
pub(super) fn missing(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, wanted) = (n.arg(0) as u32, n.arg(1) as u32);
    let types = &n.vm.types;
    let lacks = match (&types.at(t).desc.kind, &types.at(wanted).desc.kind) {
        (TypeKind::Interface(have), TypeKind::Interface(want)) => {
            want.iter().any(|m| !have.contains(m))
        }
        _ => types.missing_method(t, wanted).is_some(),
    };
    n.ret_bool(0, lacks);
    Outcome::Done
}
