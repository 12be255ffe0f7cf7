//! Types as text: in messages (`pkg.T` only for other packages' types) and as `%T` prints them.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds are treated alike")]

use super::checker::Checker;
use super::names::{Sym, is_exported};
use super::ty::{Basic, ChanDir, Field, Interface, Kind, PkgId, Signature, Term, Ty};

/// Who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// A message of the compiler, seen from a package.
    Message(PkgId),
    /// The terms of a union in such a message: with the paths of packages, seen from nowhere.
    Term,
    /// The running program.
    Runtime,
}

/// The name of a basic type.
pub(crate) fn basic_name(b: Basic) -> &'static str {
    match b {
        Basic::Invalid => "invalid type",
        Basic::Bool => "bool",
        Basic::Int => "int",
        Basic::Int8 => "int8",
        Basic::Int16 => "int16",
        Basic::Int32 => "int32",
        Basic::Int64 => "int64",
        Basic::Uint => "uint",
        Basic::Uint8 => "uint8",
        Basic::Uint16 => "uint16",
        Basic::Uint32 => "uint32",
        Basic::Uint64 => "uint64",
        Basic::Uintptr => "uintptr",
        Basic::Float32 => "float32",
        Basic::Float64 => "float64",
        Basic::Complex64 => "complex64",
        Basic::Complex128 => "complex128",
        Basic::String => "string",
        Basic::UnsafePointer => "unsafe.Pointer",
        Basic::UntypedBool => "untyped bool",
        Basic::UntypedInt => "untyped int",
        Basic::UntypedRune => "untyped rune",
        Basic::UntypedFloat => "untyped float",
        Basic::UntypedComplex => "untyped complex",
        Basic::UntypedString => "untyped string",
        Basic::UntypedNil => "untyped nil",
    }
}

struct Writer<'c> {
    checker: &'c Checker,
    style: Style,
    out: String,
    depth: u32,
    /// In the terms of a constraint, which name `uint8` rather than `byte`, but `[]byte`.
    in_terms: bool,
    /// Parameters and results without their names.
    nameless: bool,
    /// How deep the terms of the innermost union lie.
    term_depth: u32,
}

/// So are types whose text is longer than this.
const MAX_LEN: usize = 10_000;
/// Deeper types are cut off with `...`.
const MAX_DEPTH: u32 = 60;

impl Checker {
    /// A type in a message.
    pub(crate) fn show(&self, t: Ty) -> String {
        self.write(t, Style::Message(self.env.pkg))
    }

    /// A type as `%T` prints it.
    pub(crate) fn show_runtime(&self, t: Ty) -> String {
        self.write(t, Style::Runtime)
    }

    fn write(&self, t: Ty, style: Style) -> String {
        let mut w = self.writer(style);
        w.ty(t);
        w.out
    }

    fn writer(&self, style: Style) -> Writer<'_> {
        let out = String::new();
        Writer {
            checker: self,
            style,
            out,
            depth: 0,
            in_terms: false,
            nameless: false,
            term_depth: 0,
        }
    }

    /// The constraint of a type parameter, `any` or `interface{}` as its declaration has it.
    pub(crate) fn show_constraint(&self, param: Ty) -> String {
        let Kind::Param(id) = *self.types.kind(param) else { return self.show(param) };
        let p = &self.types.params[id.0 as usize];
        match (p.constraint == self.any_ty, p.says_any) {
            (true, true) => "any".into(),
            (true, false) => "interface{}".into(),
            _ => self.show(p.constraint),
        }
    }

    /// A signature without `func` and names: `(int, ...string) error`.
    pub(crate) fn show_signature(&self, t: Ty) -> String {
        let mut w = self.writer(Style::Message(self.env.pkg));
        w.nameless = true;
        if let Kind::Func(sig) = self.types.kind(t) {
            w.signature(t, sig);
        }
        w.out
    }

    /// A type as a term of a union: `p.T`.
    pub(crate) fn show_in_term(&self, t: Ty) -> String {
        self.write(t, Style::Term)
    }

    /// The terms of a union: `~int | p.T`.
    pub(crate) fn show_terms(&self, terms: &[Term]) -> String {
        let mut w = self.writer(Style::Term);
        w.union(terms);
        w.out
    }
}

/// Packages of Go's library that import an internal one of the same name, so that messages tell them by their paths.
const WITH_INTERNAL_NAMESAKE: &[&str] = &["encoding/json", "strconv", "sync"];

impl Checker {
    /// Whether another package in sight has the same name.
    fn has_namesake(&self, pkg: PkgId) -> bool {
        let p = &self.packages[pkg.0 as usize];
        let users = self.packages.iter().filter(|q| !q.std);
        let mut imported = users.flat_map(|q| &q.imports);
        WITH_INTERNAL_NAMESAKE.contains(&p.path.as_str())
            || imported.any(|q| *q != pkg && self.packages[q.0 as usize].name == p.name)
    }
}

impl Writer<'_> {
    fn ty(&mut self, t: Ty) {
        if self.depth > MAX_DEPTH || self.out.len() > MAX_LEN {
            self.out.push_str("...");
            return;
        }
        self.depth += 1;
        self.inner(t);
        self.depth -= 1;
    }

    fn inner(&mut self, t: Ty) {
        let checker = self.checker;
        match checker.types.kind(t) {
            Kind::Basic(b) => self.basic(*b),
            Kind::Named(_) => self.named(t),
            Kind::Pointer(e) => self.prefixed("*", *e),
            Kind::Slice(e) => self.prefixed("[]", *e),
            Kind::Array(n, e) => {
                let n = format!("[{n}]");
                self.prefixed(&n, *e);
            }
            Kind::Map(k, v) => {
                self.prefixed("map[", *k);
                self.prefixed("]", *v);
            }
            Kind::Chan(dir, e) => self.chan(*dir, *e),
            Kind::Func(sig) => {
                self.out.push_str("func");
                self.signature(t, sig);
            }
            Kind::Struct(fields) => self.structure(fields),
            Kind::Interface(i) => self.interface(t, i),
            Kind::Tuple(list) => self.tuple(list, &[], false),
            Kind::Param(p) => self.out.push_str(&checker.types.params[p.0 as usize].name),
        }
    }

    fn basic(&mut self, b: Basic) {
        let aliased = self.style != Style::Runtime && (!self.in_terms || self.nested_term());
        match b {
            Basic::Uint8 if aliased && (self.checker.says_byte || self.nested_term()) => {
                self.out.push_str("byte");
            }
            Basic::Int32 if aliased && (self.checker.says_rune || self.nested_term()) => {
                self.out.push_str("rune");
            }
            b => self.out.push_str(basic_name(b)),
        }
    }

    /// Below the type that a term is.
    fn nested_term(&self) -> bool {
        self.in_terms && self.depth > self.term_depth + 1
    }

    fn prefixed(&mut self, prefix: &str, t: Ty) {
        self.out.push_str(prefix);
        self.ty(t);
    }

    fn chan(&mut self, dir: ChanDir, e: Ty) {
        let nested = dir == ChanDir::Both
            && matches!(self.checker.types.kind(e), Kind::Chan(ChanDir::Recv, _));
        match dir {
            ChanDir::Both => self.out.push_str("chan "),
            ChanDir::Send => self.out.push_str("chan<- "),
            ChanDir::Recv => self.out.push_str("<-chan "),
        }
        if nested {
            self.prefixed("(", e);
            self.out.push(')');
        } else {
            self.ty(e);
        }
    }

    fn named(&mut self, t: Ty) {
        let Kind::Named(n) = self.checker.types.kind(t) else { return };
        let named = &self.checker.types.named[n.0 as usize];
        if let Some(pkg) = named.pkg
            && self.style != Style::Message(pkg)
        {
            self.package(pkg);
            self.out.push('.');
        }
        self.out.push_str(&named.name);
        if !named.args.is_empty() {
            self.out.push('[');
            for (i, &a) in named.args.iter().enumerate() {
                if i > 0 {
                    self.out.push_str(if self.style == Style::Runtime { "," } else { ", " });
                }
                self.ty(a);
            }
            self.out.push(']');
        }
    }

    /// A package before a name; by its quoted path where the name could be that of another.
    fn package(&mut self, pkg: PkgId) {
        let p = &self.checker.packages[pkg.0 as usize];
        if self.style == Style::Term {
            self.out.push_str(if self.checker.main_pkg == Some(pkg) { &p.name } else { &p.path });
        } else if self.style != Style::Runtime && self.checker.has_namesake(pkg) {
            self.out.push_str(&format!("{:?}", p.path));
        } else {
            self.out.push_str(&p.name);
        }
    }

    fn tuple(&mut self, list: &[Ty], names: &[Sym], variadic: bool) {
        self.out.push('(');
        for (i, &t) in list.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            if let Some(&name) = names.get(i).filter(|n| **n != Sym::BLANK) {
                self.out.push_str(self.checker.name(name));
                self.out.push(' ');
            }
            match self.checker.types.kind(t) {
                Kind::Slice(e) if variadic && i + 1 == list.len() => self.prefixed("...", *e),
                _ => self.ty(t),
            }
        }
        self.out.push(')');
    }

    fn signature(&mut self, t: Ty, sig: &Signature) {
        let checker = self.checker;
        let named = self.style != Style::Runtime && !self.nameless;
        let spelled = checker.spelled.get(&t).filter(|_| named);
        let (params, results) = spelled.map_or((&[][..], &[][..]), |(p, r)| (p, r));
        self.tuple(&sig.params, params, sig.variadic);
        let unnamed = results.iter().all(|n| *n == Sym::BLANK);
        match sig.results.as_slice() {
            [] => {}
            [one] if unnamed => self.prefixed(" ", *one),
            many => {
                self.out.push(' ');
                self.tuple(many, results, false);
            }
        }
    }

    fn structure(&mut self, fields: &[Field]) {
        let spaced = self.style == Style::Runtime;
        self.out.push_str(if spaced { "struct {" } else { "struct{" });
        for (i, f) in fields.iter().enumerate() {
            self.out.push_str(match (i > 0, spaced) {
                (true, _) => "; ",
                (false, true) => " ",
                (false, false) => "",
            });
            if !f.embedded {
                self.out.push_str(&f.name);
                self.out.push(' ');
            }
            self.ty(f.ty);
            if !f.tag.is_empty() {
                self.out.push(' ');
                self.out.push_str(&super::consts::quote(f.tag.as_bytes()));
            }
        }
        self.out.push_str(if spaced && !fields.is_empty() { " }" } else { "}" });
    }

    fn interface(&mut self, t: Ty, i: &Interface) {
        let runtime = self.style == Style::Runtime;
        if i.methods.is_empty() && i.unions.is_empty() && !i.comparable {
            self.out.push_str(match (runtime, self.checker.says_any) {
                (true, _) => "interface {}",
                (false, true) => "any",
                (false, false) => "interface{}",
            });
            return;
        }
        if self.checker.implicit.contains(&t)
            && let [terms] = i.unions.as_slice()
        {
            let written = self.checker.written_terms.get(&t).filter(|_| !runtime);
            self.union(written.unwrap_or(terms));
            return;
        }
        let written = self.checker.written.get(&t).filter(|_| !runtime);
        self.out.push_str(if runtime { "interface { " } else { "interface{" });
        let mut first = true;
        for m in i.methods.iter().filter(|m| written.is_none_or(|w| w.methods.contains(&m.name))) {
            self.separate(&mut first);
            if runtime
                && !is_exported(&m.name)
                && let Some(p) = m.pkg
            {
                self.out.push_str(&self.checker.packages[p.0 as usize].name);
                self.out.push('.');
            }
            self.out.push_str(&m.name);
            if let Kind::Func(sig) = self.checker.types.kind(m.sig) {
                self.signature(m.sig, sig);
            }
        }
        match written {
            Some(w) => {
                for terms in &w.embedded {
                    self.separate(&mut first);
                    match terms.as_slice() {
                        [Term { tilde: false, ty }] => self.ty(*ty),
                        many => self.union(many),
                    }
                }
            }
            None => {
                if i.comparable {
                    self.separate(&mut first);
                    self.out.push_str("comparable");
                }
                for terms in &i.unions {
                    self.separate(&mut first);
                    self.union(terms);
                }
            }
        }
        self.out.push_str(if runtime { " }" } else { "}" });
    }

    fn separate(&mut self, first: &mut bool) {
        if !*first {
            self.out.push_str("; ");
        }
        *first = false;
    }

    fn union(&mut self, terms: &[Term]) {
        let outer = std::mem::replace(&mut self.in_terms, true);
        let outer_depth = std::mem::replace(&mut self.term_depth, self.depth);
        for (i, t) in terms.iter().enumerate() {
            if i > 0 {
                self.out.push_str(" | ");
            }
            if t.tilde {
                self.out.push('~');
            }
            self.ty(t.ty);
        }
        self.in_terms = outer;
        self.term_depth = outer_depth;
    }
}
