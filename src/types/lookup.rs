//! Fields and methods of a type, promoted ones included (Go specification, "Selectors", "Method sets"), and whether
//! a type implements an interface.

#![expect(clippy::wildcard_enum_match_arm, reason = "only structs and interfaces have members")]

use super::checker::Checker;
use super::names::is_exported;
use super::object::FuncId;
use super::ty::{Basic, Field, Interface, Kind, Method, PkgId, Ty};
use super::typed::{MethodEntry, MethodTarget, PathStep};

/// What a selector found.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A field of the last struct on the path (its step is the path's last).
    Field(Field),
    /// A declared method of the type that the path leads to.
    Method { func: FuncId, named: Ty, ptr_recv: bool },
    /// A method of an interface, or of a type parameter's constraint.
    Abstract(Method),
}

/// The result of looking a name up in a type.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    /// Found; `path` leads to the struct field, or to the value that has the method.
    Found {
        found: Found,
        path: Vec<PathStep>,
        /// There is a pointer on the way.
        indirect: bool,
        /// What the path leads to, without the pointer.
        at: Ty,
        /// What the path leads to is a pointer.
        ptr: bool,
    },
    /// More than one at the same depth.
    Ambiguous,
    /// A method with a pointer receiver, of a value that has no address.
    NeedsPointer,
    /// Nothing.
    Missing,
}

/// Embedded fields are followed this deep.
const MAX_EMBEDDING: u32 = 1000;

struct Entry {
    ty: Ty,
    path: Vec<PathStep>,
    ptr: bool,
    indirect: bool,
    multiple: bool,
}

/// Whether two names are the same identifier.
pub(crate) fn same_id(
    a: &str,
    a_pkg: Option<PkgId>,
    b: &str,
    b_pkg: Option<PkgId>,
    fold: bool,
) -> bool {
    if fold && a.eq_ignore_ascii_case(b) {
        return true;
    }
    a == b && (is_exported(a) || a_pkg == b_pkg)
}

impl Checker {
    /// The element of a pointer type (not of a defined one), and whether it is one.
    pub(crate) fn deref(&self, t: Ty) -> (Ty, bool) {
        if let Kind::Pointer(e) = *self.types.kind(t) { (e, true) } else { (t, false) }
    }

    /// A pointer to an interface.
    pub(crate) fn is_interface_ptr(&mut self, t: Ty) -> bool {
        let u = self.under(t);
        let Kind::Pointer(e) = *self.types.kind(u) else { return false };
        self.is_param(e) || self.is_interface(e)
    }

    /// Looks a name up as a package sees it; `fold` ignores case.
    pub(crate) fn find(
        &mut self,
        t: Ty,
        addressable: bool,
        pkg: PkgId,
        name: &str,
        fold: bool,
    ) -> Lookup {
        if name == "_" {
            return Lookup::Missing;
        }
        // a defined pointer type has no methods, only the fields of what it points to
        if self.named_id(t).is_some() {
            let u = self.under(t);
            if matches!(self.types.kind(u), Kind::Pointer(_)) {
                let found = self.search(u, addressable, pkg, name, fold);
                return match found {
                    Lookup::Found { found: Found::Field(_), .. } => found,
                    _ => Lookup::Missing,
                };
            }
        }
        self.search(t, addressable, pkg, name, fold)
    }

    fn search(&mut self, t: Ty, addressable: bool, pkg: PkgId, name: &str, fold: bool) -> Lookup {
        let (ty, ptr) = self.deref(t);
        if ptr && (self.is_param(ty) || self.is_interface(ty)) {
            return Lookup::Missing;
        }
        let mut current = vec![Entry { ty, path: vec![], ptr, indirect: ptr, multiple: false }];
        let mut seen: Vec<Ty> = vec![];
        let mut depth = 0;
        while !current.is_empty() && depth < MAX_EMBEDDING {
            depth += 1;
            let mut next: Vec<Entry> = vec![];
            let mut hit: Option<Lookup> = None;
            for e in &current {
                if self.named_id(e.ty).is_some() {
                    if seen.contains(&e.ty) {
                        continue;
                    }
                    seen.push(e.ty);
                }
                if let Some(found) = self.at_depth(e, pkg, name, fold, &mut next) {
                    if hit.is_some() || e.multiple {
                        return Lookup::Ambiguous;
                    }
                    hit = Some(found);
                }
            }
            if let Some(found) = hit {
                if let Lookup::Found {
                    found: Found::Method { ptr_recv: true, .. },
                    indirect: false,
                    ..
                } = found
                    && !addressable
                {
                    return Lookup::NeedsPointer;
                }
                return found;
            }
            current = merge(next);
        }
        Lookup::Missing
    }

    /// Looks at one type; embedded fields go to `next`.
    fn at_depth(
        &mut self,
        e: &Entry,
        pkg: PkgId,
        name: &str,
        fold: bool,
        next: &mut Vec<Entry>,
    ) -> Option<Lookup> {
        let make = |found: Found, path: Vec<PathStep>, at: Ty| Lookup::Found {
            found,
            path,
            indirect: e.indirect,
            at,
            ptr: e.ptr,
        };
        if let Some((func, ptr_recv)) = self.declared_method(e.ty, pkg, name, fold) {
            let found = Found::Method { func, named: e.ty, ptr_recv };
            return Some(make(found, e.path.clone(), e.ty));
        }
        match self.under_kind(e.ty) {
            Kind::Struct(fields) => {
                let mut hit = None;
                for (i, f) in fields.into_iter().enumerate() {
                    let mut path = e.path.clone();
                    path.push(PathStep { deref: e.ptr, index: i as u32 });
                    if same_id(&f.name, f.pkg, name, Some(pkg), fold) {
                        let ty = f.ty;
                        hit = Some(make(Found::Field(f), path, ty));
                        continue;
                    }
                    if f.embedded && hit.is_none() {
                        let (ty, ptr) = self.deref(f.ty);
                        next.push(Entry {
                            ty,
                            path,
                            ptr,
                            indirect: e.indirect || ptr,
                            multiple: e.multiple,
                        });
                    }
                }
                hit
            }
            Kind::Interface(i) => abstract_method(&i, pkg, name, fold)
                .map(|m| make(Found::Abstract(m), e.path.clone(), e.ty)),
            Kind::Param(_) => {
                let bound = self.bound(e.ty);
                abstract_method(&bound, pkg, name, fold)
                    .map(|m| make(Found::Abstract(m), e.path.clone(), e.ty))
            }
            Kind::Basic(_)
            | Kind::Named(_)
            | Kind::Pointer(_)
            | Kind::Slice(_)
            | Kind::Array(..)
            | Kind::Map(..)
            | Kind::Chan(..)
            | Kind::Func(_)
            | Kind::Tuple(_) => None,
        }
    }

    /// A method declared with a defined type as its receiver, and whether the receiver is a pointer.
    fn declared_method(
        &mut self,
        t: Ty,
        pkg: PkgId,
        name: &str,
        fold: bool,
    ) -> Option<(FuncId, bool)> {
        let origin = self.named_info(t)?.origin?;
        let methods = &self.named[origin.0 as usize].methods;
        let hit = methods.iter().find(|(sym, f)| {
            let decl = &self.funcs[f.0 as usize];
            same_id(self.name(*sym), Some(decl.pkg), name, Some(pkg), fold)
        });
        let f = hit?.1;
        Some((f, self.funcs[f.0 as usize].recv.is_some_and(|r| r.ptr)))
    }

    /// The signature of a method of a (perhaps instantiated) defined type, without the receiver.
    pub(crate) fn method_sig(&mut self, func: FuncId, named: Ty) -> Ty {
        let sig = self.func_sig(func);
        let params = self.funcs[func.0 as usize].recv_params.clone();
        let args = self.type_args(named);
        let map = super::named::bindings(&params, &args);
        self.subst(sig, &map)
    }

    /// Type arguments of a defined type.
    pub(crate) fn type_args(&self, t: Ty) -> Vec<Ty> {
        self.named_id(t).map_or(vec![], |n| self.types.named[n.0 as usize].args.clone())
    }

    /// All names of methods that a type may have.
    fn method_names(&mut self, t: Ty, out: &mut Vec<(String, PkgId)>, seen: &mut Vec<Ty>) {
        let (t, _) = self.deref(t);
        if seen.contains(&t) {
            return;
        }
        seen.push(t);
        if let Some(origin) = self.named_info(t).and_then(|i| i.origin) {
            for (sym, f) in self.named[origin.0 as usize].methods.clone() {
                out.push((self.name(sym).to_string(), self.funcs[f.0 as usize].pkg));
            }
        }
        match self.under_kind(t) {
            Kind::Struct(fields) => {
                for f in fields.into_iter().filter(|f| f.embedded) {
                    self.method_names(f.ty, out, seen);
                }
            }
            Kind::Interface(i) => {
                out.extend(i.methods.into_iter().map(|m| (m.name, m.pkg.unwrap_or(PkgId(0)))));
            }
            _ => {}
        }
    }

    /// The methods of a type, promoted ones included, sorted by name and package.
    pub(crate) fn methods_of(&mut self, t: Ty) -> Vec<MethodEntry> {
        if let Some(list) = self.method_sets.get(&t) {
            return list.clone();
        }
        let mut names = vec![];
        let u = self.under(t);
        let named_ptr =
            self.named_id(t).is_some() && matches!(self.types.kind(u), Kind::Pointer(_));
        if !named_ptr {
            self.method_names(t, &mut names, &mut vec![]);
        }
        names.sort();
        names.dedup_by(|a, b| a.0 == b.0 && (is_exported(&a.0) || a.1 == b.1));
        let mut out = vec![];
        for (name, pkg) in names {
            if let Some(entry) = self.method_entry(t, pkg, &name) {
                out.push(entry);
            }
        }
        self.method_sets.insert(t, out.clone());
        out
    }

    /// One method of a type in the form the back end wants.
    pub(crate) fn method_entry(&mut self, t: Ty, pkg: PkgId, name: &str) -> Option<MethodEntry> {
        let Lookup::Found { found, path, .. } = self.find(t, false, pkg, name, false) else {
            return None;
        };
        let owner = if is_exported(name) { None } else { Some(pkg) };
        match found {
            Found::Field(_) => None,
            Found::Method { func, named, ptr_recv } => {
                if !self.funcs[func.0 as usize].tparams.is_empty() {
                    self.func_sig(func);
                    if !self.funcs[func.0 as usize].tparams.is_empty() {
                        return None; // generic methods implement nothing
                    }
                }
                let sig = self.method_sig(func, named);
                let args = self.type_args(named);
                let func = self.func_ref(func, args);
                let target = MethodTarget::Func { func, ptr: ptr_recv };
                Some(MethodEntry { name: name.into(), pkg: owner, sig, path, target })
            }
            Found::Abstract(m) => Some(MethodEntry {
                name: name.into(),
                pkg: owner,
                sig: m.sig,
                path,
                target: MethodTarget::Interface,
            }),
        }
    }

    // ---- implementing interfaces ----

    /// The interface under a type that is one.
    pub(crate) fn interface_of(&mut self, t: Ty) -> Option<Interface> {
        if let Kind::Interface(i) = self.under_kind(t) { Some(i) } else { None }
    }

    /// Whether `v` implements (or, as a type argument, satisfies) `t`; the error is the reason why not.
    pub(crate) fn implements(&mut self, v: Ty, t: Ty, constraint: bool) -> Result<(), String> {
        let (vu, tu) = (self.under(v), self.under(t));
        let invalid = Basic::Invalid.ty();
        if vu == invalid || tu == invalid {
            return Ok(());
        }
        if let Kind::Pointer(e) = *self.types.kind(vu)
            && self.under(e) == invalid
        {
            return Ok(());
        }
        let verb = if constraint { "satisfy" } else { "implement" };
        let target = match self.types.kind(tu).clone() {
            Kind::Interface(i) => i,
            _ if constraint => self.as_constraint(t),
            _ => {
                let detail = if self.is_interface_ptr(tu) {
                    self.interface_ptr_error(t)
                } else {
                    format!("{} is not an interface", self.show(t))
                };
                return Err(format!(
                    "{} does not {verb} {} ({detail})",
                    self.show(v),
                    self.show(t)
                ));
            }
        };
        if target.methods.is_empty() && target.unions.is_empty() && !target.comparable {
            return Ok(());
        }
        let terms = self.terms_of(&target);
        if terms.as_ref().is_some_and(Vec::is_empty) {
            if self.has_empty_set(v) {
                return Ok(());
            }
            return Err(format!("cannot {verb} {} (empty type set)", self.show(t)));
        }
        if let Some(cause) = self.missing_method(v, &target, t, true) {
            if self.embeds_invalid(v) {
                return Ok(());
            }
            return Err(format!("{} does not {verb} {} {cause}", self.show(v), self.show(t)));
        }
        if let Some(terms) = terms {
            self.satisfies_terms(v, t, &terms, verb)?;
        }
        if target.comparable && self.comparable(v, constraint).is_err() {
            return Err(format!("{} does not {verb} comparable", self.show(v)));
        }
        Ok(())
    }

    /// Whether a struct, or what a pointer points to, embeds what was complained about, so that its methods are not known.
    fn embeds_invalid(&mut self, v: Ty) -> bool {
        let (base, _) = self.deref(v);
        let Kind::Struct(fields) = self.under_kind(base) else { return false };
        fields.iter().filter(|f| f.embedded).any(|f| {
            let u = self.under(f.ty);
            !self.is_valid_ty(u)
                || (matches!(self.types.kind(u), Kind::Struct(_)) && self.embeds_invalid(f.ty))
        })
    }

    /// Whether no type is in the type set of an interface or of a type parameter's constraint.
    fn has_empty_set(&mut self, v: Ty) -> bool {
        let own = if self.is_param(v) { Some(self.bound(v)) } else { self.interface_of(v) };
        own.and_then(|i| self.terms_of(&i)).is_some_and(|terms| terms.is_empty())
    }

    fn satisfies_terms(
        &mut self,
        v: Ty,
        t: Ty,
        terms: &[super::ty::Term],
        verb: &str,
    ) -> Result<(), String> {
        let own = if self.is_param(v) {
            let bound = self.bound(v);
            Some(self.terms_of(&bound))
        } else {
            self.interface_of(v).map(|i| self.terms_of(&i))
        };
        if let Some(own) = own {
            let subset = own.is_some_and(|own| {
                own.iter().all(|o| {
                    terms.iter().any(|t| self.term_includes(t, o.ty) && (!o.tilde || t.tilde))
                })
            });
            if subset {
                return Ok(());
            }
            return Err(format!("{} does not {verb} {}", self.show(v), self.show(t)));
        }
        if terms.iter().any(|term| self.term_includes(term, v)) {
            return Ok(());
        }
        let vu = self.under(v);
        let near = terms.iter().find(|term| !term.tilde && term.ty == vu).map(|t| t.ty);
        let detail = match near {
            Some(alt) => format!("possibly missing ~ for {} in {}", self.show(alt), self.show(t)),
            None if self.mentions_type(t, v) => {
                let (t, v) = (self.show(t), self.show(v));
                format!("{t} mentions {v}, but {v} is not in the type set of {t}")
            }
            None => format!("{} missing in {}", self.show(v), self.show_terms(terms)),
        };
        Err(format!("{} does not {verb} {} ({detail})", self.show(v), self.show(t)))
    }

    /// Whether a type stands among the elements of an interface, though it may not be in its type set.
    fn mentions_type(&mut self, interface: Ty, v: Ty) -> bool {
        let u = self.under(interface);
        let Some(written) = self.written.get(&u).cloned() else { return false };
        written.embedded.into_iter().flatten().any(|term| match self.types.kind(term.ty) {
            Kind::Interface(_) => self.mentions_type(term.ty, v),
            _ => term.ty == v,
        })
    }

    /// `type T is pointer to interface, not interface`.
    pub(crate) fn interface_ptr_error(&mut self, t: Ty) -> String {
        let u = self.under(t);
        let param = matches!(*self.types.kind(u), Kind::Pointer(e) if self.is_param(e));
        let t = self.show(t);
        if param {
            format!("type {t} is pointer to type parameter, not type parameter")
        } else {
            format!("type {t} is pointer to interface, not interface")
        }
    }

    /// Why `v` lacks a method of an interface; `None` if it has all. Where not `fixed`, an interface `v` may have
    /// further methods at run time.
    pub(crate) fn missing_method(
        &mut self,
        v: Ty,
        target: &Interface,
        t: Ty,
        fixed: bool,
    ) -> Option<String> {
        let own = if self.is_param(v) { Some(self.bound(v)) } else { self.interface_of(v) };
        for m in &target.methods {
            if let Some(own) = &own {
                let have =
                    own.methods.iter().find(|h| same_id(&h.name, h.pkg, &m.name, m.pkg, false));
                match have {
                    None if !fixed => {}
                    None => return Some(self.missing_text(v, t, m)),
                    Some(h) if h.sig != m.sig => {
                        return Some(self.wrong_type(m, &h.name.clone(), h.sig));
                    }
                    Some(_) => {}
                }
                continue;
            }
            if let Some(cause) = self.missing_declared(v, t, m) {
                return Some(cause);
            }
        }
        None
    }

    /// A method has another signature than is wanted.
    pub(crate) fn wrong_type(&mut self, m: &Method, name: &str, have: Ty) -> String {
        let (have, want) = (self.show_signature(have), self.show_signature(m.sig));
        if have == want {
            return format!("(wrong type for method {})", m.name);
        }
        format!(
            "(wrong type for method {})\n\t\thave {name}{have}\n\t\twant {}{want}",
            m.name, m.name
        )
    }

    fn missing_text(&mut self, v: Ty, t: Ty, m: &Method) -> String {
        for x in [v, t] {
            if self.is_interface_ptr(x) {
                return format!("({})", self.interface_ptr_error(x));
            }
        }
        format!("(missing method {})", m.name)
    }

    /// Whether a signature mentions a type that was complained about.
    fn has_invalid(&self, sig: Ty) -> bool {
        let Kind::Func(s) = self.types.kind(sig) else { return true };
        s.params.iter().chain(&s.results).any(|&t| !self.is_valid_ty(t))
    }

    fn missing_declared(&mut self, v: Ty, t: Ty, m: &Method) -> Option<String> {
        let pkg = m.pkg.unwrap_or(self.env.pkg);
        match self.find(v, false, pkg, &m.name, false) {
            Lookup::Found { found: Found::Field(_), .. } => {
                Some(format!("({}.{} is a field, not a method)", self.show(v), m.name))
            }
            Lookup::Found { found: Found::Method { func, named, .. }, .. } => {
                let have = self.method_sig(func, named);
                let generic = !self.funcs[func.0 as usize].tparams.is_empty();
                let unknown = self.has_invalid(have) || self.has_invalid(m.sig);
                ((have != m.sig && !unknown) || generic)
                    .then(|| self.wrong_type(m, &m.name.clone(), have))
            }
            Lookup::Found { found: Found::Abstract(h), .. } => {
                (h.sig != m.sig).then(|| self.wrong_type(m, &h.name.clone(), h.sig))
            }
            Lookup::Ambiguous => Some(format!("(ambiguous selector {}.{})", self.show(v), m.name)),
            Lookup::NeedsPointer => Some(format!("(method {} has pointer receiver)", m.name)),
            Lookup::Missing => Some(self.similar_method(v, t, m, pkg)),
        }
    }

    /// A method whose name differs in case only is worth telling.
    fn similar_method(&mut self, v: Ty, t: Ty, m: &Method, pkg: PkgId) -> String {
        if let Lookup::Found { found: Found::Method { func, named, .. }, .. } =
            self.find(v, false, pkg, &m.name, true)
        {
            let name = self.name(self.funcs[func.0 as usize].name).to_string();
            if name == m.name {
                return format!("(unexported method {name})");
            }
            let have = self.method_sig(func, named);
            let (have, want) = (self.show_signature(have), self.show_signature(m.sig));
            return format!(
                "(missing method {})\n\t\thave {name}{have}\n\t\twant {}{want}",
                m.name, m.name
            );
        }
        self.missing_text(v, t, m)
    }
}

fn abstract_method(i: &Interface, pkg: PkgId, name: &str, fold: bool) -> Option<Method> {
    i.methods.iter().find(|m| same_id(&m.name, m.pkg, name, Some(pkg), fold)).cloned()
}

/// The same type reached twice at one depth makes everything in it ambiguous.
fn merge(list: Vec<Entry>) -> Vec<Entry> {
    let mut out: Vec<Entry> = vec![];
    for e in list {
        match out.iter_mut().find(|o| o.ty == e.ty) {
            Some(o) => o.multiple = true,
            None => out.push(e),
        }
    }
    out
}
