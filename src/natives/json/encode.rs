//! Values to JSON. See the head of the module for the two phases.

use std::collections::HashMap;

use crate::bytecode::module::TypeKind;
use crate::heap::{SHAPE_RAW, SHAPE_WORDS};
use crate::natives::fmt::integer_text;
use crate::natives::reflect::from_slots;
use crate::natives::{Ncx, Outcome, base64, float};
use crate::value::{iface, mem, text};
use crate::vm::{Vm, map_entries};

use super::fields::Field;
use super::scan::{number, quote_into};
use super::{Call, Ids, MAX_DEPTH, has, is_own, pointers_with_methods};

/// Why a value has no JSON form. The numbers are known to the guest's half.
enum Fault {
    /// 1: by its type.
    Type(u32),
    /// 2: by its value.
    Value(String),
    /// 3: a `Number` that is none.
    Number(String),
}

/// `func encode(v any, texts []string, html bool) (out []byte, vals []any, calls []int, fault int, typ int, text string)`.
pub(super) fn encode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (v, texts, html) = (n.arg(0), n.words(1), n.arg(2) != 0);
    let vm = n.vm;
    let ids = vm.natives_state.json_ids.get(vm);
    let mut w = Writer {
        n,
        vm,
        ids,
        texts: &texts,
        next: 0,
        html,
        out: Vec::new(),
        calls: Vec::new(),
        pointers: None,
        depth: 0,
    };
    let r = w.interface(v);
    let (out, calls) = (std::mem::take(&mut w.out), std::mem::take(&mut w.calls));
    let (fault, ty, why) = match r {
        Ok(()) => (0, 0, String::new()),
        Err(Fault::Type(t)) => (1, t, String::new()),
        Err(Fault::Value(s)) => (2, 0, s),
        Err(Fault::Number(s)) => (3, 0, s),
    };
    n.charge(out.len() * 4);
    let first = texts.is_empty() && !calls.is_empty();
    let (vals, kinds): (Vec<u64>, Vec<u64>) =
        calls.iter().map(|(v, c)| (*v, *c as u64)).take(if first { usize::MAX } else { 0 }).unzip();
    n.ret_bytes(0, &out);
    let vals = n.alloc().word_slice(&vals, SHAPE_WORDS);
    n.ret(1, vals);
    let kinds = n.alloc().word_slice(&kinds, SHAPE_RAW);
    n.ret(2, kinds);
    n.ret(3, fault);
    n.ret(4, u64::from(ty));
    n.ret_string(5, why.as_bytes());
    Outcome::Done
}

struct Writer<'w, 'a, 'rt> {
    n: &'w mut Ncx<'a, 'rt>,
    vm: &'a Vm,
    ids: Ids,
    /// Texts that methods gave, in the order of the walk; none in the first phase.
    texts: &'w [u64],
    next: usize,
    html: bool,
    out: Vec<u8>,
    calls: Vec<(u64, Call)>,
    pointers: Option<HashMap<u32, u32>>,
    depth: usize,
}

impl Writer<'_, '_, '_> {
    fn put(&mut self, s: &[u8]) {
        self.out.extend_from_slice(s);
    }

    fn quoted(&mut self, s: &[u8]) {
        quote_into(s, self.html, &mut self.out);
    }

    fn interface(&mut self, w: u64) -> Result<(), Fault> {
        if w == 0 {
            self.put(b"null");
            return Ok(());
        }
        self.value(iface::type_of(w), iface::payload(w))
    }

    /// A value in memory form.
    fn value(&mut self, ty: u32, at: u64) -> Result<(), Fault> {
        if self.depth > MAX_DEPTH {
            let name = self.vm.types.name(ty);
            return Err(Fault::Value(format!("encountered a cycle via {name}")));
        }
        self.depth += 1;
        let r = match self.method(ty, at) {
            Some((call, receiver)) => self.call(ty, call, receiver),
            None => self.kind(ty, at),
        };
        self.depth -= 1;
        r
    }

    /// The method that writes a value, and its receiver as an interface.
    fn method(&mut self, ty: u32, at: u64) -> Option<(Call, u64)> {
        let vm = self.vm;
        let d = &vm.types.at(ty).desc;
        let nothing =
            matches!(d.kind, TypeKind::Pointer(_) | TypeKind::Interface(_)) && mem::load64(at) == 0;
        if nothing || matches!(d.kind, TypeKind::Interface(_)) {
            return None;
        }
        let which = |t: u32| {
            let (json, text) = (self.ids.marshal_json, self.ids.marshal_text);
            if has(vm, t, json) { Some(Call::Json) } else { has(vm, t, text).then_some(Call::Text) }
        };
        if let Some(call) = which(ty) {
            return Some((call, self.boxed(ty, at)));
        }
        let pointer = self.pointer_to(ty)?;
        let (json, text) = (self.ids.marshal_json, self.ids.marshal_text);
        let call = if has(vm, pointer, json) {
            Call::Json
        } else if has(vm, pointer, text) {
            Call::Text
        } else {
            return None;
        };
        let copy = self.copy(ty, at);
        Some((call, iface::make_word(&mut self.n.alloc(), pointer, copy)))
    }

    fn pointer_to(&mut self, ty: u32) -> Option<u32> {
        let vm = self.vm;
        self.pointers.get_or_insert_with(|| pointers_with_methods(vm)).get(&ty).copied()
    }

    fn copy(&mut self, ty: u32, at: u64) -> u64 {
        let t = self.vm.types.at(ty);
        let p = self.n.alloc().object(t.desc.words.max(1) as usize, ty);
        self.vm.types.copy(t, p as u64, at);
        p as u64
    }

    fn boxed(&mut self, ty: u32, at: u64) -> u64 {
        let vm = self.vm;
        let d = &vm.types.at(ty).desc;
        if d.slots == 1 && !d.mem {
            let word = mem::load_width(at, d.packed);
            return iface::make_word(&mut self.n.alloc(), ty, word);
        }
        let from = if d.mem { std::ptr::from_ref(&at) } else { at as *const u64 };
        iface::make(&mut self.n.alloc(), &vm.types, ty, from)
    }

    /// The text that a method made; in the first phase the method is noted, and there is none.
    fn text_of(&mut self, receiver: u64, call: Call) -> Option<u64> {
        if self.texts.is_empty() {
            self.calls.push((receiver, call));
            return None;
        }
        let t = self.texts.get(self.next).copied();
        self.next += 1;
        t
    }

    fn call(&mut self, _ty: u32, call: Call, receiver: u64) -> Result<(), Fault> {
        if let Some(t) = self.text_of(receiver, call) {
            match call {
                Call::Json => self.put(text::bytes(t)),
                Call::Text | Call::IsZero => self.quoted(text::bytes(t)),
            }
        }
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are the integer kinds")]
    fn kind(&mut self, ty: u32, at: u64) -> Result<(), Fault> {
        let vm = self.vm;
        let d = &vm.types.at(ty).desc;
        match &d.kind {
            TypeKind::Bool => {
                let b = mem::load8(at) != 0;
                self.put(if b { b"true" } else { b"false" });
            }
            TypeKind::Float32 => {
                self.float(f64::from(f32::from_bits(mem::load32(at) as u32)), 32)?;
            }
            TypeKind::Float64 => self.float(f64::from_bits(mem::load64(at)), 64)?,
            TypeKind::String => {
                let s = text::bytes(mem::load64(at));
                if is_own(vm, ty, "Number") {
                    return self.number(s);
                }
                self.quoted(s);
            }
            TypeKind::Interface(_) => return self.interface(mem::load64(at)),
            TypeKind::Pointer(e) => {
                let p = mem::load64(at);
                if p != 0 {
                    return self.value(*e, p);
                }
                self.put(b"null");
            }
            TypeKind::Slice(e) => return self.slice(*e, mem::load64(at)),
            TypeKind::Array(len, e) => return self.list(*e, at, *len as usize),
            TypeKind::Map(k, e) => return self.map(ty, *k, *e, mem::load64(at)),
            TypeKind::Struct(_) => return self.fields(ty, at),
            TypeKind::Complex64
            | TypeKind::Complex128
            | TypeKind::Chan(..)
            | TypeKind::Func { .. }
            | TypeKind::UnsafePointer => return Err(Fault::Type(ty)),
            kind => {
                let s = integer_text(kind, mem::load_width(at, d.packed));
                self.put(s.as_bytes());
            }
        }
        Ok(())
    }

    fn number(&mut self, s: &[u8]) -> Result<(), Fault> {
        if s.is_empty() {
            self.put(b"0");
            return Ok(());
        }
        let good = matches!(s[0], b'-' | b'0'..=b'9') && number(s, 0) == Ok(s.len());
        if !good {
            return Err(Fault::Number(String::from_utf8_lossy(s).into_owned()));
        }
        self.put(s);
        Ok(())
    }

    fn float(&mut self, x: f64, bits: u32) -> Result<(), Fault> {
        if !x.is_finite() {
            return Err(Fault::Value(float::format(x, b'g', -1, 64)));
        }
        let a = x.abs();
        let single = a as f32;
        let small = a != 0.0 && if bits == 32 { single < 1e-6 } else { a < 1e-6 };
        let large = if bits == 32 { single >= 1e21 } else { a >= 1e21 };
        let form = if small || large { b'e' } else { b'f' };
        let mut s = float::format(x, form, -1, bits);
        if let Some(i) = s.find("e-0") {
            s.remove(i + 2);
        }
        self.put(s.as_bytes());
        Ok(())
    }

    fn slice(&mut self, elem: u32, w: u64) -> Result<(), Fault> {
        if w == 0 {
            self.put(b"null");
            return Ok(());
        }
        let vm = self.vm;
        let plain = vm.types.at(elem).desc.kind == TypeKind::Uint8
            && !has(vm, elem, self.ids.marshal_json)
            && !has(vm, elem, self.ids.marshal_text);
        if plain {
            let bytes = mem::read_bytes(text::data(w), text::len(w));
            let s = base64::encode_standard(&bytes);
            self.quoted(&s);
            return Ok(());
        }
        self.list(elem, text::data(w), text::len(w))
    }

    fn list(&mut self, elem: u32, data: u64, len: usize) -> Result<(), Fault> {
        let stride = self.vm.types.at(elem).stride;
        self.out.push(b'[');
        for i in 0..len {
            if i > 0 {
                self.out.push(b',');
            }
            self.value(elem, data + (i * stride) as u64)?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn map(&mut self, ty: u32, key: u32, elem: u32, m: u64) -> Result<(), Fault> {
        if m == 0 {
            self.put(b"null");
            return Ok(());
        }
        let key_slots = usize::from(self.vm.types.at(key).desc.slots);
        let mut parts: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for entry in map_entries(m) {
            let (ks, vs) = entry.split_at(key_slots);
            let k = from_slots(self.n, key, ks);
            let name = self.key(ty, key, k)?;
            let v = from_slots(self.n, elem, vs);
            let outer = std::mem::take(&mut self.out);
            let r = self.value(elem, v);
            let value = std::mem::replace(&mut self.out, outer);
            r?;
            parts.push((name, value));
        }
        parts.sort();
        self.out.push(b'{');
        for (i, (k, v)) in parts.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            self.quoted(k);
            self.out.push(b':');
            self.put(v);
        }
        self.out.push(b'}');
        Ok(())
    }

    /// The text of a map key.
    fn key(&mut self, map: u32, ty: u32, at: u64) -> Result<Vec<u8>, Fault> {
        let vm = self.vm;
        let d = &vm.types.at(ty).desc;
        if d.kind == TypeKind::String {
            return Ok(text::bytes(mem::load64(at)).to_vec());
        }
        let (mut t, mut p) = (ty, at);
        if matches!(d.kind, TypeKind::Interface(_)) && mem::load64(at) != 0 {
            let w = mem::load64(at);
            (t, p) = (iface::type_of(w), iface::payload(w));
        }
        if has(vm, t, self.ids.marshal_text) {
            let receiver = self.boxed(t, p);
            let s = self.text_of(receiver, Call::Text);
            return Ok(s.map(|w| text::bytes(w).to_vec()).unwrap_or_default());
        }
        let d = &vm.types.at(t).desc;
        #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are integers, or no keys")]
        match &d.kind {
            TypeKind::String => Ok(text::bytes(mem::load64(p)).to_vec()),
            TypeKind::Float64 | TypeKind::Float32 => {
                let outer = std::mem::take(&mut self.out);
                let r = self.kind(t, p);
                let s = std::mem::replace(&mut self.out, outer);
                r.map(|()| s)
            }
            kind => match integer_text(kind, mem::load_width(p, d.packed)) {
                s if s.is_empty() => Err(Fault::Type(map)),
                s => Ok(s.into_bytes()),
            },
        }
    }

    fn fields(&mut self, ty: u32, at: u64) -> Result<(), Fault> {
        let vm = self.vm;
        let fields = vm.natives_state.json_fields.get(vm, ty);
        self.out.push(b'{');
        let mut first = true;
        for f in &fields.list {
            let Some(p) = address(f, at) else { continue };
            if f.omit_empty && self.is_empty(f.ty, p) {
                continue;
            }
            // The value is walked even if it turns out to be left out, so that both phases ask for the same texts.
            let begin = self.out.len();
            let zero = f.omit_zero && self.is_zero(f.ty, p);
            if !first {
                self.out.push(b',');
            }
            self.put(&f.key[usize::from(self.html)]);
            self.field(f, p)?;
            if zero {
                self.out.truncate(begin);
            } else {
                first = false;
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    fn field(&mut self, f: &Field, p: u64) -> Result<(), Fault> {
        if !f.as_string || !self.may_be_string(f.ty, p) {
            return self.value(f.ty, p);
        }
        let outer = std::mem::take(&mut self.out);
        let r = self.value(f.ty, p);
        let inner = std::mem::replace(&mut self.out, outer);
        r?;
        self.quoted(&inner);
        Ok(())
    }

    /// Whether the option `string` means something for a value.
    fn may_be_string(&self, ty: u32, p: u64) -> bool {
        match &self.vm.types.at(ty).desc.kind {
            TypeKind::Pointer(e) => mem::load64(p) != 0 && self.may_be_string(*e, mem::load64(p)),
            TypeKind::Complex64
            | TypeKind::Complex128
            | TypeKind::UnsafePointer
            | TypeKind::Slice(_)
            | TypeKind::Array(..)
            | TypeKind::Map(..)
            | TypeKind::Chan(..)
            | TypeKind::Func { .. }
            | TypeKind::Struct(_)
            | TypeKind::Interface(_) => false,
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
            | TypeKind::Float32
            | TypeKind::Float64
            | TypeKind::String => true,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are numbers")]
    fn is_empty(&self, ty: u32, p: u64) -> bool {
        let d = &self.vm.types.at(ty).desc;
        match &d.kind {
            TypeKind::Struct(_) => false,
            TypeKind::Array(n, _) => *n == 0,
            TypeKind::String | TypeKind::Slice(_) => text::len(mem::load64(p)) == 0,
            TypeKind::Map(..) => {
                let m = mem::load64(p);
                m == 0 || crate::vm::map_data(m).is_empty()
            }
            TypeKind::Float64 => f64::from_bits(mem::load64(p)) == 0.0,
            TypeKind::Float32 => f32::from_bits(mem::load32(p) as u32) == 0.0,
            _ => mem::load_width(p, d.packed) == 0,
        }
    }

    fn is_zero(&mut self, ty: u32, p: u64) -> bool {
        let vm = self.vm;
        if has(vm, ty, self.ids.is_zero) {
            let nil = matches!(vm.types.at(ty).desc.kind, TypeKind::Pointer(_));
            if nil && mem::load64(p) == 0 {
                return true;
            }
            let receiver = self.boxed(ty, p);
            return self.text_of(receiver, Call::IsZero).is_some_and(|t| text::len(t) > 0);
        }
        let d = &vm.types.at(ty).desc;
        match d.packed {
            0 | 8 => (0..d.words as usize).all(|i| mem::load(p as *const u64, i) == 0),
            width => mem::load_width(p, width) == 0,
        }
    }
}

/// The address of a field, unless the way to it leads over a nil pointer.
fn address(f: &Field, base: u64) -> Option<u64> {
    let mut at = base;
    for step in &f.path {
        at += step.offset;
        if step.through.is_some() {
            at = mem::load64(at);
            if at == 0 {
                return None;
            }
        }
    }
    Some(at)
}
