//! Package fmt: the rendering of values. The guest's half is `std/fmt`.
//!
//! A native must not call guest code, but printing may have to call `Error`, `String`, `GoString` or `Format` methods. So `fmt.render` works in two
//! phases: where a method must be called it takes the next text it was given; if it was given none, it notes the request and goes
//! on. The guest's half calls the methods that were asked for and renders again. The walk does not depend on the texts, so the order is the same.

#![expect(clippy::wildcard_enum_match_arm, reason = "only some kinds have a plain form")]

mod number;
pub(super) mod order;
mod printer;
mod scan;
mod value;

use std::sync::OnceLock;

use crate::bytecode::module::TypeKind;
use crate::heap::SHAPE_WORDS;
use crate::value::{iface, mem};
use crate::vm::Vm;

use super::{Ncx, Outcome, Table, float};
use printer::Printer;

/// Method ids that printing looks for; `u32::MAX` where the program has no such interface.
#[derive(Debug, Default)]
pub struct MethodIds {
    ids: OnceLock<Ids>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    pub(super) error: u32,
    pub(super) string: u32,
    pub(super) go_string: u32,
    pub(super) format: u32,
}

impl MethodIds {
    pub(super) fn get(&self, vm: &Vm) -> Ids {
        *self.ids.get_or_init(|| {
            let find = |name: &str, sig: &str| {
                let mut all = vm.methods.iter().enumerate();
                let found = all.find(|(_, m)| m.name == name && vm.types.name(m.sig) == sig);
                found.map_or(u32::MAX, |(i, _)| i as u32)
            };
            Ids {
                error: find("Error", "func() string"),
                string: find("String", "func() string"),
                go_string: find("GoString", "func() string"),
                format: find("Format", "func(fmt.State, int32)"),
            }
        })
    }
}

pub(super) const TABLE: Table = &[
    ("isNilPointer", is_nil_pointer),
    ("pointee", scan::pointee),
    ("render", render),
    ("setBits", scan::set_bits),
    ("setFloat", scan::set_float),
    ("setText", scan::set_text),
    ("typeName", type_name),
];

/// `func render(mode int, format string, args []any, texts []string) (s string, vals []any, meta []int)`; mode 0 is Sprint, 1 Sprintln,
/// 2 Sprintf. `vals` holds the values whose methods must be called, `meta` five numbers for each.
fn render(n: &mut Ncx<'_, '_>) -> Outcome {
    let (mode, format) = (n.int(0), n.bytes(1));
    let args = n.words(2);
    let texts = n.words(3);
    let mut p = Printer::new(n.vm, &texts);
    match mode {
        0 => p.print(&args),
        1 => p.println(&args),
        _ => p.printf(format, &args),
    }
    if p.overflow {
        return Outcome::Trap(crate::vm::trap::Trap::Fatal("stack overflow".into()));
    }
    n.ret_string(0, &p.out);
    let requests = &p.requests;
    if requests.is_empty() || !texts.is_empty() {
        n.ret(1, 0);
        n.ret(2, 0);
        return Outcome::Done;
    }
    let mut vals = Vec::new();
    let mut meta = Vec::new();
    for r in requests {
        let word = match r.word {
            Some(w) => w,
            None => {
                let vm = n.vm;
                iface::make(&mut n.alloc(), &vm.types, r.ty, register_form(vm, r.ty, &r.address))
            }
        };
        vals.push(word);
        meta.extend([r.kind as u64, r.verb as u64, r.flags, r.width as u64, r.prec as u64]);
    }
    let vals = n.alloc().word_slice(&vals, SHAPE_WORDS);
    n.ret(1, vals);
    let meta = n.alloc().word_slice(&meta, crate::heap::SHAPE_RAW);
    n.ret(2, meta);
    Outcome::Done
}

/// A value in memory as `iface::make` wants it: for a memory-resident type a slot that holds the address.
fn register_form(vm: &Vm, ty: u32, address: &u64) -> *const u64 {
    if vm.types.at(ty).desc.mem { std::ptr::from_ref(address) } else { *address as *const u64 }
}

/// An integer of this kind as decimal text; empty for other kinds.
pub(super) fn integer_text(kind: &TypeKind, word: u64) -> String {
    match value::integer(kind, word) {
        Some(value::Int::Signed(i)) => i.to_string(),
        Some(value::Int::Unsigned(u)) => u.to_string(),
        None => String::new(),
    }
}

/// `func typeName(v any) string`: as `%T`.
fn type_name(n: &mut Ncx<'_, '_>) -> Outcome {
    let ty = iface::type_of(n.arg(0));
    let name = if ty == 0 { "<nil>" } else { n.vm.types.name(ty) };
    n.ret_string(0, name.as_bytes());
    Outcome::Done
}

/// `func isNilPointer(v any) bool`.
fn is_nil_pointer(n: &mut Ncx<'_, '_>) -> Outcome {
    let w = n.arg(0);
    let ty = iface::type_of(w);
    let is = ty != 0
        && matches!(n.vm.types.at(ty).desc.kind, TypeKind::Pointer(_))
        && mem::load64(w) == 0;
    n.ret_bool(0, is);
    Outcome::Done
}

/// A panic value as the runtime prints it, without its methods (Go: `printpanicval`).
pub fn print_panic_value(vm: &Vm, w: u64) -> String {
    let ty = iface::type_of(w);
    if ty == 0 {
        return "nil".into();
    }
    let d = &vm.types.at(ty).desc;
    let plain = plain_value(&d.kind, w);
    match (plain, &d.defined) {
        (Some(text), None) => text,
        (Some(text), Some(_)) if d.pkg.is_empty() => text,
        (Some(text), Some(_)) if d.kind == TypeKind::String => format!("{}(\"{text}\")", d.name),
        // a complex number has parentheses of its own
        (Some(text), Some(_)) if text.starts_with('(') => format!("{}{text}", d.name),
        (Some(text), Some(_)) => format!("{}({text})", d.name),
        (None, _) => format!("({}) {:#x}", d.name, address_of(&d.kind, w)),
    }
}

fn address_of(kind: &TypeKind, w: u64) -> u64 {
    match kind {
        TypeKind::Pointer(_) | TypeKind::Map(..) | TypeKind::Chan(..) | TypeKind::Func { .. } => {
            mem::load64(w)
        }
        _ => w,
    }
}

fn plain_value(kind: &TypeKind, w: u64) -> Option<String> {
    let v = mem::load64(w);
    let real = |w: u64| f64::from_bits(mem::load64(w));
    Some(match kind {
        TypeKind::Bool => (v != 0).to_string(),
        TypeKind::String => crate::value::text::lossy(v),
        TypeKind::Float64 => print_float(f64::from_bits(v), 64),
        TypeKind::Float32 => print_float(f64::from(f32::from_bits(v as u32)), 32),
        TypeKind::Complex128 => print_complex(real(w), real(w + 8), 64),
        TypeKind::Complex64 => {
            let half = |w: u64| f64::from(f32::from_bits(mem::load64(w) as u32));
            print_complex(half(w), half(w + 8), 32)
        }
        k => match value::integer(k, v)? {
            value::Int::Signed(i) => i.to_string(),
            value::Int::Unsigned(u) => u.to_string(),
        },
    })
}

/// A float as `print` writes it.
pub(super) fn print_float(x: f64, bits: u32) -> String {
    float::format(x, b'g', -1, bits)
}

/// A complex number as `print` writes it.
pub(super) fn print_complex(re: f64, im: f64, bits: u32) -> String {
    let im = print_float(im, bits);
    let sign = if im.starts_with(['+', '-']) { "" } else { "+" };
    format!("({}{sign}{im}i)", print_float(re, bits))
}
