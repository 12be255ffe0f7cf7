//! Sizes, alignments and offsets as Go has them (Go specification, "Size and alignment guarantees"): of `unsafe`, and for what is too large.
//! They are not the layout that values have in the machine.

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds have parts")]

use super::checker::Checker;
use super::object::Predeclared;
use super::operand::Operand;
use super::ty::{Basic, Kind, Ty};
use crate::diag::Code;
use crate::syntax::ast::{Id, Node};

/// Bytes that the size of a type may have: more overflow Go's own arithmetic.
const MAX_SIZE: u64 = i64::MAX as u64;

impl Checker {
    /// `unsafe.Sizeof` and `unsafe.Alignof`.
    pub(crate) fn size_align(&mut self, node: Id, id: Predeclared, mut x: Operand) -> Operand {
        self.assignment(&mut x, None, &format!("argument to {}", id.name()));
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        let (size, align) = self.layout(x.ty);
        if id == Predeclared::Alignof {
            return self.size_constant(node, x.ty, align);
        }
        if size > MAX_SIZE {
            return self.too_large(node, &x);
        }
        self.size_constant(node, x.ty, size)
    }

    /// A size, alignment or offset in a type; no constant if it depends on type parameters.
    fn size_constant(&mut self, node: Id, of: Ty, n: u64) -> Operand {
        let ty = Basic::Uintptr.ty();
        let mut x = Operand::constant(node, ty, Self::int_value(n));
        if self.varies(of) {
            let e = self.value(&mut x);
            return Operand::value(node, ty, e);
        }
        x
    }

    fn too_large(&mut self, node: Id, x: &Operand) -> Operand {
        let shown = self.show_operand(x);
        self.err_at(x.node, Code::TooLarge, format!("{shown} is too large"));
        Operand::invalid(node)
    }

    /// Whether the size of a type depends on type parameters.
    fn varies(&mut self, t: Ty) -> bool {
        if self.is_param(t) {
            return true;
        }
        if !self.has_param(t) {
            return false;
        }
        match self.under_kind(t) {
            Kind::Array(_, e) => self.varies(e),
            Kind::Struct(fields) => fields.iter().any(|f| self.varies(f.ty)),
            _ => false,
        }
    }

    /// `unsafe.Offsetof`.
    pub(crate) fn offsetof(&mut self, node: Id, arg: Id) -> Operand {
        let sel = self.unparen(arg);
        let Node::Sel(inner, name) = self.node(sel) else {
            let shown = self.show_node(arg);
            self.use_exprs(&[arg]);
            return self.fail(
                node,
                arg,
                format!("invalid argument: {shown} is not a selector expression"),
            );
        };
        let x = self.expr(inner);
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        let mut base = match self.under_kind(x.ty) {
            Kind::Pointer(e) if matches!(self.under_kind(e), Kind::Struct(_)) => e,
            _ => x.ty,
        };
        let text = self.name(self.sym_of(name)).to_string();
        let pkg = self.env.pkg;
        let super::lookup::Lookup::Found { found, path, .. } =
            self.find(base, false, pkg, &text, false)
        else {
            let shown = self.show(base);
            return self.fail(
                node,
                inner,
                format!("invalid argument: {shown} has no single field {text}"),
            );
        };
        if !matches!(found, super::lookup::Found::Field(_)) {
            let shown = self.show_node(arg);
            return self.fail(node, arg, format!("invalid argument: {shown} is a method value"));
        }
        if path.iter().any(|s| s.deref) {
            let shown = self.show(base);
            let text =
                format!("invalid argument: field {text} is embedded via a pointer in {shown}");
            return self.fail(node, inner, text);
        }
        let whole = base;
        let mut offset = 0u64;
        for step in path {
            let Kind::Struct(fields) = self.under_kind(base) else { break };
            offset = offset.saturating_add(self.field_offset(&fields, step.index as usize));
            base = fields[step.index as usize].ty;
        }
        if offset > MAX_SIZE {
            return self.too_large(node, &x);
        }
        self.size_constant(node, whole, offset)
    }

    fn field_offset(&mut self, fields: &[super::ty::Field], index: usize) -> u64 {
        let mut at = 0u64;
        for (i, f) in fields.iter().enumerate() {
            let (size, align) = self.layout(f.ty);
            at = align_up(at, align);
            if i == index {
                return at;
            }
            at = at.saturating_add(size);
        }
        at
    }

    /// Size and alignment on amd64.
    pub(crate) fn layout(&mut self, t: Ty) -> (u64, u64) {
        if let Some(&known) = self.layouts.get(&t) {
            return known;
        }
        // a type that contains itself is told elsewhere; its size ends here
        self.layouts.insert(t, (0, 1));
        let found = self.find_layout(t);
        self.layouts.insert(t, found);
        found
    }

    fn find_layout(&mut self, t: Ty) -> (u64, u64) {
        match self.under_kind(t) {
            Kind::Basic(b) => match b {
                Basic::Bool | Basic::Int8 | Basic::Uint8 => (1, 1),
                Basic::Int16 | Basic::Uint16 => (2, 2),
                Basic::Int32 | Basic::Uint32 | Basic::Float32 => (4, 4),
                Basic::Complex64 => (8, 4),
                Basic::Complex128 | Basic::String => (16, 8),
                _ => (8, 8),
            },
            Kind::Array(n, e) => {
                let (size, align) = self.layout(e);
                (size.saturating_mul(n), align)
            }
            Kind::Struct(fields) => {
                let (mut at, mut max) = (0u64, 1);
                let mut last = 1;
                for f in &fields {
                    let (size, align) = self.layout(f.ty);
                    at = align_up(at, align).saturating_add(size);
                    max = max.max(align);
                    last = size;
                }
                // a pointer past the last field must not leave the object
                if last == 0 && at > 0 {
                    at = at.saturating_add(1);
                }
                (align_up(at, max), max)
            }
            Kind::Slice(_) => (24, 8),
            Kind::Interface(_) => (16, 8),
            _ => (8, 8),
        }
    }
}

fn align_up(n: u64, align: u64) -> u64 {
    n.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}
