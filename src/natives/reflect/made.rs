//! Types that a program makes while it runs, out of others.

use crate::bytecode::layout::MAX_FLAT;
use crate::bytecode::module::{FieldDesc, TypeDesc, TypeKind};
use crate::value::text;
use crate::vm::Vm;

use crate::natives::{Ncx, Outcome};

/// `func findType(form, a, b int) int`: the type made of others: 0 pointer, 1 slice, 2 map, 3 array, 4 to 6 channel
/// (both ways, send only, receive only). Made if there is none yet.
pub(super) fn find_type(n: &mut Ncx<'_, '_>) -> Outcome {
    let (form, a, b) = (n.int(0), n.arg(1) as u32, n.arg(2));
    let kind = match form {
        0 => TypeKind::Pointer(a),
        1 => TypeKind::Slice(a),
        2 => TypeKind::Map(a, b as u32),
        4..=6 => TypeKind::Chan((form - 4) as u8, a),
        _ => TypeKind::Array(b, a),
    };
    let id = find_or_make(n.vm, kind);
    n.ret(0, u64::from(id));
    Outcome::Done
}

/// The type without a name of this kind.
pub(in crate::natives) fn find_or_make(vm: &Vm, kind: TypeKind) -> u32 {
    let wanted = kind.clone();
    let same = |id: &u32| {
        let d = &vm.types.at(*id).desc;
        d.kind == wanted && d.defined.is_none()
    };
    if let Some(id) = (1..vm.types.len() as u32).find(same) {
        return id;
    }
    let name = |t: u32| vm.types.name(t).to_owned();
    let mut d = TypeDesc {
        name: String::new(),
        pkg: String::new(),
        defined: None,
        slots: 1,
        words: 1,
        mem: false,
        packed: 8,
        pointers: vec![true],
        comparable: false,
        methods: Vec::new(),
        kind,
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "basic types and interfaces are not made")]
    match &d.kind {
        TypeKind::Pointer(e) => {
            d.name = format!("*{}", name(*e));
            d.comparable = true;
        }
        TypeKind::Slice(e) => d.name = format!("[]{}", name(*e)),
        TypeKind::Map(k, v) => d.name = format!("map[{}]{}", name(*k), name(*v)),
        TypeKind::Array(len, e) => {
            d.name = format!("[{len}]{}", name(*e));
            lay_out_array(vm, (*len, *e), &mut d);
        }
        TypeKind::Chan(dir, e) => {
            let both_ways_of = name(*e);
            d.name = match dir {
                0 if both_ways_of.starts_with("<-") => format!("chan ({both_ways_of})"),
                0 => format!("chan {both_ways_of}"),
                1 => format!("chan<- {both_ways_of}"),
                _ => format!("<-chan {both_ways_of}"),
            };
            d.comparable = true;
        }
        TypeKind::Func { params, results, variadic } => {
            d.name = func_name(&name, params, results, *variadic);
        }
        TypeKind::Struct(fields) => {
            d.name = struct_name(&name, fields);
            lay_out(vm, &fields.clone(), &mut d);
        }
        _ => {}
    }
    vm.types.push(d);
    // Another goroutine may have made the same type meanwhile: the first one counts.
    (1..vm.types.len() as u32).find(same).unwrap_or(0)
}

fn func_name(
    name: &dyn Fn(u32) -> String,
    params: &[u32],
    results: &[u32],
    variadic: bool,
) -> String {
    let mut list: Vec<String> = params.iter().map(|t| name(*t)).collect();
    if let Some(last) = list.last_mut().filter(|_| variadic) {
        *last = format!("...{}", last.trim_start_matches("[]"));
    }
    let results: Vec<String> = results.iter().map(|t| name(*t)).collect();
    let results = match results.as_slice() {
        [] => String::new(),
        [one] => format!(" {one}"),
        many => format!(" ({})", many.join(", ")),
    };
    format!("func({}){results}", list.join(", "))
}

fn struct_name(name: &dyn Fn(u32) -> String, fields: &[FieldDesc]) -> String {
    let field = |f: &FieldDesc| {
        let label = if f.embedded { String::new() } else { format!("{} ", f.name) };
        let tag = if f.tag.is_empty() { String::new() } else { format!(" {:?}", f.tag) };
        format!("{label}{}{tag}", name(f.ty))
    };
    let list: Vec<String> = fields.iter().map(field).collect();
    if list.is_empty() { "struct {}".into() } else { format!("struct {{ {} }}", list.join("; ")) }
}

/// The layout of an array: a length and the type of the elements.
fn lay_out_array(vm: &Vm, (len, elem): (u64, u32), d: &mut TypeDesc) {
    let t = vm.types.at(elem);
    d.comparable = t.desc.comparable;
    d.mem = true;
    d.packed = 0;
    d.words = u32::try_from((t.stride as u64 * len).div_ceil(8)).unwrap_or(u32::MAX);
    d.pointers.clone_from(&t.desc.pointers);
    if !d.pointers.is_empty() {
        d.pointers.resize(t.stride.div_ceil(8), false);
    }
}

/// The layout of a struct, as `bytecode::layout` has it.
fn lay_out(vm: &Vm, fields: &[FieldDesc], d: &mut TypeDesc) {
    d.words = 0;
    d.packed = 0;
    d.comparable = true;
    d.pointers.clear();
    for f in fields {
        let t = vm.types.at(f.ty);
        d.words += t.desc.words;
        d.mem |= t.desc.mem;
        d.comparable &= t.desc.comparable;
        // the pattern of an array is that of one element
        let pattern = &t.desc.pointers;
        let words = t.desc.words as usize;
        d.pointers.extend((0..words).map(|i| !pattern.is_empty() && pattern[i % pattern.len()]));
    }
    d.mem |= d.words > MAX_FLAT;
    d.slots = if d.mem { 1 } else { d.words as u16 };
}

/// `func findFunc(in, out []int, variadic bool) int`.
pub(super) fn find_func(n: &mut Ncx<'_, '_>) -> Outcome {
    let list = |i: usize| n.words(i).into_iter().map(|t| t as u32).collect();
    let kind = TypeKind::Func { params: list(0), results: list(1), variadic: n.arg(2) != 0 };
    let id = find_or_make(n.vm, kind);
    n.ret(0, u64::from(id));
    Outcome::Done
}

/// `func findStruct(names, tags []string, types []int, flags []int) int`; of the flags 1 is exported and 2 embedded.
pub(super) fn find_struct(n: &mut Ncx<'_, '_>) -> Outcome {
    let (names, tags, types, flags) = (n.words(0), n.words(1), n.words(2), n.words(3));
    let mut offset = 0;
    let fields = (0..names.len()).map(|i| {
        let ty = types[i] as u32;
        let at = offset;
        offset += n.vm.types.at(ty).desc.words * 8;
        FieldDesc {
            name: text::lossy(names[i]),
            exported: flags[i] & 1 != 0,
            embedded: flags[i] & 2 != 0,
            ty,
            offset: at,
            tag: text::lossy(tags[i]),
        }
    });
    let id = find_or_make(n.vm, TypeKind::Struct(fields.collect()));
    n.ret(0, u64::from(id));
    Outcome::Done
}
