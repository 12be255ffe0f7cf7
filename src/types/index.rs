//! Index and slice expressions (Go specification, "Index expressions", "Slice expressions", "Instantiations").

#![expect(clippy::wildcard_enum_match_arm, reason = "few types can be indexed or sliced")]

use super::checker::Checker;
use super::consts::{self, Value};
use super::convert::represent;
use super::operand::{Mode, Operand};
use super::ty::{Basic, Kind, Ty};
use super::typed::{ExprId, ExprKind};
use crate::diag::Code;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, List, Node};
use num_traits::ToPrimitive;

/// What an index expression gives for a type.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Indexed {
    elem: Ty,
    /// Of a map.
    key: Option<Ty>,
    len: Option<u64>,
    mode: IndexMode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexMode {
    Byte,
    Array,
    ArrayPtr,
    Slice,
    Map,
}

impl Checker {
    /// `x[i]`, or an instantiation.
    pub(crate) fn index_expr(&mut self, node: Id) -> Operand {
        let Node::Index(base, list) = self.node(node) else { return Operand::invalid(node) };
        let mut x = self.expr_or_type(base, true);
        match x.mode {
            Mode::Invalid => {
                let nodes = self.list(list);
                self.use_exprs(&nodes);
                return Operand::invalid(node);
            }
            Mode::Type { .. } => {
                let t = self.var_type(node);
                return if self.is_valid_ty(t) {
                    Operand::of_type(node, t, false)
                } else {
                    Operand::invalid(node)
                };
            }
            _ => {}
        }
        if let Mode::Builtin(_) = x.mode {
            let (shown, at) = (self.show_operand(&x), self.bracket_pos(node));
            self.err(at, Code::NonIndexableOperand, format!("cannot index {shown}"));
            return Operand::invalid(node);
        }
        if x.is_generic() {
            x.node = node;
            return self.instantiate_func(x, base, list);
        }
        let Some(kind) = self.indexed(&x) else {
            let nodes = self.list(list);
            if self.is_valid_ty(x.ty) {
                let shown = self.show_operand(&x);
                let at = self.bracket_pos(node);
                self.err(at, Code::NonIndexableOperand, format!("cannot index {shown}"));
            }
            self.use_exprs(&nodes);
            return Operand::invalid(node);
        };
        let nodes = self.list(list);
        if nodes.len() > 1 {
            self.err_at(nodes[1], Code::InvalidIndex, "invalid operation: more than one index");
        }
        let index = nodes[0];
        if let Some(key) = kind.key {
            return self.map_index(node, x, index, key, kind.elem);
        }
        let const_len =
            x.val().and_then(|v| if let Value::Str(s) = v { Some(s.len() as u64) } else { None });
        let max = const_len.or(kind.len);
        let (i, _) = self.index(index, max);
        let Some(i) = i else {
            let mode = if kind.mode == IndexMode::Byte { Mode::Value } else { Mode::Var };
            return Operand { mode, ..self.dummy(node, kind.elem) };
        };
        self.emit_index(node, x, i, kind)
    }

    /// A value that is never run, so that checking goes on after an error.
    fn dummy(&mut self, node: Id, ty: Ty) -> Operand {
        let pos = self.pos(node);
        let e = self.emit(ExprKind::Zero, ty, pos);
        Operand::value(node, ty, e)
    }

    fn emit_index(&mut self, node: Id, mut x: Operand, index: ExprId, kind: Indexed) -> Operand {
        let pos = self.pos(node);
        if self.is_untyped(x.ty) {
            self.convert_untyped(&mut x, Basic::String.ty());
        }
        let v = self.value(&mut x);
        let (expr, mode) = match kind.mode {
            IndexMode::Byte => (ExprKind::IndexString { x: v, index }, Mode::Value),
            IndexMode::Array => {
                let mode = if x.mode == Mode::Var { Mode::Var } else { Mode::Value };
                (ExprKind::IndexArray { x: v, index }, mode)
            }
            IndexMode::ArrayPtr => {
                let u = self.under(x.ty);
                let elem = if let Kind::Pointer(e) = *self.types.kind(u) { e } else { u };
                let array = self.emit_deref(v, elem, pos);
                (ExprKind::IndexArray { x: array, index }, Mode::Var)
            }
            IndexMode::Slice | IndexMode::Map => (ExprKind::IndexSlice { x: v, index }, Mode::Var),
        };
        let e = self.emit(expr, kind.elem, pos);
        Operand { mode, ..Operand::value(node, kind.elem, e) }
    }

    fn map_index(&mut self, node: Id, mut x: Operand, index: Id, key: Ty, elem: Ty) -> Operand {
        let mut k = self.generic_expr(index, None);
        self.assignment(&mut k, Some(key), "map index");
        if !k.is_valid() {
            return Operand { mode: Mode::MapIndex, ..self.dummy(node, elem) };
        }
        let pos = self.pos(node);
        let m = self.value(&mut x);
        let key = self.value(&mut k);
        let e = self.emit(ExprKind::IndexMap { x: m, key, comma_ok: false }, elem, pos);
        Operand { mode: Mode::MapIndex, ..Operand::value(node, elem, e) }
    }

    /// What indexing gives; for a type parameter all its types must agree.
    fn indexed(&mut self, x: &Operand) -> Option<Indexed> {
        let choices = self.type_choices(x.ty)?;
        let mut common: Option<Indexed> = None;
        for (_, u) in choices {
            let new = self.indexed_one(u)?;
            match &mut common {
                None => common = Some(new),
                Some(c) => {
                    if c.elem != new.elem || c.key != new.key {
                        return None;
                    }
                    c.len = match (c.len, new.len) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                    if new.mode == IndexMode::Byte {
                        c.mode = IndexMode::Byte;
                    }
                }
            }
        }
        common
    }

    fn indexed_one(&mut self, u: Ty) -> Option<Indexed> {
        let new = |elem, key, len, mode| Some(Indexed { elem, key, len, mode });
        match self.types.kind(u).clone() {
            Kind::Basic(Basic::String | Basic::UntypedString) => {
                new(Basic::Uint8.ty(), None, None, IndexMode::Byte)
            }
            Kind::Array(n, e) => new(e, None, Some(n), IndexMode::Array),
            Kind::Pointer(p) => match self.under_kind(p) {
                Kind::Array(n, e) => new(e, None, Some(n), IndexMode::ArrayPtr),
                _ => None,
            },
            Kind::Slice(e) => new(e, None, None, IndexMode::Slice),
            Kind::Map(k, v) => new(v, Some(k), None, IndexMode::Map),
            _ => None,
        }
    }

    /// An index: its expression and, if it is constant, its value. `max` bounds constants (exclusively).
    pub(crate) fn index(&mut self, node: Id, max: Option<u64>) -> (Option<ExprId>, Option<u64>) {
        let mut x = self.expr(node);
        if !self.valid_index(&mut x, "index", false) {
            return (None, None);
        }
        let mut known = None;
        if let Some(v) = x.val() {
            let Some(n) = v.to_int().and_then(|n| n.to_u64()) else { return (None, None) };
            if max.is_some_and(|m| n >= m) {
                let shown = consts::show(v);
                let max = max.unwrap_or(0);
                self.err_at(
                    node,
                    Code::InvalidIndex,
                    format!("invalid argument: index {shown} out of bounds [0:{max}]"),
                );
                return (None, None);
            }
            known = Some(n);
        }
        (Some(self.value(&mut x)), known)
    }

    /// Whether an operand may be an index, a length or a capacity.
    pub(crate) fn valid_index(&mut self, x: &mut Operand, what: &str, negative: bool) -> bool {
        if !x.is_valid() {
            return false;
        }
        self.convert_untyped(x, Basic::Int.ty());
        if !x.is_valid() {
            return false;
        }
        if !self.all_integer(x.ty) {
            let shown = self.show_operand(x);
            self.err_at(
                x.node,
                Code::InvalidIndex,
                format!("invalid argument: {what} {shown} must be integer"),
            );
            return false;
        }
        if let Some(v) = x.val().cloned() {
            if !negative && v.sign() < 0 {
                let shown = self.show_operand(x);
                self.err_at(
                    x.node,
                    Code::InvalidIndex,
                    format!("invalid argument: {what} {shown} must not be negative"),
                );
                return false;
            }
            if represent(&v, Basic::Int).is_none() {
                let shown = self.show_operand(x);
                self.err_at(
                    x.node,
                    Code::InvalidIndex,
                    format!("invalid argument: {what} {shown} overflows int"),
                );
                return false;
            }
        }
        true
    }

    /// `x[lo:hi:max]`.
    pub(crate) fn slice_expr(&mut self, node: Id, inner: Id, list: List, three: bool) -> Operand {
        let mut x = self.expr(inner);
        let parts = self.list(list);
        if !x.is_valid() {
            let given: Vec<Id> = parts.iter().copied().filter(|&p| p != NIL).collect();
            self.use_exprs(&given);
            return Operand::invalid(node);
        }
        let Some((ty, len)) = self.sliced_type(&mut x, three, &parts) else {
            return Operand::invalid(node);
        };
        let pos = self.pos(node);
        let mut v = self.value(&mut x);
        match self.under_kind(x.ty) {
            Kind::Array(..) => {
                self.mark_address(v);
            }
            Kind::Pointer(p) => v = self.emit_deref(v, p, pos),
            _ => {}
        }
        let mut exprs: [Option<ExprId>; 3] = [None; 3];
        let mut known: [Option<u64>; 3] = [None; 3];
        for (i, &p) in parts.iter().enumerate() {
            if p != NIL {
                (exprs[i], known[i]) = self.index(p, len.map(|n| n.saturating_add(1)));
            } else if i == 0 {
                known[0] = Some(0);
            } else {
                known[i] = len;
            }
        }
        self.swapped_indices(&parts, known);
        let [lo, hi, max] = exprs;
        let e = self.emit(ExprKind::Slice { x: v, lo, hi, max }, ty, pos);
        Operand::value(node, ty, e)
    }

    fn swapped_indices(&mut self, parts: &[Id], known: [Option<u64>; 3]) {
        for i in 0..2 {
            let Some(x) = known[i].filter(|x| *x > 0) else { continue };
            for j in i + 1..3 {
                let Some(y) = known[j].filter(|y| *y < x) else { continue };
                let at = if parts[j] == NIL { parts[i] } else { parts[j] };
                self.err_at(
                    at,
                    Code::SwappedSliceIndices,
                    format!("invalid slice indices: {y} < {x}"),
                );
                return;
            }
        }
    }

    /// The type of a slice expression, and the length where it is constant.
    fn sliced_type(
        &mut self,
        x: &mut Operand,
        three: bool,
        parts: &[Id],
    ) -> Option<(Ty, Option<u64>)> {
        let cannot = |c: &mut Self, x: &Operand, why: &str| {
            let shown = c.show_operand(x);
            c.err_at(x.node, Code::NonSliceableOperand, format!("cannot slice {shown}{why}"));
        };
        let u = match self.sliced_under(x.ty) {
            Ok(u) => u,
            Err(why) => {
                cannot(self, x, &why);
                return None;
            }
        };
        match self.types.kind(u).clone() {
            Kind::Basic(Basic::String | Basic::UntypedString) => {
                if three {
                    let at = parts[2];
                    self.err_at(
                        at,
                        Code::NonSliceableOperand,
                        "invalid operation: 3-index slice of string",
                    );
                    return None;
                }
                let len = x
                    .val()
                    .and_then(|v| if let Value::Str(s) = v { Some(s.len() as u64) } else { None });
                if self.is_untyped(x.ty) {
                    self.convert_untyped(x, Basic::String.ty());
                }
                Some((x.ty, len))
            }
            Kind::Array(n, e) => {
                if x.mode != Mode::Var {
                    let shown = self.show_operand(x);
                    self.err_at(
                        x.node,
                        Code::NonSliceableOperand,
                        format!("cannot slice unaddressable value {shown}"),
                    );
                    return None;
                }
                Some((self.types.slice(e), Some(n)))
            }
            Kind::Pointer(p) => match self.under_kind(p) {
                Kind::Array(n, e) => Some((self.types.slice(e), Some(n))),
                _ => {
                    cannot(self, x, "");
                    None
                }
            },
            Kind::Slice(_) => Some((x.ty, None)),
            _ => {
                if self.is_valid_ty(u) {
                    cannot(self, x, "");
                }
                None
            }
        }
    }

    fn sliced_under(&mut self, t: Ty) -> Result<Ty, String> {
        let no_type = format!(": no specific type in {}", self.show(t));
        let Some(choices) = self.type_choices(t) else { return Err(no_type) };
        let bytes = self.types.slice(Basic::Uint8.ty());
        let mut common: Option<(Ty, Ty)> = None;
        let mut has_string = false;
        for (t, u) in choices {
            let is_string =
                matches!(self.types.kind(u), Kind::Basic(Basic::String | Basic::UntypedString));
            has_string |= is_string;
            let u = if is_string { bytes } else { u };
            match common {
                None => common = Some((t, u)),
                Some((ct, cu)) if cu != u => {
                    return Err(format!(
                        ": {} and {} have different underlying types",
                        self.show(ct),
                        self.show(t)
                    ));
                }
                Some(_) => {}
            }
        }
        let Some((_, u)) = common else { return Err(no_type) };
        Ok(if has_string { Basic::String.ty() } else { u })
    }
}
