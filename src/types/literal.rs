//! Composite literals (Go specification, "Composite literals").

#![expect(clippy::wildcard_enum_match_arm, reason = "few types have literals")]

use super::checker::Checker;
use super::consts::Value;
use super::lookup::{Found, Lookup};
use super::operand::Operand;
use super::table::HashSet;
use super::ty::{Basic, Field, Kind, Ty};
use super::typed::{ExprId, ExprKind, PathStep};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, List, Node};

/// A field given in a struct literal: the way to it and its value.
type Given = (Vec<u32>, ExprId);

impl Checker {
    /// `T{...}`; without a type, `hint` is the element type of the literal around it.
    pub(crate) fn composite(&mut self, node: Id, ty: Id, elems: List, hint: Option<Ty>) -> Operand {
        let mut is_elem = false;
        let mut open_array = None;
        let (typ, mut base) = if ty != NIL {
            match self.node(ty) {
                Node::Array(len, elem) if len != NIL && matches!(self.node(len), Node::Dots(_)) => {
                    let e = self.var_type(elem);
                    open_array = Some(e);
                    (Basic::Int.ty(), Basic::Int.ty())
                }
                _ => {
                    let t = self.type_expr(ty);
                    (t, t)
                }
            }
        } else if let Some(hint) = hint {
            is_elem = true;
            (hint, hint)
        } else {
            self.err_at(node, Code::InvalidLit, "missing type in composite literal");
            (Basic::Invalid.ty(), Basic::Invalid.ty())
        };
        let mut through_ptr = false;
        if is_elem && let Some(Kind::Pointer(e)) = self.common_kind(base) {
            base = e;
            through_ptr = true;
        }
        let pos = self.pos(node);
        if let Some(elem) = open_array {
            let (n, elems) = self.elements(elems, elem, None);
            let t = self.types.intern(Kind::Array(n, elem));
            let e = self.emit(ExprKind::ArrayLit(elems), t, pos);
            return Operand::value(node, t, e);
        }
        let Some(kind) = self.literal_kind(node, elems, base, typ, is_elem, pos) else {
            return Operand::invalid(node);
        };
        let mut e = self.emit(kind, base, pos);
        if through_ptr {
            let ptr = self.types.pointer(base);
            e = self.emit(ExprKind::AddrOf(e), ptr, pos);
            e = self.convert_value(e, typ, pos);
        }
        Operand::value(node, typ, e)
    }

    fn literal_kind(
        &mut self,
        node: Id,
        elems: List,
        base: Ty,
        typ: Ty,
        is_elem: bool,
        pos: Pos,
    ) -> Option<ExprKind> {
        let common = self.common_under(base);
        let u = common.clone().unwrap_or(Basic::Invalid.ty());
        match self.types.kind(u).clone() {
            Kind::Struct(fields) => Some(self.struct_lit(node, elems, base, &fields, pos)),
            Kind::Array(n, e) => {
                let (_, list) = self.elements(elems, e, Some(n));
                Some(ExprKind::ArrayLit(list))
            }
            Kind::Slice(e) => {
                let (len, list) = self.elements(elems, e, None);
                Some(ExprKind::SliceLit { len, elems: list })
            }
            Kind::Map(k, v) => Some(self.map_lit(elems, k, v)),
            _ => {
                for e in self.list(elems) {
                    let e = if let Node::KV(_, v) = self.node(e) { v } else { e };
                    if !matches!(self.node(e), Node::Composite(NIL, _)) {
                        self.use_exprs(&[e]);
                    }
                }
                if common.is_err() || self.is_valid_ty(u) {
                    let qualifier = if is_elem { " element" } else { "" };
                    let cause = if common.is_err() { " (no common underlying type)" } else { "" };
                    let t = self.show(typ);
                    self.err_at(
                        node,
                        Code::InvalidLit,
                        format!("invalid composite literal{qualifier} type {t}{cause}"),
                    );
                }
                None
            }
        }
    }

    // ---- structs ----

    fn struct_lit(
        &mut self,
        node: Id,
        elems: List,
        base: Ty,
        fields: &[Field],
        pos: Pos,
    ) -> ExprKind {
        let nodes = self.list(elems);
        let keyed = nodes.first().is_some_and(|&e| matches!(self.node(e), Node::KV(..)));
        if keyed {
            let given = self.keyed_fields(&nodes, base);
            return self.nest(given, base, pos);
        }
        let mut out = vec![];
        for (i, &e) in nodes.iter().enumerate() {
            if let Node::KV(..) = self.node(e) {
                self.err_at(
                    e,
                    Code::MixedStructLit,
                    "mixture of field:value and value elements in struct literal",
                );
                continue;
            }
            let hint = None;
            let mut x = self.generic_expr(e, hint);
            let Some(f) = fields.get(i) else {
                let t = self.show(base);
                self.err_at(
                    e,
                    Code::InvalidStructLit,
                    format!("too many values in struct literal of type {t}"),
                );
                break;
            };
            if self.hidden(f) {
                let t = self.show(base);
                let name = &f.name;
                let text = format!(
                    "implicit assignment to unexported field {name} in struct literal of type {t}"
                );
                self.err_at(e, Code::UnexportedLitField, text);
                continue;
            }
            self.assignment(&mut x, Some(f.ty), "struct literal");
            if x.is_valid() {
                out.push((i as u32, self.value(&mut x)));
            }
        }
        if !nodes.is_empty() && nodes.len() < fields.len() {
            let hint = if fields.iter().any(|f| self.hidden(f)) {
                " (type has unexported fields - use key:value pairs)"
            } else {
                ""
            };
            let (t, end) = (self.show(base), self.end_pos(node));
            self.err(
                end,
                Code::InvalidStructLit,
                format!("too few values in struct literal of type {t}{hint}"),
            );
        }
        ExprKind::StructLit(out)
    }

    fn hidden(&self, f: &Field) -> bool {
        f.pkg.is_some_and(|p| p != self.env.pkg)
    }

    fn keyed_fields(&mut self, nodes: &[Id], base: Ty) -> Vec<Given> {
        let mut out: Vec<Given> = vec![];
        let mut seen: Vec<(Vec<u32>, String)> = vec![];
        for &e in nodes {
            let Node::KV(key, value) = self.node(e) else {
                self.err_at(
                    e,
                    Code::MixedStructLit,
                    "mixture of field:value and value elements in struct literal",
                );
                continue;
            };
            let mut x = self.generic_expr(value, None);
            if !matches!(self.node(key), Node::Ident) {
                let shown = self.show_node(key);
                self.err_at(
                    e,
                    Code::MissingLitField,
                    format!("invalid field name {shown} in struct literal"),
                );
                continue;
            }
            let name = self.name(self.sym(key)).to_string();
            let u = self.common_under(base).unwrap_or(base);
            let pkg = self.env.pkg;
            let (found, path) = match self.find(u, false, pkg, &name, false) {
                Lookup::Found { found, path, .. } => (found, path),
                _ => {
                    let (code, text) = self.unknown_field(base, &name);
                    let notes = self.member_hints(base, &name);
                    let at = self.pos(key);
                    self.err_noted(at, code, text, notes);
                    continue;
                }
            };
            let Found::Field(f) = found else {
                self.err_at(key, Code::MissingLitField, format!("{name} is not a field"));
                continue;
            };
            if path.iter().any(|s| s.deref) {
                self.err_at(
                    key,
                    Code::InvalidStructLit,
                    format!("invalid implicit pointer indirection to reach {name}"),
                );
                continue;
            }
            self.assignment(&mut x, Some(f.ty), "struct literal");
            let way: Vec<u32> = path.iter().map(|s: &PathStep| s.index).collect();
            self.duplicate_field(&mut seen, &way, &name, e);
            if x.is_valid() {
                let v = self.value(&mut x);
                out.push((way, v));
            }
        }
        out
    }

    fn duplicate_field(
        &mut self,
        seen: &mut Vec<(Vec<u32>, String)>,
        way: &[u32],
        name: &str,
        node: Id,
    ) {
        let clash = seen.iter().find(|(w, _)| w.starts_with(way) || way.starts_with(w)).cloned();
        match clash {
            Some((w, _)) if w == way => {
                self.err_at(
                    node,
                    Code::DuplicateLitField,
                    format!("duplicate field name {name} in struct literal"),
                );
            }
            Some((w, alt)) if w.len() < way.len() => {
                let text = format!(
                    "cannot specify promoted field {name} and enclosing embedded field {alt}"
                );
                self.err_at(node, Code::DuplicateLitField, text);
            }
            Some((_, alt)) => {
                let text = format!(
                    "cannot specify embedded field {name} and enclosed promoted field {alt}"
                );
                self.err_at(node, Code::DuplicateLitField, text);
            }
            None => seen.push((way.to_vec(), name.to_string())),
        }
    }

    /// Fields with a longer way become literals of the embedded structs.
    fn nest(&mut self, given: Vec<Given>, t: Ty, pos: Pos) -> ExprKind {
        let Kind::Struct(fields) = self.under_kind(t) else { return ExprKind::Zero };
        let mut out: Vec<(u32, ExprId)> = vec![];
        let mut nested: Vec<(u32, Vec<Given>)> = vec![];
        for (mut way, e) in given {
            let first = way.remove(0);
            if way.is_empty() {
                out.push((first, e));
                continue;
            }
            match nested.iter_mut().find(|(i, _)| *i == first) {
                Some((_, list)) => list.push((way, e)),
                None => nested.push((first, vec![(way, e)])),
            }
        }
        for (i, list) in nested {
            let Some(f) = fields.get(i as usize) else { continue };
            let kind = self.nest(list, f.ty, pos);
            let e = self.emit(kind, f.ty, pos);
            out.push((i, e));
        }
        ExprKind::StructLit(out)
    }

    // ---- arrays, slices, maps ----

    /// Elements with their indexes, and the length they need.
    fn elements(&mut self, elems: List, ty: Ty, len: Option<u64>) -> (u64, Vec<(u64, ExprId)>) {
        let mut seen: HashSet<u64> = HashSet::default();
        let (mut index, mut max) = (0u64, 0u64);
        let mut out = vec![];
        for e in self.list(elems) {
            let mut valid = false;
            let mut value = e;
            if let Node::KV(key, v) = self.node(e) {
                value = v;
                match self.index(key, len) {
                    (Some(_), Some(i)) => {
                        index = i;
                        valid = true;
                    }
                    (Some(_), None) => {
                        let shown = self.show_node(key);
                        self.err_at(
                            e,
                            Code::InvalidLitIndex,
                            format!("index {shown} must be integer constant"),
                        );
                    }
                    _ => {}
                }
            } else if len.is_some_and(|n| index >= n) {
                let n = len.unwrap_or(0);
                self.err_at(
                    e,
                    Code::InvalidLitIndex,
                    format!("index {index} is out of bounds (>= {n})"),
                );
            } else {
                valid = true;
            }
            if valid && !seen.insert(index) {
                self.err_at(
                    e,
                    Code::DuplicateLitKey,
                    format!("duplicate index {index} in array or slice literal"),
                );
            }
            let mut x = self.generic_expr(value, Some(ty));
            self.assignment(&mut x, Some(ty), "array or slice literal");
            if x.is_valid() {
                out.push((index, self.value(&mut x)));
            }
            index = index.saturating_add(1);
            max = max.max(index);
        }
        (max, out)
    }

    fn map_lit(&mut self, elems: List, key: Ty, elem: Ty) -> ExprKind {
        let mut texts: HashSet<(String, Ty)> = HashSet::default();
        let mut out = vec![];
        for e in self.list(elems) {
            let Node::KV(k, v) = self.node(e) else {
                self.err_at(e, Code::MissingLitKey, "missing key in map literal");
                continue;
            };
            let mut x = self.generic_expr(k, Some(key));
            let constant = self.const_key(&x, key);
            self.assignment(&mut x, Some(key), "map literal");
            if !x.is_valid() {
                continue;
            }
            if let Some((val, t)) = constant
                && !texts.insert((format!("{val:?}"), t))
            {
                let shown = super::consts::show(&val);
                self.err_at(
                    k,
                    Code::DuplicateLitKey,
                    format!("duplicate key {shown} in map literal"),
                );
                continue;
            }
            let kx = self.value(&mut x);
            let mut y = self.generic_expr(v, Some(elem));
            self.assignment(&mut y, Some(elem), "map literal");
            if y.is_valid() {
                out.push((kx, self.value(&mut y)));
            }
        }
        ExprKind::MapLit(out)
    }

    /// The value and type under which a constant key is a duplicate of another.
    fn const_key(&mut self, x: &Operand, key: Ty) -> Option<(Value, Ty)> {
        let v = x.val()?;
        if *v == Value::Unknown {
            return None;
        }
        let t = if self.is_interface(key) { self.default_type(x.ty) } else { key };
        let b = self.basic(t)?;
        let v = super::convert::represent(v, b)?;
        Some((v, t))
    }
}
