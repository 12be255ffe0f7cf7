//! Package encoding/json: reading and writing JSON by the run-time descriptors of types. The guest's half is `std/encoding/json`.
//!
//! A native calls no guest code, but values may have methods for their own form. Writing works in two phases, as in fmt: the first walk notes
//! which methods must be called, the guest calls them, the second walk takes the texts. Reading makes everything that needs no method, and
//! leaves a list of methods to call with their inputs, and of map entries to set after them.

mod decode;
mod encode;
mod fields;
mod form;
mod scan;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::bytecode::module::TypeKind;
use crate::vm::Vm;

use super::Table;

pub(super) use fields::Cache;

pub(super) const TABLE: Table = &[
    ("apply", decode::apply),
    ("check", form::check),
    ("compact", form::compact),
    ("decode", decode::decode),
    ("encode", encode::encode),
    ("escapeHTML", form::escape_html),
    ("indent", form::indent),
    ("quote", form::quote),
    ("unquote", form::unquote),
    ("valueEnd", form::value_end),
    ("zeroPointer", decode::zero_pointer),
];

/// Nesting at which reading and writing give up.
const MAX_DEPTH: usize = 1000;

/// What the guest is asked to do with a value. The numbers are known to `std/encoding/json`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Json = 1,
    Text = 2,
    IsZero = 3,
}

/// Ids of methods that matter here; `u32::MAX` where the program has no such interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    marshal_json: u32,
    marshal_text: u32,
    unmarshal_json: u32,
    unmarshal_text: u32,
    is_zero: u32,
}

/// The ids, found once.
#[derive(Debug, Default)]
pub(super) struct MethodIds(OnceLock<Ids>);

impl MethodIds {
    fn get(&self, vm: &Vm) -> Ids {
        *self.0.get_or_init(|| {
            let find = |name: &str, sig: &str| {
                let mut all = vm.methods.iter().enumerate();
                let found = all.find(|(_, m)| m.name == name && vm.types.name(m.sig) == sig);
                found.map_or(u32::MAX, |(i, _)| i as u32)
            };
            Ids {
                marshal_json: find("MarshalJSON", "func() ([]uint8, error)"),
                marshal_text: find("MarshalText", "func() ([]uint8, error)"),
                unmarshal_json: find("UnmarshalJSON", "func([]uint8) error"),
                unmarshal_text: find("UnmarshalText", "func([]uint8) error"),
                is_zero: find("IsZero", "func() bool"),
            }
        })
    }
}

fn has(vm: &Vm, ty: u32, method: u32) -> bool {
    method != u32::MAX
        && vm.types.at(ty).desc.methods.binary_search_by_key(&method, |m| m.method).is_ok()
}

/// Pointer types with methods, by what they point to.
fn pointers_with_methods(vm: &Vm) -> HashMap<u32, u32> {
    let mut map = HashMap::new();
    for id in 1..vm.types.len() as u32 {
        let d = &vm.types.at(id).desc;
        if let TypeKind::Pointer(e) = d.kind
            && !d.methods.is_empty()
            && d.defined.is_none()
        {
            map.insert(e, id);
        }
    }
    map
}

/// Whether a type is one that package json itself declares.
fn is_own(vm: &Vm, ty: u32, name: &str) -> bool {
    let d = &vm.types.at(ty).desc;
    d.pkg == "encoding/json" && d.defined.as_deref() == Some(name)
}
