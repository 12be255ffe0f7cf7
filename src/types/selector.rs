//! Selectors: qualified names, fields, methods, method values and method expressions (Go specification, "Selectors",
//! "Method values", "Method expressions").

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not found is one case")]

use super::checker::{Checker, Dep};
use super::lookup::{Found, Lookup};
use super::names::is_exported;
use super::object::{ObjId, ObjKind};
use super::operand::{Fun, Mode, Operand};
use super::ty::{Kind, PkgId, Signature, Ty};
use super::typed::{ExprId, ExprKind, MethodTarget, PathStep};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::{Id, Node};

/// A name that is like the one that was not found.
struct Similar {
    name: String,
    field: bool,
    pkg: Option<PkgId>,
}

impl Checker {
    /// `x.name`.
    pub(crate) fn selector(&mut self, node: Id, want_type: bool) -> Operand {
        let Node::Sel(inner, name_tok) = self.node(node) else { return Operand::invalid(node) };
        let name = self.name(self.sym_of(name_tok)).to_string();
        let name_pos = self.tok_pos(name_tok);
        if let Some(pkg) = self.package_name(inner) {
            return self.qualified(node, pkg, &name, name_pos);
        }
        let mut x = self.expr_or_type(inner, false);
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        if let Mode::Builtin(_) = x.mode {
            let shown = self.show_operand(&x);
            let dot = self.tok_pos(name_tok.saturating_sub(1));
            self.err(
                dot,
                Code::InvalidBlank,
                format!("invalid use of {shown} in selector expression"),
            );
            return Operand::invalid(node);
        }
        if self.is_open(x.ty) {
            self.open_cycle(x.ty);
            return Operand::invalid(node);
        }
        if want_type {
            let shown = self.show_node(node);
            self.err(name_pos, Code::NotAType, format!("{shown} is not a type"));
            return Operand::invalid(node);
        }
        self.under(x.ty);
        let pkg = self.env.pkg;
        let found = self.find(x.ty, x.mode == Mode::Var, pkg, &name, false);
        let Lookup::Found { found, path, indirect, at, ptr } = found else {
            self.not_found(&x, found, &name, name_pos);
            return Operand::invalid(node);
        };
        match found {
            Found::Field(f) => {
                if let Mode::Type { .. } = x.mode {
                    let t = self.show(x.ty);
                    let text =
                        format!("operand for field selector {name} must be value of type {t}");
                    self.err_at(inner, Code::MissingFieldOrMethod, text);
                    return Operand::invalid(node);
                }
                let pos = self.pos(node);
                let e = self.value(&mut x);
                let e = self.walk_path(e, &path, pos);
                let mode = if x.mode == Mode::Var || indirect { Mode::Var } else { Mode::Value };
                Operand { mode, ..Operand::value(node, f.ty, e) }
            }
            found => {
                if let Mode::Type { .. } = x.mode {
                    return self.method_expr(node, &x, &found, &name);
                }
                self.method_value(node, x, found, &path, (at, ptr))
            }
        }
    }

    /// The package that an identifier names.
    fn package_name(&mut self, node: Id) -> Option<PkgId> {
        if !matches!(self.node(node), Node::Ident) {
            return None;
        }
        let name = self.sym(node);
        let obj = self.lookup(name)?;
        let ObjKind::Package(pkg) = self.obj(obj).kind else { return None };
        self.objs[obj.0 as usize].used = true;
        Some(pkg)
    }

    fn qualified(&mut self, node: Id, pkg: PkgId, name: &str, pos: Pos) -> Operand {
        let sym = self.names.intern(name);
        let p = &self.packages[pkg.0 as usize];
        if p.fake {
            return Operand::invalid(node);
        }
        let Some(&obj) = p.scope.get(&sym) else {
            let shown = self.show_node(node);
            let other = self.similar_in_package(pkg, name);
            let other_found = other.is_some();
            let text = match other {
                Some(o) => format!("undefined: {shown} (but have {o})"),
                None => format!("undefined: {shown}"),
            };
            let notes = if other_found { vec![] } else { self.package_hints(pkg, name) };
            self.err_noted(pos, Code::UndeclaredImportedName, text, notes);
            return Operand::invalid(node);
        };
        if !is_exported(name) && self.packages[pkg.0 as usize].path != "unsafe" {
            let pkg_name = self.packages[pkg.0 as usize].name.clone();
            self.err(
                pos,
                Code::UnexportedName,
                format!("name {name} not exported by package {pkg_name}"),
            );
            return Operand::invalid(node);
        }
        self.use_obj(obj, node)
    }

    fn similar_in_package(&self, pkg: PkgId, name: &str) -> Option<String> {
        let scope = &self.packages[pkg.0 as usize].scope;
        let mut names: Vec<(&str, ObjId)> =
            scope.iter().map(|(&n, &o)| (self.name(n), o)).collect();
        names.sort();
        names
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name) && is_exported(n))
            .map(|(n, _)| (*n).to_string())
    }

    /// Follows embedded fields to a field or to the value that has a method.
    pub(crate) fn walk_path(&mut self, mut e: ExprId, path: &[PathStep], pos: Pos) -> ExprId {
        for step in path {
            let mut t = self.expr_of(e).ty;
            if step.deref {
                let u = self.under(t);
                if let Kind::Pointer(elem) = *self.types.kind(u) {
                    t = elem;
                }
                e = self.emit_deref(e, t, pos);
            }
            let Kind::Struct(fields) = self.under_kind(t) else { return e };
            let Some(f) = fields.get(step.index as usize) else { return e };
            e = self.emit(ExprKind::Field { x: e, index: step.index }, f.ty, pos);
        }
        e
    }

    fn method_value(
        &mut self,
        node: Id,
        mut x: Operand,
        found: Found,
        path: &[PathStep],
        at: (Ty, bool),
    ) -> Operand {
        let pos = self.pos(node);
        let e = self.value(&mut x);
        let e = self.walk_path(e, path, pos);
        match found {
            Found::Method { func, named, ptr_recv } => {
                self.add_dep(Dep::Func(func));
                let ty = self.method_sig(func, named);
                if !self.is_valid_ty(ty) {
                    return Operand::invalid(node);
                }
                let recv = match (ptr_recv, at.1) {
                    (true, false) => self.emit_address(e, pos),
                    (false, true) => self.emit_deref(e, at.0, pos),
                    _ => e,
                };
                let tparams = self.funcs[func.0 as usize].tparams.clone();
                let targs = self.type_args(named);
                let fun = Some(Box::new(Fun::Method { recv, func, targs }));
                Operand { mode: Mode::Value, ty, fun, tparams, ..Operand::invalid(node) }
            }
            Found::Abstract(m) => {
                let fun = Fun::Interface { recv: e, name: m.name, pkg: m.pkg, sig: m.sig };
                Operand {
                    mode: Mode::Value,
                    ty: m.sig,
                    fun: Some(Box::new(fun)),
                    ..Operand::invalid(node)
                }
            }
            Found::Field(_) => Operand::invalid(node),
        }
    }

    fn method_expr(&mut self, node: Id, x: &Operand, found: &Found, name: &str) -> Operand {
        if let Found::Method { func, .. } = found {
            self.add_dep(Dep::Func(*func));
        }
        let pkg = self.env.pkg;
        let Some(mut entry) = self.method_entry(x.ty, pkg, name) else {
            let shown = self.show_node(node);
            self.err_at(
                node,
                Code::MissingTypeArgs,
                format!("cannot use generic method {shown} without instantiation"),
            );
            return Operand::invalid(node);
        };
        entry.pkg = if is_exported(name) { None } else { entry.pkg };
        let Kind::Func(sig) = self.types.kind(entry.sig).clone() else {
            return Operand::invalid(node);
        };
        let params = std::iter::once(x.ty).chain(sig.params).collect();
        let ty = self.types.intern(Kind::Func(Signature { params, ..sig }));
        let is_ptr = matches!(self.types.kind(x.ty), Kind::Pointer(_));
        let func = match entry.target {
            MethodTarget::Func { func, ptr } if entry.path.is_empty() && ptr == is_ptr => {
                Some(self.refs[func.0 as usize].clone())
            }
            _ => None,
        };
        let fun = Some(Box::new(Fun::Expr { recv: x.ty, entry, func }));
        Operand { mode: Mode::Value, ty, fun, ..Operand::invalid(node) }
    }

    // ---- what was not found ----

    fn not_found(&mut self, x: &Operand, result: Lookup, name: &str, pos: Pos) {
        let u = self.under(x.ty);
        if !self.is_valid_ty(u) {
            return;
        }
        let shown = self.show_node(x.node);
        let t = self.show(x.ty);
        let mut code = Code::MissingFieldOrMethod;
        let mut notes = vec![];
        let text = match result {
            Lookup::Ambiguous => {
                code = Code::AmbiguousSelector;
                format!("ambiguous selector {shown}.{name}")
            }
            Lookup::NeedsPointer => {
                code = Code::InvalidMethodExpr;
                if let Mode::Type { .. } = x.mode {
                    format!(
                        "invalid method expression {t}.{name} (needs pointer receiver (*{t}).{name})"
                    )
                } else {
                    format!("cannot call pointer method {name} on {t}")
                }
            }
            _ => {
                let why = if self.is_interface_ptr(x.ty) {
                    self.interface_ptr_error(x.ty)
                } else {
                    let similar = self.similar(x, name);
                    if similar.is_none() {
                        notes = self.member_hints(x.ty, name);
                    }
                    self.lookup_error(x.ty, name, similar)
                };
                format!("{shown}.{name} undefined ({why})")
            }
        };
        self.err_noted(pos, code, text, notes);
    }

    fn similar(&mut self, x: &Operand, name: &str) -> Option<Similar> {
        let pkg = self.env.pkg;
        let Lookup::Found { found, .. } = self.find(x.ty, x.mode == Mode::Var, pkg, name, true)
        else {
            return None;
        };
        Some(self.describe(found))
    }

    fn describe(&self, found: Found) -> Similar {
        match found {
            Found::Field(f) => Similar { pkg: f.pkg, name: f.name, field: true },
            Found::Method { func, .. } => {
                let d = &self.funcs[func.0 as usize];
                Similar { name: self.name(d.name).to_string(), field: false, pkg: Some(d.pkg) }
            }
            Found::Abstract(m) => Similar { pkg: m.pkg, name: m.name, field: false },
        }
    }

    fn lookup_error(&mut self, t: Ty, name: &str, similar: Option<Similar>) -> String {
        let shown = self.show(t);
        let plain = format!("type {shown} has no field or method {name}");
        let Some(s) = similar else { return plain };
        let what = if s.field { "field" } else { "method" };
        match self.spelling(name, &s) {
            Spelling::Missing => plain,
            Spelling::Misspelled => format!("{plain}, but does have {what} {}", s.name),
            Spelling::Unexported => format!("{plain}, but does have unexported {what} {}", s.name),
            Spelling::Inaccessible => format!("cannot refer to unexported {what} {}", s.name),
        }
    }

    /// The message for a field that a struct literal names and the struct has not.
    pub(crate) fn unknown_field(&mut self, t: Ty, name: &str) -> (Code, String) {
        let pkg = self.env.pkg;
        let shown = self.show(t);
        let plain = format!("unknown field {name} in struct literal of type {shown}");
        let similar = match self.find(t, false, pkg, name, true) {
            Lookup::Found { found, .. } => self.describe(found),
            _ => return (Code::MissingLitField, plain),
        };
        let text = match self.spelling(name, &similar) {
            Spelling::Missing => plain,
            Spelling::Misspelled => format!("{plain}, but does have {}", similar.name),
            Spelling::Unexported => format!("{plain}, but does have unexported {}", similar.name),
            Spelling::Inaccessible => {
                let text = format!(
                    "cannot refer to unexported field {} in struct literal of type {shown}",
                    similar.name
                );
                return (Code::UnexportedLitField, text);
            }
        };
        (Code::MissingLitField, text)
    }

    fn spelling(&self, name: &str, s: &Similar) -> Spelling {
        let here =
            s.pkg.is_none_or(|p| p == self.env.pkg) && (s.pkg.is_some() || is_exported(&s.name));
        let tail = |s: &str| s.chars().skip(1).collect::<String>();
        if here && s.name != name {
            return Spelling::Misspelled;
        }
        match (is_exported(name), is_exported(&s.name)) {
            (true, true) if s.name != name => Spelling::Misspelled,
            (true, false) if tail(name) == tail(&s.name) => Spelling::Unexported,
            (false, true) if tail(name) == tail(&s.name) => Spelling::Misspelled,
            (false, false) if name == s.name => Spelling::Inaccessible,
            _ => Spelling::Missing,
        }
    }
}

enum Spelling {
    Missing,
    Misspelled,
    Unexported,
    Inaccessible,
}
