//! Resolving declarations on demand: constants, variables' types, types, signatures; and the cycles that must not be
//! (Go specification, "Declarations and scope", "Type declarations").

#![expect(clippy::wildcard_enum_match_arm, reason = "declarations are few among nodes and kinds")]

use super::checker::{Checker, Dep, Later, MAX_DEPTH};
use super::consts::Value;
use super::names::Sym;
use super::object::{DeclKind, FuncId, Generic, GenericId, Obj, ObjId, ObjKind, State};
use super::operand::Operand;
use super::predicates::is_untyped_basic;
use super::ty::{Basic, Kind, Named, PkgId, Ty};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, List, Node};

impl Checker {
    /// Makes an object of package level complete (its type known).
    pub(crate) fn resolve(&mut self, id: ObjId) {
        let obj = self.obj(id);
        match obj.state {
            State::Done => {}
            // a defined type may be named while it is being completed
            State::Active if matches!(obj.kind, ObjKind::Type { ty, .. } if self.is_valid_ty(ty)) =>
                {}
            State::Active if matches!(obj.kind, ObjKind::Func(_)) => {}
            State::Active => self.value_cycle(id),
            State::Waiting => {
                let Some(decl) = obj.decl else { return };
                let decl = self.load_decl(decl);
                let mut env = self.env_for(decl.file);
                env.depth = self.env.depth + 1;
                if env.depth > MAX_DEPTH {
                    let pos = self.obj(id).pos;
                    self.err(pos, Code::TooDeep, "exceeded max nesting depth");
                    self.set_invalid(id);
                    return;
                }
                self.objs[id.0 as usize].state = State::Active;
                self.path.push(id);
                self.path_literals.push(std::mem::take(&mut self.literals));
                self.in_env(env, |c| c.resolve_decl(id, decl.kind));
                self.path.pop();
                self.literals = self.path_literals.pop().unwrap_or(0);
                let obj = &mut self.objs[id.0 as usize];
                // a defined type stays open until its underlying type is known
                if obj.state == State::Active && !matches!(obj.kind, ObjKind::Type { .. }) {
                    obj.state = State::Done;
                }
            }
        }
    }

    fn resolve_decl(&mut self, id: ObjId, kind: DeclKind) {
        match kind {
            DeclKind::Const { iota, ty, init, inherited } => {
                self.env.dep = Some(Dep::Obj(id));
                let (ty, val) = self.const_decl(id, iota, ty, init, inherited);
                self.objs[id.0 as usize].kind = ObjKind::Const { ty, val };
            }
            DeclKind::Var { spec, index } => self.resolve_var(id, spec, index),
            DeclKind::Type { spec } => self.type_decl(id, spec, false),
            DeclKind::Func(f) => {
                self.func_sig(f);
            }
            DeclKind::LeftOut(_) => self.set_invalid(id),
        }
    }

    /// An object was needed for its own declaration.
    fn value_cycle(&mut self, id: ObjId) {
        let Some(start) = self.path.iter().position(|&o| o == id) else { return };
        let cycle = self.path[start..].to_vec();
        let is_value = |o: &Obj| matches!(o.kind, ObjKind::Const { .. } | ObjKind::Var { .. });
        let values = cycle.iter().filter(|&&o| is_value(self.obj(o))).count();
        if values != cycle.len() {
            self.cycle_error(&cycle);
        }
        self.set_invalid(id);
    }

    fn set_invalid(&mut self, id: ObjId) {
        let invalid = Basic::Invalid.ty();
        match &mut self.objs[id.0 as usize].kind {
            ObjKind::Const { ty, .. } | ObjKind::Var { ty, .. } | ObjKind::Type { ty, .. } => {
                *ty = invalid
            }
            _ => {}
        }
    }

    // ---- constants ----

    /// Type and value of a declared constant.
    pub(crate) fn const_decl(
        &mut self,
        id: ObjId,
        iota: u32,
        ty: Id,
        init: Id,
        inherited: bool,
    ) -> (Ty, Value) {
        let saved = (self.env.iota.replace(iota), self.env.err_pos);
        self.env.err_pos = Pos::NONE;
        let result = self.const_decl_inner(id, ty, init, inherited);
        (self.env.iota, self.env.err_pos) = saved;
        result
    }

    fn const_decl_inner(&mut self, id: ObjId, ty: Id, init: Id, inherited: bool) -> (Ty, Value) {
        let invalid = (Basic::Invalid.ty(), Value::Unknown);
        let mut declared = None;
        if ty != NIL {
            let t = self.type_expr(ty);
            if !self.is_const_type(t) {
                let u = self.under(t);
                if self.is_valid_ty(u) {
                    let shown = self.show(t);
                    self.err_at(
                        ty,
                        Code::InvalidConstType,
                        format!("invalid constant type {shown}"),
                    );
                }
                return invalid;
            }
            declared = Some(t);
        }
        if init == NIL {
            return invalid;
        }
        if inherited {
            self.env.err_pos = self.obj(id).pos;
        }
        let mut x = self.expr(init);
        if !x.is_valid() {
            return (declared.unwrap_or(Basic::Invalid.ty()), Value::Unknown);
        }
        if !x.is_const() {
            let shown = self.show_operand(&x);
            self.err_at(init, Code::InvalidConstInit, format!("{shown} is not constant"));
            return (declared.unwrap_or(Basic::Invalid.ty()), Value::Unknown);
        }
        let t = declared.unwrap_or(x.ty);
        if declared.is_some() {
            self.assignment(&mut x, declared, "constant declaration");
        }
        let val = x.val().cloned().unwrap_or(Value::Unknown);
        (t, val)
    }

    fn is_const_type(&mut self, t: Ty) -> bool {
        matches!(self.basic(t), Some(b) if b != Basic::Invalid && b != Basic::UnsafePointer && b != Basic::UntypedNil)
    }

    /// Complains if there are more names than values or the other way round.
    pub(crate) fn arity(
        &mut self,
        pos: Pos,
        names: &[Id],
        values: &[Id],
        constant: bool,
        inherited: bool,
    ) {
        let (l, r) = (names.len(), values.len());
        if l < r {
            let at = values[l];
            if inherited {
                let place = self.show_pos(self.pos(at));
                self.err(pos, Code::WrongAssignCount, format!("extra init expr at {place}"));
            } else {
                let shown = self.show_node(at);
                self.err_at(at, Code::WrongAssignCount, format!("extra init expr {shown}"));
            }
        } else if l > r && (constant || r != 1) {
            let name = self.show_node(names[r]);
            self.err_at(names[r], Code::WrongAssignCount, format!("missing init expr for {name}"));
        }
    }

    // ---- variables ----

    /// The type of a package-level variable: declared, or that of its initial value, looked at silently.
    fn resolve_var(&mut self, id: ObjId, spec: u32, index: u32) {
        let s = self.var_specs[spec as usize].clone();
        let ty = if s.ty != NIL {
            self.env.dep = Some(Dep::Obj(id));
            let t = self.var_type(s.ty);
            for &o in &s.objs {
                if let ObjKind::Var { ty, .. } = &mut self.objs[o.0 as usize].kind {
                    *ty = t;
                }
                self.objs[o.0 as usize].state = State::Done;
            }
            t
        } else {
            self.env.silent = true;
            self.env.types_only = true;
            self.value_type(s.values, s.objs.len(), index as usize)
        };
        if let ObjKind::Var { ty: t, .. } = &mut self.objs[id.0 as usize].kind {
            *t = ty;
        }
    }

    fn value_type(&mut self, values: List, names: usize, index: usize) -> Ty {
        let nodes = self.list(values);
        let invalid = Basic::Invalid.ty();
        let mut x: Operand;
        if nodes.len() == names {
            x = self.expr(nodes[index]);
        } else if nodes.len() == 1 {
            let multi = self.multi_expr(nodes[0], names == 2);
            match multi.ops.into_iter().nth(index) {
                Some(op) => x = op,
                None => return invalid,
            }
        } else {
            return invalid;
        }
        self.single_value(&mut x);
        if !x.is_valid() || x.is_nil() {
            return invalid;
        }
        if matches!(self.types.kind(x.ty), Kind::Basic(b) if is_untyped_basic(*b)) {
            return self.default_type(x.ty);
        }
        x.ty
    }

    // ---- types ----

    /// Declares a type: a defined one gets its id now and its underlying type on demand (at once if `local`).
    pub(crate) fn type_decl(&mut self, id: ObjId, spec: Id, local: bool) {
        let Node::TypeSpec { tparams, alias, ty, .. } = self.node(spec) else { return };
        if alias && local {
            // its own name is in sight
            self.objs[id.0 as usize].state = State::Active;
            self.path.push(id);
            self.path_literals.push(std::mem::take(&mut self.literals));
            self.alias_decl(id, tparams, ty);
            self.path.pop();
            self.literals = self.path_literals.pop().unwrap_or(0);
            return;
        }
        if alias {
            self.alias_decl(id, tparams, ty);
            return;
        }
        let (name, pos) = (self.obj(id).name, self.obj(id).pos);
        let text = self.name(name).to_string();
        let pkg = Some(self.env.pkg);
        let named =
            Named { name: text, pkg, pos, args: vec![], underlying: Basic::Invalid.ty(), local };
        let t = self.new_named(named);
        self.named_info_mut(t).obj = Some(id);
        self.objs[id.0 as usize].kind = ObjKind::Type { ty: t, generic: None, param: false };
        self.objs[id.0 as usize].state = State::Done;
        if !local {
            self.adopt_methods(id, t);
        }
        if tparams.len > 0 {
            self.declare_generic(id, t, tparams);
        }
        if !self.env.silent {
            self.later.push(Later::FieldMethods(t));
        }
        if local {
            self.complete_here(t, id, spec);
        }
    }

    fn declare_generic(&mut self, id: ObjId, t: Ty, tparams: List) {
        self.open_scope();
        let params = self.declare_tparams(tparams);
        let g = self.add_generic(Generic {
            obj: id,
            tparams: params.clone(),
            alias: false,
            origin: t,
            instances: std::collections::HashMap::default(),
        });
        self.named_info_mut(t).generic = Some(g);
        if let Some(n) = self.named_id(t) {
            self.types.named[n.0 as usize].args.clone_from(&params);
            self.with_params.borrow_mut().clear();
        }
        self.objs[id.0 as usize].kind = ObjKind::Type { ty: t, generic: Some(g), param: false };
        self.resolve_constraints(tparams, &params);
        self.close_scope();
    }

    fn add_generic(&mut self, g: Generic) -> GenericId {
        self.generics.push(g);
        GenericId(self.generics.len() as u32 - 1)
    }

    fn alias_decl(&mut self, id: ObjId, tparams: List, rhs: Id) {
        if tparams.len == 0 {
            let t = self.type_expr(rhs);
            if let ObjKind::Type { ty, .. } = &mut self.objs[id.0 as usize].kind {
                *ty = t;
            }
            self.objs[id.0 as usize].state = State::Done;
            return;
        }
        self.open_scope();
        let params = self.declare_tparams(tparams);
        self.resolve_constraints(tparams, &params);
        let mut t = self.type_expr(rhs);
        if params.contains(&t) {
            self.err_at(
                rhs,
                Code::MisplacedTypeParam,
                "cannot use type parameter declared in alias declaration as RHS",
            );
            t = Basic::Invalid.ty();
        }
        self.close_scope();
        let instances = std::collections::HashMap::default();
        let g = self.add_generic(Generic {
            obj: id,
            tparams: params,
            alias: true,
            origin: t,
            instances,
        });
        self.objs[id.0 as usize].kind = ObjKind::Type { ty: t, generic: Some(g), param: false };
        self.objs[id.0 as usize].state = State::Done;
    }

    /// Finds the underlying type of a declared type of package level.
    pub(crate) fn complete_declared(&mut self, t: Ty, id: ObjId) {
        if self.obj(id).state == State::Active {
            self.open_cycle(t);
            return;
        }
        let Some(decl) = self.obj(id).decl else { return };
        let decl = self.decls[decl as usize].clone();
        let DeclKind::Type { spec } = decl.kind else { return };
        let mut env = self.env_for(decl.file);
        env.depth = self.env.depth + 1;
        self.in_env(env, |c| c.complete_here(t, id, spec));
    }

    /// Evaluates the right side of a type declaration in the current environment.
    fn complete_here(&mut self, t: Ty, id: ObjId, spec: Id) {
        let Node::TypeSpec { ty, .. } = self.node(spec) else { return };
        self.objs[id.0 as usize].state = State::Active;
        self.path.push(id);
        self.path_literals.push(std::mem::take(&mut self.literals));
        self.open_scope();
        self.bind_generic_params(t, spec);
        let rhs = self.type_expr(ty);
        if let Node::Interface(_) = self.node(self.unparen(ty)) {
            self.named_info_mut(t).embeds = Some(std::mem::take(&mut self.last_embedded));
        }
        // names that lead back are told as types that contain themselves
        let mut u = if self.is_open(rhs) { Basic::Invalid.ty() } else { self.under(rhs) };
        self.close_scope();
        self.literals = self.path_literals.pop().unwrap_or(0);
        if self.is_param(u) {
            self.err_at(
                ty,
                Code::MisplacedTypeParam,
                "cannot use a type parameter as RHS in type declaration",
            );
            u = Basic::Invalid.ty();
        }
        self.path.pop();
        self.objs[id.0 as usize].state = State::Done;
        let info = self.named_info_mut(t);
        if info.complete {
            return; // a cycle was told
        }
        info.complete = true;
        if let Some(n) = self.named_id(t) {
            self.types.named[n.0 as usize].underlying = u;
        }
        self.named_info_mut(t).rhs = Some(rhs);
        if !self.env.silent {
            let is_local = self.named_id(t).is_some_and(|n| self.types.named[n.0 as usize].local);
            if is_local {
                self.valid_type(t);
            }
        }
    }

    /// Declares a generic type's parameters by the names of its declaration.
    fn bind_generic_params(&mut self, t: Ty, spec: Id) {
        let Some(g) = self.named_info(t).and_then(|i| i.generic) else { return };
        let Node::TypeSpec { tparams, .. } = self.node(spec) else { return };
        let params = self.generics[g.0 as usize].tparams.clone();
        self.bind_params(tparams, &params);
    }

    /// Declares the names of a type parameter list for given types.
    pub(crate) fn bind_params(&mut self, list: List, types: &[Ty]) {
        for (&f, &t) in self.list(list).iter().zip(types) {
            let Node::Field(p) = self.node(f) else { continue };
            self.bind_type_name(p.name, t);
        }
    }

    /// Declares an identifier as a type parameter that stands for `t`.
    pub(crate) fn bind_type_name(&mut self, ident: Id, t: Ty) {
        let (sym, pos) = (self.sym(ident), self.pos(ident));
        let obj = self.add_obj(sym, pos, ObjKind::Type { ty: t, generic: None, param: true });
        self.declare(sym, obj);
    }

    /// Hands methods that were collected by the type's name to the type.
    fn adopt_methods(&mut self, id: ObjId, t: Ty) {
        let (name, pkg) = (self.obj(id).name, self.env.pkg);
        let Some(n) = self.named_id(t).filter(|_| name != Sym::BLANK) else { return };
        let mut methods: Vec<(Sym, FuncId)> = vec![];
        for f in self.methods_named(pkg, name) {
            let decl = &self.funcs[f.0 as usize];
            let (m, pos) = (decl.name, decl.pos);
            let ptr = self.receiver_is_pointer(f);
            self.funcs[f.0 as usize].recv = Some(super::object::Receiver { named: n, ptr });
            if m == Sym::BLANK {
                continue;
            }
            if let Some((_, other)) = methods.iter().find(|(o, _)| *o == m) {
                let at = self.show_pos(self.funcs[other.0 as usize].pos);
                let (t, m) = (self.name(name).to_string(), self.name(m).to_string());
                self.err(
                    pos,
                    Code::DuplicateMethod,
                    format!("method {t}.{m} already declared at {at}"),
                );
                continue;
            }
            methods.push((m, f));
        }
        self.named[n.0 as usize].methods = methods;
    }

    /// The methods of a package by the name of their receiver's type.
    fn methods_named(&mut self, pkg: PkgId, base: Sym) -> Vec<FuncId> {
        let p = &self.packages[pkg.0 as usize];
        let new: Vec<FuncId> = p.funcs[p.sorted_funcs..].to_vec();
        self.packages[pkg.0 as usize].sorted_funcs += new.len();
        for f in new {
            if self.funcs[f.0 as usize].is_method
                && let Some(base) = self.receiver_base(f)
            {
                self.methods_by_base.entry((pkg, base)).or_default().push(f);
            }
        }
        self.methods_by_base.remove(&(pkg, base)).unwrap_or_default()
    }

    /// A method that came after its type was declared, as happens in a REPL; it replaces one of the same name.
    pub(crate) fn adopt_late(&mut self, f: FuncId, obj: ObjId) {
        let ObjKind::Type { ty, .. } = self.obj(obj).kind else { return };
        let Some(n) = self.named_id(ty) else { return };
        let decl = &self.funcs[f.0 as usize];
        if decl.recv.is_some() || self.types.named[n.0 as usize].pkg != Some(decl.pkg) {
            return;
        }
        let name = decl.name;
        let ptr = self.receiver_is_pointer(f);
        self.funcs[f.0 as usize].recv = Some(super::object::Receiver { named: n, ptr });
        let methods = &mut self.named[n.0 as usize].methods;
        methods.retain(|(m, _)| *m != name);
        methods.push((name, f));
        self.method_sets.clear();
    }
}
