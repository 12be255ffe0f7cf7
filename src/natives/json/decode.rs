//! JSON to values. The text has been checked, so reading it cannot fail but for the types. See the head of the module for methods.

use std::collections::HashMap;

use crate::bytecode::module::TypeKind;
use crate::heap::{SHAPE_RAW, SHAPE_WORDS};
use crate::natives::reflect::{find_or_make, slots};
use crate::natives::{NativePart, Ncx, Outcome, base64};
use crate::value::{iface, mem, text};
use crate::vm::{Vm, map_data};

use super::fields::Field;
use super::scan::{self, space, unquote};
use super::{Call, Ids, MAX_DEPTH, has, is_own, pointers_with_methods};

/// Flags of the guest's decoder.
const USE_NUMBER: u64 = 1;
const NO_UNKNOWN: u64 = 2;

/// What went wrong first. The numbers are known to the guest's half: 1 a type that does not fit, 2 an unknown field, 3 a text.
#[derive(Debug, Default)]
struct Fault {
    kind: u64,
    text: String,
    ty: u32,
    path: String,
    offset: usize,
}

/// A map entry that is set after methods made its key or value; all in memory form.
#[derive(Clone, Copy, Debug)]
struct Entry {
    map_type: u32,
    map: u64,
    key: u64,
    value: u64,
}

#[derive(Debug)]
struct EntriesPart(Vec<Entry>);

impl NativePart for EntriesPart {
    fn trace(&self, word: &mut dyn FnMut(u64)) {
        for e in &self.0 {
            [e.map, e.key, e.value].into_iter().for_each(&mut *word);
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A method to call: receiver, input, which.
struct Request {
    receiver: u64,
    input: Vec<u8>,
    call: Call,
}

/// `func decode(data []byte, target any, flags int, protos []any) (fault int, text string, typ int, path string, offset int, vals []any, inputs []string, calls []int, entries *handle)`.
/// The prototypes are a map[string]any, a []any, a float64, a string, a bool and a Number.
pub(super) fn decode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (data, target, flags) = (n.byte_slice(0), n.arg(1), n.arg(2));
    let protos: Vec<u32> = n.words(3).into_iter().map(iface::type_of).collect();
    n.charge(data.len() * 8);
    let vm = n.vm;
    let ids = vm.natives_state.json_ids.get(vm);
    let mut r = Reader {
        n,
        vm,
        ids,
        data: &data,
        at: 0,
        flags,
        protos: &protos,
        path: Vec::new(),
        fault: Fault::default(),
        requests: Vec::new(),
        entries: Vec::new(),
        pointers: None,
        depth: 0,
    };
    r.value(iface::type_of(target), iface::payload(target));
    let Reader { fault, requests, entries, .. } = r;
    n.ret(0, fault.kind);
    n.ret_string(1, fault.text.as_bytes());
    n.ret(2, u64::from(fault.ty));
    n.ret_string(3, fault.path.as_bytes());
    n.ret(4, fault.offset as u64);
    let vals: Vec<u64> = requests.iter().map(|q| q.receiver).collect();
    let vals = n.alloc().word_slice(&vals, SHAPE_WORDS);
    n.ret(5, vals);
    let inputs: Vec<&[u8]> = requests.iter().map(|q| q.input.as_slice()).collect();
    n.ret_strings(6, &inputs);
    let calls: Vec<u64> = requests.iter().map(|q| q.call as u64).collect();
    let calls = n.alloc().word_slice(&calls, SHAPE_RAW);
    n.ret(7, calls);
    let h = if entries.is_empty() { 0 } else { n.new_handle(EntriesPart(entries)) };
    n.ret(8, h);
    Outcome::Done
}

/// `func apply(entries *handle)`: sets the map entries that waited for methods.
pub(super) fn apply(n: &mut Ncx<'_, '_>) -> Outcome {
    let list = n.handle::<EntriesPart>(0).map(|e| e.0.clone()).unwrap_or_default();
    for e in list {
        if let Err(error) = set_entry(n, e) {
            return Outcome::Trap(n.vm.map_trap(error));
        }
    }
    Outcome::Done
}

fn set_entry(n: &mut Ncx<'_, '_>, e: Entry) -> Result<(), crate::value::map::MapError> {
    let TypeKind::Map(k, v) = n.vm.types.at(e.map_type).desc.kind else { return Ok(()) };
    let (key, value) = (slots(n, k, e.key), slots(n, v, e.value));
    let vm = n.vm;
    let grown = map_data(e.map).set(&vm.types, &mut n.alloc(), key.as_ptr(), value.as_ptr())?;
    vm.heap.account_native(grown);
    Ok(())
}

/// `func zeroPointer(t int) any`: a nil pointer to a type, from which the guest gets the type.
pub(super) fn zero_pointer(n: &mut Ncx<'_, '_>) -> Outcome {
    let t = find_or_make(n.vm, TypeKind::Pointer(n.arg(0) as u32));
    let w = iface::make_word(&mut n.alloc(), t, 0);
    n.ret(0, w);
    Outcome::Done
}

/// A step on the way to a value; texts are made only for errors.
enum Part {
    Index(usize),
    /// Where the key stands in the input, quotes included.
    Key(usize, usize),
    /// A field whose declared name differs from the input's.
    Field(Vec<u8>),
}

struct Reader<'w, 'a, 'rt> {
    n: &'w mut Ncx<'a, 'rt>,
    vm: &'a Vm,
    ids: Ids,
    data: &'w [u8],
    at: usize,
    flags: u64,
    protos: &'w [u32],
    /// Keys and indexes on the way to the value at hand.
    path: Vec<Part>,
    fault: Fault,
    requests: Vec<Request>,
    entries: Vec<Entry>,
    pointers: Option<HashMap<u32, u32>>,
    depth: usize,
}

impl<'w> Reader<'w, '_, '_> {
    fn peek(&mut self) -> u8 {
        self.at = space(self.data, self.at);
        self.data.get(self.at).copied().unwrap_or(0)
    }

    /// Reads over a value: its bytes.
    fn skip(&mut self) -> &'w [u8] {
        self.at = space(self.data, self.at);
        let start = self.at;
        self.at = scan::value(self.data, start).unwrap_or(self.data.len());
        &self.data[start..self.at]
    }

    fn fail(&mut self, what: &str, ty: u32) {
        if self.fault.kind == 0 {
            let path = self.path_text();
            self.fault = Fault { kind: 1, text: what.into(), ty, path, offset: self.at };
        }
    }

    fn path_text(&self) -> String {
        let text = |p: &Part| match p {
            Part::Index(i) => i.to_string(),
            Part::Key(from, to) => {
                String::from_utf8_lossy(&unquote(&self.data[*from..*to])).into_owned()
            }
            Part::Field(name) => String::from_utf8_lossy(name).into_owned(),
        };
        self.path.iter().map(text).collect::<Vec<_>>().join(".")
    }

    fn fail_text(&mut self, kind: u64, text: String) {
        if self.fault.kind == 0 {
            self.fault = Fault { kind, text, ..Fault::default() };
        }
    }

    /// A value of the wrong kind.
    fn mismatch(&mut self, ty: u32) {
        let what = match self.peek() {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "bool",
            b'n' => "null",
            _ => "number",
        };
        self.skip();
        self.fail(what, ty);
    }

    /// Reads a value into a variable.
    fn value(&mut self, ty: u32, at: u64) {
        if self.depth > MAX_DEPTH {
            self.fail_text(3, "exceeded max depth".into());
            self.skip();
            return;
        }
        self.depth += 1;
        if !self.method(ty, at) {
            self.kind(ty, at);
        }
        self.depth -= 1;
    }

    /// Leaves the value to a method of the variable, if it has one.
    fn method(&mut self, ty: u32, at: u64) -> bool {
        let vm = self.vm;
        let pointers = self.pointers.get_or_insert_with(|| pointers_with_methods(vm));
        let Some(pointer) = pointers.get(&ty).copied() else { return false };
        let c = self.peek();
        let call = if has(vm, pointer, self.ids.unmarshal_json) {
            Call::Json
        } else if has(vm, pointer, self.ids.unmarshal_text) && c == b'"' {
            Call::Text
        } else if has(vm, pointer, self.ids.unmarshal_text) {
            let by_kind = c == b'n'
                || matches!(
                    vm.types.at(ty).desc.kind,
                    TypeKind::Interface(_) | TypeKind::Pointer(_)
                );
            if !by_kind {
                self.mismatch(ty);
            }
            return !by_kind;
        } else {
            return false;
        };
        let raw = self.skip();
        let input = if call == Call::Text { unquote(raw) } else { raw.to_vec() };
        let receiver = iface::make_word(&mut self.n.alloc(), pointer, at);
        self.requests.push(Request { receiver, input, call });
        true
    }

    fn kind(&mut self, ty: u32, at: u64) {
        let vm = self.vm;
        let c = self.peek();
        let d = &vm.types.at(ty).desc;
        if c == b'n' {
            self.skip();
            if matches!(
                d.kind,
                TypeKind::Pointer(_)
                    | TypeKind::Interface(_)
                    | TypeKind::Map(..)
                    | TypeKind::Slice(_)
            ) {
                mem::store64(at, 0);
            }
            return;
        }
        match (&d.kind, c) {
            (TypeKind::Pointer(e), _) => self.pointer(*e, at),
            (TypeKind::Interface(methods), _) => self.interface(ty, !methods.is_empty(), at),
            (TypeKind::Struct(_), b'{') => self.fields(ty, at),
            (TypeKind::Map(k, e), b'{') => self.map(ty, *k, *e, at),
            (TypeKind::Slice(e), b'[') => self.slice(*e, at),
            (TypeKind::Slice(e), b'"') if vm.types.at(*e).desc.kind == TypeKind::Uint8 => {
                self.bytes(at)
            }
            (TypeKind::Array(len, e), b'[') => self.array(*len as usize, *e, at),
            (TypeKind::String, b'"') if !is_own(vm, ty, "Number") => {
                let s = unquote(self.skip());
                let w = self.n.alloc().string(&s);
                mem::store64(at, w);
            }
            (TypeKind::String, b'-' | b'0'..=b'9' | b'"') if is_own(vm, ty, "Number") => {
                self.number_text(ty, at)
            }
            (TypeKind::Bool, b't' | b'f') => {
                mem::store8(at, u64::from(c == b't'));
                self.skip();
            }
            (_, b'-' | b'0'..=b'9') => {
                let raw = self.skip();
                if !self.store_number(ty, at, raw) {
                    let what = if is_number(&d.kind) {
                        format!("number {}", String::from_utf8_lossy(raw))
                    } else {
                        "number".into()
                    };
                    self.fail(&what, ty);
                }
            }
            _ => self.mismatch(ty),
        }
    }

    /// A `Number`: the text of a number, in quotes or not.
    fn number_text(&mut self, ty: u32, at: u64) {
        let raw = self.skip();
        let inner = if raw[0] == b'"' { unquote(raw) } else { raw.to_vec() };
        let good = matches!(inner.first(), Some(b'-' | b'0'..=b'9'))
            && scan::number(&inner, 0) == Ok(inner.len());
        if good || inner.is_empty() {
            let w = self.n.alloc().string(&inner);
            mem::store64(at, w);
        } else {
            self.fail(&format!("string {}", String::from_utf8_lossy(raw)), ty);
        }
    }

    /// Stores a number; false if the type cannot hold it.
    fn store_number(&mut self, ty: u32, at: u64, raw: &[u8]) -> bool {
        let d = &self.vm.types.at(ty).desc;
        let s = std::str::from_utf8(raw).unwrap_or_default();
        let signed = |low: i64, high: i64| {
            s.parse::<i64>().ok().filter(|v| (low..=high).contains(v)).map(|v| v as u64)
        };
        let unsigned = |high: u64| s.parse::<u64>().ok().filter(|v| *v <= high);
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other kind holds a number")]
        let v = match d.kind {
            TypeKind::Int | TypeKind::Int64 => signed(i64::MIN, i64::MAX),
            TypeKind::Int8 => signed(i8::MIN.into(), i8::MAX.into()),
            TypeKind::Int16 => signed(i16::MIN.into(), i16::MAX.into()),
            TypeKind::Int32 => signed(i32::MIN.into(), i32::MAX.into()),
            TypeKind::Uint | TypeKind::Uint64 | TypeKind::Uintptr => unsigned(u64::MAX),
            TypeKind::Uint8 => unsigned(u8::MAX.into()),
            TypeKind::Uint16 => unsigned(u16::MAX.into()),
            TypeKind::Uint32 => unsigned(u32::MAX.into()),
            TypeKind::Float64 => s.parse().ok().filter(|f: &f64| f.is_finite()).map(f64::to_bits),
            TypeKind::Float32 => {
                s.parse().ok().filter(|f: &f32| f.is_finite()).map(|f| u64::from(f.to_bits()))
            }
            _ => None,
        };
        if let Some(v) = v {
            mem::store_width(at, d.packed, v);
        }
        v.is_some()
    }

    fn new_value(&mut self, ty: u32) -> u64 {
        let words = self.vm.types.at(ty).desc.words.max(1) as usize;
        self.n.alloc().object(words, ty) as u64
    }

    fn pointer(&mut self, elem: u32, at: u64) {
        let mut p = mem::load64(at);
        if p == 0 {
            p = self.new_value(elem);
            mem::store64(at, p);
        }
        self.value(elem, p);
    }

    fn interface(&mut self, ty: u32, has_methods: bool, at: u64) {
        let w = mem::load64(at);
        // A pointer in the interface shows where the value is to go.
        if w != 0
            && let TypeKind::Pointer(e) = self.vm.types.at(iface::type_of(w)).desc.kind
            && mem::load64(w) != 0
        {
            self.value(e, mem::load64(w));
            return;
        }
        if has_methods {
            self.mismatch(ty);
            return;
        }
        let v = self.any();
        mem::store64(at, v);
    }

    fn proto(&self, i: usize) -> u32 {
        self.protos.get(i).copied().unwrap_or(0)
    }

    /// A word as a value of the type of prototype `i`.
    fn boxed(&mut self, i: usize, word: u64) -> u64 {
        let ty = self.proto(i);
        iface::make_word(&mut self.n.alloc(), ty, word)
    }

    /// A value without a type to go by, as an interface word.
    fn any(&mut self) -> u64 {
        match self.peek() {
            b'{' => self.any_object(),
            b'[' => self.any_array(),
            b'"' => {
                let s = unquote(self.skip());
                let w = self.n.alloc().string(&s);
                self.boxed(3, w)
            }
            c @ (b't' | b'f') => {
                self.skip();
                self.boxed(4, u64::from(c == b't'))
            }
            b'n' => {
                self.skip();
                0
            }
            _ => self.any_number(),
        }
    }

    fn any_number(&mut self) -> u64 {
        let raw = self.skip();
        if self.flags & USE_NUMBER != 0 {
            let w = self.n.alloc().string(raw);
            return self.boxed(5, w);
        }
        let s = String::from_utf8_lossy(raw);
        let f: f64 = s.parse().unwrap_or(f64::INFINITY);
        if !f.is_finite() {
            self.fail(&format!("number {s}"), self.proto(2));
            return 0;
        }
        self.boxed(2, f.to_bits())
    }

    fn any_object(&mut self) -> u64 {
        let ty = self.proto(0);
        let seed = self.n.cx.random_u64();
        let m = self.vm.make_map(&mut self.n.alloc(), ty, 0, seed);
        self.depth += 1;
        self.members(|r, name| {
            let v = r.deeper_any();
            let k = r.n.alloc().string(&name);
            // Keys are strings, and nobody else has the map.
            let a = &mut r.n.alloc();
            if let Ok(grown) = map_data(m).set(&r.vm.types, a, &raw const k, &raw const v) {
                r.vm.heap.account_native(grown);
            }
        });
        self.depth -= 1;
        iface::make_word(&mut self.n.alloc(), ty, m)
    }

    fn any_array(&mut self) -> u64 {
        let mut list = Vec::new();
        self.depth += 1;
        self.elements(|r, _| {
            let v = r.deeper_any();
            list.push(v);
        });
        self.depth -= 1;
        let s = self.n.alloc().word_slice(&list, SHAPE_WORDS);
        self.boxed(1, s)
    }

    fn deeper_any(&mut self) -> u64 {
        if self.depth > MAX_DEPTH {
            self.fail_text(3, "exceeded max depth".into());
            self.skip();
            return 0;
        }
        self.any()
    }

    /// Goes over the members of an object; `f` reads the value.
    fn members(&mut self, mut f: impl FnMut(&mut Self, Vec<u8>)) {
        self.peek();
        self.at += 1;
        while self.peek() == b'"' {
            let from = self.at;
            let name = unquote(self.skip());
            self.path.push(Part::Key(from, self.at));
            self.peek();
            self.at += 1;
            f(self, name);
            self.path.pop();
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    /// Goes over the elements of an array; `f` reads the value.
    fn elements(&mut self, mut f: impl FnMut(&mut Self, usize)) {
        self.peek();
        self.at += 1;
        let mut i = 0;
        while !matches!(self.peek(), b']' | 0) {
            self.path.push(Part::Index(i));
            f(self, i);
            self.path.pop();
            i += 1;
            if self.peek() == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
    }

    fn count_elements(&mut self) -> usize {
        let start = self.at;
        let mut n = 0;
        self.elements(|r, _| {
            r.skip();
            n += 1;
        });
        self.at = start;
        n
    }

    fn slice(&mut self, elem: u32, at: u64) {
        let n = self.count_elements();
        let stride = self.vm.types.at(elem).stride;
        let old = mem::load64(at);
        let (mut data, mut cap) = (text::data(old), text::cap(old));
        if n > cap || old == 0 {
            let words = (n * stride).div_ceil(8).max(1);
            data = self.n.alloc().object(words, elem) as u64;
            cap = n;
        } else {
            mem::zero_bytes(data, n * stride);
        }
        let header = self.n.alloc().slice_header(data, n as u64, cap as u64);
        mem::store64(at, header);
        self.elements(|r, i| r.value(elem, data + (i * stride) as u64));
    }

    fn array(&mut self, len: usize, elem: u32, at: u64) {
        let stride = self.vm.types.at(elem).stride;
        mem::zero_bytes(at, len * stride);
        self.elements(|r, i| {
            if i < len {
                r.value(elem, at + (i * stride) as u64);
            } else {
                r.skip();
            }
        });
    }

    fn bytes(&mut self, at: u64) {
        let s = unquote(self.skip());
        match base64::decode_standard(&s) {
            Ok(b) => {
                let w = self.n.alloc().byte_slice(&b);
                mem::store64(at, w);
            }
            Err(i) => self.fail_text(3, format!("illegal base64 data at input byte {i}")),
        }
    }

    fn fields(&mut self, ty: u32, at: u64) {
        let vm = self.vm;
        let fields = vm.natives_state.json_fields.get(vm, ty);
        self.members(|r, name| match fields.find(&name) {
            None => {
                r.skip();
                if r.flags & NO_UNKNOWN != 0 {
                    let quoted = crate::natives::strconv::quote::string(&name, false);
                    let quoted = String::from_utf8_lossy(&quoted).into_owned();
                    r.fail_text(2, format!("json: unknown field {quoted}"));
                }
            }
            Some(f) => {
                // Errors name the field as it is declared, whatever the input's letter case.
                if f.name != name
                    && let Some(last) = r.path.last_mut()
                {
                    *last = Part::Field(f.name.clone());
                }
                r.field(f, at);
            }
        });
    }

    fn field(&mut self, f: &Field, base: u64) {
        let mut at = base;
        for step in &f.path {
            at += step.offset;
            if let Some(elem) = step.through {
                let mut p = mem::load64(at);
                if p == 0 {
                    p = self.new_value(elem);
                    mem::store64(at, p);
                }
                at = p;
            }
        }
        if f.as_string && self.peek() != b'n' {
            self.quoted_value(f.ty, at);
        } else {
            self.value(f.ty, at);
        }
    }

    /// A field with the option `string`.
    fn quoted_value(&mut self, ty: u32, at: u64) {
        let vm = self.vm;
        let d = &vm.types.at(ty).desc;
        if let TypeKind::Pointer(e) = d.kind {
            let mut p = mem::load64(at);
            if p == 0 {
                p = self.new_value(e);
                mem::store64(at, p);
            }
            self.quoted_value(e, p);
            return;
        }
        let scalar = is_number(&d.kind) || matches!(d.kind, TypeKind::Bool | TypeKind::String);
        if !scalar {
            self.value(ty, at);
            return;
        }
        if self.peek() != b'"' {
            self.mismatch(ty);
            return;
        }
        let inner = unquote(self.skip());
        let whole = scan::whole(&inner).is_ok();
        let c = inner.first().copied().unwrap_or(0);
        let good = if !whole {
            false
        } else if d.kind == TypeKind::Bool && matches!(c, b't' | b'f') {
            mem::store8(at, u64::from(c == b't'));
            true
        } else if d.kind == TypeKind::String && c == b'"' {
            let w = self.n.alloc().string(&unquote(&inner));
            mem::store64(at, w);
            true
        } else {
            self.store_number(ty, at, &inner)
        };
        if !good {
            let what = if is_number(&d.kind) { "number" } else { "string" };
            self.fail(&format!("{what} {}", String::from_utf8_lossy(&inner)), ty);
        }
    }

    fn map(&mut self, ty: u32, key: u32, elem: u32, at: u64) {
        let mut m = mem::load64(at);
        if m == 0 {
            let seed = self.n.cx.random_u64();
            m = self.vm.make_map(&mut self.n.alloc(), ty, 0, seed);
            mem::store64(at, m);
        }
        self.members(|r, name| {
            let before = r.requests.len();
            let k = r.new_value(key);
            let good = r.key(ty, key, k, &name);
            let v = r.new_value(elem);
            r.value(elem, v);
            if !good {
                return;
            }
            let entry = Entry { map_type: ty, map: m, key: k, value: v };
            if r.requests.len() > before {
                r.entries.push(entry);
            } else if set_entry(r.n, entry).is_err() {
                r.fail_text(3, "concurrent map writes".into());
            }
        });
    }

    /// Makes a map key of its text.
    fn key(&mut self, map: u32, ty: u32, at: u64, name: &[u8]) -> bool {
        let vm = self.vm;
        let pointers = self.pointers.get_or_insert_with(|| pointers_with_methods(vm));
        let pointer = pointers.get(&ty).copied();
        if let Some(p) = pointer
            && has(vm, p, self.ids.unmarshal_text)
        {
            let receiver = iface::make_word(&mut self.n.alloc(), p, at);
            self.requests.push(Request { receiver, input: name.to_vec(), call: Call::Text });
            return true;
        }
        let kind = &vm.types.at(ty).desc.kind;
        if *kind == TypeKind::String {
            let w = self.n.alloc().string(name);
            mem::store64(at, w);
            return true;
        }
        if !is_number(kind) {
            self.fail("object", map);
            return false;
        }
        let good = self.store_number(ty, at, name);
        if !good {
            self.fail(&format!("number {}", String::from_utf8_lossy(name)), ty);
        }
        good
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds are no numbers")]
fn is_number(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Float32 | TypeKind::Float64 => true,
        k => !crate::natives::fmt::integer_text(k, 0).is_empty(),
    }
}
