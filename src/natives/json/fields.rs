//! The fields of a struct type as JSON sees them: names and options from tags, embedded structs dissolved by Go's rules.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use crate::bytecode::module::{FieldDesc, TypeKind};
use crate::vm::Vm;

use super::scan::quote_into;

/// One step to a field: its offset, and the struct behind it if the step goes through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) offset: u64,
    pub(super) through: Option<u32>,
}

/// A field as JSON sees it.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Vec<u8>,
    /// `"name":`, and the same with `<`, `>`, `&` escaped.
    pub(super) key: [Vec<u8>; 2],
    pub(super) ty: u32,
    pub(super) path: Vec<Step>,
    pub(super) omit_empty: bool,
    pub(super) omit_zero: bool,
    pub(super) as_string: bool,
    index: Vec<usize>,
    tagged: bool,
}

/// The fields of one type, in order.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) list: Vec<Field>,
    by_name: HashMap<Vec<u8>, usize>,
    by_folded: HashMap<String, usize>,
}

impl Fields {
    /// The field with this name, or else the first with this name in other letter case.
    pub(super) fn find(&self, name: &[u8]) -> Option<&Field> {
        let i = self.by_name.get(name).or_else(|| self.by_folded.get(&fold(name)))?;
        self.list.get(*i)
    }
}

fn fold(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_lowercase().to_uppercase()
}

/// Fields of struct types, computed once each.
#[derive(Debug, Default)]
pub(in crate::natives) struct Cache(Mutex<HashMap<u32, Arc<Fields>>>);

impl Cache {
    pub(super) fn get(&self, vm: &Vm, ty: u32) -> Arc<Fields> {
        let mut map = self.0.lock().expect("never held across a panic");
        Arc::clone(map.entry(ty).or_insert_with(|| Arc::new(collect(vm, ty))))
    }
}

/// A struct whose fields are still to be looked at.
struct Place {
    ty: u32,
    index: Vec<usize>,
    path: Vec<Step>,
}

fn collect(vm: &Vm, ty: u32) -> Fields {
    let mut found: Vec<Field> = Vec::new();
    let mut seen = HashSet::new();
    let mut level = vec![Place { ty, index: Vec::new(), path: Vec::new() }];
    while !level.is_empty() {
        let mut next = Vec::new();
        // The same struct twice on one level hides its own fields: it is visited twice, so that the names clash.
        let here: HashSet<u32> = level.iter().map(|p| p.ty).collect();
        for place in level {
            if !seen.contains(&place.ty) {
                visit(vm, &place, &mut found, &mut next);
            }
        }
        seen.extend(here);
        level = next;
    }
    dominant(found)
}

fn struct_fields(vm: &Vm, ty: u32) -> &[FieldDesc] {
    if let TypeKind::Struct(fields) = &vm.types.at(ty).desc.kind { fields } else { &[] }
}

fn visit(vm: &Vm, place: &Place, found: &mut Vec<Field>, next: &mut Vec<Place>) {
    for (i, f) in struct_fields(vm, place.ty).iter().enumerate() {
        let (base, through) = if let TypeKind::Pointer(e) = vm.types.at(f.ty).desc.kind {
            (e, Some(e))
        } else {
            (f.ty, None)
        };
        let is_struct = matches!(vm.types.at(base).desc.kind, TypeKind::Struct(_));
        if !(f.exported || f.embedded && is_struct) {
            continue;
        }
        let tag = lookup(&f.tag, "json").unwrap_or_default();
        if tag == "-" {
            continue;
        }
        let (name, options) = tag.split_once(',').unwrap_or((&tag, ""));
        let name = if valid_name(name) { name } else { "" };
        let mut index = place.index.clone();
        index.push(i);
        let mut path = place.path.clone();
        let offset = u64::from(f.offset);
        if f.embedded && is_struct && name.is_empty() {
            path.push(Step { offset, through });
            next.push(Place { ty: base, index, path });
            continue;
        }
        if !f.exported {
            continue;
        }
        path.push(Step { offset, through: None });
        found.push(field(f, name, options, index, path));
    }
}

fn field(f: &FieldDesc, tag: &str, options: &str, index: Vec<usize>, path: Vec<Step>) -> Field {
    let has = |o: &str| options.split(',').any(|x| x == o);
    let name = if tag.is_empty() { &f.name } else { tag }.as_bytes().to_vec();
    let key = [false, true].map(|html| {
        let mut k = Vec::new();
        quote_into(&name, html, &mut k);
        k.push(b':');
        k
    });
    Field {
        name,
        key,
        ty: f.ty,
        path,
        omit_empty: has("omitempty"),
        omit_zero: has("omitzero"),
        as_string: has("string"),
        index,
        tagged: !tag.is_empty(),
    }
}

/// Of the fields with one name the least nested wins, then the one with a tag; two equals hide each other.
fn dominant(found: Vec<Field>) -> Fields {
    let mut groups: BTreeMap<Vec<u8>, Vec<Field>> = BTreeMap::new();
    for f in found {
        groups.entry(f.name.clone()).or_default().push(f);
    }
    let mut list: Vec<Field> = groups.into_values().filter_map(winner).collect();
    list.sort_by(|a, b| a.index.cmp(&b.index));
    let mut fields = Fields { list, ..Fields::default() };
    for (i, f) in fields.list.iter().enumerate() {
        fields.by_name.insert(f.name.clone(), i);
        fields.by_folded.entry(fold(&f.name)).or_insert(i);
    }
    fields
}

fn winner(mut group: Vec<Field>) -> Option<Field> {
    group.sort_by_key(|f| (f.index.len(), !f.tagged));
    let rank = |f: &Field| (f.index.len(), f.tagged);
    if group.len() > 1 && rank(&group[0]) == rank(&group[1]) {
        return None;
    }
    group.into_iter().next()
}

fn valid_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c))
}

/// The value of a key in a struct tag.
fn lookup(tag: &str, key: &str) -> Option<String> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(' ');
        let colon = rest.find(':')?;
        let (name, tail) = (&rest[..colon], &rest[colon + 1..]);
        let quoted = tail.strip_prefix('"')?;
        let mut end = 0;
        let bytes = quoted.as_bytes();
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if name == key {
            return Some(quoted[..end].replace("\\\"", "\"").replace("\\\\", "\\"));
        }
        rest = &quoted[end + 1..];
    }
}
