//! Questions about types: numeric, comparable, assignable, convertible (Go specification, "Properties of types and
//! values", "Conversions").

#![expect(clippy::wildcard_enum_match_arm, reason = "tables over pairs of kinds")]

use super::checker::Checker;
use super::operand::{Mode, Operand};
use super::ty::{Basic, ChanDir, Field, Kind, Ty};

pub(crate) fn is_untyped_basic(b: Basic) -> bool {
    matches!(
        b,
        Basic::UntypedBool
            | Basic::UntypedInt
            | Basic::UntypedRune
            | Basic::UntypedFloat
            | Basic::UntypedComplex
            | Basic::UntypedString
            | Basic::UntypedNil
    )
}

pub(crate) fn is_integer_basic(b: Basic) -> bool {
    is_unsigned_basic(b)
        || matches!(
            b,
            Basic::Int
                | Basic::Int8
                | Basic::Int16
                | Basic::Int32
                | Basic::Int64
                | Basic::UntypedInt
                | Basic::UntypedRune
        )
}

pub(crate) fn is_unsigned_basic(b: Basic) -> bool {
    matches!(
        b,
        Basic::Uint | Basic::Uint8 | Basic::Uint16 | Basic::Uint32 | Basic::Uint64 | Basic::Uintptr
    )
}

pub(crate) fn is_float_basic(b: Basic) -> bool {
    matches!(b, Basic::Float32 | Basic::Float64 | Basic::UntypedFloat)
}

pub(crate) fn is_complex_basic(b: Basic) -> bool {
    matches!(b, Basic::Complex64 | Basic::Complex128 | Basic::UntypedComplex)
}

pub(crate) fn is_numeric_basic(b: Basic) -> bool {
    is_integer_basic(b) || is_float_basic(b) || is_complex_basic(b)
}

pub(crate) fn is_string_basic(b: Basic) -> bool {
    matches!(b, Basic::String | Basic::UntypedString)
}

pub(crate) fn is_boolean_basic(b: Basic) -> bool {
    matches!(b, Basic::Bool | Basic::UntypedBool)
}

fn is_ordered_basic(b: Basic) -> bool {
    is_integer_basic(b) || is_float_basic(b) || is_string_basic(b)
}

/// Bits of a sized integer type.
pub(crate) fn int_bits(b: Basic) -> u32 {
    match b {
        Basic::Int8 | Basic::Uint8 => 8,
        Basic::Int16 | Basic::Uint16 => 16,
        Basic::Int32 | Basic::Uint32 => 32,
        _ => 64,
    }
}

impl Checker {
    /// The basic type under an ordinary type.
    pub(crate) fn basic(&mut self, t: Ty) -> Option<Basic> {
        let u = self.under(t);
        if let Kind::Basic(b) = *self.types.kind(u) { Some(b) } else { None }
    }

    pub(crate) fn is_valid_ty(&self, t: Ty) -> bool {
        t != Basic::Invalid.ty()
    }

    pub(crate) fn is_untyped(&self, t: Ty) -> bool {
        matches!(self.types.kind(t), Kind::Basic(b) if is_untyped_basic(*b))
    }

    /// A basic predicate on the underlying type; false for type parameters.
    pub(crate) fn is_basic(&mut self, t: Ty, f: impl Fn(Basic) -> bool) -> bool {
        self.basic(t).is_some_and(f)
    }

    /// A basic predicate on all types of a type set.
    pub(crate) fn all_basic(&mut self, t: Ty, f: impl Fn(Basic) -> bool) -> bool {
        self.all_under(t, |c, u| matches!(c.types.kind(u), Kind::Basic(b) if f(*b)))
    }

    pub(crate) fn all_numeric(&mut self, t: Ty) -> bool {
        self.all_basic(t, is_numeric_basic)
    }

    pub(crate) fn all_integer(&mut self, t: Ty) -> bool {
        self.all_basic(t, is_integer_basic)
    }

    pub(crate) fn all_boolean(&mut self, t: Ty) -> bool {
        self.all_basic(t, is_boolean_basic)
    }

    pub(crate) fn all_ordered(&mut self, t: Ty) -> bool {
        self.all_basic(t, is_ordered_basic)
    }

    pub(crate) fn all_string(&mut self, t: Ty) -> bool {
        self.all_basic(t, is_string_basic)
    }

    /// An interface that is not a type parameter.
    pub(crate) fn is_interface(&mut self, t: Ty) -> bool {
        let u = self.under(t);
        matches!(self.types.kind(u), Kind::Interface(_))
    }

    /// A defined or predeclared type, or a type parameter.
    pub(crate) fn has_name(&self, t: Ty) -> bool {
        matches!(self.types.kind(t), Kind::Basic(_) | Kind::Named(_) | Kind::Param(_))
    }

    /// Whether `nil` is a value of the type.
    pub(crate) fn has_nil(&mut self, t: Ty) -> bool {
        self.all_under(t, |c, u| {
            matches!(
                c.types.kind(u),
                Kind::Basic(Basic::UnsafePointer | Basic::UntypedNil)
                    | Kind::Pointer(_)
                    | Kind::Slice(_)
                    | Kind::Map(..)
                    | Kind::Chan(..)
                    | Kind::Func(_)
                    | Kind::Interface(_)
            )
        })
    }

    /// Whether values can be compared; interfaces may panic doing so where `dynamic`. The error says why not.
    pub(crate) fn comparable(&mut self, t: Ty, dynamic: bool) -> Result<(), String> {
        self.comparable_in(t, dynamic, &mut vec![])
    }

    fn comparable_in(&mut self, t: Ty, dynamic: bool, seen: &mut Vec<Ty>) -> Result<(), String> {
        if seen.contains(&t) {
            return Ok(());
        }
        seen.push(t);
        match self.under_kind(t) {
            Kind::Basic(Basic::UntypedNil) => Err(String::new()),
            Kind::Basic(_) | Kind::Pointer(_) | Kind::Chan(..) => Ok(()),
            Kind::Struct(fields) => {
                for f in fields {
                    if self.comparable_in(f.ty, dynamic, seen).is_err() {
                        return Err(format!(
                            "struct containing {} cannot be compared",
                            self.show(f.ty)
                        ));
                    }
                }
                Ok(())
            }
            Kind::Array(_, e) => {
                if self.comparable_in(e, dynamic, seen).is_err() {
                    return Err(format!("{} cannot be compared", self.show(t)));
                }
                Ok(())
            }
            Kind::Interface(i) => {
                if dynamic {
                    return Ok(());
                }
                self.comparable_set(&i, seen).map_err(|_| String::new())
            }
            Kind::Param(_) => {
                let bound = self.bound(t);
                if self.terms_of(&bound).is_some_and(|terms| terms.is_empty()) {
                    return Err("empty type set".into());
                }
                self.comparable_set(&bound, seen)
                    .map_err(|()| "incomparable types in type set".into())
            }
            Kind::Slice(_) | Kind::Map(..) | Kind::Func(_) | Kind::Named(_) | Kind::Tuple(_) => {
                Err(String::new())
            }
        }
    }

    fn comparable_set(&mut self, i: &super::ty::Interface, seen: &mut Vec<Ty>) -> Result<(), ()> {
        if i.comparable {
            return Ok(());
        }
        let Some(terms) = self.terms_of(i) else { return Err(()) };
        for t in terms {
            self.comparable_in(t.ty, false, seen).map_err(|_| ())?;
        }
        Ok(())
    }

    /// The default type of an untyped one.
    pub(crate) fn default_type(&self, t: Ty) -> Ty {
        let Kind::Basic(b) = self.types.kind(t) else { return t };
        match b {
            Basic::UntypedBool => Basic::Bool.ty(),
            Basic::UntypedInt => Basic::Int.ty(),
            Basic::UntypedRune => Basic::Int32.ty(),
            Basic::UntypedFloat => Basic::Float64.ty(),
            Basic::UntypedComplex => Basic::Complex128.ty(),
            Basic::UntypedString => Basic::String.ty(),
            _ => t,
        }
    }

    /// `array`, `slice` and so on; empty for basic types.
    pub(crate) fn composite_kind(&mut self, t: Ty) -> &'static str {
        match self.under_kind(t) {
            Kind::Array(..) => "array",
            Kind::Slice(_) => "slice",
            Kind::Struct(_) => "struct",
            Kind::Pointer(_) => "pointer",
            Kind::Func(_) => "func",
            Kind::Interface(_) | Kind::Param(_) => "interface",
            Kind::Map(..) => "map",
            Kind::Chan(..) => "chan",
            Kind::Tuple(_) => "tuple",
            Kind::Basic(_) | Kind::Named(_) => "",
        }
    }

    /// Whether an operand can be assigned to a variable of a type; `Err` holds the cause, if there is a special one.
    pub(crate) fn assignable(&mut self, x: &Operand, t: Ty) -> Result<(), String> {
        if !x.is_valid() || !self.is_valid_ty(t) || !self.is_valid_ty(x.ty) {
            return Ok(());
        }
        let v = x.ty;
        if v == t {
            return Ok(());
        }
        let (vp, tp) = (self.is_param(v), self.is_param(t));
        if x.is_nil() || self.is_untyped(v) {
            return self.untyped_assignable(x, t);
        }
        let (vu, tu) = (self.under(v), self.under(t));
        if !self.is_valid_ty(vu) || !self.is_valid_ty(tu) {
            return Ok(());
        }
        if vu == tu && (!self.has_name(v) || !self.has_name(t)) && !vp && !tp {
            return Ok(());
        }
        let to_interface = !tp && matches!(self.types.kind(tu), Kind::Interface(_));
        if to_interface || self.is_interface_ptr(tu) {
            match self.implements(v, t, false) {
                Ok(()) => return Ok(()),
                Err(cause) if !vp => {
                    // the words of the cause look through the alias
                    let plain = cause.strip_prefix("any ").filter(|_| v == self.any_ty);
                    return Err(plain.map_or(cause.clone(), |c| format!("interface{{}} {c}")));
                }
                Err(_) => {}
            }
        }
        if !vp
            && matches!(self.types.kind(vu), Kind::Interface(_))
            && self.implements(t, v, false).is_ok()
        {
            return Err("need type assertion".into());
        }
        if let (Kind::Chan(ChanDir::Both, e), Kind::Chan(_, f)) =
            (self.types.kind(vu), self.types.kind(tu))
            && e == f
            && (!self.has_name(v) || !self.has_name(t))
        {
            return Ok(());
        }
        self.param_assignable(x, v, t)
    }

    fn untyped_assignable(&mut self, x: &Operand, t: Ty) -> Result<(), String> {
        if self.is_param(t) {
            let Some(list) = self.type_choices(t) else { return Err(String::new()) };
            let ok = !list.is_empty()
                && list.into_iter().all(|(ty, _)| self.implicit_type(x, ty).is_ok());
            return if ok { Ok(()) } else { Err(String::new()) };
        }
        self.implicit_type(x, t).map(|_| ()).map_err(|_| String::new())
    }

    /// Type parameters on one side: every type of the set must be assignable.
    fn param_assignable(&mut self, x: &Operand, v: Ty, t: Ty) -> Result<(), String> {
        let (vp, tp) = (self.is_param(v), self.is_param(t));
        if tp && !vp && !self.has_name(v) {
            let Some(list) = self.type_choices(t) else { return Err(String::new()) };
            for (ty, _) in list {
                if self.assignable(x, ty).is_err() {
                    let (a, b, c) = (self.show(v), self.show(ty), self.show(t));
                    return Err(format!("cannot assign {a} to {b} (in {c})"));
                }
            }
            return Ok(());
        }
        if vp && !tp && !self.has_name(t) {
            let Some(list) = self.type_choices(v) else { return Err(String::new()) };
            for (ty, _) in list {
                let y = Operand { ty, ..x.clone() };
                if self.assignable(&y, t).is_err() {
                    let (a, b, c) = (self.show(ty), self.show(v), self.show(t));
                    return Err(format!("cannot assign {a} (in {b}) to {c}"));
                }
            }
            return Ok(());
        }
        Err(String::new())
    }

    /// Whether a (non-constant) value of type `v` can be converted to `t`.
    pub(crate) fn convertible(&mut self, x: &Operand, t: Ty) -> Result<(), String> {
        let v = x.ty;
        let Err(cause) = self.assignable(x, t) else { return Ok(()) };
        let (vp, tp) = (self.is_param(v), self.is_param(t));
        if vp || tp {
            return self.param_convertible(x, v, t);
        }
        let (vu, tu) = (self.under(v), self.under(t));
        if self.identical_ignoring_tags(vu, tu) {
            return Ok(());
        }
        if let (Kind::Pointer(a), Kind::Pointer(b)) =
            (self.types.kind(v).clone(), self.types.kind(t).clone())
            && !self.is_param(a)
            && !self.is_param(b)
        {
            let (a, b) = (self.under(a), self.under(b));
            if self.identical_ignoring_tags(a, b) {
                return Ok(());
            }
        }
        let (vk, tk) = (self.types.kind(vu).clone(), self.types.kind(tu).clone());
        let real = |b: Basic| is_integer_basic(b) || is_float_basic(b);
        match (&vk, &tk) {
            (Kind::Basic(a), Kind::Basic(b)) if real(*a) && real(*b) => Ok(()),
            (Kind::Basic(a), Kind::Basic(b)) if is_complex_basic(*a) && is_complex_basic(*b) => {
                Ok(())
            }
            (Kind::Basic(a), Kind::Basic(b)) if is_string_basic(*b) && is_integer_basic(*a) => {
                Ok(())
            }
            (Kind::Basic(a), Kind::Slice(e))
                if is_string_basic(*a) && self.is_bytes_or_runes(*e) =>
            {
                Ok(())
            }
            (Kind::Slice(e), Kind::Basic(b))
                if is_string_basic(*b) && self.is_bytes_or_runes(*e) =>
            {
                Ok(())
            }
            (Kind::Basic(Basic::Uintptr) | Kind::Pointer(_), Kind::Basic(Basic::UnsafePointer)) => {
                Ok(())
            }
            (Kind::Basic(Basic::UnsafePointer), Kind::Basic(Basic::Uintptr) | Kind::Pointer(_)) => {
                Ok(())
            }
            (Kind::Slice(e), _) => self.slice_to_array(*e, &tk),
            _ => Err(cause),
        }
    }

    fn slice_to_array(&mut self, elem: Ty, to: &Kind) -> Result<(), String> {
        match to {
            Kind::Array(_, f) if *f == elem => Ok(()),
            Kind::Pointer(p) => match self.under_kind(*p) {
                Kind::Array(_, f) if f == elem => Ok(()),
                _ => Err(String::new()),
            },
            _ => Err(String::new()),
        }
    }

    fn is_bytes_or_runes(&mut self, e: Ty) -> bool {
        matches!(self.basic(e), Some(Basic::Uint8 | Basic::Int32))
    }

    fn param_convertible(&mut self, x: &Operand, v: Ty, t: Ty) -> Result<(), String> {
        let from = self.type_choices(v);
        let to = self.type_choices(t);
        let (Some(from), Some(to)) = (from, to) else { return Err(String::new()) };
        let (vp, tp) = (self.is_param(v), self.is_param(t));
        if from.is_empty() || to.is_empty() {
            return Err(String::new());
        }
        for &(a, _) in &from {
            for &(b, _) in &to {
                let y = Operand { ty: a, mode: Mode::Value, ..x.clone() };
                if self.convertible(&y, b).is_err() {
                    let (a, b, v, t) = (self.show(a), self.show(b), self.show(v), self.show(t));
                    return Err(match (vp, tp) {
                        (true, true) => format!("cannot convert {a} (in {v}) to type {b} (in {t})"),
                        (true, false) => format!("cannot convert {a} (in {v}) to type {t}"),
                        _ => format!("cannot convert {v} to type {b} (in {t})"),
                    });
                }
            }
        }
        Ok(())
    }

    /// Identical, where struct tags do not count.
    pub(crate) fn identical_ignoring_tags(&mut self, a: Ty, b: Ty) -> bool {
        a == b || self.without_tags(a, 0) == self.without_tags(b, 0)
    }

    fn without_tags(&mut self, t: Ty, depth: u32) -> Ty {
        if depth > 20 {
            return t;
        }
        let inner = |c: &mut Self, t: Ty| c.without_tags(t, depth + 1);
        let kind = match self.types.kind(t).clone() {
            Kind::Struct(fields) => Kind::Struct(
                fields
                    .into_iter()
                    .map(|f| Field { ty: inner(self, f.ty), tag: String::new(), ..f })
                    .collect(),
            ),
            Kind::Pointer(e) => Kind::Pointer(inner(self, e)),
            Kind::Slice(e) => Kind::Slice(inner(self, e)),
            Kind::Array(n, e) => Kind::Array(n, inner(self, e)),
            Kind::Map(k, v) => Kind::Map(inner(self, k), inner(self, v)),
            Kind::Chan(d, e) => Kind::Chan(d, inner(self, e)),
            Kind::Func(mut s) => {
                for t in s.params.iter_mut().chain(&mut s.results) {
                    *t = inner(self, *t);
                }
                Kind::Func(s)
            }
            other => other,
        };
        self.types.intern(kind)
    }
}
