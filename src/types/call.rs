//! Calls: functions, methods, conversions, arguments, instantiation of generic functions (Go specification, "Calls",
//! "Passing arguments to ... parameters", "Instantiations").

#![expect(clippy::wildcard_enum_match_arm, reason = "operands that are no functions are one case")]

use super::checker::Checker;
use super::expr::Class;
use super::infer::Inference;
use super::named::bindings;
use super::object::{FuncId, ObjKind};
use super::operand::{Fun, Mode, Operand};
use super::ty::{Basic, Kind, Signature, Ty};
use super::typed::{Call, Callee, ExprId, ExprKind, LocalId};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::{Id, List, Node};

/// The arguments of a call: operands, and the call that gave several of them.
pub(crate) struct Args {
    pub(crate) ops: Vec<Operand>,
    pub(crate) tuple: Option<(ExprId, Vec<LocalId>)>,
}

impl Checker {
    /// `f(x)`, `T(x)`.
    pub(crate) fn call(&mut self, node: Id) -> (Operand, Class) {
        let Node::Call(fun, args, dots) = self.node(node) else {
            return (Operand::invalid(node), Class::Statement);
        };
        let mut x = self.expr_or_type(fun, true);
        match x.mode.clone() {
            Mode::Invalid => {
                let nodes = self.list(args);
                self.use_exprs(&nodes);
                (Operand::invalid(node), Class::Statement)
            }
            Mode::Type { param } => {
                self.non_generic(&mut x, None);
                if !x.is_valid() {
                    return (x, Class::Conversion);
                }
                (self.conversion_call(node, x.ty, param, args, dots), Class::Conversion)
            }
            Mode::Builtin(b) => {
                let r = self.builtin(node, b, args, dots);
                if r.is_valid() && !r.is_const() {
                    self.env.has_call = true;
                }
                let class = if b.is_statement() { Class::Statement } else { Class::Expression };
                (r, class)
            }
            _ => (self.function_call(node, x, args, dots), Class::Statement),
        }
    }

    fn conversion_call(
        &mut self,
        node: Id,
        to: Ty,
        param: bool,
        args: List,
        dots: bool,
    ) -> Operand {
        let nodes = self.list(args);
        let shown = self.show(to);
        match nodes.as_slice() {
            [] => {
                self.err_at(
                    node,
                    Code::WrongArgCount,
                    format!("missing argument in conversion to {shown}"),
                );
                Operand::invalid(node)
            }
            [arg] => {
                let mut x = self.expr_for(*arg, Some((to, "conversion")));
                if !x.is_valid() {
                    return Operand::invalid(node);
                }
                if let Some(i) = self.interface_of(to)
                    && (!i.unions.is_empty() || i.comparable)
                {
                    let text = format!(
                        "cannot use interface {shown} in conversion (contains specific type constraints or is comparable)"
                    );
                    self.err_at(node, Code::MisplacedConstraintIface, text);
                    return Operand::invalid(node);
                }
                if dots {
                    self.err_at(
                        *arg,
                        Code::InvalidDotDotDot,
                        format!("invalid use of ... in conversion to {shown}"),
                    );
                    return Operand::invalid(node);
                }
                self.conversion(&mut x, to, param || self.is_param(to));
                x.node = node;
                x
            }
            [.., last] => {
                self.use_exprs(&nodes);
                self.err_at(
                    *last,
                    Code::WrongArgCount,
                    format!("too many arguments in conversion to {shown}"),
                );
                Operand::invalid(node)
            }
        }
    }

    fn function_call(&mut self, node: Id, mut x: Operand, args: List, dots: bool) -> Operand {
        let sig = match self.common_under(x.ty) {
            Ok(u) if matches!(self.types.kind(u), Kind::Func(_)) => u,
            other => {
                // as Go 1.27: the arguments are not even looked at
                let shown = self.show_operand(&x);
                let choices = self.type_choices(x.ty).unwrap_or_default();
                let odd = choices
                    .into_iter()
                    .find(|(_, u)| !matches!(self.types.kind(*u), Kind::Func(_)));
                let cause = match (odd, other) {
                    (Some((t, _)), _) => format!("{} is not a function", self.show(t)),
                    (None, Err(cause)) => cause,
                    (None, Ok(_)) => String::new(),
                };
                if self.is_valid_ty(x.ty) {
                    self.err_at(
                        x.node,
                        Code::InvalidCall,
                        format!("invalid operation: cannot call {shown}: {cause}"),
                    );
                }
                return Operand::invalid(node);
            }
        };
        let Kind::Func(sig) = self.types.kind(sig).clone() else { return Operand::invalid(node) };
        let mut list = self.arguments(args);
        self.env.has_call = true;
        let Some((values, sig)) = self.pass_arguments(node, &mut x, sig, &mut list, dots) else {
            return self.failed_call(node, &x);
        };
        self.emit_call(node, x, &sig, values, list.tuple)
    }

    /// After an error in the arguments the result is still worth having, if its type is known.
    fn failed_call(&mut self, node: Id, x: &Operand) -> Operand {
        let u = self.common_under(x.ty).unwrap_or(Basic::Invalid.ty());
        let Kind::Func(sig) = self.types.kind(u).clone() else { return Operand::invalid(node) };
        if x.is_generic() && sig.results.iter().any(|&t| self.mentions(t, &x.tparams)) {
            return Operand::invalid(node);
        }
        let pos = self.pos(node);
        let ty = match sig.results.as_slice() {
            [one] => *one,
            list => self.types.intern(Kind::Tuple(list.to_vec())),
        };
        let e = self.emit(ExprKind::Zero, ty, pos);
        let mode = if sig.results.is_empty() { Mode::NoValue } else { Mode::Value };
        Operand { mode, ..Operand::value(node, ty, e) }
    }

    fn emit_call(
        &mut self,
        node: Id,
        mut x: Operand,
        sig: &Signature,
        mut values: Vec<ExprId>,
        tuple: Option<(ExprId, Vec<LocalId>)>,
    ) -> Operand {
        let pos = self.pos(node);
        let callee = match x.fun.take().map(|f| *f) {
            Some(Fun::Declared { func, targs }) => Callee::Static(self.func_ref(func, targs)),
            Some(Fun::Method { recv, func, targs }) => {
                values.insert(0, recv);
                Callee::Static(self.func_ref(func, targs))
            }
            Some(Fun::Interface { recv, name, pkg, sig }) => {
                Callee::Interface { recv, name, pkg, sig }
            }
            other => {
                x.fun = other.map(Box::new);
                Callee::Value(self.value(&mut x))
            }
        };
        let ty = match sig.results.as_slice() {
            [one] => *one,
            list => self.types.intern(Kind::Tuple(list.to_vec())),
        };
        let mut e = self.emit(ExprKind::Call(Call { callee, args: values }), ty, pos);
        if let Some((tuple, temps)) = tuple {
            e = self.emit(ExprKind::WithTuple { tuple, temps, body: e }, ty, pos);
        }
        let mode = if sig.results.is_empty() { Mode::NoValue } else { Mode::Value };
        Operand { mode, ..Operand::value(node, ty, e) }
    }

    /// Evaluates arguments; a single call may give several.
    pub(crate) fn arguments(&mut self, args: List) -> Args {
        let nodes = self.list(args);
        if let [one] = nodes.as_slice() {
            let (mut x, _) = self.raw_expr(*one, None, true);
            self.exclude_values(&mut x);
            if x.is_valid()
                && x.mode == Mode::Value
                && let Kind::Tuple(list) = self.types.kind(x.ty).clone()
            {
                let pos = self.pos(*one);
                let e = self.value(&mut x);
                let temps: Vec<LocalId> = list.iter().map(|&t| self.temp(t, pos)).collect();
                let mut ops = vec![];
                for (&l, &t) in temps.iter().zip(&list) {
                    let e = self.local_expr(l, pos);
                    ops.push(Operand::value(*one, t, e));
                }
                return Args { ops, tuple: Some((e, temps)) };
            }
            return Args { ops: vec![x], tuple: None };
        }
        let ops = nodes.iter().map(|&n| self.generic_expr(n, None)).collect();
        Args { ops, tuple: None }
    }

    fn exclude_values(&mut self, x: &mut Operand) {
        let text = match x.mode {
            Mode::NoValue => "used as value",
            Mode::Builtin(_) => "must be called",
            Mode::Type { .. } => "is not an expression",
            _ => return,
        };
        let shown = self.show_operand(x);
        self.err_at(x.node, Code::NotAnExpr, format!("{shown} {text}"));
        x.invalidate();
    }

    /// Checks arguments against a signature, inferring type arguments; gives one value for each parameter and the
    /// signature without type parameters.
    pub(crate) fn pass_arguments(
        &mut self,
        node: Id,
        x: &mut Operand,
        sig: Signature,
        list: &mut Args,
        dots: bool,
    ) -> Option<(Vec<ExprId>, Signature)> {
        let nargs = list.ops.len();
        let npars = sig.params.len();
        let Node::Call(fun, arg_nodes, _) = self.node(node) else { return None };
        let bad_dots = if dots && sig.variadic && arg_nodes.len == 1 && nargs > 1 {
            let shown = self.show_node(list.ops[0].node);
            Some(format!("cannot use ... with {nargs}-valued {shown}"))
        } else if dots && !sig.variadic {
            Some(format!("cannot use ... in call to non-variadic {}", self.show_node(fun)))
        } else {
            None
        };
        if let Some(text) = bad_dots {
            self.err_at(node, Code::InvalidDotDotDot, text);
            return None;
        }
        let spread = sig.variadic && !dots;
        let mut params = sig.params.clone();
        let mut want = npars;
        if spread {
            if nargs + 1 >= npars {
                let last = params.pop()?;
                let elem = if let Kind::Slice(e) = *self.types.kind(last) { e } else { last };
                params.resize(nargs, elem);
                want = nargs;
            } else {
                want = npars - 1;
            }
        }
        if nargs != want {
            self.wrong_count(node, fun, &sig, list, want, dots);
            return None;
        }
        let mut sig = sig;
        if x.is_generic() || list.ops.iter().any(Operand::is_generic) {
            let (p, s) = self.infer_call(node, fun, x, params, sig, &mut list.ops)?;
            params = p;
            sig = s;
        }
        let context = format!("argument to {}", self.show_node(fun));
        let mut ok = true;
        let mut values = vec![];
        for (a, &p) in list.ops.iter_mut().zip(&params) {
            self.assignment(a, Some(p), &context);
            ok &= a.is_valid();
            if a.is_valid() {
                values.push(self.value(a));
            }
        }
        if !ok {
            return None;
        }
        if spread {
            self.pack(&sig, &mut values, node);
        }
        Some((values, sig))
    }

    /// The arguments for `...T` become a slice.
    fn pack(&mut self, sig: &Signature, values: &mut Vec<ExprId>, node: Id) {
        let Some(&last) = sig.params.last() else { return };
        let rest = values.split_off(sig.params.len() - 1);
        let pos = self.pos(node);
        let kind = if rest.is_empty() {
            ExprKind::Nil
        } else {
            let len = rest.len() as u64;
            ExprKind::SliceLit {
                len,
                elems: rest.into_iter().enumerate().map(|(i, e)| (i as u64, e)).collect(),
            }
        };
        let e = self.emit(kind, last, pos);
        values.push(e);
    }

    fn wrong_count(
        &mut self,
        node: Id,
        fun: Id,
        sig: &Signature,
        list: &Args,
        want: usize,
        dots: bool,
    ) {
        let nargs = list.ops.len();
        let (pos, qualifier) = if nargs > want {
            (self.pos(list.ops[want].node), "too many")
        } else if nargs > 0 {
            (self.pos(list.ops[nargs - 1].node), "not enough")
        } else {
            (self.pos(node), "not enough")
        };
        let have: Vec<Ty> = list.ops.iter().map(|o| o.ty).collect();
        let have = self.types_summary(&have, false, dots);
        let wanted = self.types_summary(&sig.params, sig.variadic, false);
        let shown = self.show_node(fun);
        let notes = self.callee_note(fun);
        let text =
            format!("{qualifier} arguments in call to {shown}\n\thave {have}\n\twant {wanted}");
        self.err_noted(pos, Code::WrongArgCount, text, notes);
    }

    /// `(int, string, number)`.
    pub(crate) fn types_summary(&mut self, list: &[Ty], variadic: bool, dots: bool) -> String {
        let mut parts = vec![];
        for (i, &t) in list.iter().enumerate() {
            let last = i + 1 == list.len();
            let mut s = if !self.is_valid_ty(t) {
                "unknown type".to_string()
            } else if self.is_untyped(t) {
                if self.all_numeric(t) {
                    "number".into()
                } else {
                    self.show(t).replace("untyped ", "")
                }
            } else if let (true, true, Kind::Slice(e)) =
                (last, variadic, self.types.kind(t).clone())
            {
                format!("...{}", self.show(e))
            } else {
                self.show(t)
            };
            if last && dots {
                s.push_str("...");
            }
            parts.push(s);
        }
        format!("({})", parts.join(", "))
    }

    // ---- instantiation ----

    fn infer_call(
        &mut self,
        node: Id,
        fun: Id,
        x: &mut Operand,
        params: Vec<Ty>,
        sig: Signature,
        args: &mut [Operand],
    ) -> Option<(Vec<Ty>, Signature)> {
        let pos = self.bracket_pos(node);
        let own = x.tparams.clone();
        let mut tparams = self.rename_tparams(&own);
        let map = bindings(&own, &tparams);
        let params2 = self.subst_list(&params, &map);
        let mut given: Vec<Option<Ty>> = x.given.iter().map(|&t| Some(t)).collect();
        given.resize(tparams.len(), None);
        // generic functions among the arguments bring parameters of their own
        let mut renamed: Vec<Operand> = args.to_vec();
        let mut pieces = vec![];
        for (i, a) in renamed.iter_mut().enumerate() {
            if !a.is_generic() {
                continue;
            }
            let theirs = self.rename_tparams(&a.tparams.clone());
            let map = bindings(&a.tparams, &theirs);
            a.ty = self.subst(a.ty, &map);
            pieces.push((i, tparams.len(), theirs.len()));
            let mut g: Vec<Option<Ty>> = a.given.iter().map(|&t| Some(t)).collect();
            g.resize(theirs.len(), None);
            tparams.extend(theirs);
            given.extend(g);
        }
        let q = Inference {
            pos,
            tparams: &tparams,
            given,
            params: params2,
            args: &renamed,
            reverse: None,
        };
        if renamed.iter().any(|a| !a.is_valid()) {
            return None;
        }
        let targs = match self.infer(q) {
            Ok(t) => t,
            Err((pos, text)) => {
                let shown = self.show_node(fun);
                self.err(pos, Code::CannotInferTypeArgs, format!("in call to {shown}, {text}"));
                return None;
            }
        };
        let n = own.len();
        let mut params = params;
        let mut sig = sig;
        if n > 0 {
            let map = bindings(&own, &targs[..n]);
            params = self.subst_list(&params, &map);
            sig = Signature {
                params: self.subst_list(&sig.params, &map),
                results: self.subst_list(&sig.results, &map),
                variadic: sig.variadic,
            };
            let explicit = self.explicit_places(fun);
            self.instantiate_operand(x, &targs[..n], &explicit, pos);
        }
        for (i, from, len) in pieces {
            let at = self.pos(args[i].node);
            self.instantiate_operand(&mut args[i], &targs[from..from + len], &[], at);
        }
        Some((params, sig))
    }

    fn explicit_places(&self, fun: Id) -> Vec<Pos> {
        match self.node(fun) {
            Node::Index(_, list) => self.list(list).iter().map(|&n| self.pos(n)).collect(),
            _ => vec![],
        }
    }

    /// Gives a generic function its type arguments.
    pub(crate) fn instantiate_operand(
        &mut self,
        x: &mut Operand,
        targs: &[Ty],
        at: &[Pos],
        pos: Pos,
    ) {
        let tparams = std::mem::take(&mut x.tparams);
        x.given.clear();
        self.verify(&tparams, targs, at, pos);
        let map = bindings(&tparams, targs);
        x.ty = self.subst(x.ty, &map);
        match x.fun.as_deref_mut() {
            Some(Fun::Declared { targs: list, .. } | Fun::Method { targs: list, .. }) => {
                list.extend_from_slice(targs);
            }
            Some(Fun::Interface { .. } | Fun::Expr { .. }) | None => {}
        }
    }

    /// `f[T, U]`: all or some of the type arguments.
    pub(crate) fn instantiate_func(&mut self, mut x: Operand, base: Id, list: List) -> Operand {
        let node = x.node;
        let nodes = self.list(list);
        let targs: Vec<Ty> = nodes.iter().map(|&n| self.var_type(n)).collect();
        if targs.contains(&Basic::Invalid.ty()) {
            return Operand::invalid(node);
        }
        let want = x.tparams.len();
        if targs.len() > want {
            let got = targs.len();
            self.err_at(
                nodes[want],
                Code::WrongTypeArgCount,
                format!("got {got} type arguments but want {want}"),
            );
            return Operand::invalid(node);
        }
        if targs.len() == want {
            let at: Vec<Pos> = nodes.iter().map(|&n| self.pos(n)).collect();
            let pos = self.pos(base);
            self.instantiate_operand(&mut x, &targs, &at, pos);
            return x;
        }
        x.given = targs;
        x
    }

    /// Some type arguments were given; the others must follow from the constraints.
    pub(crate) fn infer_alone(&mut self, x: &mut Operand) {
        let pos = self.bracket_pos(x.node);
        let own = x.tparams.clone();
        let tparams = self.rename_tparams(&own);
        let mut given: Vec<Option<Ty>> = x.given.iter().map(|&t| Some(t)).collect();
        given.resize(tparams.len(), None);
        match self.infer(Inference {
            pos,
            tparams: &tparams,
            given,
            params: vec![],
            args: &[],
            reverse: None,
        }) {
            Ok(targs) => self.instantiate_operand(x, &targs, &[], pos),
            Err((pos, text)) => {
                self.err(pos, Code::CannotInferTypeArgs, text);
                x.invalidate();
            }
        }
    }

    /// A generic function assigned to a variable of function type.
    pub(crate) fn infer_from_target(&mut self, x: &mut Operand, target: Ty, desc: &str) {
        let u = self.common_under(target).unwrap_or(target);
        let pos = self.pos(x.node);
        let own = x.tparams.clone();
        let tparams = self.rename_tparams(&own);
        let map = bindings(&own, &tparams);
        let params = vec![self.subst(x.ty, &map)];
        let mut given: Vec<Option<Ty>> = x.given.iter().map(|&t| Some(t)).collect();
        given.resize(tparams.len(), None);
        let arg = Operand { mode: Mode::Value, ty: u, ..Operand::invalid(x.node) };
        let reverse = Some(desc.to_string());
        let q = Inference {
            pos,
            tparams: &tparams,
            given,
            params,
            args: std::slice::from_ref(&arg),
            reverse,
        };
        match self.infer(q) {
            Ok(targs) => self.instantiate_operand(x, &targs, &[], pos),
            Err((pos, text)) => {
                self.err(pos, Code::CannotInferTypeArgs, text);
                x.invalidate();
            }
        }
    }

    /// A function of a package by name.
    pub(crate) fn package_func(&mut self, pkg: &str, name: &str) -> Option<FuncId> {
        let pkg = self.import(pkg).ok()?;
        let name = self.names.intern(name);
        let obj = *self.packages[pkg.0 as usize].scope.get(&name)?;
        if let ObjKind::Func(f) = self.obj(obj).kind { Some(f) } else { None }
    }
}
