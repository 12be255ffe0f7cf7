//! The checker as others use it: check a program, then ask for what the back end needs.

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds are wrong in each place")]

use super::checker::{Checker, Later};
use super::names::Sym;
use super::object::{FuncId, ObjId, ObjKind};
use super::ty::{Basic, Kind, PkgId, Signature, Ty, Types};
use super::typed::{FuncBody, FuncRef, GlobalId, LibraryInit, MethodEntry, Source};
use crate::diag;
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::Node;

/// Size that the element of a channel must not reach.
const MAX_ELEMENT: u64 = 1 << 16;

impl Checker {
    /// Checks a program of one package, given as names and texts of its files. What is wrong is in
    /// [`Checker::diagnostics`] afterwards, in order.
    pub fn check_program(&mut self, files: Vec<(String, String)>) {
        let pkg = self.add_package("main", false);
        self.main_pkg = Some(pkg);
        let mut indexes = vec![];
        for (name, text) in files {
            let id = self.map.add(name, text);
            indexes.push(self.add_file(id, pkg));
        }
        if !self.broken {
            self.loading.push(pkg);
            self.collect(pkg, &indexes);
            self.loading.pop();
            for user in self.user_pkgs.clone() {
                if !self.broken {
                    self.check_package(user);
                }
            }
            if !self.broken {
                self.check_package(pkg);
            }
        }
        if !self.pkg_order.contains(&pkg) {
            self.pkg_order.push(pkg);
        }
        // as the Go compiler: the same words once in a row for a line
        let map = &self.map;
        let line = |d: &diag::Diagnostic| map.place(d.pos).map(|p| (p.file, p.line));
        let mut last = None;
        self.diags.retain(|d| {
            let this = Some((line(d), d.text.clone()));
            let is_new = d.code == Code::SyntaxError || last != this;
            if d.code != Code::SyntaxError {
                last = this;
            }
            is_new
        });
        for (rank, d) in self.diags.iter_mut().enumerate() {
            d.rank = rank;
        }
        diag::order(&mut self.diags);
        diag::order(&mut self.warnings);
    }

    /// Adds a piece of text to a script that is being typed in: a chunk of a REPL. Later names hide earlier ones.
    /// Gives the body that runs its statements, or what is wrong (and whether more text could mend it); after an
    /// error the program is as before.
    pub fn check_chunk(&mut self, name: &str, text: &str) -> Result<FuncBody, Chunk> {
        let pkg = self.script_package();
        let id = self.map.add(name, text.to_string());
        let out = crate::syntax::parse(&self.map, id);
        if !out.errors.is_empty() {
            return Err(Chunk { errors: out.errors, is_incomplete: out.is_incomplete });
        }
        let scope = self.packages[pkg.0 as usize].scope.clone();
        let imports = self.chunk_imports(pkg);
        let ix = self.add_file(id, pkg);
        std::rc::Rc::make_mut(&mut self.files[ix as usize].scope).extend(imports);
        let before = self.funcs.len();
        self.collect(pkg, &[ix]);
        let env = self.env_for(ix);
        self.in_env(env, |c| c.adopt_later_methods(pkg, ix, before));
        self.resolve_all(pkg);
        self.check_bodies(pkg, self.checked_funcs);
        let body = self.check_script(ix);
        self.complete_all();
        let mut errors = std::mem::take(&mut self.diags);
        if errors.is_empty() {
            return Ok(body);
        }
        diag::order(&mut errors);
        self.packages[pkg.0 as usize].scope = scope;
        Err(Chunk { errors, is_incomplete: false })
    }

    /// Methods of this chunk (functions from `first` on) whose type is of an earlier one: they join it, or replace its own.
    fn adopt_later_methods(&mut self, pkg: PkgId, file: u32, first: usize) {
        for i in first..self.funcs.len() {
            let f = FuncId(i as u32);
            if !self.funcs[i].is_method {
                continue;
            }
            let Some(base) = self.receiver_base(f) else { continue };
            let Some(&obj) = self.packages[pkg.0 as usize].scope.get(&base) else { continue };
            let ObjKind::Type { ty, .. } = self.obj(obj).kind else { continue };
            if self.obj_file(obj) == Some(file) {
                continue;
            }
            let Some(named) = self.named_id(ty) else { continue };
            let ptr = self.receiver_is_pointer(f);
            self.funcs[i].recv = Some(super::object::Receiver { named, ptr });
            let name = self.funcs[i].name;
            let methods = &mut self.named[named.0 as usize].methods;
            methods.retain(|(m, _)| *m != name);
            methods.push((name, f));
            self.method_sets.clear();
        }
    }

    /// Imports of earlier chunks stay.
    fn chunk_imports(&self, pkg: PkgId) -> Vec<(Sym, ObjId)> {
        let last = self.packages[pkg.0 as usize].files.last();
        last.map_or(vec![], |&f| {
            self.files[f as usize].scope.iter().map(|(&n, &o)| (n, o)).collect()
        })
    }

    fn script_package(&mut self) -> PkgId {
        if let Some(pkg) = self.main_pkg {
            return pkg;
        }
        let pkg = self.add_package("main", false);
        self.main_pkg = Some(pkg);
        self.packages[pkg.0 as usize].script = true;
        self.packages[pkg.0 as usize].name = "main".into();
        pkg
    }

    fn check_package(&mut self, pkg: PkgId) {
        self.resolve_all(pkg);
        let script = self.packages[pkg.0 as usize].script;
        if !script {
            let init = self.check_globals(pkg);
            self.user_inits.insert(pkg, init);
        }
        self.check_bodies(pkg, 0);
        let files = self.packages[pkg.0 as usize].files.clone();
        if script {
            for &f in &files {
                self.script_body = Some(self.check_script(f));
            }
            self.unused_in_script(pkg);
        }
        let env = self.env_for(files[0]);
        self.in_env(env, Self::process_later);
        for f in files {
            self.unused_imports(f);
        }
        if !script {
            self.init_cycles(pkg);
        }
        let env = self.env_for(self.packages[pkg.0 as usize].files[0]);
        if self.diags.is_empty() {
            self.tell_anonymous_cycles();
            self.in_env(env, Self::instance_cycles);
        }
    }

    /// Variables at the top of a script are of no use to anybody else.
    fn unused_in_script(&mut self, pkg: PkgId) {
        for o in self.packages[pkg.0 as usize].objs.clone() {
            let o = self.obj(o);
            if o.used || !matches!(o.kind, ObjKind::Var { .. }) || self.name(o.name) == "_" {
                continue;
            }
            let text = format!("declared and not used: {}", self.name(o.name));
            self.warnings.push(diag::Diagnostic::warning(o.pos, Code::UnusedVar, text));
        }
    }

    /// A program that is to run has no functions without bodies. (One that is only checked may get them from elsewhere, as it may when
    /// the Go compiler compiles it alone.)
    pub fn require_bodies(&mut self) {
        let Some(pkg) = self.main_pkg else { return };
        let name = self.names.intern("main");
        let p = &self.packages[pkg.0 as usize];
        if !self.diags.is_empty()
            || !(p.script || (p.name == "main" && p.scope.contains_key(&name)))
        {
            return;
        }
        let mut all = p.funcs.clone();
        for other in &self.user_pkgs {
            all.extend(&self.packages[other.0 as usize].funcs);
        }
        for f in all {
            let decl = &self.funcs[f.0 as usize];
            if decl.native {
                self.diags.push(diag::Diagnostic::error(
                    decl.pos,
                    Code::MissingBody,
                    "missing function body",
                ));
            }
        }
    }

    /// Resolves every declaration of a package.
    fn resolve_all(&mut self, pkg: PkgId) {
        let Some(&file) = self.packages[pkg.0 as usize].files.last() else { return };
        let env = self.env_for(file);
        self.in_env(env, |c| {
            let objs = c.packages[pkg.0 as usize].objs.clone();
            c.direct_cycles(&objs);
            let (types, others): (Vec<ObjId>, Vec<ObjId>) =
                objs.into_iter().partition(|&o| matches!(c.obj(o).kind, ObjKind::Type { .. }));
            let (aliases, defined): (Vec<ObjId>, Vec<ObjId>) =
                types.into_iter().partition(|&o| c.is_alias_decl(o));
            for &o in defined.iter().chain(&aliases) {
                c.resolve(o);
                if let ObjKind::Type { ty, .. } = c.obj(o).kind {
                    c.under(ty);
                }
            }
            for o in defined {
                if let ObjKind::Type { ty, .. } = c.obj(o).kind {
                    c.valid_type(ty);
                }
            }
            for o in others {
                c.resolve(o);
            }
            for f in c.packages[pkg.0 as usize].funcs.clone() {
                c.func_sig(f);
            }
            c.process_later();
        });
    }

    /// Checks the bodies of a package's functions from `from` on (a growing script has had the others).
    fn check_bodies(&mut self, pkg: PkgId, from: u32) {
        let funcs = self.packages[pkg.0 as usize].funcs.clone();
        for f in funcs {
            let decl = &self.funcs[f.0 as usize];
            if f.0 < from || decl.native {
                continue;
            }
            let params: Vec<Ty> = decl.recv_params.iter().chain(&decl.tparams).copied().collect();
            let body = self.check_body(f, &params, false);
            if params.is_empty() {
                let r = self.func_ref(f, vec![]);
                self.bodies.insert(r, body);
            }
        }
        self.checked_funcs = self.funcs.len() as u32;
    }

    // ---- checks that waited ----

    /// Runs the checks that waited for types to be complete.
    pub(crate) fn process_later(&mut self) {
        while let Some(item) = self.later.pop() {
            match item {
                Later::Embedded(t, pos) => self.check_embedded(t, pos),
                Later::ChanElem(t, pos) => {
                    if self.is_valid_ty(t) && !self.has_param(t) && self.layout(t).0 >= MAX_ELEMENT
                    {
                        self.err(pos, Code::TooLarge, "channel element type too large (>64kB)");
                    }
                }
                Later::MapKey { key, pos } => self.check_map_key(key, pos),
                Later::Verify { inst, pos, file, args } => {
                    let Some(g) = self.named_info(inst).and_then(|i| i.generic) else { continue };
                    let params = self.generics[g.0 as usize].tparams.clone();
                    let targs = self.type_args(inst);
                    let entry = std::rc::Rc::clone(&self.files[file as usize].file);
                    let at: Vec<Pos> = entry
                        .ast
                        .get(args)
                        .iter()
                        .map(|&n| {
                            let tok = entry.ast.toks[entry.ast.pos[n as usize] as usize];
                            Pos(entry.ast.base + tok.start)
                        })
                        .collect();
                    self.verify(&params, &targs, &at, pos);
                }
                Later::VarType(t, pos) => self.check_var_type(t, pos),
                Later::Receiver { func, ty, pos } => self.check_receiver(func, ty, pos),
                Later::FieldMethods(t) => self.check_field_methods(t),
            }
        }
    }

    fn check_embedded(&mut self, t: Ty, pos: Pos) {
        let (base, is_ptr) = self.deref(t);
        let text = match self.under_kind(base) {
            Kind::Basic(Basic::UnsafePointer) => "embedded field type cannot be unsafe.Pointer",
            Kind::Pointer(_) => "embedded field type cannot be a pointer",
            Kind::Param(_) => "embedded field type cannot be a (pointer to a) type parameter",
            Kind::Interface(_) if is_ptr => {
                "embedded field type cannot be a pointer to an interface"
            }
            _ => return,
        };
        self.err(pos, Code::InvalidEmbed, text);
    }

    fn check_map_key(&mut self, key: Ty, pos: Pos) {
        let u = self.under(key);
        if !self.is_valid_ty(u) || self.comparable(key, true).is_ok() {
            return;
        }
        let why = if self.is_param(key) { " (missing comparable constraint)" } else { "" };
        let shown = self.show(key);
        self.err(pos, Code::IncomparableMapKey, format!("invalid map key type {shown}{why}"));
    }

    fn check_var_type(&mut self, t: Ty, pos: Pos) {
        let Some(i) = self.interface_of(t) else { return };
        let shown = self.show(t);
        let what = format!("cannot use type {shown} outside a type constraint: interface");
        if i.comparable {
            self.err(
                pos,
                Code::MisplacedConstraintIface,
                format!("{what} is (or embeds) comparable"),
            );
        } else if !i.unions.is_empty() {
            self.err(
                pos,
                Code::MisplacedConstraintIface,
                format!("{what} contains type constraints"),
            );
        }
    }

    fn check_receiver(&mut self, func: FuncId, t: Ty, pos: Pos) {
        let (base, _) = self.deref(t);
        if !self.is_valid_ty(base) {
            return;
        }
        let is_generic = self.named_info(base).is_some_and(|i| i.generic.is_some());
        let pkg = self.funcs[func.0 as usize].pkg;
        // as the declaration names it
        let (written, is_pointer, ..) = self.receiver_syntax(func);
        let shown = match written.filter(|_| !is_generic) {
            Some(name) => self.name(name).to_string(),
            None => self.show(base),
        };
        let text = match self.types.kind(base).clone() {
            Kind::Named(n) => {
                if self.types.named[n.0 as usize].pkg != Some(pkg) {
                    format!("cannot define new methods on non-local type {shown}")
                } else if self.named[n.0 as usize].origin != Some(n) {
                    format!("cannot define new methods on instantiated type {shown}")
                } else {
                    match self.under_kind(base) {
                        Kind::Pointer(_) | Kind::Interface(_) => {
                            format!("invalid receiver type {shown} (pointer or interface type)")
                        }
                        Kind::Basic(Basic::UnsafePointer) => {
                            format!("invalid receiver type {shown} (unsafe.Pointer)")
                        }
                        _ => return,
                    }
                }
            }
            Kind::Basic(_) => format!("cannot define new methods on non-local type {shown}"),
            _ => {
                let star = if is_pointer { "*" } else { "" };
                format!("invalid receiver type {star}{shown}")
            }
        };
        self.err(pos, Code::InvalidRecv, text);
    }

    fn check_field_methods(&mut self, t: Ty) {
        let Kind::Struct(fields) = self.under_kind(t) else { return };
        let Some(info) = self.named_info(t) else { return };
        for (sym, f) in info.methods.clone() {
            let name = self.name(sym).to_string();
            if fields.iter().any(|x| x.name == name) {
                let pos = self.funcs[f.0 as usize].pos;
                let text = match self.field_pos(t, &name) {
                    Some(at) => {
                        let at = self.show_pos(at);
                        format!(
                            "field and method with the same name {name}\n\t{at}: other declaration of {name}"
                        )
                    }
                    None => format!("field and method with the same name {name}"),
                };
                self.err(pos, Code::DuplicateFieldAndMethod, text);
            }
        }
    }

    /// Where a field of a declared struct stands in the source.
    fn field_pos(&self, t: Ty, name: &str) -> Option<Pos> {
        let obj = self.named_info(t)?.obj?;
        let decl = &self.decls[self.obj(obj).decl? as usize];
        let super::object::DeclKind::Type { spec } = decl.kind else { return None };
        let file = &self.files[decl.file as usize].file;
        let Node::TypeSpec { ty, .. } = file.ast.node(spec) else { return None };
        let Node::Struct(list) = file.ast.node(ty) else { return None };
        for &f in file.ast.get(list) {
            let Node::Field(p) = file.ast.node(f) else { continue };
            let at = if p.name == crate::syntax::NIL { p.ty } else { p.name };
            let tok = match file.ast.node(at) {
                Node::Sel(_, name) => name,
                _ => file.ast.pos[at as usize],
            };
            if file.ast.text(tok) == name {
                return Some(Pos(file.ast.base + file.ast.toks[tok as usize].start));
            }
        }
        None
    }
}

/// Why a chunk of a REPL was not taken.
#[derive(Debug)]
pub struct Chunk {
    /// What is wrong.
    pub errors: Vec<diag::Diagnostic>,
    /// More text could mend it.
    pub is_incomplete: bool,
}

impl Source for Checker {
    fn types(&mut self) -> &mut Types {
        &mut self.types
    }

    fn known_types(&self) -> &Types {
        &self.types
    }

    fn body(&mut self, f: FuncRef) -> FuncBody {
        let body = match self.bodies.remove(&f) {
            Some(body) => body,
            None => {
                let (func, args) = self.refs[f.0 as usize].clone();
                self.check_body(func, &args, true)
            }
        };
        self.complete_all();
        body
    }

    fn signature(&mut self, f: FuncRef) -> Ty {
        let (func, args) = self.refs[f.0 as usize].clone();
        let sig = self.func_sig(func);
        let decl = &self.funcs[func.0 as usize];
        let n = decl.recv_params.len().min(args.len());
        let params: Vec<Ty> = decl.recv_params.iter().chain(&decl.tparams).copied().collect();
        let map = super::named::bindings(&params, &args);
        let mut sig = self.subst(sig, &map);
        if let Some(recv) = self.receiver_type(func, &args[..n])
            && let Kind::Func(s) = self.types.kind(sig).clone()
        {
            let params = std::iter::once(recv).chain(s.params).collect();
            sig = self.types.intern(Kind::Func(Signature { params, ..s }));
        }
        self.complete_all();
        sig
    }

    fn func_name(&mut self, f: FuncRef) -> String {
        let (func, args) = self.refs[f.0 as usize].clone();
        let n = self.funcs[func.0 as usize].recv_params.len().min(args.len());
        self.func_full_name(func, &args[..n])
    }

    fn method_set(&mut self, t: Ty) -> Vec<MethodEntry> {
        let list = self.methods_of(t);
        self.complete_all();
        list
    }

    fn global(&mut self, g: GlobalId) -> (String, Ty) {
        let id = self.globals[g.0 as usize];
        self.resolve(id);
        let o = self.obj(id);
        let ty = if let ObjKind::Var { ty, .. } = o.kind { ty } else { Basic::Invalid.ty() };
        self.want_init(id);
        let o = self.obj(id);
        let pkg = o.pkg.map_or(String::new(), |p| format!("{}.", self.packages[p.0 as usize].path));
        (format!("{pkg}{}", self.name(o.name)), ty)
    }

    fn inits(&mut self) -> Vec<FuncBody> {
        let mut out = vec![];
        let from = std::mem::replace(&mut self.initialised, self.pkg_order.len());
        let packages: Vec<PkgId> = self.pkg_order[from..].to_vec();
        for pkg in packages {
            let is_main = Some(pkg) == self.main_pkg;
            if let Some(init) = self.user_inits.remove(&pkg) {
                out.push(self.ordered_init(pkg, init));
            } else if !is_main && !self.packages[pkg.0 as usize].std {
                // imported by a script that grows
                let init = self.check_globals(pkg);
                out.push(self.ordered_init(pkg, init));
            }
            if is_main {
                out.extend(self.script_body.take());
            }
        }
        self.complete_all();
        out
    }

    fn library_inits(&mut self) -> Vec<(LibraryInit, FuncBody)> {
        let out = self.wanted_inits();
        self.complete_all();
        out
    }

    fn init_order(&mut self, parts: &[LibraryInit]) -> Vec<LibraryInit> {
        self.ordered_parts(parts)
    }

    fn main(&mut self) -> Option<FuncRef> {
        let pkg = self.main_pkg?;
        if self.packages[pkg.0 as usize].script {
            return None;
        }
        let name = self.names.intern("main");
        let obj = *self.packages[pkg.0 as usize].scope.get(&name)?;
        let ObjKind::Func(f) = self.obj(obj).kind else { return None };
        Some(self.func_ref(f, vec![]))
    }

    fn package(&mut self, p: PkgId) -> (String, String) {
        let p = &self.packages[p.0 as usize];
        (p.path.clone(), p.name.clone())
    }

    fn type_string(&mut self, t: Ty) -> String {
        self.show_runtime(t)
    }

    fn std_type(&mut self, pkg: &str, name: &str) -> Option<Ty> {
        let pkg = self.import(pkg).ok()?;
        let name = self.names.intern(name);
        let obj = *self.packages[pkg.0 as usize].scope.get(&name)?;
        self.resolve(obj);
        let ObjKind::Type { ty, .. } = self.obj(obj).kind else { return None };
        self.complete_all();
        Some(ty)
    }

    fn std_func(&mut self, pkg: &str, name: &str) -> Option<FuncRef> {
        let f = self.package_func(pkg, name)?;
        Some(self.func_ref(f, vec![]))
    }
}
