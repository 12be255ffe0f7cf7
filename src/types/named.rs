//! Defined types, their underlying types on demand, substitution and instances of generic types.
//!
//! A reference to a defined type needs only its id; what it is made of is found when [`Checker::under`] is first
//! asked, so that types may refer to each other freely. An instance is a defined type of its own whose underlying
//! type is the generic one's with the arguments in place of the parameters.

use super::checker::Checker;
use super::object::{GenericId, NamedInfo};
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
        if self.arg_depth(t, 0) > MAX_ARG_DEPTH {
            return;
        }
        let params = self.generics[generic.0 as usize].tparams.clone();
        let map = bindings(&params, &args);
        let u = self.subst(base, &map);
        self.types.named[n.0 as usize].underlying = u;
    }

    fn arg_depth(&self, t: Ty, depth: u32) -> u32 {
        if depth > MAX_ARG_DEPTH {
            return depth;
        }
        match self.types.kind(t) {
            Kind::Named(n) => {
                let args = &self.types.named[n.0 as usize].args;
                args.iter().map(|&a| self.arg_depth(a, depth + 1)).max().unwrap_or(depth)
            }
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => {
                self.arg_depth(*e, depth + 1)
            }
            Kind::Map(_, v) => self.arg_depth(*v, depth + 1),
            Kind::Basic(_)
            | Kind::Func(_)
            | Kind::Struct(_)
            | Kind::Interface(_)
            | Kind::Tuple(_)
            | Kind::Param(_) => depth,
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
        let info = self.named_info_mut(t);
        info.generic = Some(g);
        info.origin = Some(n);
        info.obj = obj;
        self.generics[g.0 as usize].instances.insert(args.to_vec(), t);
        t
    }

    /// Whether a type mentions a type parameter.
    pub(crate) fn has_param(&self, t: Ty) -> bool {
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
        if let Some((_, to)) = map.iter().find(|(from, _)| *from == t) {
            return *to;
        }
        match self.types.kind(t).clone() {
            Kind::Named(n) => self.subst_named(t, n, map),
            Kind::Pointer(e) => self.rebuild(e, map, Kind::Pointer),
            Kind::Slice(e) => self.rebuild(e, map, Kind::Slice),
            Kind::Array(len, e) => self.rebuild(e, map, |e| Kind::Array(len, e)),
            Kind::Chan(dir, e) => self.rebuild(e, map, |e| Kind::Chan(dir, e)),
            Kind::Map(k, v) => {
                let k = self.subst(k, map);
                self.rebuild(v, map, |v| Kind::Map(k, v))
            }
            Kind::Func(s) => {
                let params = self.subst_list(&s.params, map);
                let results = self.subst_list(&s.results, map);
                self.types.intern(Kind::Func(Signature { params, results, variadic: s.variadic }))
            }
            Kind::Struct(fields) => {
                let fields =
                    fields.into_iter().map(|f| Field { ty: self.subst(f.ty, map), ..f }).collect();
                self.types.intern(Kind::Struct(fields))
            }
            Kind::Interface(i) => self.subst_interface(t, i, map),
            Kind::Tuple(list) => {
                let list = self.subst_list(&list, map);
                self.types.intern(Kind::Tuple(list))
            }
            Kind::Basic(_) | Kind::Param(_) => t,
        }
    }

    fn rebuild(&mut self, e: Ty, map: &[(Ty, Ty)], kind: impl FnOnce(Ty) -> Kind) -> Ty {
        let e = self.subst(e, map);
        self.types.intern(kind(e))
    }

    /// `subst` of each.
    pub(crate) fn subst_list(&mut self, list: &[Ty], map: &[(Ty, Ty)]) -> Vec<Ty> {
        list.iter().map(|&t| self.subst(t, map)).collect()
    }

    fn subst_named(&mut self, t: Ty, n: NamedId, map: &[(Ty, Ty)]) -> Ty {
        let args = self.types.named[n.0 as usize].args.clone();
        let args = self.subst_list(&args, map);
        match self.named[n.0 as usize].generic {
            Some(g) => self.instantiate(g, &args),
            None => t,
        }
    }

    fn subst_interface(&mut self, t: Ty, i: Interface, map: &[(Ty, Ty)]) -> Ty {
        let methods =
            i.methods.into_iter().map(|m| Method { sig: self.subst(m.sig, map), ..m }).collect();
        let mut unions: Vec<Vec<Term>> = vec![];
        for u in i.unions {
            let terms =
                u.into_iter().map(|term| Term { ty: self.subst(term.ty, map), ..term }).collect();
            if let Some(terms) = self.flatten_terms(terms) {
                unions.push(terms);
            }
        }
        let new = self.types.intern(Kind::Interface(Interface {
            methods,
            unions,
            comparable: i.comparable,
        }));
        if self.implicit.contains(&t) {
            self.implicit.insert(new);
        }
        new
    }
}

/// Pairs parameters with arguments.
pub(crate) fn bindings(params: &[Ty], args: &[Ty]) -> Vec<(Ty, Ty)> {
    params.iter().copied().zip(args.iter().copied()).collect()
}
