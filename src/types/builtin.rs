//! Calls of predeclared functions (Go specification, "Built-in functions") and of package `unsafe`.

#![expect(clippy::wildcard_enum_match_arm, reason = "each function is about a few kinds of types")]

use super::checker::Checker;
use super::consts::{self, Value};
use super::object::Predeclared;
use super::operand::{Mode, Operand};
use super::predicates::{
    is_complex_basic, is_float_basic, is_integer_basic, is_numeric_basic, is_string_basic,
};
use super::real::Real;
use super::ty::{Basic, ChanDir, Kind, Signature, Ty};
use super::typed::{Builtin, ExprId, ExprKind};
use crate::diag::Code;
use crate::syntax::ast::{Id, List};
use crate::syntax::token::Op;

impl Checker {
    /// A call of a predeclared function.
    pub(crate) fn builtin(&mut self, node: Id, id: Predeclared, args: List, dots: bool) -> Operand {
        let nodes = self.list(args);
        let name = id.name();
        if dots && id != Predeclared::Append {
            self.err_at(
                node,
                Code::InvalidDotDotDot,
                format!(
                    "invalid operation: invalid use of ... with built-in {}",
                    name.trim_start_matches("unsafe.")
                ),
            );
            self.use_exprs(&nodes);
            return Operand::invalid(node);
        }
        let saved = self.env.has_call;
        if matches!(id, Predeclared::Len | Predeclared::Cap) {
            self.env.has_call = false;
        }
        let lazy = matches!(id, Predeclared::Make | Predeclared::New | Predeclared::Offsetof);
        let mut list = if lazy {
            super::call::Args { ops: vec![], tuple: None }
        } else {
            let mut list = self.arguments(args);
            for a in &mut list.ops {
                self.non_generic(a, None);
            }
            list
        };
        let has_call = std::mem::replace(&mut self.env.has_call, saved);
        if list.ops.iter().any(|a| !a.is_valid()) {
            return Operand::invalid(node);
        }
        let n = if lazy { nodes.len() } else { list.ops.len() };
        let (min, variadic) = id.arity();
        if n < min || (!variadic && n > min) {
            let qualifier = if n < min { "not enough" } else { "too many" };
            let shown = self.show_node(node);
            let text = format!(
                "invalid operation: {qualifier} arguments for {shown} (expected {min}, found {n})"
            );
            self.err_at(node, Code::WrongArgCount, text);
            return Operand::invalid(node);
        }
        let tuple = list.tuple.take();
        let mut x = match id {
            Predeclared::Make => self.make(node, &nodes),
            Predeclared::New => self.new_call(node, nodes[0]),
            Predeclared::Offsetof => self.offsetof(node, nodes[0]),
            _ => self.builtin_values(node, id, list.ops, dots, has_call),
        };
        if let (Some((tuple, temps)), Some(body)) = (tuple, x.expr) {
            let pos = self.pos(node);
            x.expr = Some(self.emit(ExprKind::WithTuple { tuple, temps, body }, x.ty, pos));
        }
        x.node = node;
        x
    }

    fn builtin_values(
        &mut self,
        node: Id,
        id: Predeclared,
        mut ops: Vec<Operand>,
        dots: bool,
        has_call: bool,
    ) -> Operand {
        match id {
            Predeclared::Append => self.append(node, ops, dots),
            Predeclared::Len | Predeclared::Cap => self.len_cap(node, id, ops.remove(0), has_call),
            Predeclared::Clear => self.clear(node, ops.remove(0)),
            Predeclared::Close => self.close(node, ops.remove(0)),
            Predeclared::Complex => self.complex(node, ops),
            Predeclared::Copy => self.copy(node, ops),
            Predeclared::Delete => self.delete(node, ops),
            Predeclared::Real | Predeclared::Imag => self.real_imag(node, id, ops.remove(0)),
            Predeclared::Max | Predeclared::Min => self.min_max(node, id, ops),
            Predeclared::Panic => {
                self.env.panics.insert(node);
                self.panic(node, ops.remove(0))
            }
            Predeclared::Print | Predeclared::Println => self.print(node, id, ops),
            Predeclared::Recover => {
                self.cx().body.has_recover = true;
                let any = self.any_ty;
                // the word of its declaration
                self.says_any = false;
                self.done(node, Builtin::Recover, any)
            }
            Predeclared::Sizeof | Predeclared::Alignof => self.size_align(node, id, ops.remove(0)),
            _ => self.unsafe_call(node, id, ops),
        }
    }

    fn done(&mut self, node: Id, b: Builtin, ty: Ty) -> Operand {
        let pos = self.pos(node);
        let e = self.emit(ExprKind::Builtin(b), ty, pos);
        Operand::value(node, ty, e)
    }

    fn no_value(&mut self, node: Id, b: Builtin) -> Operand {
        let none = self.types.intern(Kind::Tuple(vec![]));
        Operand { mode: Mode::NoValue, ..self.done(node, b, none) }
    }

    pub(crate) fn fail(&mut self, node: Id, at: Id, text: String) -> Operand {
        self.err_at(at, Code::InvalidArgument, text);
        Operand::invalid(node)
    }

    // ---- slices ----

    /// The element type of a slice operand.
    fn slice_elem(&mut self, x: &Operand) -> Result<Ty, String> {
        let Some(list) = self.type_choices(x.ty) else {
            return Err(format!("argument must be a slice; have {}", self.show_operand(x)));
        };
        let mut elem: Option<Ty> = None;
        for (_, u) in list {
            let Kind::Slice(e) = *self.types.kind(u) else {
                let shown = if x.is_nil() { "untyped nil".into() } else { self.show_operand(x) };
                return Err(format!("argument must be a slice; have {shown}"));
            };
            if let Some(old) = elem.filter(|&o| o != e) {
                let (a, b, shown) = (self.show(old), self.show(e), self.show_operand(x));
                return Err(format!("mismatched slice element types {a} and {b} in {shown}"));
            }
            elem = Some(e);
        }
        elem.ok_or_else(|| "no specific type".into())
    }

    /// All types are byte slices or strings.
    fn is_bytes_or_string(&mut self, t: Ty) -> bool {
        self.all_under(t, |c, u| match *c.types.kind(u) {
            Kind::Slice(e) => e == Basic::Uint8.ty(),
            Kind::Basic(b) => is_string_basic(b),
            _ => false,
        })
    }

    fn append(&mut self, node: Id, mut ops: Vec<Operand>, dots: bool) -> Operand {
        let elem = match self.slice_elem(&ops[0]) {
            Ok(e) => e,
            Err(why) => return self.fail(node, ops[0].node, format!("invalid append: {why}")),
        };
        let ty = ops[0].ty;
        let bytes = self.types.slice(Basic::Uint8.ty());
        if ops.len() == 2
            && dots
            && self.assignable(&ops[0], bytes).is_ok()
            && self.is_bytes_or_string(ops[1].ty)
        {
            if self.is_untyped(ops[1].ty) {
                self.convert_untyped(&mut ops[1], Basic::String.ty());
            }
            let (slice, tail) = (self.value(&mut ops[0]), self.value(&mut ops[1]));
            return self.done(node, Builtin::AppendSlice { slice, tail }, ty);
        }
        let rest = self.types.slice(elem);
        let sig = Signature { params: vec![ty, rest], results: vec![ty], variadic: true };
        let slice = self.value(&mut ops[0]);
        let mut list = super::call::Args { ops, tuple: None };
        let mut callee = Operand::invalid(node);
        let Some((values, _)) = self.pass_arguments(node, &mut callee, sig, &mut list, dots) else {
            return Operand { mode: Mode::Value, ..Operand::value(node, ty, slice) };
        };
        let last = values[1];
        if dots {
            return self.done(node, Builtin::AppendSlice { slice, tail: last }, ty);
        }
        let elems = match &self.expr_of(last).kind {
            ExprKind::SliceLit { elems, .. } => elems.iter().map(|(_, e)| *e).collect(),
            _ => vec![],
        };
        self.done(node, Builtin::Append { slice, elems }, ty)
    }

    fn copy(&mut self, node: Id, mut ops: Vec<Operand>) -> Operand {
        let elem = match self.slice_elem(&ops[0]) {
            Ok(e) => e,
            Err(why) => return self.fail(node, ops[0].node, format!("invalid copy: {why}")),
        };
        let bytes = self.types.slice(Basic::Uint8.ty());
        let special = self.assignable(&ops[0], bytes).is_ok() && self.is_bytes_or_string(ops[1].ty);
        if !special {
            let from = match self.slice_elem(&ops[1]) {
                Ok(e) => e,
                Err(_) if self.all_string(ops[1].ty) => Basic::Uint8.ty(),
                Err(why) => return self.fail(node, ops[1].node, format!("invalid copy: {why}")),
            };
            if from != elem {
                let (x, y) = (self.show_operand(&ops[0]), self.show_operand(&ops[1]));
                let (a, b) = (self.show(elem), self.show(from));
                let text = format!(
                    "invalid copy: arguments {x} and {y} have different element types {a} and {b}"
                );
                return self.fail(node, ops[0].node, text);
            }
        }
        if self.is_untyped(ops[1].ty) {
            self.convert_untyped(&mut ops[1], Basic::String.ty());
        }
        let (dst, src) = (self.value(&mut ops[0]), self.value(&mut ops[1]));
        self.done(node, Builtin::Copy { dst, src }, Basic::Int.ty())
    }

    // ---- len, cap, clear, close, delete ----

    fn len_cap(&mut self, node: Id, id: Predeclared, mut x: Operand, has_call: bool) -> Operand {
        let is_len = id == Predeclared::Len;
        let int = Basic::Int.ty();
        if let (true, Some(Value::Str(s))) = (is_len, x.val()) {
            return Operand::constant(node, int, Self::int_value(s.len() as u64));
        }
        let ok = self.all_under(x.ty, |c, u| match c.types.kind(u).clone() {
            Kind::Basic(b) => is_len && is_string_basic(b),
            Kind::Array(..) | Kind::Slice(_) | Kind::Chan(..) => true,
            Kind::Pointer(e) => matches!(c.under_kind(e), Kind::Array(..)),
            Kind::Map(..) => is_len,
            _ => false,
        });
        if !ok {
            let shown = self.show_operand(&x);
            let at = x.node;
            return self.fail(
                node,
                at,
                format!("invalid argument: {shown} for built-in {}", id.name()),
            );
        }
        let array = match self.under_kind(x.ty) {
            Kind::Array(n, _) => Some(n),
            Kind::Pointer(e) => match self.under_kind(e) {
                Kind::Array(n, _) => Some(n),
                _ => None,
            },
            _ => None,
        };
        let v = self.value(&mut x);
        if let Some(n) = array {
            if !has_call {
                return Operand::constant(node, int, Self::int_value(n));
            }
            let pos = self.pos(node);
            let local = self.temp(x.ty, pos);
            let body = self.emit_const(&Self::int_value(n), int, pos);
            let e = self.emit(ExprKind::Let { local, init: v, body }, int, pos);
            return Operand::value(node, int, e);
        }
        let b = if is_len { Builtin::Len(v) } else { Builtin::Cap(v) };
        self.done(node, b, int)
    }

    fn clear(&mut self, node: Id, mut x: Operand) -> Operand {
        if !self.all_under(x.ty, |c, u| matches!(c.types.kind(u), Kind::Map(..) | Kind::Slice(_))) {
            let (shown, at) = (self.show_operand(&x), x.node);
            let text = format!(
                "invalid argument: cannot clear {shown}: argument must be (or constrained by) map or slice"
            );
            return self.fail(node, at, text);
        }
        let v = self.value(&mut x);
        self.no_value(node, Builtin::Clear(v))
    }

    fn close(&mut self, node: Id, mut x: Operand) -> Operand {
        let choices = self.type_choices(x.ty).unwrap_or_default();
        let (shown, at) = (self.show_operand(&x), x.node);
        if choices.is_empty() {
            return self.fail(
                node,
                at,
                format!("invalid operation: cannot close non-channel {shown}"),
            );
        }
        for (_, u) in choices {
            match self.types.kind(u) {
                Kind::Chan(ChanDir::Recv, _) => {
                    return self.fail(
                        node,
                        at,
                        format!("invalid operation: cannot close receive-only channel {shown}"),
                    );
                }
                Kind::Chan(..) => {}
                _ => {
                    return self.fail(
                        node,
                        at,
                        format!("invalid operation: cannot close non-channel {shown}"),
                    );
                }
            }
        }
        let v = self.value(&mut x);
        self.no_value(node, Builtin::Close(v))
    }

    fn delete(&mut self, node: Id, mut ops: Vec<Operand>) -> Operand {
        let choices = self.type_choices(ops[0].ty).unwrap_or_default();
        let mut key: Option<Ty> = None;
        let (shown, at) = (self.show_operand(&ops[0]), ops[0].node);
        for (_, u) in &choices {
            let Kind::Map(k, _) = *self.types.kind(*u) else {
                return self.fail(node, at, format!("invalid argument: {shown} is not a map"));
            };
            if key.is_some_and(|old| old != k) {
                return self.fail(
                    node,
                    at,
                    format!("invalid argument: maps of {shown} must have identical key types"),
                );
            }
            key = Some(k);
        }
        if key.is_none() {
            return self.fail(node, at, format!("invalid argument: {shown} is not a map"));
        }
        self.assignment(&mut ops[1], key, "argument to delete");
        if !ops[1].is_valid() {
            return Operand::invalid(node);
        }
        let (map, key) = (self.value(&mut ops[0]), self.value(&mut ops[1]));
        self.no_value(node, Builtin::Delete { map, key })
    }

    // ---- complex numbers ----

    fn complex(&mut self, node: Id, mut ops: Vec<Operand>) -> Operand {
        let mut y = ops.remove(1);
        let mut x = ops.remove(0);
        match (self.is_untyped(x.ty), self.is_untyped(y.ty)) {
            (true, false) => self.convert_untyped(&mut x, y.ty),
            (false, true) => self.convert_untyped(&mut y, x.ty),
            (true, true) if x.is_const() && y.is_const() => {
                for o in [&mut x, &mut y] {
                    if self.is_basic(o.ty, is_numeric_basic)
                        && o.val().is_some_and(|v| v.to_float().is_some())
                    {
                        o.ty = Basic::UntypedFloat.ty();
                    }
                }
            }
            (true, true) => {
                self.convert_untyped(&mut x, Basic::Float64.ty());
                self.convert_untyped(&mut y, Basic::Float64.ty());
            }
            (false, false) => {}
        }
        if !x.is_valid() || !y.is_valid() {
            return Operand::invalid(node);
        }
        if x.ty != y.ty {
            let (shown, a, b) = (self.show_node(node), self.show(x.ty), self.show(y.ty));
            let at = x.node;
            return self.fail(
                node,
                at,
                format!("invalid operation: {shown} (mismatched types {a} and {b})"),
            );
        }
        let result = match self.basic(x.ty) {
            Some(Basic::Float32) => Basic::Complex64.ty(),
            Some(Basic::Float64) => Basic::Complex128.ty(),
            Some(Basic::UntypedFloat) => Basic::UntypedComplex.ty(),
            _ => {
                let (t, at) = (self.show(x.ty), x.node);
                if self.is_param(x.ty) && self.all_basic(x.ty, is_float_basic) {
                    return self.not_for_params(node, &x, "complex");
                }
                let text =
                    format!("invalid argument: arguments have type {t}, expected floating-point");
                return self.fail(node, at, text);
            }
        };
        if let (Some(a), Some(b)) =
            (x.val().and_then(Value::to_float), y.val().and_then(Value::to_float))
        {
            return Operand::constant(node, result, Value::Complex(a, b));
        }
        let (a, b) = (self.value(&mut x), self.value(&mut y));
        self.done(node, Builtin::Complex(a, b), result)
    }

    fn not_for_params(&mut self, node: Id, x: &Operand, name: &str) -> Operand {
        let (shown, at) = (self.show_operand(x), x.node);
        let text = format!(
            "{shown} not supported as argument to built-in {name} for go1.18 (see go.dev/issue/50937)"
        );
        self.fail(node, at, text)
    }

    fn real_imag(&mut self, node: Id, id: Predeclared, mut x: Operand) -> Operand {
        let real = id == Predeclared::Real;
        if self.is_untyped(x.ty) {
            if x.is_const() {
                if self.is_basic(x.ty, is_numeric_basic) {
                    x.ty = Basic::UntypedComplex.ty();
                }
            } else {
                self.convert_untyped(&mut x, Basic::Complex128.ty());
                if !x.is_valid() {
                    return Operand::invalid(node);
                }
            }
        }
        let result = match self.basic(x.ty) {
            Some(Basic::Complex64) => Basic::Float32.ty(),
            Some(Basic::Complex128) => Basic::Float64.ty(),
            Some(Basic::UntypedComplex) => Basic::UntypedFloat.ty(),
            _ => {
                let (t, at) = (self.show(x.ty), x.node);
                if self.is_param(x.ty) && self.all_basic(x.ty, is_complex_basic) {
                    return self.not_for_params(node, &x, id.name());
                }
                return self.fail(
                    node,
                    at,
                    format!("invalid argument: argument has type {t}, expected complex type"),
                );
            }
        };
        if let Some(v) = x.val() {
            let zero = (Real::zero(), Real::zero());
            let (re, im) = v.to_complex().unwrap_or(zero);
            return Operand::constant(node, result, Value::Float(if real { re } else { im }));
        }
        let v = self.value(&mut x);
        self.done(node, if real { Builtin::Real(v) } else { Builtin::Imag(v) }, result)
    }

    // ---- make, new ----

    fn make(&mut self, node: Id, nodes: &[Id]) -> Operand {
        let t = self.var_type(nodes[0]);
        if !self.is_valid_ty(t) {
            self.use_exprs(&nodes[1..]);
            return Operand::invalid(node);
        }
        let shown = self.show_node(nodes[0]);
        let makeable = |u: &Kind, _: &str| match u {
            Kind::Slice(_) | Kind::Map(..) | Kind::Chan(..) | Kind::Basic(Basic::Invalid) => None,
            _ => Some("type must be slice, map, or channel".to_string()),
        };
        let u = match self.common_under_if(t, makeable) {
            Ok(u) => u,
            Err(why) => {
                return self.fail(
                    node,
                    nodes[0],
                    format!("invalid argument: cannot make {shown}: {why}"),
                );
            }
        };
        let min = match self.types.kind(u) {
            Kind::Basic(Basic::Invalid) => return Operand::invalid(node),
            Kind::Slice(_) => 2,
            _ => 1,
        };
        let n = nodes.len();
        if n < min || n > min + 1 {
            let call = self.show_node(node);
            let text = format!(
                "invalid operation: {call} expects {min} or {} arguments; found {n}",
                min + 1
            );
            return self.fail(node, node, text);
        }
        let mut exprs: Vec<Option<ExprId>> = vec![];
        let mut sizes: Vec<u64> = vec![];
        for &a in &nodes[1..] {
            let (e, known) = self.index(a, None);
            exprs.push(e);
            sizes.extend(known);
        }
        if sizes.len() == 2 && sizes[0] > sizes[1] {
            self.err_at(
                nodes[1],
                Code::SwappedMakeArgs,
                "invalid argument: length and capacity swapped",
            );
        }
        let len = exprs.first().copied().flatten();
        let cap = exprs.get(1).copied().flatten();
        self.done(node, Builtin::Make { len, cap }, t)
    }

    fn new_call(&mut self, node: Id, arg: Id) -> Operand {
        let mut x = self.expr_or_type(arg, false);
        if let Mode::Builtin(_) = x.mode {
            let shown = self.show_operand(&x);
            return self.fail(node, arg, format!("{shown} must be called"));
        }
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        if let Mode::Type { .. } = x.mode {
            self.valid_var_type(x.ty, arg);
            let ptr = self.types.pointer(x.ty);
            return self.done(node, Builtin::New(None), ptr);
        }
        if self.is_untyped(x.ty) {
            self.assignment(&mut x, None, "argument to new");
            if !x.is_valid() {
                return Operand::invalid(node);
            }
        }
        let v = self.value(&mut x);
        let ptr = self.types.pointer(x.ty);
        self.done(node, Builtin::New(Some(v)), ptr)
    }

    // ---- min, max ----

    fn min_max(&mut self, node: Id, id: Predeclared, mut ops: Vec<Operand>) -> Operand {
        let op = if id == Predeclared::Max { Op::Gt } else { Op::Lt };
        let mut x = ops[0].clone();
        for (i, a) in ops.iter().enumerate() {
            if !self.all_ordered(a.ty) {
                let (shown, at) = (self.show_operand(a), a.node);
                return self.fail(node, at, format!("invalid argument: {shown} cannot be ordered"));
            }
            if i == 0 {
                continue;
            }
            let mut a = a.clone();
            self.match_types(&mut x, &mut a);
            if !x.is_valid() || !a.is_valid() {
                return Operand::invalid(node);
            }
            if x.ty != a.ty {
                let (s, t, shown) = (self.show(x.ty), self.show(a.ty), self.show_node(a.node));
                let text = format!(
                    "invalid argument: mismatched types {s} (previous argument) and {t} (type of {shown})"
                );
                return self.fail(node, a.node, text);
            }
            match (x.val(), a.val()) {
                (Some(v), Some(w)) => {
                    if consts::compare(op, w, v) {
                        x = a.clone();
                    }
                }
                _ => x.mode = Mode::Value,
            }
        }
        if x.is_const() {
            x.node = node;
            return x;
        }
        let ty = self.default_type(x.ty);
        let mut values = vec![];
        for a in &mut ops {
            self.convert_untyped(a, ty);
            if !a.is_valid() {
                return Operand::invalid(node);
            }
            values.push(self.value(a));
        }
        let b = if id == Predeclared::Max { Builtin::Max(values) } else { Builtin::Min(values) };
        self.done(node, b, ty)
    }

    // ---- panic, print ----

    fn panic(&mut self, node: Id, mut x: Operand) -> Operand {
        let any = self.any_ty;
        self.assignment(&mut x, Some(any), "argument to panic");
        if !x.is_valid() {
            return x;
        }
        let v = self.value(&mut x);
        self.no_value(node, Builtin::Panic(v))
    }

    fn print(&mut self, node: Id, id: Predeclared, ops: Vec<Operand>) -> Operand {
        let mut args = vec![];
        for mut a in ops {
            self.assignment(&mut a, None, &format!("argument to built-in {}", id.name()));
            if !a.is_valid() {
                return Operand::invalid(node);
            }
            args.push(self.value(&mut a));
        }
        self.no_value(node, Builtin::Print { args, newline: id == Predeclared::Println })
    }

    // ---- unsafe ----

    fn unsafe_call(&mut self, node: Id, id: Predeclared, mut ops: Vec<Operand>) -> Operand {
        let ty = match id {
            Predeclared::UnsafeAdd => {
                self.assignment(
                    &mut ops[0],
                    Some(Basic::UnsafePointer.ty()),
                    "argument to unsafe.Add",
                );
                Basic::UnsafePointer.ty()
            }
            Predeclared::UnsafeString => {
                let bytes = self.types.pointer(Basic::Uint8.ty());
                self.assignment(&mut ops[0], Some(bytes), "argument to unsafe.String");
                Basic::String.ty()
            }
            Predeclared::UnsafeStringData => {
                self.assignment(
                    &mut ops[0],
                    Some(Basic::String.ty()),
                    "argument to unsafe.StringData",
                );
                self.types.pointer(Basic::Uint8.ty())
            }
            Predeclared::UnsafeSlice => match self.common_kind(ops[0].ty) {
                Some(Kind::Pointer(e)) => self.types.slice(e),
                _ => {
                    let (shown, at) = (self.show_operand(&ops[0]), ops[0].node);
                    return self.fail(
                        node,
                        at,
                        format!("invalid argument: {shown} is not a pointer"),
                    );
                }
            },
            _ => match self.common_kind(ops[0].ty) {
                Some(Kind::Slice(e)) => self.types.pointer(e),
                _ => {
                    let (shown, at) = (self.show_operand(&ops[0]), ops[0].node);
                    return self.fail(
                        node,
                        at,
                        format!("invalid argument: {shown} is not a slice"),
                    );
                }
            },
        };
        if ops.len() > 1 {
            let negative = id == Predeclared::UnsafeAdd;
            if !self.valid_index(&mut ops[1], "length", negative) {
                return Operand::invalid(node);
            }
        }
        if !ops[0].is_valid() {
            return Operand::invalid(node);
        }
        let builtin = match (id, ops.as_mut_slice()) {
            (Predeclared::UnsafeAdd, _) => Builtin::UnsafeUnsupported,
            (_, [pointer, len]) => {
                let pointer = self.value(pointer);
                Builtin::UnsafeView { pointer, len: self.value(len) }
            }
            (_, ops) => Builtin::UnsafeData(self.value(&mut ops[0])),
        };
        self.done(node, builtin, ty)
    }

    /// Whether a basic type is an integer.
    pub(crate) fn is_integer(&mut self, t: Ty) -> bool {
        self.is_basic(t, is_integer_basic)
    }
}
