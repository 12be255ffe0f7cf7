//! Functions and methods: signatures, receivers, bodies, instances (Go specification, "Function declarations", "Method
//! declarations").
//!
//! The body of a generic function is checked once with its type parameters as types, for the errors; and for each
//! instance that is asked for once more, silently, with the parameters' names standing for the arguments.

#![expect(clippy::wildcard_enum_match_arm, reason = "receivers have few forms")]

use super::checker::{Checker, Dep, Env, Later};
use super::emit::settle_captures;
use super::named::bindings;
use super::names::Sym;
use super::object::{FuncId, ObjKind, State};
use super::operand::{Fun, Operand};
use super::ty::{Basic, Kind, Signature, Ty};
use super::typed::{ExprKind, FuncBody, FuncRef, LocalId};
use super::typexpr::ParamNames;
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, List, NONE, Node};

/// The pieces of a function declaration's syntax.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuncSyntax {
    pub(crate) recv: List,
    pub(crate) tparams: List,
    pub(crate) params: List,
    pub(crate) results: List,
    /// [`NIL`] for a native.
    pub(crate) body: Id,
}

impl Checker {
    /// The id of a function with these type arguments.
    pub(crate) fn func_ref(&mut self, func: FuncId, args: Vec<Ty>) -> FuncRef {
        if let Some(&r) = self.ref_ids.get(&(func, args.clone())) {
            return r;
        }
        let r = FuncRef(self.refs.len() as u32);
        self.refs.push((func, args.clone()));
        self.ref_ids.insert((func, args), r);
        r
    }

    pub(crate) fn func_syntax(&self, func: FuncId) -> FuncSyntax {
        let decl = &self.funcs[func.0 as usize];
        let ast = &self.files[decl.file as usize].file.ast;
        let Node::FuncDecl { recv, ty, body, .. } = ast.node(decl.node) else {
            return FuncSyntax {
                recv: NONE,
                tparams: NONE,
                params: NONE,
                results: NONE,
                body: NIL,
            };
        };
        let Node::Func { tparams, params, results } = ast.node(ty) else {
            return FuncSyntax { recv, tparams: NONE, params: NONE, results: NONE, body };
        };
        FuncSyntax { recv, tparams, params, results, body }
    }

    /// The receiver's base type name, whether it is a pointer, and the names of its type parameters.
    pub(crate) fn receiver_syntax(&self, func: FuncId) -> (Option<Sym>, bool, List, Id) {
        let decl = &self.funcs[func.0 as usize];
        let file = &self.files[decl.file as usize].file;
        let ast = &file.ast;
        let recv = self.func_syntax(func).recv;
        let Some(&field) = ast.get(recv).first() else { return (None, false, NONE, NIL) };
        let Node::Field(p) = ast.node(field) else { return (None, false, NONE, NIL) };
        let mut at = p.ty;
        let mut ptr = false;
        loop {
            match ast.node(at) {
                Node::Paren(x) => at = x,
                Node::Star(x) if !ptr => {
                    ptr = true;
                    at = x;
                }
                Node::Index(x, args) => {
                    let name = matches!(ast.node(x), Node::Ident)
                        .then(|| file.syms[ast.pos[x as usize] as usize]);
                    return (name, ptr, args, x);
                }
                Node::Ident => {
                    return (Some(file.syms[ast.pos[at as usize] as usize]), ptr, NONE, at);
                }
                _ => return (None, ptr, NONE, at),
            }
        }
    }

    /// The name of the type that has a method, aliases of the package followed; and whether there is a pointer.
    fn receiver_target(&self, func: FuncId) -> Option<(Sym, bool)> {
        let left_out = self.funcs[func.0 as usize].left_out.as_ref().and_then(|l| l.recv);
        let (name, mut ptr) = left_out.map_or_else(
            || {
                let (name, ptr, ..) = self.receiver_syntax(func);
                (name, ptr)
            },
            |(name, ptr)| (Some(name), ptr),
        );
        let mut name = name?;
        let pkg = self.funcs[func.0 as usize].pkg;
        for _ in 0..10 {
            let Some(&obj) = self.packages[pkg.0 as usize].scope.get(&name) else { break };
            let Some(decl) = self.obj(obj).decl else { break };
            let decl = &self.decls[decl as usize];
            let super::object::DeclKind::Type { spec } = decl.kind else { break };
            let file = &self.files[decl.file as usize].file;
            let Node::TypeSpec { alias: true, ty, .. } = file.ast.node(spec) else { break };
            let mut at = file.ast.unparen(ty);
            if let Node::Star(x) = file.ast.node(at)
                && !ptr
            {
                ptr = true;
                at = file.ast.unparen(x);
            }
            let Node::Ident = file.ast.node(at) else { break };
            name = file.syms[file.ast.pos[at as usize] as usize];
        }
        Some((name, ptr))
    }

    pub(crate) fn receiver_base(&self, func: FuncId) -> Option<Sym> {
        self.receiver_target(func).map(|(n, _)| n)
    }

    pub(crate) fn receiver_is_pointer(&self, func: FuncId) -> bool {
        self.receiver_target(func).is_some_and(|(_, p)| p)
    }

    /// The signature of a declared function, without receiver, over its type parameters.
    pub(crate) fn func_sig(&mut self, func: FuncId) -> Ty {
        let decl = &self.funcs[func.0 as usize];
        match decl.state {
            State::Done => return decl.sig,
            State::Active => return self.types.intern(Kind::Func(Signature::default())),
            State::Waiting => {}
        }
        self.funcs[func.0 as usize].state = State::Active;
        self.load_func(func, false);
        let file = self.funcs[func.0 as usize].file;
        let env = self.env_for(file);
        self.in_env(env, |c| c.resolve_sig(func));
        self.funcs[func.0 as usize].state = State::Done;
        self.funcs[func.0 as usize].sig
    }

    fn resolve_sig(&mut self, func: FuncId) {
        let syn = self.func_syntax(func);
        self.open_scope();
        let is_method = self.funcs[func.0 as usize].is_method;
        if is_method {
            self.resolve_receiver(func, syn);
        }
        let tparams = self.declare_tparams(syn.tparams);
        self.funcs[func.0 as usize].tparams.clone_from(&tparams);
        self.resolve_constraints(syn.tparams, &tparams);
        if !tparams.is_empty() && syn.body == NIL && !self.env.silent {
            let pos = self.funcs[func.0 as usize].pos;
            self.err(pos, Code::MissingBody, "generic function is missing function body");
        }
        let (sig, _) = self.func_type(syn.params, syn.results);
        self.close_scope();
        self.funcs[func.0 as usize].sig = sig;
    }

    /// Binds the names of the receiver's type parameters to those of its type.
    fn resolve_receiver(&mut self, func: FuncId, syn: FuncSyntax) {
        let (base, _, names, base_node) = self.receiver_syntax(func);
        // the type's declaration hands out its methods
        if let Some(base) = self.receiver_base(func)
            && let Some(&obj) = self.packages[self.env.pkg.0 as usize].scope.get(&base)
        {
            self.resolve(obj);
            self.adopt_late(func, obj);
        }
        if names.len == 0 {
            let Some(&field) = self.list(syn.recv).first() else { return };
            let Node::Field(p) = self.node(field) else { return };
            let t = self.var_type(p.ty);
            if !self.env.silent {
                let pos = self.pos(base_node);
                self.later.push(Later::Receiver { func, ty: t, pos });
            }
            return;
        }
        let params = self.receiver_params(base, base_node, names);
        self.funcs[func.0 as usize].recv_params.clone_from(&params);
        let unknown = vec![Basic::Invalid.ty(); names.len as usize];
        let types = if params.is_empty() { &unknown } else { &params };
        for (&n, &t) in self.list(names).iter().zip(types) {
            if let Node::Ident = self.node(n) {
                self.bind_type_name(n, t);
            } else {
                let shown = self.show_node(n);
                self.err_at(
                    n,
                    Code::InvalidRecv,
                    format!("receiver type parameter {shown} must be an identifier"),
                );
            }
        }
    }

    fn receiver_params(&mut self, base: Option<Sym>, node: Id, names: List) -> Vec<Ty> {
        let obj = base.and_then(|b| self.packages[self.env.pkg.0 as usize].scope.get(&b).copied());
        let Some(ObjKind::Type { ty, generic, .. }) = obj.map(|o| self.obj(o).kind.clone()) else {
            self.type_expr(node);
            return vec![];
        };
        let Some(g) = generic else {
            let shown = self.show(ty);
            // what its declaration says may have been complained about
            if self.is_valid_ty(ty) {
                self.err_at(node, Code::NotAGenericType, format!("{shown} is not a generic type"));
            }
            return vec![];
        };
        let params = self.generics[g.0 as usize].tparams.clone();
        if self.generics[g.0 as usize].alias {
            let shown = self.show_node(node);
            let list: Vec<String> = params
                .iter()
                .map(|&p| format!("{} {}", self.show(p), self.show_constraint(p)))
                .collect();
            let shown = format!("{shown}[{}]", list.join(", "));
            self.err_at(
                node,
                Code::InvalidRecv,
                format!("cannot define new methods on generic alias type {shown}"),
            );
            return vec![];
        }
        if params.len() != names.len as usize {
            let n = names.len;
            let what = if n == 1 { "type parameter" } else { "type parameters" };
            let text = format!(
                "receiver declares {n} {what}, but receiver base type declares {}",
                params.len()
            );
            self.err_at(node, Code::WrongTypeArgCount, text);
            return vec![];
        }
        params
    }

    /// The receiver's type of a method whose type has these arguments.
    pub(crate) fn receiver_type(&mut self, func: FuncId, args: &[Ty]) -> Option<Ty> {
        let recv = self.funcs[func.0 as usize].recv?;
        let mut t = self.types.intern(Kind::Named(recv.named));
        if let Some(g) = self.named[recv.named.0 as usize].generic {
            t = self.instantiate(g, args);
        }
        Some(if recv.ptr { self.types.pointer(t) } else { t })
    }

    // ---- bodies ----

    /// Checks the body of a function whose type parameters (the receiver's first) are bound to `args`.
    pub(crate) fn check_body(&mut self, func: FuncId, args: &[Ty], silent: bool) -> FuncBody {
        self.load_func(func, true);
        let sig = self.func_sig(func);
        let decl = self.funcs[func.0 as usize].clone();
        let mut env = self.env_for(decl.file);
        env.silent |= silent;
        env.dep = Some(Dep::Func(func));
        let (body, _) = self.in_env(env, |c| c.body_in_env(func, sig, args));
        body
    }

    fn body_in_env(&mut self, func: FuncId, sig: Ty, args: &[Ty]) -> FuncBody {
        let decl = self.funcs[func.0 as usize].clone();
        let params: Vec<Ty> = decl.recv_params.iter().chain(&decl.tparams).copied().collect();
        let map = bindings(&params, args);
        let sig = self.subst(sig, &map);
        let syn = self.func_syntax(func);
        self.open_scope();
        let (recv_args, own_args) = args.split_at(decl.recv_params.len().min(args.len()));
        let (_, _, names, _) = self.receiver_syntax(func);
        let unknown = vec![Basic::Invalid.ty(); names.len as usize];
        let types = if recv_args.is_empty() { &unknown } else { recv_args };
        for (&n, &t) in self.list(names).iter().zip(types) {
            if matches!(self.node(n), Node::Ident) {
                self.bind_type_name(n, t);
            }
        }
        self.bind_params(syn.tparams, own_args);
        let name = self.func_full_name(func, recv_args);
        let cx = self.cx();
        cx.body.name = name;
        cx.body.pos = decl.pos;
        if let Some(&field) = self.list(syn.recv).first() {
            self.declare_receiver(func, field, recv_args);
        }
        let names = self.param_names(syn.params, syn.results);
        self.declare_signature(sig, names);
        if syn.body == NIL {
            self.cx().body.native = true;
            self.env.marks.pop();
            self.env.scope.clear();
            self.env.bindings.clear();
        } else {
            self.function_block(syn.body);
        }
        self.finish_body()
    }

    /// Takes the finished outermost function out of the environment.
    pub(crate) fn finish_body(&mut self) -> FuncBody {
        let cx = self.cx();
        let mut body = std::mem::take(&mut cx.body);
        body.body = cx.blocks.pop().unwrap_or_default();
        cx.blocks.push(vec![]);
        settle_captures(&mut body);
        body
    }

    fn declare_receiver(&mut self, func: FuncId, field: Id, args: &[Ty]) {
        let Node::Field(p) = self.node(field) else { return };
        let ty = self.receiver_type(func, args).unwrap_or(Basic::Invalid.ty());
        let (name, pos) = if p.name == NIL {
            (Sym::BLANK, self.pos(p.ty))
        } else {
            (self.sym(p.name), self.pos(p.name))
        };
        let local = self.declare_param(name, ty, pos);
        self.cx().body.params.push(local);
    }

    fn declare_param(&mut self, name: Sym, ty: Ty, pos: Pos) -> LocalId {
        let (obj, local) = self.local_var(name, ty, pos);
        self.objs[obj.0 as usize].used = true;
        self.declare(name, obj);
        local
    }

    /// Names of parameters and results, without their types.
    fn param_names(&self, params: List, results: List) -> ParamNames {
        let collect = |list: List| -> Vec<(Sym, Pos, Ty)> {
            self.list(list)
                .iter()
                .filter_map(|&f| {
                    let Node::Field(p) = self.node(f) else { return None };
                    let none = Basic::Invalid.ty();
                    Some(if p.name == NIL {
                        (Sym::BLANK, self.pos(p.ty), none)
                    } else {
                        (self.sym(p.name), self.pos(p.name), none)
                    })
                })
                .collect()
        };
        let named = |list: List| {
            let first = self.list(list).first().map(|&f| self.node(f));
            matches!(first, Some(Node::Field(p)) if p.name != NIL)
        };
        let (named_params, named_results) = (named(params), named(results));
        ParamNames {
            params: collect(params),
            results: collect(results),
            named_params,
            named_results,
        }
    }

    /// Declares parameters and results with the types of a signature.
    fn declare_signature(&mut self, sig: Ty, names: ParamNames) {
        let Kind::Func(Signature { params, results, .. }) = self.types.kind(sig).clone() else {
            return;
        };
        for (&(name, pos, _), &ty) in names.params.iter().zip(&params) {
            let local = self.declare_param(name, ty, pos);
            self.cx().body.params.push(local);
        }
        for (&(name, pos, _), &ty) in names.results.iter().zip(&results) {
            let (obj, local) = self.local_var(name, ty, pos);
            self.objs[obj.0 as usize].used = true;
            self.declare(name, obj);
            self.cx().body.results.push(local);
            self.cx().result_objs.push((name, obj));
        }
        let cx = self.cx();
        cx.results = results;
        cx.body.named_results = names.named_results;
        cx.has_results = true;
    }

    /// The statements of a body in the open scope, and what must hold at its end.
    fn function_block(&mut self, body: Id) {
        let Node::Block(list) = self.node(body) else { return };
        let end = self.end_pos(body);
        self.cx().body.end = end;
        self.function_statements(list, end);
    }

    fn function_statements(&mut self, list: List, end: Pos) {
        let told = self.env.unused.len();
        self.stmt_list(list);
        let nodes = self.list(list);
        if !self.cx().results.is_empty() && !self.is_terminating_list(&nodes) {
            self.err(end, Code::MissingReturn, "missing return");
        }
        self.close_scope();
        self.tell_unused(told);
        if self.env.fns.len() == 1 {
            self.process_later();
        }
    }

    /// A function literal.
    pub(crate) fn func_lit(&mut self, node: Id, ty: Id) -> Operand {
        let Node::Func { params, results, .. } = self.node(ty) else {
            return Operand::invalid(node);
        };
        let Node::FuncLit(_, list) = self.node(node) else { return Operand::invalid(node) };
        self.open_scope();
        let (sig, names) = self.func_type(params, results);
        let pos = self.pos(node);
        if self.env.types_only {
            self.env.marks.pop();
            let e = self.emit(ExprKind::Zero, sig, pos);
            return Operand::value(node, sig, e);
        }
        let iota = self.env.iota;
        self.begin_closure(false);
        let end = self.end_pos(node);
        let cx = self.cx();
        cx.body.pos = pos;
        cx.body.end = end;
        self.declare_signature(sig, names);
        self.function_statements(list, end);
        self.env.iota = iota;
        let c = self.end_closure();
        let e = self.emit(ExprKind::Closure(c), sig, pos);
        Operand::value(node, sig, e)
    }

    /// As tracebacks show it: `main.f`, `main.(*T).M`, `main.(*T[...]).M`.
    pub(crate) fn func_full_name(&mut self, func: FuncId, recv_args: &[Ty]) -> String {
        let decl = &self.funcs[func.0 as usize];
        let path = &self.packages[decl.pkg.0 as usize].path;
        let name = self.name(decl.name);
        let dots = if decl.tparams.is_empty() { "" } else { "[...]" };
        let inits = &self.packages[decl.pkg.0 as usize].inits;
        if let Some(i) = inits.iter().position(|f| *f == func) {
            return format!("{path}.init.{i}");
        }
        let Some(recv) = decl.recv else { return format!("{path}.{name}{dots}") };
        let t = &self.types.named[recv.named.0 as usize].name;
        let inst = if recv_args.is_empty() { "" } else { "[...]" };
        if recv.ptr {
            format!("{path}.(*{t}{inst}).{name}{dots}")
        } else {
            format!("{path}.{t}{inst}.{name}{dots}")
        }
    }

    /// The type of a function value in a message, with parameter names as declared.
    pub(crate) fn show_fun_type(&mut self, x: &Operand) -> Option<String> {
        let declared = match x.fun.as_deref() {
            Some(Fun::Declared { func, .. } | Fun::Method { func, .. }) => Some((*func, false)),
            Some(Fun::Expr { func: Some((func, _)), .. }) => Some((*func, true)),
            Some(Fun::Expr { .. } | Fun::Interface { .. }) | None => None,
        };
        let Some((func, takes_receiver)) = declared else {
            let bare = if x.has_node() { self.unparen(x.node) } else { return None };
            return match self.node(bare) {
                Node::FuncLit(ty, _)
                    if x.alias.is_empty() && !self.show(x.ty).contains("invalid type") =>
                {
                    let Node::Func { params, results, .. } = self.node(ty) else { return None };
                    let names = self.param_names(params, results);
                    Some(self.signature_with_names(x.ty, &names, &[]))
                }
                _ => None,
            };
        };
        let syn = self.func_syntax(func);
        let file = self.funcs[func.0 as usize].file;
        let env = self.env_for(file);
        let my_pkg = self.env.pkg;
        let tparams = x.tparams.clone();
        let (text, _) = self.in_env(env, |c| {
            c.env.pkg = my_pkg;
            let mut names = c.param_names(syn.params, syn.results);
            if takes_receiver {
                let mut receiver = c.param_names(syn.recv, NONE).params;
                if !names.named_params && !names.params.is_empty() {
                    receiver.iter_mut().for_each(|r| r.0 = Sym::BLANK);
                }
                names.params.splice(0..0, receiver);
            }
            c.signature_with_names(x.ty, &names, &tparams)
        });
        Some(text)
    }

    /// The results of a call of a declared function, with their names.
    pub(crate) fn show_result_types(&mut self, x: &Operand) -> Option<String> {
        let Kind::Tuple(types) = self.types.kind(x.ty).clone() else { return None };
        let ExprKind::Call(call) = &self.expr_of(x.expr?).kind else { return None };
        let super::typed::Callee::Static(f) = call.callee else { return None };
        let func = self.refs[f.0 as usize].0;
        let syn = self.func_syntax(func);
        let env = self.env_for(self.funcs[func.0 as usize].file);
        let (names, _) = self.in_env(env, |c| c.param_names(syn.params, syn.results));
        let parts: Vec<String> = names
            .results
            .iter()
            .zip(&types)
            .map(|(&(name, ..), &t)| {
                let t = self.show(t);
                if name == Sym::BLANK { t } else { format!("{} {t}", self.name(name)) }
            })
            .collect();
        Some(format!("({})", parts.join(", ")))
    }

    fn signature_with_names(&mut self, sig: Ty, names: &ParamNames, tparams: &[Ty]) -> String {
        let Kind::Func(s) = self.types.kind(sig).clone() else { return self.show(sig) };
        let list =
            |c: &Self, names: &[(Sym, Pos, Ty)], types: &[Ty], named: bool, variadic: bool| {
                let mut parts = vec![];
                for (i, (&(name, ..), &t)) in names.iter().zip(types).enumerate() {
                    let mut shown = c.show(t);
                    if variadic && i + 1 == types.len() {
                        shown = format!("...{}", shown.trim_start_matches("[]"));
                    }
                    parts.push(if name == Sym::BLANK && !named {
                        shown
                    } else {
                        format!("{} {shown}", c.name(name))
                    });
                }
                parts.join(", ")
            };
        let mut out = String::from("func");
        if !tparams.is_empty() {
            let full = self.show_generic(Basic::Int.ty(), tparams);
            out.push_str(full.trim_start_matches("int"));
        }
        out.push_str(&format!(
            "({})",
            list(self, &names.params, &s.params, names.named_params, s.variadic)
        ));
        let results = list(self, &names.results, &s.results, names.named_results, false);
        match s.results.len() {
            0 => {}
            1 if !names.named_results => out.push_str(&format!(" {results}")),
            _ => out.push_str(&format!(" ({results})")),
        }
        out
    }

    /// An environment in which the statements of a package's initialisation or of a script are checked.
    pub(crate) fn init_env(&mut self, file: u32, name: &str) -> Env {
        let mut env = self.env_for(file);
        env.fns[0].body.name = name.to_string();
        env
    }
}
