//! Order of evaluation.
//!
//! The specification orders calls, receives and the like, and leaves open when variables are read in between. Programs have come
//! to rely on what the Go compiler does: it performs all calls of a statement first, in order, each with its own operands, and
//! reads variables, elements and fields afterwards. `hoist` does the same, but only where one could tell: where something that
//! a call could change is read before a call.
//!
//! Invariant: what has been performed ahead is in `ready`, and its registers stay taken until the statement ends.

use super::fun::Fun;
use super::types::Class;
use super::vars::Var;
use crate::types::ty::Kind;
use crate::types::typed::{BinaryOp, Builtin, Callee, ExprId, ExprKind, LocalId};

impl Fun<'_> {
    /// Performs the calls in a list of expressions ahead of everything else, if their order matters.
    pub(super) fn hoist(&mut self, roots: &[ExprId]) {
        let mut seen = false;
        if roots.iter().any(|&e| self.clashes(e, &mut seen)) {
            for &e in roots {
                self.hoist_calls(e);
            }
        }
    }

    /// Runs `f` with the calls of `roots` performed ahead where necessary.
    pub(super) fn ordered(&mut self, roots: &[ExprId], f: impl FnOnce(&mut Self)) {
        let kept = self.ready.len();
        self.hoist(roots);
        f(self);
        self.ready.truncate(kept);
    }

    /// Whether a call comes after something that it could change has been read (`seen`).
    fn clashes(&self, e: ExprId, seen: &mut bool) -> bool {
        let before = *seen;
        let call = self.has_effect(e);
        let mut clash = false;
        self.children(e, &mut |c| clash = clash || self.clashes(c, seen));
        if call {
            clash |= before;
            *seen = before;
        } else if self.is_mutable_read(e) {
            *seen = true;
        }
        clash
    }

    /// A call, or something that the Go compiler treats like one.
    fn is_ordered(&mut self, e: ExprId) -> bool {
        let ty = self.expr(e).ty;
        match &self.expr(e).kind {
            ExprKind::TypeAssert { .. }
            | ExprKind::Slice { .. }
            | ExprKind::AndAnd(..)
            | ExprKind::OrOr(..) => true,
            &ExprKind::ToInterface(x) => self.is_copied_into_interface(x),
            &ExprKind::Convert(x) => {
                let (from, to) = (self.info_of(x).class, self.class(ty));
                from == Class::Str && to == Class::Slice
            }
            ExprKind::Builtin(b) => matches!(
                b,
                Builtin::Append { .. }
                    | Builtin::AppendSlice { .. }
                    | Builtin::Copy { .. }
                    | Builtin::Len(_)
                    | Builtin::Cap(_)
                    | Builtin::Make { .. }
                    | Builtin::Complex(..)
                    | Builtin::Real(_)
                    | Builtin::Imag(_)
                    | Builtin::Min(_)
                    | Builtin::Max(_)
                    | Builtin::Recover
            ),
            _ => self.has_effect(e),
        }
    }

    /// The Go compiler copies such a value when it comes to it, to box it from there: what has no address, and is neither a
    /// number of more than a byte nor a string nor a slice.
    fn is_copied_into_interface(&mut self, x: ExprId) -> bool {
        let boxed = match self.info_of(x).class {
            Class::Bool | Class::Int(8, _) | Class::C128 => true,
            // a single part goes as a number does
            Class::Struct | Class::Array => match self.src.known_types().under(self.expr(x).ty) {
                Kind::Array(n, _) => *n != 1,
                Kind::Struct(fields) => fields.len() != 1,
                _ => true,
            },
            Class::Int(..)
            | Class::F64
            | Class::F32
            | Class::C64
            | Class::Str
            | Class::Ptr
            | Class::Slice
            | Class::Map
            | Class::Chan
            | Class::Func
            | Class::Iface
            | Class::Tuple => false,
        };
        boxed && !self.has_address(x)
    }

    fn has_address(&self, e: ExprId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::IndexSlice { .. } => true,
            ExprKind::Field { x, .. } | ExprKind::IndexArray { x, .. } => self.has_address(*x),
            _ => false,
        }
    }

    /// Something that may change what was read before it.
    fn has_effect(&self, e: ExprId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Call(_)
            | ExprKind::Recv { .. }
            | ExprKind::MapLit(_)
            | ExprKind::Let { .. }
            | ExprKind::WithTuple { .. } => true,
            ExprKind::AndAnd(_, b) | ExprKind::OrOr(_, b) => self.has_call(*b),
            ExprKind::Builtin(b) => {
                matches!(
                    b,
                    Builtin::Append { .. } | Builtin::AppendSlice { .. } | Builtin::Copy { .. }
                )
            }
            _ => false,
        }
    }

    fn has_call(&self, e: ExprId) -> bool {
        if self.has_effect(e) {
            return true;
        }
        let mut any = false;
        self.children(e, &mut |c| any = any || self.has_call(c));
        any
    }

    /// Reads something that a function literal or another function could change, or may panic.
    fn is_mutable_read(&self, e: ExprId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Local(l) => match self.vars[l.0 as usize] {
                Var::Cell(_) => true,
                Var::Mem(_) => self.shared(*l),
                Var::Reg(_) | Var::None => false,
            },
            ExprKind::Global(_)
            | ExprKind::Deref(_)
            | ExprKind::IndexSlice { .. }
            | ExprKind::IndexMap { .. } => true,
            // what may panic comes after the calls
            ExprKind::Binary(
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr,
                _,
                b,
            )
            | ExprKind::IndexArray { index: b, .. }
            | ExprKind::IndexString { index: b, .. } => self.const_int(*b).is_none(),
            &ExprKind::Compare(_, a, _) => {
                let under = self.src.known_types().under(self.expr(a).ty);
                matches!(under, Kind::Interface(_) | Kind::Struct(_) | Kind::Array(..))
            }
            _ => false,
        }
    }

    /// `x().f(g())` with several results of g: what the outer call evaluates before its arguments comes before g.
    pub(super) fn before_tuple(&mut self, body: ExprId, temps: &[LocalId]) {
        let Some(call) = self.as_call(body) else { return };
        let lead = match &call.callee {
            Callee::Value(v) => Some(*v),
            Callee::Interface { recv, .. } => Some(*recv),
            Callee::Static(_) => call.args.first().copied(),
        };
        if let Some(e) = lead
            && !temps.iter().any(|&t| self.mentions(e, t))
        {
            self.hoist_calls(e);
        }
    }

    /// Performs the calls in `e`.
    fn hoist_calls(&mut self, e: ExprId) {
        if self.ready.iter().any(|r| r.0 == e) {
            return;
        }
        let whole = self.is_ordered(e);
        match &self.expr(e).kind {
            // these order their parts themselves
            ExprKind::MapLit(_)
            | ExprKind::Let { .. }
            | ExprKind::WithTuple { .. }
            | ExprKind::AndAnd(..)
            | ExprKind::OrOr(..)
                if whole => {}
            _ => {
                let mut list = Vec::new();
                self.children(e, &mut |c| list.push(c));
                for c in list {
                    self.hoist_calls(c);
                }
            }
        }
        if whole {
            let r = self.operand(e);
            self.ready.push((e, r));
        }
    }

    /// The operands of a chain `a + b + c ...`, found in a loop because such chains may be long.
    fn spine_operands(&self, e: ExprId, f: &mut dyn FnMut(ExprId)) {
        let mut right = Vec::new();
        let mut at = e;
        while let ExprKind::Binary(_, a, b) = &self.expr(at).kind
            && (at == e || !self.is_mutable_read(at))
        {
            right.push(*b);
            at = *a;
        }
        f(at);
        right.into_iter().rev().for_each(f);
    }

    /// The operands of an expression, in order. The bodies of `Let` and `WithTuple` are left out: their variables do not
    /// exist yet.
    pub(super) fn children(&self, e: ExprId, f: &mut dyn FnMut(ExprId)) {
        let list = |l: &[ExprId], f: &mut dyn FnMut(ExprId)| l.iter().for_each(|&c| f(c));
        match &self.expr(e).kind {
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::ToInterface(a)
            | ExprKind::IfaceToIface(a)
            | ExprKind::TypeAssert { x: a, .. }
            | ExprKind::Field { x: a, .. }
            | ExprKind::Deref(a)
            | ExprKind::AddrOf(a)
            | ExprKind::Recv { chan: a, .. }
            | ExprKind::MethodValue { recv: a, .. }
            | ExprKind::WithTuple { tuple: a, .. }
            | ExprKind::Let { init: a, .. } => f(*a),
            ExprKind::Binary(..) => self.spine_operands(e, f),
            ExprKind::Compare(_, a, b)
            | ExprKind::AndAnd(a, b)
            | ExprKind::OrOr(a, b)
            | ExprKind::IndexArray { x: a, index: b }
            | ExprKind::IndexSlice { x: a, index: b }
            | ExprKind::IndexString { x: a, index: b }
            | ExprKind::IndexMap { x: a, key: b, .. } => list(&[*a, *b], f),
            ExprKind::Concat(l) => list(l, f),
            ExprKind::Slice { x, lo, hi, max } => {
                f(*x);
                [lo, hi, max].into_iter().flatten().for_each(|&c| f(c));
            }
            ExprKind::Call(call) => {
                match &call.callee {
                    Callee::Value(v) => f(*v),
                    Callee::Interface { recv, .. } => f(*recv),
                    Callee::Static(_) => {}
                }
                list(&call.args, f);
            }
            ExprKind::Builtin(b) => builtin_children(b, f),
            ExprKind::StructLit(l) => l.iter().for_each(|c| f(c.1)),
            ExprKind::ArrayLit(l) | ExprKind::SliceLit { elems: l, .. } => {
                l.iter().for_each(|c| f(c.1));
            }
            ExprKind::MapLit(l) => l.iter().for_each(|c| {
                f(c.0);
                f(c.1);
            }),
            ExprKind::Const(_)
            | ExprKind::Nil
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Func(_)
            | ExprKind::Closure(_)
            | ExprKind::MethodExpr { .. } => {}
        }
    }
}

fn builtin_children(b: &Builtin, f: &mut dyn FnMut(ExprId)) {
    match b {
        Builtin::Len(a)
        | Builtin::Cap(a)
        | Builtin::Clear(a)
        | Builtin::Close(a)
        | Builtin::New(Some(a))
        | Builtin::Panic(a)
        | Builtin::Real(a)
        | Builtin::Imag(a)
        | Builtin::UnsafeData(a) => f(*a),
        Builtin::Append { slice, elems } => {
            f(*slice);
            elems.iter().for_each(|&c| f(c));
        }
        Builtin::AppendSlice { slice: a, tail: b }
        | Builtin::Copy { dst: a, src: b }
        | Builtin::Delete { map: a, key: b }
        | Builtin::Complex(a, b)
        | Builtin::UnsafeView { pointer: a, len: b } => {
            f(*a);
            f(*b);
        }
        Builtin::Make { len, cap } => [len, cap].into_iter().flatten().for_each(|&c| f(c)),
        Builtin::Print { args, .. } | Builtin::Min(args) | Builtin::Max(args) => {
            args.iter().for_each(|&c| f(c));
        }
        Builtin::New(None) | Builtin::Recover | Builtin::UnsafeUnsupported => {}
    }
}
