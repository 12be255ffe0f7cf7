//! Type sets of constraints (Go specification, "Interface types", "Type constraints").
//!
//! An interface in the store has at most one union, already intersected and flattened: its terms are no
//! interfaces. `None` as a list of terms means all types.

use super::checker::Checker;
use super::ty::{Basic, ChanDir, Interface, Kind, Term, Ty};

impl Checker {
    /// Whether `t` is a type parameter.
    pub(crate) fn is_param(&self, t: Ty) -> bool {
        matches!(self.types.kind(t), Kind::Param(_))
    }

    /// The constraint of a type parameter, as an interface.
    pub(crate) fn bound(&mut self, param: Ty) -> Interface {
        let Kind::Param(p) = *self.types.kind(param) else { return Interface::default() };
        let constraint = self.types.params[p.0 as usize].constraint;
        self.as_constraint(constraint)
    }

    /// A constraint as an interface: a type that is none is the union of itself.
    pub(crate) fn as_constraint(&mut self, constraint: Ty) -> Interface {
        match self.under_kind(constraint) {
            Kind::Interface(i) => i,
            Kind::Basic(Basic::Invalid) => Interface::default(),
            Kind::Basic(_)
            | Kind::Named(_)
            | Kind::Pointer(_)
            | Kind::Slice(_)
            | Kind::Array(..)
            | Kind::Map(..)
            | Kind::Chan(..)
            | Kind::Func(_)
            | Kind::Struct(_)
            | Kind::Tuple(_)
            | Kind::Param(_) => Interface {
                unions: vec![vec![Term { tilde: false, ty: constraint }]],
                ..Interface::default()
            },
        }
    }

    /// The terms of an interface's type set; `None` if it has no union.
    pub(crate) fn terms_of(&mut self, i: &Interface) -> Option<Vec<Term>> {
        let mut all: Option<Vec<Term>> = None;
        for u in &i.unions {
            all = Some(match all {
                None => u.clone(),
                Some(a) => self.intersect(&a, u),
            });
        }
        all
    }

    /// Replaces interfaces among terms by their own terms; `None` if one of them holds all types.
    pub(crate) fn flatten_terms(&mut self, terms: Vec<Term>) -> Option<Vec<Term>> {
        let mut out: Vec<Term> = vec![];
        for t in terms {
            if self.is_param(t.ty) {
                out.push(t);
                continue;
            }
            if let Kind::Interface(i) = self.under_kind(t.ty) {
                out.extend(self.terms_of(&i)?);
            } else {
                out.push(t);
            }
        }
        let mut seen: Vec<Term> = vec![];
        for t in out {
            if !seen.contains(&t) {
                seen.push(t);
            }
        }
        Some(seen)
    }

    fn intersect(&mut self, a: &[Term], b: &[Term]) -> Vec<Term> {
        let mut out: Vec<Term> = vec![];
        for x in a {
            for y in b {
                let both = if x.ty == y.ty {
                    Some(Term { tilde: x.tilde && y.tilde, ty: x.ty })
                } else if x.tilde && self.under(y.ty) == x.ty {
                    Some(y.clone())
                } else if y.tilde && self.under(x.ty) == y.ty {
                    Some(x.clone())
                } else {
                    None
                };
                if let Some(t) = both.filter(|t| !out.contains(t)) {
                    out.push(t);
                }
            }
        }
        out
    }

    /// Whether a term holds a type.
    pub(crate) fn term_includes(&mut self, term: &Term, t: Ty) -> bool {
        if term.ty == t {
            return true;
        }
        term.tilde && self.under(term.ty) == self.under(t)
    }

    /// The types and underlying types that a value of `t` may have: one for an ordinary type, those of the terms
    /// for a type parameter, `None` for a parameter without terms.
    pub(crate) fn type_choices(&mut self, t: Ty) -> Option<Vec<(Ty, Ty)>> {
        if !self.is_param(t) {
            let u = self.under(t);
            return Some(vec![(t, u)]);
        }
        let bound = self.bound(t);
        let terms = self.terms_of(&bound)?;
        let mut out = vec![];
        for term in terms {
            if self.is_param(term.ty) && term.ty != t {
                out.extend(self.type_choices(term.ty)?);
                continue;
            }
            let u = self.under(term.ty);
            out.push((term.ty, u));
        }
        Some(out)
    }

    /// Whether a predicate holds for every underlying type that `t` may have.
    pub(crate) fn all_under(&mut self, t: Ty, mut f: impl FnMut(&mut Self, Ty) -> bool) -> bool {
        if !self.is_param(t) {
            let u = self.under(t);
            return f(self, u);
        }
        match self.type_choices(t) {
            Some(list) => !list.is_empty() && list.into_iter().all(|(_, u)| f(self, u)),
            None => false,
        }
    }

    /// The one underlying type that all types of `t` share, or why there is none. Channels may differ in direction.
    pub(crate) fn common_under(&mut self, t: Ty) -> Result<Ty, String> {
        self.common_under_if(t, |_, _| None)
    }

    /// As [`Checker::common_under`], but first asks of each type what is wrong with it.
    pub(crate) fn common_under_if(
        &mut self,
        t: Ty,
        wrong: impl Fn(&Kind, &str) -> Option<String>,
    ) -> Result<Ty, String> {
        let Some(list) = self.type_choices(t) else { return Err("no specific type".into()) };
        let mut common: Option<(Ty, Ty)> = None;
        for (t, u) in list {
            if let Some(why) = wrong(self.types.kind(u), &self.show(t)) {
                return Err(why);
            }
            let Some((ct, cu)) = common else {
                common = Some((t, u));
                continue;
            };
            if let (Kind::Chan(d1, e1), Kind::Chan(d2, e2)) =
                (self.types.kind(cu), self.types.kind(u))
            {
                if e1 != e2 {
                    let (a, b) = (self.show(ct), self.show(t));
                    return Err(format!("channels {a} and {b} have different element types"));
                }
                if d1 == d2 || *d2 == ChanDir::Both {
                    continue;
                }
                if *d1 == ChanDir::Both {
                    common = Some((t, u));
                    continue;
                }
                let (a, b) = (self.show(ct), self.show(t));
                return Err(format!("channels {a} and {b} have conflicting directions"));
            }
            if cu != u {
                let (a, b) = (self.show(ct), self.show(t));
                return Err(format!("{a} and {b} have different underlying types"));
            }
        }
        common.map(|(_, u)| u).ok_or_else(|| "no specific type".into())
    }

    /// The structure of the common underlying type.
    pub(crate) fn common_kind(&mut self, t: Ty) -> Option<Kind> {
        let u = self.common_under(t).ok()?;
        Some(self.types.kind(u).clone())
    }
}
