//! Defined types, their underlying types on demand, substitution and instances of generic types.
//!
//! A reference to a defined type needs only its id; what it is made of is found when [`Checker::under`] is first
//! asked, so that types may refer to each other freely. An instance is a defined type of its own whose underlying
//! type is the generic one's with the arguments in place of the parameters.

use super::checker::{Checker, Written};
use super::object::{GenericId, NamedInfo};
use super::table::HashMap;

use super::ty::{Basic, Field, Interface, Kind, Method, Named, NamedId, Signature, Term, Ty};

/// Instances nest at most this deep in each other's arguments; deeper ones come from a cycle.
const MAX_ARG_DEPTH: u32 = 100;

impl Checker {
    /// Makes a defined type whose underlying type is not known yet.
    pub(crate) fn new_named(&mut self, named: Named) -> Ty {
        let t = self.types.new_named(named);
        self.named.push(NamedInfo::default());
        if let Kind::Named(n) = *self.types.kind(t) {
            self.named[n.0 as usize].origin = Some(n);
        }
        self.pending.push(t);
        t
    }

    /// The defined type that `t` is.
    pub(crate) fn named_id(&self, t: Ty) -> Option<NamedId> {
        if let Kind::Named(n) = *self.types.kind(t) { Some(n) } else { None }
    }

    /// What is known of a defined type.
    pub(crate) fn named_info(&self, t: Ty) -> Option<&NamedInfo> {
        self.named_id(t).map(|n| &self.named[n.0 as usize])
    }

    /// The same, to change it.
    pub(crate) fn named_info_mut(&mut self, t: Ty) -> &mut NamedInfo {
        let n = self.named_id(t).expect("a defined type");
        &mut self.named[n.0 as usize]
    }

    /// The underlying type. Of a type parameter, the parameter itself.
    pub(crate) fn under(&mut self, t: Ty) -> Ty {
        let Kind::Named(n) = *self.types.kind(t) else { return t };
        if !self.named[n.0 as usize].complete {
            self.complete(t, n);
        }
        self.types.named[n.0 as usize].underlying
    }

    /// The structure of the underlying type.
    pub(crate) fn under_kind(&mut self, t: Ty) -> Kind {
        let u = self.under(t);
        self.types.kind(u).clone()
    }

    fn complete(&mut self, t: Ty, n: NamedId) {
        let info = &self.named[n.0 as usize];
        let Some(generic) = info.generic.filter(|_| info.origin != Some(n)) else {
            if let Some(obj) = info.obj {
                self.complete_declared(t, obj);
            }
            return;
        };
        let origin = self.generics[generic.0 as usize].origin;
        let base = self.under(origin);
        if !self.named_info(origin).is_some_and(|i| i.complete) {
            return; // still being declared
        }
        self.named[n.0 as usize].complete = true;
        let args = self.types.named[n.0 as usize].args.clone();
        if self.named[n.0 as usize].depth > MAX_ARG_DEPTH {
            return;
        }
        let params = self.generics[generic.0 as usize].tparams.clone();
        let map = bindings(&params, &args);
        let u = self.subst(base, &map);
        self.types.named[n.0 as usize].underlying = u;
    }

    /// How deep instances nest in a type's arguments.
    fn arg_depth(&self, t: Ty) -> u32 {
        match self.types.kind(t) {
            Kind::Named(n) => self.named[n.0 as usize].depth,
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => {
                self.arg_depth(*e)
            }
            Kind::Map(k, v) => self.arg_depth(*k).max(self.arg_depth(*v)),
            Kind::Func(s) => {
                s.params.iter().chain(&s.results).map(|&t| self.arg_depth(t)).max().unwrap_or(0)
            }
            Kind::Struct(fields) => fields.iter().map(|f| self.arg_depth(f.ty)).max().unwrap_or(0),
            Kind::Basic(_) | Kind::Interface(_) | Kind::Tuple(_) | Kind::Param(_) => 0,
        }
    }

    /// Completes every type made so far, so that the back end can look at them.
    pub(crate) fn complete_all(&mut self) {
        while let Some(t) = self.pending.pop() {
            if !self.has_param(t) {
                self.under(t);
            }
        }
    }

    /// The instance of a generic type with these arguments; an alias gives what it stands for.
    pub(crate) fn instantiate(&mut self, g: GenericId, args: &[Ty]) -> Ty {
        let generic = &self.generics[g.0 as usize];
        if generic.tparams.len() != args.len() {
            return Basic::Invalid.ty();
        }
        if generic.alias {
            let map = bindings(&generic.tparams, args);
            let origin = generic.origin;
            return self.subst(origin, &map);
        }
        if generic.tparams == args {
            return generic.origin;
        }
        if let Some(&t) = generic.instances.get(args) {
            return t;
        }
        let origin = generic.origin;
        let Some(n) = self.named_id(origin) else { return Basic::Invalid.ty() };
        let base = &self.types.named[n.0 as usize];
        let named = Named { args: args.to_vec(), underlying: Basic::Invalid.ty(), ..base.clone() };
        let t = self.new_named(named);
        let obj = self.named[n.0 as usize].obj;
        let depth = args.iter().map(|&a| self.arg_depth(a)).max().unwrap_or(0) + 1;
        let info = self.named_info_mut(t);
        info.depth = depth;
        info.generic = Some(g);
        info.origin = Some(n);
        info.obj = obj;
        self.generics[g.0 as usize].instances.insert(args.to_vec(), t);
        t
    }

    /// Whether a type mentions a type parameter. Types share their parts, so what was found is remembered.
    pub(crate) fn has_param(&self, t: Ty) -> bool {
        let known = self.with_params.borrow().get(t.0 as usize).copied().flatten();
        if let Some(known) = known {
            return known;
        }
        let found = self.find_param(t);
        let mut memo = self.with_params.borrow_mut();
        if memo.len() <= t.0 as usize {
            memo.resize(t.0 as usize + 1, None);
        }
        memo[t.0 as usize] = Some(found);
        found
    }

    fn find_param(&self, t: Ty) -> bool {
        match self.types.kind(t) {
            Kind::Param(_) => true,
            Kind::Basic(_) => false,
            Kind::Named(n) => {
                self.types.named[n.0 as usize].args.iter().any(|&a| self.has_param(a))
            }
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => {
                self.has_param(*e)
            }
            Kind::Map(k, v) => self.has_param(*k) || self.has_param(*v),
            Kind::Func(s) => s.params.iter().chain(&s.results).any(|&t| self.has_param(t)),
            Kind::Struct(fields) => fields.iter().any(|f| self.has_param(f.ty)),
            Kind::Interface(i) => {
                i.methods.iter().any(|m| self.has_param(m.sig))
                    || i.unions.iter().flatten().any(|t| self.has_param(t.ty))
            }
            Kind::Tuple(list) => list.iter().any(|&t| self.has_param(t)),
        }
    }

    /// `t` with types in place of type parameters.
    pub(crate) fn subst(&mut self, t: Ty, map: &[(Ty, Ty)]) -> Ty {
        if map.is_empty() || !self.has_param(t) {
            return t;
        }
        Subst { checker: self, map, done: HashMap::default() }.ty(t)
    }

    /// `subst` of each.
    pub(crate) fn subst_list(&mut self, list: &[Ty], map: &[(Ty, Ty)]) -> Vec<Ty> {
        list.iter().map(|&t| self.subst(t, map)).collect()
    }
}

/// One substitution: types share their parts, so each is done once.
struct Subst<'c, 'm> {
    checker: &'c mut Checker,
    map: &'m [(Ty, Ty)],
    done: HashMap<Ty, Ty>,
}

impl Subst<'_, '_> {
    fn ty(&mut self, t: Ty) -> Ty {
        if !self.checker.has_param(t) {
            return t;
        }
        if let Some((_, to)) = self.map.iter().find(|(from, _)| *from == t) {
            return *to;
        }
        if let Some(&to) = self.done.get(&t) {
            return to;
        }
        let to = self.rebuild(t);
        self.done.insert(t, to);
        to
    }

    fn list(&mut self, list: &[Ty]) -> Vec<Ty> {
        list.iter().map(|&t| self.ty(t)).collect()
    }

    fn rebuild(&mut self, t: Ty) -> Ty {
        let kind = match self.checker.types.kind(t).clone() {
            Kind::Named(n) => return self.named(t, n),
            Kind::Interface(i) => return self.interface(t, i),
            Kind::Pointer(e) => Kind::Pointer(self.ty(e)),
            Kind::Slice(e) => Kind::Slice(self.ty(e)),
            Kind::Array(len, e) => Kind::Array(len, self.ty(e)),
            Kind::Chan(dir, e) => Kind::Chan(dir, self.ty(e)),
            Kind::Map(k, v) => Kind::Map(self.ty(k), self.ty(v)),
            Kind::Func(s) => {
                let (params, results) = (self.list(&s.params), self.list(&s.results));
                let kind = Kind::Func(Signature { params, results, variadic: s.variadic });
                let made = self.checker.types.intern(kind);
                if let Some(words) = self.checker.spelled.get(&t).cloned() {
                    self.checker.spelled.entry(made).or_insert(words);
                }
                return made;
            }
            Kind::Struct(fields) => {
                Kind::Struct(fields.into_iter().map(|f| Field { ty: self.ty(f.ty), ..f }).collect())
            }
            Kind::Tuple(list) => Kind::Tuple(self.list(&list)),
            Kind::Basic(_) | Kind::Param(_) => return t,
        };
        self.checker.types.intern(kind)
    }

    fn named(&mut self, t: Ty, n: NamedId) -> Ty {
        let args = self.checker.types.named[n.0 as usize].args.clone();
        let args = self.list(&args);
        match self.checker.named[n.0 as usize].generic {
            Some(g) => self.checker.instantiate(g, &args),
            None => t,
        }
    }

    fn interface(&mut self, t: Ty, i: Interface) -> Ty {
        let methods = i.methods.into_iter().map(|m| Method { sig: self.ty(m.sig), ..m }).collect();
        let mut unions: Vec<Vec<Term>> = vec![];
        for u in i.unions {
            let terms = u.into_iter().map(|term| Term { ty: self.ty(term.ty), ..term }).collect();
            unions.extend(self.checker.flatten_terms(terms));
        }
        let new = Interface { methods, unions, comparable: i.comparable };
        let new = self.checker.types.intern(Kind::Interface(new));
        if self.checker.implicit.contains(&t) {
            self.checker.implicit.insert(new);
        } else if new != t
            && let Some(w) = self.checker.written.get(&t).cloned()
        {
            let mut embedded = vec![];
            for terms in &w.embedded {
                let of = |s: &mut Self, t: &Term| Term { ty: s.ty(t.ty), ..*t };
                embedded.push(terms.iter().map(|t| of(self, t)).collect());
            }
            self.checker.written.entry(new).or_insert(Written { embedded, ..w });
        }
        new
    }
}

/// Pairs parameters with arguments.
pub(crate) fn bindings(params: &[Ty], args: &[Ty]) -> Vec<(Ty, Ty)> {
    params.iter().copied().zip(args.iter().copied()).collect()
}
