//! The walk over arguments and values: what `Print`, `Println` and `Printf` write.

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds are special in each place")]

use crate::bytecode::module::{FieldDesc, TypeKind};
use crate::value::{iface, mem, text};
use crate::vm::Vm;
use crate::vm::map_entries;

use super::number::float_verb;
use super::value::{Int, integer};

/// Nesting at which printing gives up, as Go's stack would: only values that contain themselves come here.
const MAX_DEPTH: usize = 4000;

/// Flags, width and precision of one verb.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Flags {
    pub(super) width: Option<usize>,
    pub(super) prec: Option<usize>,
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`
    pub(super) plus_v: bool,
    /// `%#v`
    pub(super) sharp_v: bool,
}

/// Which method a request is for. The numbers are known to `std/fmt`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MethodKind {
    Error = 1,
    String = 2,
    GoString = 3,
    Format = 4,
}

/// A method that the guest must call.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) kind: MethodKind,
    /// The interface word, if the value was one already.
    pub(super) word: Option<u64>,
    pub(super) ty: u32,
    pub(super) address: u64,
    pub(super) verb: char,
    pub(super) flags: u64,
    pub(super) width: i64,
    pub(super) prec: i64,
}

/// See the head of the file.
#[derive(Debug)]
pub(super) struct Printer<'a> {
    pub(super) out: Vec<u8>,
    pub(super) flags: Flags,
    pub(super) requests: Vec<Request>,
    /// A value nests without end.
    pub(super) overflow: bool,
    /// Copies of map entries that requests refer to.
    kept: Vec<Box<[u64]>>,
    vm: &'a Vm,
    texts: &'a [u64],
    next_text: usize,
    depth: usize,
    access: Access,
}

/// How a value was reached, which decides whether its methods are called: the rules of package reflect for `CanInterface`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Open,
    /// An embedded field that is not exported: closed itself, its own fields are not.
    Embedded,
    /// In a field that is not exported.
    Closed,
}

impl Access {
    /// The access of what a value contains.
    fn part(self) -> Access {
        if self == Access::Open { Access::Open } else { Access::Closed }
    }

    fn field(self, f: &FieldDesc) -> Access {
        match (self, f.exported, f.embedded) {
            (Access::Closed, ..) | (_, false, false) => Access::Closed,
            (_, false, true) => Access::Embedded,
            (_, true, _) => Access::Open,
        }
    }
}

/// A value: its type and address; `word` if it stood in an interface.
#[derive(Clone, Copy)]
struct Val {
    ty: u32,
    address: u64,
    word: Option<u64>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(vm: &'a Vm, texts: &'a [u64]) -> Self {
        Printer {
            out: Vec::new(),
            flags: Flags::default(),
            requests: Vec::new(),
            overflow: false,
            kept: Vec::new(),
            vm,
            texts,
            next_text: 0,
            depth: 0,
            access: Access::Open,
        }
    }

    fn kind(&self, ty: u32) -> &'a TypeKind {
        &self.vm.types.at(ty).desc.kind
    }

    /// `Print`: a space between operands when neither is a string.
    pub(super) fn print(&mut self, args: &[u64]) {
        let mut before_is_string = false;
        for (i, &a) in args.iter().enumerate() {
            let ty = iface::type_of(a);
            let is_string = ty != 0 && *self.kind(ty) == TypeKind::String;
            if i > 0 && !is_string && !before_is_string {
                self.out.push(b' ');
            }
            self.arg(a, 'v');
            before_is_string = is_string;
        }
    }

    /// `Println`.
    pub(super) fn println(&mut self, args: &[u64]) {
        for (i, &a) in args.iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            self.arg(a, 'v');
        }
        self.out.push(b'\n');
    }

    /// `Printf`.
    pub(super) fn printf(&mut self, format: &[u8], args: &[u64]) {
        let mut f = Format { text: format, at: 0, arg: 0, reordered: false, good_index: true };
        let mut any_reordered = false;
        while f.at < format.len() {
            let end =
                format[f.at..].iter().position(|b| *b == b'%').map_or(format.len(), |i| f.at + i);
            self.out.extend_from_slice(&format[f.at..end]);
            f.at = end;
            if f.at >= format.len() {
                break;
            }
            f.at += 1;
            self.verb(&mut f, args);
            any_reordered |= f.reordered;
        }
        if !any_reordered && f.arg < args.len() {
            self.extra(&args[f.arg..]);
        }
    }

    fn extra(&mut self, args: &[u64]) {
        self.flags = Flags::default();
        self.out.extend_from_slice(b"%!(EXTRA ");
        for (i, &a) in args.iter().enumerate() {
            if i > 0 {
                self.out.extend_from_slice(b", ");
            }
            if a == 0 {
                self.out.extend_from_slice(b"<nil>");
                continue;
            }
            self.out.extend_from_slice(self.vm.types.name(iface::type_of(a)).as_bytes());
            self.out.push(b'=');
            self.arg(a, 'v');
        }
        self.out.push(b')');
    }

    /// One verb, behind its `%`.
    fn verb(&mut self, f: &mut Format<'_>, args: &[u64]) {
        self.flags = Flags::default();
        f.good_index = true;
        f.reordered = false;
        f.flags(&mut self.flags);
        let mut after_index = f.index(args.len());
        after_index = self.width(f, args, after_index);
        if f.peek() == b'.' && f.at + 1 < f.text.len() {
            after_index = self.precision(f, args, after_index);
        }
        if !after_index {
            f.index(args.len());
        }
        if f.at >= f.text.len() {
            self.out.extend_from_slice(b"%!(NOVERB)");
            return;
        }
        let (r, width) = text::decode_rune(&f.text[f.at..]);
        let verb = char::from_u32(r).unwrap_or('\u{FFFD}');
        f.at += width;
        if verb == '%' {
            self.out.push(b'%');
            return;
        }
        if !f.good_index {
            self.out.extend_from_slice(format!("%!{verb}(BADINDEX)").as_bytes());
            return;
        }
        if f.arg >= args.len() {
            self.out.extend_from_slice(format!("%!{verb}(MISSING)").as_bytes());
            return;
        }
        if verb == 'v' {
            self.flags.sharp_v = self.flags.sharp;
            self.flags.plus_v = self.flags.plus;
            self.flags.sharp = false;
            self.flags.plus = false;
        }
        let a = args[f.arg];
        f.arg += 1;
        self.arg(a, verb);
    }

    /// The argument of a `*`: must be an integer.
    fn star(&self, f: &mut Format<'_>, args: &[u64]) -> Option<i64> {
        let a = *args.get(f.arg)?;
        f.arg += 1;
        if a == 0 {
            return None;
        }
        let d = &self.vm.types.at(iface::type_of(a)).desc;
        let v = match integer(&d.kind, mem::load_width(iface::payload(a), d.packed))? {
            Int::Signed(i) => i,
            Int::Unsigned(u) => i64::try_from(u).ok()?,
        };
        (-1_000_000..=1_000_000).contains(&v).then_some(v)
    }

    /// The width, if there is one: a number or `*`. Says whether an argument index stands right before what follows.
    fn width(&mut self, f: &mut Format<'_>, args: &[u64], after_index: bool) -> bool {
        if f.peek() == b'*' {
            f.at += 1;
            match self.star(f, args) {
                Some(w) => {
                    if w < 0 {
                        self.flags.minus = true;
                        self.flags.zero = false;
                    }
                    self.flags.width = Some(w.unsigned_abs() as usize);
                }
                None => self.out.extend_from_slice(b"%!(BADWIDTH)"),
            }
            return false;
        }
        if let Some(n) = f.number() {
            self.flags.width = Some(n);
            f.good_index &= !after_index;
        }
        after_index
    }

    /// The precision, at its point.
    fn precision(&mut self, f: &mut Format<'_>, args: &[u64], after_index: bool) -> bool {
        f.at += 1;
        f.good_index &= !after_index;
        let after_index = f.index(args.len());
        if f.peek() != b'*' {
            self.flags.prec = Some(f.number().unwrap_or(0));
            return after_index;
        }
        f.at += 1;
        match self.star(f, args).and_then(|p| usize::try_from(p).ok()) {
            Some(p) => self.flags.prec = Some(p),
            None => self.out.extend_from_slice(b"%!(BADPREC)"),
        }
        false
    }

    /// One argument, an interface word.
    fn arg(&mut self, a: u64, verb: char) {
        if a == 0 {
            match verb {
                'T' | 'v' => self.pad(b"<nil>"),
                _ => self.bad_verb(None, verb),
            }
            return;
        }
        let ty = iface::type_of(a);
        let v = Val { ty, address: iface::payload(a), word: Some(a) };
        match verb {
            'T' => {
                let name = self.vm.types.name(ty).as_bytes();
                self.string(name);
            }
            'p' => self.pointer(v, 'p'),
            _ => {
                if !self.reflected(v, verb) && !self.methods(v, verb) {
                    let start = self.out.len();
                    self.value(v, verb, 0);
                    // as an operand, not as a part of one, it is called by its alias
                    if self.flags.sharp_v && self.vm.types.name(ty) == "[]uint8" {
                        self.out.splice(start..start + "[]uint8".len(), *b"[]byte");
                    }
                }
            }
        }
    }

    /// A `reflect.Value` stands for what it holds (the fields and flags of `std/reflect/value.gmp`). False for all else.
    fn reflected(&mut self, v: Val, verb: char) -> bool {
        const STICKY: u64 = 2;
        const EMBED: u64 = 4;
        let desc = &self.vm.types.at(v.ty).desc;
        if desc.methods.is_empty() || desc.name != "reflect.Value" || desc.pkg != "reflect" {
            return false;
        }
        let word = |i: u64| mem::load64(v.address + i * 8);
        let (address, ty, flags) = (word(0), word(1) as u32, word(2));
        let access = match (flags & STICKY != 0, flags & EMBED != 0) {
            (true, _) => Access::Closed,
            (false, true) => Access::Embedded,
            (false, false) => Access::Open,
        };
        if ty == 0 {
            self.out.extend_from_slice(b"<invalid reflect.Value>");
        } else {
            self.part(Val { ty, address, word: None }, verb, 0, access);
        }
        true
    }

    /// Lets a method print the value, if it has one for this verb.
    fn methods(&mut self, v: Val, verb: char) -> bool {
        let has = &self.vm.types.at(v.ty).desc.methods;
        if has.is_empty() {
            return false;
        }
        let ids = self.vm.natives_state.fmt.get(self.vm);
        let implements =
            |m: u32| m != u32::MAX && has.binary_search_by_key(&m, |x| x.method).is_ok();
        let kind = if implements(ids.format) {
            MethodKind::Format
        } else if self.flags.sharp_v {
            if !implements(ids.go_string) {
                return false;
            }
            MethodKind::GoString
        } else if matches!(verb, 'v' | 's' | 'x' | 'X' | 'q') {
            if implements(ids.error) {
                MethodKind::Error
            } else if implements(ids.string) {
                MethodKind::String
            } else {
                return false;
            }
        } else {
            return false;
        };
        self.method_text(v, verb, kind);
        true
    }

    fn method_text(&mut self, v: Val, verb: char, kind: MethodKind) {
        let Some(&word) = self.texts.get(self.next_text) else {
            self.request(v, verb, kind);
            return;
        };
        self.next_text += 1;
        let s = text::bytes(word);
        // A text that starts with a zero byte is a finished message (a panic in the method, `<nil>`): see std/fmt.
        if let Some(message) = s.strip_prefix(b"\0") {
            self.out.extend_from_slice(message);
            return;
        }
        match kind {
            MethodKind::Format => self.out.extend_from_slice(s),
            MethodKind::GoString => self.string(s),
            MethodKind::Error | MethodKind::String => self.string_verb(s, verb, v),
        }
    }

    fn request(&mut self, v: Val, verb: char, kind: MethodKind) {
        let f = self.flags;
        let bits = [f.plus, f.minus, f.sharp, f.space, f.zero, f.plus_v, f.sharp_v];
        let flags = bits.iter().enumerate().map(|(i, b)| u64::from(*b) << i).sum();
        let number = |n: Option<usize>| n.map_or(-1, |n| n as i64);
        self.requests.push(Request {
            kind,
            word: v.word,
            ty: v.ty,
            address: v.address,
            verb,
            flags,
            width: number(f.width),
            prec: number(f.prec),
        });
    }

    fn bad_verb(&mut self, v: Option<Val>, verb: char) {
        self.out.extend_from_slice(format!("%!{verb}(").as_bytes());
        match v {
            None => self.out.extend_from_slice(b"<nil>"),
            Some(v) => {
                self.out.extend_from_slice(self.vm.types.name(v.ty).as_bytes());
                self.out.push(b'=');
                // the flags hold, but no method is called
                let outer = std::mem::replace(&mut self.access, Access::Closed);
                self.value(v, 'v', 0);
                self.access = outer;
            }
        }
        self.out.push(b')');
    }

    /// A value by its kind.
    fn value(&mut self, v: Val, verb: char, depth: usize) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.overflow = true;
        }
        if !self.overflow {
            self.value_of_kind(v, verb, depth);
        }
        self.depth -= 1;
    }

    /// A part of a value: may have methods of its own, unless it is in a field that is not exported.
    fn part(&mut self, v: Val, verb: char, depth: usize, access: Access) {
        let outer = std::mem::replace(&mut self.access, access);
        self.part_here(v, verb, depth);
        self.access = outer;
    }

    fn part_here(&mut self, v: Val, verb: char, depth: usize) {
        let v = match self.kind(v.ty) {
            TypeKind::Interface(_) => {
                let w = mem::load64(v.address);
                if w == 0 {
                    self.nil_interface(v.ty);
                    return;
                }
                self.access = self.access.part();
                Val { ty: iface::type_of(w), address: iface::payload(w), word: Some(w) }
            }
            _ => v,
        };
        if self.access == Access::Open && self.methods(v, verb) {
            return;
        }
        self.value(v, verb, depth);
    }

    fn nil_interface(&mut self, ty: u32) {
        if self.flags.sharp_v {
            let name = self.vm.types.name(ty);
            self.out.extend_from_slice(format!("{name}(nil)").as_bytes());
        } else {
            self.out.extend_from_slice(b"<nil>");
        }
    }

    fn value_of_kind(&mut self, v: Val, verb: char, depth: usize) {
        let t = self.vm.types.at(v.ty);
        match &t.desc.kind {
            TypeKind::Bool => match verb {
                't' | 'v' => self.bool(mem::load8(v.address) != 0),
                _ => self.bad_verb(Some(v), verb),
            },
            TypeKind::Float32 => self.float_value(
                v,
                f64::from(f32::from_bits(mem::load32(v.address) as u32)),
                32,
                verb,
            ),
            TypeKind::Float64 => {
                self.float_value(v, f64::from_bits(mem::load64(v.address)), 64, verb)
            }
            TypeKind::Complex64 => {
                let half = |a| f64::from(f32::from_bits(mem::load32(a) as u32));
                self.complex_value(v, half(v.address), half(v.address + 8), 64, verb);
            }
            TypeKind::Complex128 => {
                let half = |a| f64::from_bits(mem::load64(a));
                self.complex_value(v, half(v.address), half(v.address + 8), 128, verb);
            }
            TypeKind::String => self.string_verb(text::bytes(mem::load64(v.address)), verb, v),
            TypeKind::Map(k, e) => self.map(v, *k, *e, verb, depth),
            TypeKind::Struct(fields) => self.fields(v, fields, verb, depth),
            TypeKind::Interface(_) => self.part(v, verb, depth, self.access),
            TypeKind::Array(n, e) => self.list(v, v.address, *n as usize, *e, verb, depth, false),
            TypeKind::Slice(e) => {
                let w = mem::load64(v.address);
                self.list(v, text::data(w), text::len(w), *e, verb, depth, w == 0);
            }
            TypeKind::Pointer(e) => self.pointer_value(v, *e, verb, depth),
            TypeKind::Chan(..) | TypeKind::Func { .. } | TypeKind::UnsafePointer => {
                self.pointer(v, verb)
            }
            kind => {
                let word = mem::load_width(v.address, t.desc.packed);
                match integer(kind, word) {
                    Some(i) => self.integer_value(v, i, verb),
                    None => self.bad_verb(Some(v), verb),
                }
            }
        }
    }

    fn pointer_value(&mut self, v: Val, elem: u32, verb: char, depth: usize) {
        let p = mem::load64(v.address);
        let follow = depth == 0
            && p != 0
            && matches!(
                self.kind(elem),
                TypeKind::Array(..) | TypeKind::Slice(_) | TypeKind::Struct(_) | TypeKind::Map(..)
            );
        if follow {
            self.out.push(b'&');
            self.part(Val { ty: elem, address: p, word: None }, verb, depth + 1, self.access);
        } else {
            self.pointer(v, verb);
        }
    }

    fn integer_value(&mut self, v: Val, i: Int, verb: char) {
        let bits = match i {
            Int::Signed(i) => i as u64,
            Int::Unsigned(u) => u,
        };
        match verb {
            'v' if self.flags.sharp_v && matches!(i, Int::Unsigned(_)) => self.hex64(bits, true),
            'v' | 'd' => self.integer(i, 10, verb),
            'b' => self.integer(i, 2, verb),
            'o' | 'O' => self.integer(i, 8, verb),
            'x' | 'X' => self.integer(i, 16, verb),
            'c' => self.character(bits),
            'q' => self.quoted_character(bits),
            'U' => self.unicode(bits),
            _ => self.bad_verb(Some(v), verb),
        }
    }

    fn hex64(&mut self, v: u64, prefix: bool) {
        let sharp = std::mem::replace(&mut self.flags.sharp, prefix);
        self.integer(Int::Unsigned(v), 16, 'v');
        self.flags.sharp = sharp;
    }

    fn float_value(&mut self, v: Val, x: f64, bits: u32, verb: char) {
        match float_verb(verb) {
            Some((form, prec)) => self.float(x, bits, form, prec),
            None => self.bad_verb(Some(v), verb),
        }
    }

    fn complex_value(&mut self, v: Val, re: f64, im: f64, bits: u32, verb: char) {
        if float_verb(verb).is_some() {
            self.complex(re, im, bits, verb);
        } else {
            self.bad_verb(Some(v), verb);
        }
    }

    fn string_verb(&mut self, s: &[u8], verb: char, v: Val) {
        match verb {
            'v' if self.flags.sharp_v => self.quoted(s),
            'v' | 's' => self.string(s),
            'x' => self.hex_bytes(s, false),
            'X' => self.hex_bytes(s, true),
            'q' => self.quoted(s),
            _ => self.bad_verb(Some(v), verb),
        }
    }

    /// `%p`, and what has only an address.
    fn pointer(&mut self, v: Val, verb: char) {
        let word = mem::load64(v.address);
        let p = match self.kind(v.ty) {
            TypeKind::Slice(_) => text::data(word),
            TypeKind::Pointer(_)
            | TypeKind::Map(..)
            | TypeKind::Chan(..)
            | TypeKind::Func { .. }
            | TypeKind::UnsafePointer => word,
            _ => {
                self.bad_verb(Some(v), verb);
                return;
            }
        };
        match verb {
            'v' if self.flags.sharp_v => {
                let name = self.vm.types.name(v.ty);
                self.out.extend_from_slice(format!("({name})(").as_bytes());
                if p == 0 {
                    self.out.extend_from_slice(b"nil");
                } else {
                    self.hex64(p, true);
                }
                self.out.push(b')');
            }
            'v' if p == 0 => self.pad(b"<nil>"),
            'v' | 'p' => {
                let prefix = !self.flags.sharp;
                self.hex64(p, prefix);
            }
            'b' | 'o' | 'd' | 'x' | 'X' => self.integer_value(v, Int::Unsigned(p), verb),
            _ => self.bad_verb(Some(v), verb),
        }
    }

    fn fields(&mut self, v: Val, fields: &[FieldDesc], verb: char, depth: usize) {
        if self.flags.sharp_v {
            self.out.extend_from_slice(self.vm.types.name(v.ty).as_bytes());
        }
        self.out.push(b'{');
        for (i, f) in fields.iter().enumerate() {
            if i > 0 {
                self.out.extend_from_slice(if self.flags.sharp_v { b", " } else { b" " });
            }
            if self.flags.plus_v || self.flags.sharp_v {
                self.out.extend_from_slice(f.name.as_bytes());
                self.out.push(b':');
            }
            let at = Val { ty: f.ty, address: v.address + u64::from(f.offset), word: None };
            self.part(at, verb, depth + 1, self.access.field(f));
        }
        self.out.push(b'}');
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the two forms of lists share everything but where their elements are"
    )]
    fn list(
        &mut self,
        v: Val,
        data: u64,
        n: usize,
        elem: u32,
        verb: char,
        depth: usize,
        nil: bool,
    ) {
        let e = self.vm.types.at(elem);
        if e.desc.kind == TypeKind::Uint8 && matches!(verb, 's' | 'q' | 'x' | 'X') {
            let bytes = mem::read_bytes(data, n);
            self.string_verb(&bytes, verb, v);
            return;
        }
        let sharp = self.flags.sharp_v;
        if sharp {
            self.out.extend_from_slice(self.vm.types.name(v.ty).as_bytes());
            if nil {
                self.out.extend_from_slice(b"(nil)");
                return;
            }
        }
        self.out.push(if sharp { b'{' } else { b'[' });
        for i in 0..n {
            if i > 0 {
                self.out.extend_from_slice(if sharp { b", " } else { b" " });
            }
            let at = Val { ty: elem, address: data + (i * e.stride) as u64, word: None };
            self.part(at, verb, depth + 1, self.access.part());
        }
        self.out.push(if sharp { b'}' } else { b']' });
    }

    fn map(&mut self, v: Val, key: u32, elem: u32, verb: char, depth: usize) {
        let sharp = self.flags.sharp_v;
        let w = mem::load64(v.address);
        if sharp {
            self.out.extend_from_slice(self.vm.types.name(v.ty).as_bytes());
            if w == 0 {
                self.out.extend_from_slice(b"(nil)");
                return;
            }
            self.out.push(b'{');
        } else {
            self.out.extend_from_slice(b"map[");
        }
        let (k, e) = (self.vm.types.at(key), self.vm.types.at(elem));
        let mut entries = map_entries(w);
        let address = |slots: &[u64], mem_resident: bool| {
            if mem_resident { slots[0] } else { slots.as_ptr() as u64 }
        };
        entries.sort_by(|a, b| {
            super::order::compare(self.vm, key, address(a, k.desc.mem), address(b, k.desc.mem))
        });
        // Packed keys and values stand in words here, which their loads read just as well.
        for (i, entry) in entries.iter().enumerate() {
            if i > 0 {
                self.out.extend_from_slice(if sharp { b", " } else { b" " });
            }
            let (ks, vs) = entry.split_at(usize::from(k.desc.slots));
            self.entry_part(key, ks, k.desc.mem, verb, depth);
            self.out.push(b':');
            self.entry_part(elem, vs, e.desc.mem, verb, depth);
        }
        self.out.push(if sharp { b'}' } else { b']' });
    }

    fn entry_part(&mut self, ty: u32, slots: &[u64], mem_resident: bool, verb: char, depth: usize) {
        let none = [0u64];
        let slots = if slots.is_empty() { &none[..] } else { slots };
        let address = if mem_resident { slots[0] } else { slots.as_ptr() as u64 };
        let before = self.requests.len();
        self.part(Val { ty, address, word: None }, verb, depth + 1, self.access.part());
        // Requests outlive this copy of the entry: they keep their slots.
        for r in &mut self.requests[before..] {
            if r.word.is_none() && !mem_resident {
                let copy: Box<[u64]> = slots.into();
                r.address = r.address - slots.as_ptr() as u64 + copy.as_ptr() as u64;
                self.kept.push(copy);
            }
        }
    }
}

/// Where a format string stands.
struct Format<'f> {
    text: &'f [u8],
    at: usize,
    arg: usize,
    reordered: bool,
    good_index: bool,
}

impl Format<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn flags(&mut self, f: &mut Flags) {
        loop {
            match self.peek() {
                b'#' => f.sharp = true,
                b'0' => f.zero = true,
                b'+' => f.plus = true,
                b'-' => f.minus = true,
                b' ' => f.space = true,
                _ => return,
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        let mut n = 0usize;
        while self.peek().is_ascii_digit() {
            n = (n * 10 + usize::from(self.peek() - b'0')).min(1_000_001);
            self.at += 1;
        }
        if n > 1_000_000 {
            self.at = self.text.len();
            return None;
        }
        (self.at > start).then_some(n)
    }

    /// `[n]`: true if there was one.
    fn index(&mut self, count: usize) -> bool {
        if self.peek() != b'[' {
            return false;
        }
        self.reordered = true;
        let close = self.text[self.at..].iter().position(|b| *b == b']');
        let Some(close) = close.filter(|_| self.text.len() - self.at >= 3) else {
            self.good_index = false;
            self.at += 1;
            return false;
        };
        let inner = &self.text[self.at + 1..self.at + close];
        self.at += close + 1;
        let n = std::str::from_utf8(inner).ok().and_then(|s| s.parse::<usize>().ok());
        match n {
            Some(n) if n >= 1 && n <= count => {
                self.arg = n - 1;
                true
            }
            other => {
                self.good_index = false;
                other.is_some()
            }
        }
    }
}
