//! Type inference (Go specification, "Type inference", "Type unification").
//!
//! A call's type parameters are renamed first, so that a generic function may call itself. What the typed arguments,
//! the constraints and last the untyped arguments tell is collected in a [`Unifier`].

#![expect(clippy::wildcard_enum_match_arm, reason = "tables over pairs of kinds")]

use super::checker::Checker;
use super::lookup::{Found, Lookup, same_id};
use super::named::bindings;
use super::operand::Operand;
use super::ty::{Basic, ChanDir, Interface, Kind, Ty, TypeParam};
use crate::diag::Code;
use crate::source::Pos;
use std::collections::BTreeMap;

/// Types nest at most this deep in unification.
const MAX_DEPTH: u32 = 50;

/// How exact a match has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mode {
    assign: bool,
    exact: bool,
}

const ASSIGN: Mode = Mode { assign: true, exact: false };
const INEXACT: Mode = Mode { assign: false, exact: false };
const EXACT: Mode = Mode { assign: false, exact: true };

/// Type parameters and what is known of them. Joined parameters share a handle.
struct Unifier {
    handles: BTreeMap<Ty, usize>,
    values: Vec<Option<Ty>>,
    depth: u32,
}

/// An error of inference: where, and the words.
pub(crate) type InferError = (Pos, String);

/// What is inferred for.
pub(crate) struct Inference<'a> {
    pub(crate) pos: Pos,
    pub(crate) tparams: &'a [Ty],
    pub(crate) given: Vec<Option<Ty>>,
    pub(crate) params: Vec<Ty>,
    pub(crate) args: &'a [Operand],
    /// An assignment's target is the argument.
    pub(crate) reverse: Option<String>,
}

impl Unifier {
    fn new(tparams: &[Ty], given: &[Option<Ty>]) -> Self {
        let handles = tparams.iter().enumerate().map(|(i, &t)| (t, i)).collect();
        let values = (0..tparams.len()).map(|i| given.get(i).copied().flatten()).collect();
        Unifier { handles, values, depth: 0 }
    }

    fn at(&self, t: Ty) -> Option<Ty> {
        self.values[self.handles[&t]]
    }

    fn set(&mut self, t: Ty, to: Ty) {
        let h = self.handles[&t];
        self.values[h] = Some(to);
    }

    fn is_bound(&self, t: Ty) -> bool {
        self.handles.contains_key(&t)
    }

    fn unknowns(&self) -> usize {
        self.handles.values().filter(|&&h| self.values[h].is_none()).count()
    }

    fn inferred(&self, tparams: &[Ty]) -> Vec<Option<Ty>> {
        tparams.iter().map(|&t| self.at(t)).collect()
    }

    fn join(&mut self, x: Ty, y: Ty) -> bool {
        let (hx, hy) = (self.handles[&x], self.handles[&y]);
        if hx == hy {
            return true;
        }
        let (from, to) = match (self.values[hx], self.values[hy]) {
            (Some(_), Some(_)) => return false,
            (Some(_), None) => (hy, hx),
            _ => (hx, hy),
        };
        for h in self.handles.values_mut() {
            if *h == from {
                *h = to;
            }
        }
        true
    }
}

impl Checker {
    /// Fresh copies of type parameters, with constraints over the copies.
    pub(crate) fn rename_tparams(&mut self, tparams: &[Ty]) -> Vec<Ty> {
        let mut fresh = vec![];
        for &t in tparams {
            let Kind::Param(p) = *self.types.kind(t) else { continue };
            let p = &self.types.params[p.0 as usize];
            let copy = TypeParam {
                name: p.name.clone(),
                pos: p.pos,
                constraint: p.constraint,
                says_any: p.says_any,
            };
            fresh.push(self.types.new_param(copy));
        }
        let map = bindings(tparams, &fresh);
        for &t in &fresh {
            let Kind::Param(p) = *self.types.kind(t) else { continue };
            let c = self.types.params[p.0 as usize].constraint;
            let c = self.subst(c, &map);
            self.types.params[p.0 as usize].constraint = c;
        }
        fresh
    }

    /// Infers type arguments for `tparams`.
    pub(crate) fn infer(&mut self, mut q: Inference<'_>) -> Result<Vec<Ty>, InferError> {
        if let Some(all) = q.given.iter().copied().collect::<Option<Vec<Ty>>>()
            && all.len() == q.tparams.len()
        {
            return Ok(all);
        }
        let known: Vec<(Ty, Ty)> =
            q.tparams.iter().zip(&q.given).filter_map(|(&p, g)| g.map(|g| (p, g))).collect();
        q.params = self.subst_list(&q.params.clone(), &known);
        let mut u = Unifier::new(q.tparams, &q.given);
        let untyped = self.infer_from_arguments(&q, &mut u)?;
        self.infer_from_constraints(&q, &mut u)?;
        self.infer_from_untyped(&q, &mut u, &untyped)?;
        self.simplify(&q, &u)
    }

    pub(crate) fn mentions(&self, t: Ty, tparams: &[Ty]) -> bool {
        if !self.has_param(t) {
            return false;
        }
        let m = |t: Ty| self.mentions(t, tparams);
        match self.types.kind(t) {
            Kind::Param(_) => tparams.contains(&t),
            Kind::Basic(_) => false,
            Kind::Named(n) => self.types.named[n.0 as usize].args.iter().any(|&a| m(a)),
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => m(*e),
            Kind::Map(k, v) => m(*k) || m(*v),
            Kind::Func(s) => s.params.iter().chain(&s.results).any(|&t| m(t)),
            Kind::Struct(fields) => fields.iter().any(|f| m(f.ty)),
            Kind::Interface(i) => {
                i.methods.iter().any(|x| m(x.sig)) || i.unions.iter().flatten().any(|t| m(t.ty))
            }
            Kind::Tuple(list) => list.iter().any(|&t| m(t)),
        }
    }

    fn infer_from_arguments(
        &mut self,
        q: &Inference<'_>,
        u: &mut Unifier,
    ) -> Result<Vec<usize>, InferError> {
        let mut untyped = vec![];
        for (i, arg) in q.args.iter().enumerate() {
            let Some(&par) = q.params.get(i) else { continue };
            if !arg.is_valid()
                || (!self.mentions(par, q.tparams) && !self.mentions(arg.ty, q.tparams))
            {
                continue;
            }
            if self.is_untyped(arg.ty) {
                if self.is_param(par) && !arg.is_nil() {
                    untyped.push(i);
                }
            } else if !self.nify(u, par, arg.ty, ASSIGN) {
                return Err(self.no_match(q, u, par, arg));
            }
        }
        Ok(untyped)
    }

    fn no_match(&mut self, q: &Inference<'_>, u: &Unifier, par: Ty, arg: &Operand) -> InferError {
        let targs = u.inferred(q.tparams);
        let pos = self.pos(arg.node);
        let shown = q.reverse.clone().unwrap_or_else(|| self.show_node(arg.node));
        let t = self.show_fun_type(arg).unwrap_or_else(|| self.show(arg.ty));
        if targs.iter().all(Option::is_none) {
            let (p, names) = (self.show(par), self.param_names_text(q.tparams));
            return (pos, format!("type {t} of {shown} does not match {p} (cannot infer {names})"));
        }
        let map: Vec<(Ty, Ty)> =
            q.tparams.iter().zip(&targs).filter_map(|(&p, t)| t.map(|t| (p, t))).collect();
        let inferred = self.subst(par, &map);
        let p = self.show(par);
        if inferred == par {
            return (pos, format!("type {t} of {shown} does not match {p}"));
        }
        let i = self.show(inferred);
        let text = if q.reverse.is_some() {
            format!("inferred type {i} for {p} does not match type {t} of {shown}")
        } else {
            format!("type {t} of {shown} does not match inferred type {i} for {p}")
        };
        (pos, text)
    }

    fn param_names_text(&self, tparams: &[Ty]) -> String {
        let names: Vec<String> = tparams.iter().map(|&t| self.show(t)).collect();
        match names.as_slice() {
            [] => String::new(),
            [a] => a.clone(),
            [a, b] => format!("{a} and {b}"),
            [init @ .., last] => format!("{}, and {last}", init.join(", ")),
        }
    }

    /// The core of a parameter's constraint: type, whether with a tilde, and whether it is a single term.
    fn core_term(&mut self, tpar: Ty) -> Option<(Ty, bool, bool)> {
        let bound = self.bound(tpar);
        let terms = self.terms_of(&bound)?;
        if let [one] = terms.as_slice() {
            return Some((one.ty, one.tilde, true));
        }
        let tilde = terms.iter().any(|t| t.tilde);
        let u = self.common_under(tpar).ok()?;
        Some((u, tilde, false))
    }

    fn infer_from_constraints(
        &mut self,
        q: &Inference<'_>,
        u: &mut Unifier,
    ) -> Result<(), InferError> {
        loop {
            let before = u.unknowns();
            for &tpar in q.tparams {
                self.infer_from_constraint(q, u, tpar)?;
            }
            if u.unknowns() == before {
                return Ok(());
            }
        }
    }

    fn infer_from_constraint(
        &mut self,
        q: &Inference<'_>,
        u: &mut Unifier,
        tpar: Ty,
    ) -> Result<(), InferError> {
        let tx = u.at(tpar);
        if let Some((core, tilde, single)) = self.core_term(tpar) {
            match tx {
                Some(tx) if !self.nify(u, tx, core, INEXACT) => {
                    return Err(self.unsatisfied(q, tpar, tx, ""));
                }
                Some(_) => {}
                None if single && !tilde => u.set(tpar, core),
                None => {}
            }
        }
        let Some(tx) = tx.filter(|&t| !self.mentions(t, q.tparams)) else { return Ok(()) };
        let bound = self.bound(tpar);
        if let Some(cause) = self.unify_methods(u, tx, &bound, tpar) {
            return Err(self.unsatisfied(q, tpar, tx, &cause));
        }
        Ok(())
    }

    fn unsatisfied(&mut self, q: &Inference<'_>, tpar: Ty, tx: Ty, cause: &str) -> InferError {
        let Kind::Param(p) = *self.types.kind(tpar) else { return (q.pos, String::new()) };
        let c = self.types.params[p.0 as usize].constraint;
        let (tpar, tx, c) = (self.show(tpar), self.show(tx), self.show(c));
        let cause = if cause.is_empty() { String::new() } else { format!(" {cause}") };
        (q.pos, format!("{tpar} (type {tx}) does not satisfy {c}{cause}"))
    }

    /// A type must have the methods of a constraint; their signatures tell more about the parameters.
    fn unify_methods(
        &mut self,
        u: &mut Unifier,
        tx: Ty,
        bound: &Interface,
        tpar: Ty,
    ) -> Option<String> {
        for m in &bound.methods {
            let have = match self.method_signature(tx, m.pkg.unwrap_or(self.env.pkg), &m.name) {
                Some(sig) => sig,
                None => return self.missing_method(tx, bound, tpar, true),
            };
            if !self.nify(u, have, m.sig, EXACT) {
                return Some(self.wrong_type(m, &m.name, have));
            }
        }
        None
    }

    fn method_signature(&mut self, t: Ty, pkg: super::ty::PkgId, name: &str) -> Option<Ty> {
        match self.find(t, false, pkg, name, false) {
            Lookup::Found { found: Found::Method { func, named, .. }, .. } => {
                Some(self.method_sig(func, named))
            }
            Lookup::Found { found: Found::Abstract(m), .. } => Some(m.sig),
            _ => None,
        }
    }

    fn infer_from_untyped(
        &mut self,
        q: &Inference<'_>,
        u: &mut Unifier,
        untyped: &[usize],
    ) -> Result<(), InferError> {
        let mut largest: Vec<(Ty, Ty)> = vec![];
        for &i in untyped {
            let (tpar, arg) = (q.params[i], &q.args[i]);
            if !u.is_bound(tpar) || u.at(tpar).is_some() {
                continue;
            }
            let Some((_, max)) = largest.iter_mut().find(|(t, _)| *t == tpar) else {
                largest.push((tpar, arg.ty));
                continue;
            };
            let probe = Operand { ty: arg.ty, ..arg.clone() };
            match self.implicit_type(&probe, *max) {
                Ok((t, _)) => *max = t,
                Err(_) => {
                    let (a, b, t) = (self.show(*max), self.show(arg.ty), self.show(tpar));
                    let pos = self.pos(arg.node);
                    return Err((pos, format!("mismatched types {a} and {b} (cannot infer {t})")));
                }
            }
        }
        for (tpar, t) in largest {
            let d = self.default_type(t);
            u.set(tpar, d);
        }
        Ok(())
    }

    /// Inferred types that mention other parameters are made concrete.
    fn simplify(&mut self, q: &Inference<'_>, u: &Unifier) -> Result<Vec<Ty>, InferError> {
        let mut inferred = u.inferred(q.tparams);
        for _ in 0..q.tparams.len() {
            let map: Vec<(Ty, Ty)> =
                q.tparams.iter().zip(&inferred).filter_map(|(&p, t)| t.map(|t| (p, t))).collect();
            for t in inferred.iter_mut().flatten() {
                *t = self.subst(*t, &map);
            }
        }
        let mut out = vec![];
        for (&tpar, t) in q.tparams.iter().zip(&inferred) {
            match t.filter(|&t| !self.mentions(t, q.tparams)) {
                Some(t) => out.push(t),
                None => {
                    let Kind::Param(p) = *self.types.kind(tpar) else { continue };
                    let at = self.show_pos(self.types.params[p.0 as usize].pos);
                    let text = format!("cannot infer {} (declared at {at})", self.show(tpar));
                    return Err((q.pos, text));
                }
            }
        }
        Ok(out)
    }

    // ---- unification ----

    fn nify(&mut self, u: &mut Unifier, x: Ty, y: Ty, mode: Mode) -> bool {
        if x == y {
            return true;
        }
        if u.depth > MAX_DEPTH {
            return false;
        }
        u.depth += 1;
        let r = self.nify_inner(u, x, y, mode);
        u.depth -= 1;
        r
    }

    fn nify_inner(&mut self, u: &mut Unifier, mut x: Ty, mut y: Ty, mode: Mode) -> bool {
        if self.named_id(x).is_some() || u.is_bound(y) {
            std::mem::swap(&mut x, &mut y);
        }
        // a defined type matches a type literal, or a predeclared type, by its underlying type
        let literal = !matches!(self.types.kind(x), Kind::Named(_) | Kind::Param(_));
        if !mode.exact && self.named_id(y).is_some() && literal && !self.is_interface(x) {
            y = self.under(y);
            if x == y {
                return true;
            }
        }
        match (u.is_bound(x), u.is_bound(y)) {
            (true, true) => {
                if u.join(x, y) {
                    return true;
                }
                let (Some(a), Some(b)) = (u.at(x), u.at(y)) else { return true };
                return self.nify(u, a, b, mode);
            }
            (true, false) => return self.nify_bound(u, x, y, mode),
            _ => {}
        }
        if !mode.exact
            && let Some(r) = self.nify_interfaces(u, x, y)
        {
            return r;
        }
        if self.is_param(y) {
            std::mem::swap(&mut x, &mut y);
        }
        if self.is_param(x) {
            let Ok(core) = self.common_under(x) else { return false };
            return self.nify(u, core, y, ASSIGN);
        }
        self.nify_structure(u, x, y, mode)
    }

    fn nify_bound(&mut self, u: &mut Unifier, px: Ty, y: Ty, mode: Mode) -> bool {
        let Some(x) = u.at(px) else {
            u.set(px, y);
            return true;
        };
        if !self.nify(u, x, y, mode) {
            return false;
        }
        let plain_iface =
            |c: &mut Self, t: Ty| if c.is_param(t) { None } else { c.interface_of(t) };
        let (xi, yi) = (plain_iface(self, x), plain_iface(self, y));
        let (xn, yn) = (self.named_id(x).is_some(), self.named_id(y).is_some());
        match (xi, yi) {
            (Some(_), Some(_)) if xn && yn => return x == y,
            (Some(a), Some(b)) if a.methods.len() != b.methods.len() => return false,
            (Some(_), Some(_)) | (None, None) => {}
            _ => return false,
        }
        if !mode.exact && !xn {
            let directed = matches!(self.under_kind(y), Kind::Chan(d, _) if d != ChanDir::Both);
            if yn || directed {
                u.set(px, y);
            }
        }
        true
    }

    /// Inexact unification of interfaces goes by common methods.
    fn nify_interfaces(&mut self, u: &mut Unifier, x: Ty, y: Ty) -> Option<bool> {
        let plain = |c: &mut Self, t: Ty| if c.is_param(t) { None } else { c.interface_of(t) };
        match (plain(self, x), plain(self, y)) {
            (Some(a), Some(b)) => {
                if a.comparable != b.comparable || a.unions != b.unions {
                    return Some(false);
                }
                let (few, many) = if a.methods.len() > b.methods.len() { (b, a) } else { (a, b) };
                for m in &few.methods {
                    let other = many
                        .methods
                        .iter()
                        .find(|o| same_id(&o.name, o.pkg, &m.name, m.pkg, false));
                    if !other.is_some_and(|o| self.nify(u, m.sig, o.sig, EXACT)) {
                        return Some(false);
                    }
                }
                Some(true)
            }
            (None, None) => None,
            (a, b) => {
                let (iface, other) = match (a, b) {
                    (Some(i), _) => (i, y),
                    (None, Some(i)) => (i, x),
                    (None, None) => return None,
                };
                for m in &iface.methods {
                    let pkg = m.pkg.unwrap_or(self.env.pkg);
                    let have = self.method_signature(other, pkg, &m.name);
                    if !have.is_some_and(|h| self.nify(u, m.sig, h, EXACT)) {
                        return Some(false);
                    }
                }
                Some(true)
            }
        }
    }

    fn nify_lists(&mut self, u: &mut Unifier, a: &[Ty], b: &[Ty], mode: Mode) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| self.nify(u, x, y, mode))
    }

    fn nify_structure(&mut self, u: &mut Unifier, x: Ty, y: Ty, mode: Mode) -> bool {
        let inner = if mode.assign { Mode { exact: true, ..mode } } else { mode };
        match (self.types.kind(x).clone(), self.types.kind(y).clone()) {
            (Kind::Array(n, a), Kind::Array(m, b)) => n == m && self.nify(u, a, b, inner),
            (Kind::Slice(a), Kind::Slice(b)) | (Kind::Pointer(a), Kind::Pointer(b)) => {
                self.nify(u, a, b, inner)
            }
            (Kind::Map(k, v), Kind::Map(l, w)) => {
                self.nify(u, k, l, inner) && self.nify(u, v, w, inner)
            }
            (Kind::Chan(d, a), Kind::Chan(e, b)) => {
                (!mode.exact || d == e) && self.nify(u, a, b, inner)
            }
            (Kind::Func(a), Kind::Func(b)) => {
                a.variadic == b.variadic
                    && self.nify_lists(u, &a.params, &b.params, inner)
                    && self.nify_lists(u, &a.results, &b.results, inner)
            }
            (Kind::Struct(a), Kind::Struct(b)) => {
                a.len() == b.len()
                    && a.iter().zip(&b).all(|(f, g)| {
                        f.embedded == g.embedded
                            && f.tag == g.tag
                            && f.name == g.name
                            && f.pkg == g.pkg
                            && self.nify(u, f.ty, g.ty, inner)
                    })
            }
            (Kind::Interface(a), Kind::Interface(b)) => {
                a.comparable == b.comparable
                    && a.unions == b.unions
                    && a.methods.len() == b.methods.len()
                    && a.methods.iter().zip(&b.methods).all(|(m, n)| {
                        m.name == n.name && m.pkg == n.pkg && self.nify(u, m.sig, n.sig, EXACT)
                    })
            }
            (Kind::Named(a), Kind::Named(b)) => {
                let (oa, ob) = (self.named[a.0 as usize].origin, self.named[b.0 as usize].origin);
                let args = |n: super::ty::NamedId| self.types.named[n.0 as usize].args.clone();
                let (xa, ya) = (args(a), args(b));
                oa == ob && !xa.is_empty() && self.nify_lists(u, &xa, &ya, mode)
            }
            _ => false,
        }
    }

    /// Checks type arguments against the constraints; `at` are the places of the explicit ones.
    pub(crate) fn verify(&mut self, params: &[Ty], targs: &[Ty], at: &[Pos], pos: Pos) {
        if self.env.silent {
            return;
        }
        self.record_instance(params, targs, at, pos);
        let map = bindings(params, targs);
        for (i, (&p, &t)) in params.iter().zip(targs).enumerate() {
            let Kind::Param(id) = *self.types.kind(p) else { continue };
            let c = self.types.params[id.0 as usize].constraint;
            let c = self.subst(c, &map);
            if t == Basic::Invalid.ty() {
                return;
            }
            if let Err(cause) = self.implements(t, c, true) {
                let pos = at.get(i).copied().unwrap_or(pos);
                self.err(pos, Code::InvalidTypeArg, cause);
                return;
            }
        }
    }
}
