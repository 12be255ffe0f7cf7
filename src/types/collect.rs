//! Packages: loading, collecting what files declare, imports, scripts (Go specification, "Packages", "Source file
//! organization"; a file without a package clause is a script).

#![expect(clippy::wildcard_enum_match_arm, reason = "statements are collected elsewhere")]

use super::checker::{Checker, LibraryFile};
use super::consts::Value;
use super::names::Sym;
use super::object::{
    Decl, DeclKind, File, FileEntry, FuncDecl, FuncId, Import, LeftOut, Obj, ObjId, ObjKind,
    Package, State, Storage, VarSpec,
};
use super::table::HashMap;
use super::ty::{Basic, PkgId};
use super::typed::GlobalId;
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Pos};
use crate::syntax::ast::{AOp, Id, List, NIL, NONE, Node};
use crate::syntax::token::Tok;
use crate::syntax::{Outcome, Outline, Range, Word};
use std::rc::Rc;

impl Checker {
    /// Adds a file of the library to a package: the tree has its imports only. Gives its index.
    fn add_library_file(&mut self, file: LibraryFile, pkg: PkgId) -> u32 {
        let id = self.map.add(file.name, file.text);
        let out = crate::syntax::outline(&self.map, id, &file.outline);
        let ix = self.add_tree(out, pkg, Rc::default());
        self.files[ix as usize].outline = Some(file.outline);
        self.packages[pkg.0 as usize].files.push(ix);
        ix
    }

    /// Parses a file into a package; gives its index.
    pub(crate) fn add_file(&mut self, id: FileId, pkg: PkgId) -> u32 {
        let out = crate::syntax::parse(&self.map, id);
        self.line_directives(id, &out.ast.comments);
        let (fatal, told) = (out.fatal, self.diags.len());
        let ix = self.add_tree(out, pkg, Rc::default());
        self.packages[pkg.0 as usize].files.push(ix);
        let env = self.env_for(ix);
        self.in_env(env, |c| c.check_branches_of_file(fatal, told));
        ix
    }

    /// Where the parts of a file say that they come from.
    fn line_directives(&mut self, id: FileId, comments: &[(u32, u32)]) {
        let file = self.map.file(id);
        let base = file.base;
        let (marks, wrong) = crate::syntax::line_marks(&file.text, &file.name, comments);
        if !marks.is_empty() {
            self.map.mark_lines(id, marks);
        }
        for (at, text) in wrong {
            self.diags.push(Diagnostic::error(Pos(base + at), Code::BadToken, text));
            self.broken = true;
        }
    }

    fn add_tree(&mut self, out: Outcome, pkg: PkgId, scope: Rc<HashMap<Sym, ObjId>>) -> u32 {
        self.diags.extend(out.errors);
        self.broken |= out.fatal;
        let ast = out.ast;
        let mut syms = vec![Sym::BLANK; ast.toks.len()];
        for (i, t) in ast.toks.iter().enumerate() {
            if let Tok::Ident(_) = t.tok {
                syms[i] = self.names.intern(&ast.src[t.start as usize..t.end as usize]);
            }
        }
        let file = Rc::new(File { ast, syms, pkg });
        self.files.push(FileEntry { file, scope, imports: vec![], outline: None });
        self.files.len() as u32 - 1
    }

    /// Collects what the outline of a file of the library has.
    fn collect_outline(&mut self, outline: &Outline) {
        let file = Rc::clone(&self.env.file);
        let text = |(a, b): Range| &file.ast.src[a as usize..b as usize];
        for head in outline.decls.iter() {
            let name = self.names.intern(text(head.name));
            if name == Sym::BLANK {
                continue;
            }
            let pos = Pos(file.ast.base + head.name.0);
            let ty = Basic::Invalid.ty();
            let kind = match head.word {
                Word::Const => ObjKind::Const { ty, val: Value::Unknown },
                Word::Type => ObjKind::Type { ty, generic: None, param: false },
                Word::Var => {
                    let g = GlobalId(self.globals.len() as u32);
                    self.globals.push(ObjId(self.objs.len() as u32));
                    ObjKind::Var { ty, storage: Storage::Global(g) }
                }
            };
            self.declare_package_obj((name, pos), kind, DeclKind::LeftOut(head.range));
        }
        for head in outline.funcs.iter().cloned() {
            let name = self.names.intern(text(head.name));
            let pos = Pos(file.ast.base + head.name.0);
            let recv = head.recv.map(|(base, ptr)| (self.names.intern(text(base)), ptr));
            let mut decl = self.new_func(name, pos, NIL);
            decl.is_method = recv.is_some();
            decl.native = head.native;
            decl.left_out = Some(LeftOut { head, recv });
            self.collect_func(decl);
        }
    }

    /// Sees to it that a function is in a tree, `whole` or as much as its signature needs: those of the library are left out until
    /// they are wanted. It then has a tree of its own, with the scope of its file.
    pub(crate) fn load_func(&mut self, func: FuncId, whole: bool) {
        let decl = &self.funcs[func.0 as usize];
        let Some(left_out) = &decl.left_out else { return };
        if decl.node != NIL && !whole {
            return;
        }
        let entry = &self.files[decl.file as usize];
        let Some(id) = self.map.file_of(Pos(entry.file.ast.base)) else { return };
        let (pkg, scope) = (decl.pkg, Rc::clone(&entry.scope));
        let whole = whole || left_out.head.body.is_none();
        let out = crate::syntax::function(&self.map, id, &left_out.head, whole);
        let node = out.ast.items.first().copied().unwrap_or(NIL);
        let file = self.add_tree(out, pkg, scope);
        let decl = &mut self.funcs[func.0 as usize];
        (decl.file, decl.node) = (file, node);
        if whole {
            decl.left_out = None;
        }
    }

    /// Sees to it that the declaration of an object is in a tree; gives it.
    pub(crate) fn load_decl(&mut self, decl: u32) -> Decl {
        let Decl { file, kind: DeclKind::LeftOut(range) } = self.decls[decl as usize] else {
            return self.decls[decl as usize].clone();
        };
        let entry = &self.files[file as usize];
        let (pkg, scope) = (entry.file.pkg, Rc::clone(&entry.scope));
        if let Some(id) = self.map.file_of(Pos(entry.file.ast.base)) {
            let out = crate::syntax::declaration(&self.map, id, range);
            let file = self.add_tree(out, pkg, scope);
            let env = self.env_for(file);
            self.in_env(env, |c| {
                for item in c.env.file.ast.items.clone() {
                    if let Node::Group(kw, specs) = c.node(item) {
                        c.collect_group(kw, specs);
                    }
                }
            });
        }
        self.decls[decl as usize].clone()
    }

    /// The object that the outline of a file of the library has for a name whose declaration is being collected.
    fn outlined(&self, name: Sym) -> Option<ObjId> {
        let pkg = &self.packages[self.env.pkg.0 as usize];
        let id = *pkg.scope.get(&name).filter(|_| pkg.std)?;
        let decl = &self.decls[self.obj(id).decl? as usize];
        matches!(decl.kind, DeclKind::LeftOut(_)).then_some(id)
    }

    pub(crate) fn add_package(&mut self, path: &str, std: bool) -> PkgId {
        let id = PkgId(self.packages.len() as u32);
        self.packages.push(Package { path: path.into(), std, ..Package::default() });
        self.pkg_ids.insert(path.into(), id);
        id
    }

    /// The package with an import path, loaded if need be. The error says why not.
    pub(crate) fn import(&mut self, path: &str) -> Result<PkgId, String> {
        let from = &self.packages[self.env.pkg.0 as usize];
        if !from.std
            && let Some(full) = self.loader.locate(path, &from.path)?
        {
            return self.import_user(&full);
        }
        if let Some(&id) = self.pkg_ids.get(path) {
            return Ok(id);
        }
        let Some(files) = self.loader.load(path) else {
            return Err(self.loader.not_found(path));
        };
        let id = self.add_package(path, true);
        let mut indexes = vec![];
        for file in files {
            indexes.push(self.add_library_file(file, id));
        }
        self.collect(id, &indexes);
        self.pkg_order.push(id);
        Ok(id)
    }

    /// A package of the user's, by its full path.
    fn import_user(&mut self, full: &str) -> Result<PkgId, String> {
        if let Some(&id) = self.pkg_ids.get(full) {
            return if self.loading.contains(&id) {
                Err("import cycle not allowed".into())
            } else {
                Ok(id)
            };
        }
        let files = self.loader.load_user(full)?;
        let id = self.add_package(full, false);
        let mut indexes = vec![];
        for (name, text) in files {
            let file = self.map.add(name, text);
            indexes.push(self.add_file(file, id));
        }
        self.loading.push(id);
        self.collect(id, &indexes);
        self.loading.pop();
        self.pkg_order.push(id);
        self.user_pkgs.push(id);
        if self.packages[id.0 as usize].script {
            return Err(format!("package {full} has a file without a package clause"));
        }
        if self.packages[id.0 as usize].name == "main" && !self.loader.is_tested(full) {
            return Err(format!("import {full:?} is a program, not an importable package"));
        }
        Ok(id)
    }

    /// Collects what some files of a package declare.
    pub(crate) fn collect(&mut self, pkg: PkgId, files: &[u32]) {
        for &ix in files {
            let env = self.env_for(ix);
            self.in_env(env, |c| c.collect_file(pkg));
        }
        for &ix in files {
            self.check_dot_imports(ix);
        }
    }

    fn collect_file(&mut self, pkg: PkgId) {
        let items = self.env.file.ast.items.clone();
        if !self.env.file.ast.has_package() {
            self.packages[pkg.0 as usize].script = true;
            if self.packages[pkg.0 as usize].name.is_empty() {
                self.packages[pkg.0 as usize].name = "main".into();
            }
        }
        for item in items {
            match self.node(item) {
                Node::Package(name) => self.package_clause(pkg, name),
                Node::Group(kw, specs) => self.collect_group(kw, specs),
                Node::FuncDecl { recv, name, ty, body } => {
                    let (name, pos) = (self.sym_of(name), self.tok_pos(name));
                    let mut decl = self.new_func(name, pos, item);
                    decl.is_method = recv.len > 0;
                    decl.native = body == NIL;
                    self.special_func(&decl, ty);
                    self.collect_func(decl);
                }
                Node::Assign(AOp::Define, lhs, rhs) if self.is_script() => {
                    self.collect_define(lhs, rhs)
                }
                _ => {}
            }
        }
        if let Some(outline) = self.files[self.env.file_ix as usize].outline.take() {
            self.collect_outline(&outline);
        }
    }

    fn package_clause(&mut self, pkg: PkgId, tok: u32) {
        let name = self.name(self.sym_of(tok)).to_string();
        let pos = self.tok_pos(tok);
        if name == "_" {
            self.err(pos, Code::InvalidPkgName, "invalid package name _");
        }
        let p = &mut self.packages[pkg.0 as usize];
        if p.name.is_empty() {
            p.name = name;
        } else if p.name != name {
            let text = format!("package {name}; expected package {}", p.name);
            self.err(pos, Code::InvalidPkgName, text);
        }
    }

    pub(crate) fn collect_group(&mut self, kw: u32, specs: List) {
        let kind = self.env.file.ast.tok(kw);
        let mut last = (NIL, NONE);
        for (iota, spec) in self.list(specs).into_iter().enumerate() {
            match self.node(spec) {
                Node::Import(name, path) => self.collect_import(spec, name, path),
                Node::TypeSpec { name, .. } => {
                    let kind =
                        ObjKind::Type { ty: Basic::Invalid.ty(), generic: None, param: false };
                    self.declare_package_obj(self.name_at(name), kind, DeclKind::Type { spec });
                }
                Node::ValueSpec { names, ty, values } if kind == Some(Tok::Const) => {
                    let inherited = ty == NIL && values.len == 0 && iota > 0;
                    if !inherited {
                        last = (ty, values);
                    }
                    self.collect_consts(spec, names, last, iota as u32, inherited);
                }
                Node::ValueSpec { names, ty, values } => self.collect_vars(spec, names, ty, values),
                _ => {}
            }
        }
    }

    fn collect_consts(
        &mut self,
        spec: Id,
        names: List,
        from: (Id, List),
        iota: u32,
        inherited: bool,
    ) {
        let (names, values) = (self.list(names), self.list(from.1));
        for (i, &n) in names.iter().enumerate() {
            let init = values.get(i).copied().unwrap_or(NIL);
            let kind = ObjKind::Const { ty: Basic::Invalid.ty(), val: Value::Unknown };
            let tok = self.env.file.ast.pos[n as usize];
            self.declare_package_obj(
                self.name_at(tok),
                kind,
                DeclKind::Const { iota, ty: from.0, init, inherited },
            );
        }
        let pos = self.pos(spec);
        self.arity(pos, &names, &values, true, inherited);
    }

    fn collect_vars(&mut self, spec: Id, names: List, ty: Id, values: List) {
        let (names, inits) = (self.list(names), self.list(values));
        let pos = self.pos(spec);
        if ty == NIL || !inits.is_empty() {
            self.arity(pos, &names, &inits, false, false);
        }
        let first = self.var_specs.len() as u32;
        let split = names.len() == inits.len() || inits.is_empty();
        let mut objs = vec![];
        for (i, &n) in names.iter().enumerate() {
            let (spec, index) = if split { (first + i as u32, 0) } else { (first, i as u32) };
            objs.push(self.declare_global(n, spec, index));
        }
        if split {
            for (i, o) in objs.into_iter().enumerate() {
                let values = List { at: values.at + i as u32, len: values.len.min(1) };
                let values = if inits.is_empty() { NONE } else { values };
                self.add_var_spec(vec![o], ty, values, pos);
            }
        } else {
            self.add_var_spec(objs, ty, values, pos);
        }
    }

    fn add_var_spec(&mut self, objs: Vec<ObjId>, ty: Id, values: List, from: Pos) {
        let file = self.env.file_ix;
        self.var_specs.push(VarSpec { file, objs, ty, values, from });
        let n = self.var_specs.len() as u32 - 1;
        self.packages[self.env.pkg.0 as usize].var_specs.push(n);
    }

    fn declare_global(&mut self, ident: Id, spec: u32, index: u32) -> ObjId {
        let name = self.name_at(self.env.file.ast.pos[ident as usize]);
        let decl = DeclKind::Var { spec, index };
        let g = GlobalId(self.globals.len() as u32);
        let kind = ObjKind::Var { ty: Basic::Invalid.ty(), storage: Storage::Global(g) };
        if self.outlined(name.0).is_none() {
            self.globals.push(ObjId(self.objs.len() as u32));
        }
        self.declare_package_obj(name, kind, decl)
    }

    /// `a, b := x, y` at the top of a script: what is new becomes a variable of the package.
    fn collect_define(&mut self, lhs: List, rhs: List) {
        let names = self.list(lhs);
        let file = self.env.file_ix;
        let spec = self.var_specs.len() as u32;
        let mut objs = vec![];
        let mut any_new = false;
        for (i, &n) in names.iter().enumerate() {
            let Node::Ident = self.node(n) else { continue };
            let name = self.sym(n);
            let known = self.packages[self.env.pkg.0 as usize].scope.get(&name).copied();
            let same_chunk = known.filter(|o| self.obj_file(*o) == Some(file));
            if let Some(o) = same_chunk
                && matches!(self.obj(o).kind, ObjKind::Var { .. })
            {
                objs.push(o);
                continue;
            }
            any_new |= name != Sym::BLANK;
            objs.push(self.declare_global(n, spec, i as u32));
        }
        let pos = self.pos(names.first().copied().unwrap_or(NIL));
        if !any_new && !objs.is_empty() {
            let at = self.list(rhs).first().map_or(pos, |&r| self.op_pos(r));
            self.err(at, Code::NoNewVar, "no new variables on left side of :=");
        }
        self.add_var_spec(objs, NIL, rhs, pos);
    }

    pub(crate) fn obj_file(&self, o: ObjId) -> Option<u32> {
        self.obj(o).decl.map(|d| self.decls[d as usize].file)
    }

    fn name_at(&self, tok: u32) -> (Sym, Pos) {
        (self.sym_of(tok), self.tok_pos(tok))
    }

    /// Declares a name of package level.
    fn declare_package_obj(
        &mut self,
        (name, pos): (Sym, Pos),
        kind: ObjKind,
        decl: DeclKind,
    ) -> ObjId {
        let file = self.env.file_ix;
        if let Some(id) = self.outlined(name)
            && let Some(d) = self.obj(id).decl
        {
            self.decls[d as usize] = Decl { file, kind: decl };
            return id;
        }
        self.decls.push(Decl { file, kind: decl });
        let decl = Some(self.decls.len() as u32 - 1);
        let pkg = self.env.pkg;
        let state = State::Waiting;
        self.objs.push(Obj { name, pkg: Some(pkg), pos, kind, used: false, state, decl });
        let id = ObjId(self.objs.len() as u32 - 1);
        self.packages[pkg.0 as usize].objs.push(id);
        let text = self.name(name);
        let is_func = matches!(self.obj(id).kind, ObjKind::Func(_));
        if text == "init" && !is_func {
            self.err(pos, Code::InvalidInitDecl, "cannot declare init - must be func");
            return id;
        }
        if text == "main" && !is_func && self.packages[pkg.0 as usize].name == "main" {
            self.err(pos, Code::InvalidMainDecl, "cannot declare main - must be func");
            return id;
        }
        if name == Sym::BLANK {
            return id;
        }
        let known = self.packages[pkg.0 as usize].scope.get(&name).copied();
        match known {
            // a later chunk of a script redefines names of earlier ones
            Some(alt) if !self.is_script() || self.obj_file(alt) == Some(file) => {
                self.redeclared(id, alt);
            }
            _ => {
                self.packages[pkg.0 as usize].scope.insert(name, id);
            }
        }
        id
    }

    fn new_func(&self, name: Sym, pos: Pos, node: Id) -> FuncDecl {
        FuncDecl {
            name,
            pkg: self.env.pkg,
            file: self.env.file_ix,
            node,
            left_out: None,
            pos,
            recv: None,
            is_method: false,
            tparams: vec![],
            recv_params: vec![],
            sig: Basic::Invalid.ty(),
            state: State::Waiting,
            native: false,
        }
    }

    fn collect_func(&mut self, decl: FuncDecl) {
        let (name, pos, is_method) = (decl.name, decl.pos, decl.is_method);
        let pkg = &mut self.packages[decl.pkg.0 as usize];
        let f = FuncId(self.funcs.len() as u32);
        self.funcs.push(decl);
        pkg.funcs.push(f);
        if is_method {
            return;
        }
        if self.names.text(name) == "init" {
            pkg.inits.push(f);
            return;
        }
        self.declare_package_obj((name, pos), ObjKind::Func(f), DeclKind::Func(f));
    }

    /// What holds for `init` and `main`.
    fn special_func(&mut self, decl: &FuncDecl, ty: Id) {
        let (name, pos) = (self.name(decl.name).to_string(), decl.pos);
        let is_main = name == "main" && self.packages[decl.pkg.0 as usize].name == "main";
        if decl.is_method || !(is_main || name == "init") {
            return;
        }
        if decl.native && name == "init" {
            self.err(pos, Code::MissingBody, "func init must have a body");
        }
        let Node::Func { tparams, params, results } = self.node(ty) else { return };
        if tparams.len > 0 {
            let at = self.list(tparams)[0];
            self.err_at(
                at,
                Code::InvalidInitSig,
                format!("func {name} must have no type parameters"),
            );
        }
        if params.len > 0 || results.len > 0 {
            self.err(
                pos,
                Code::InvalidInitSig,
                format!("func {name} must have no arguments and no return values"),
            );
        }
    }

    // ---- imports ----

    fn collect_import(&mut self, spec: Id, name_tok: u32, path_tok: u32) {
        if self.env.file.ast.is_unreadable(path_tok) {
            return;
        }
        let path = super::consts::unquote(self.env.file.ast.text(path_tok)).0;
        let path = String::from_utf8_lossy(&path).into_owned();
        let path_pos = self.tok_pos(path_tok);
        let bad = |c: char| {
            "!\"#$%&'()*,:;<=>?[\\]^{|}`\u{fffd}".contains(c) || c.is_whitespace() || c.is_control()
        };
        if path.is_empty() || path.contains(bad) {
            let why = match path.chars().find(|c| bad(*c)) {
                Some(c) => format!("invalid character {}", crate::syntax::show_char(c)),
                None => "empty string".into(),
            };
            self.err(path_pos, Code::BadImportPath, format!("invalid import path ({why})"));
            return;
        }
        let pkg = match self.import(&path) {
            Ok(pkg) => pkg,
            Err(why) => {
                self.err(path_pos, Code::BrokenImport, why);
                self.fake_package(&path)
            }
        };
        let importer = self.env.pkg;
        if !self.packages[importer.0 as usize].imports.contains(&pkg) {
            self.packages[importer.0 as usize].imports.push(pkg);
        }
        let dot = self.env.file.ast.tok(name_tok) == Some(Tok::Dot);
        let renamed = name_tok != NIL && !dot;
        let own = self.packages[pkg.0 as usize].name.clone();
        let name = if renamed { self.sym_of(name_tok) } else { self.names.intern(&own) };
        let pos = self.pos(spec);
        if self.name(name) == "init" {
            self.err(
                pos,
                Code::InvalidInitDecl,
                "cannot import package as init - init must be a func",
            );
            return;
        }
        let obj = self.add_obj(name, pos, ObjKind::Package(pkg));
        // What could not be had was complained about; nobody is told that it is unused as well.
        self.objs[obj.0 as usize].used |= self.packages[pkg.0 as usize].fake;
        let ix = self.env.file_ix as usize;
        self.files[ix].imports.push(Import { obj, pkg, pos, dot });
        if dot || name == Sym::BLANK {
            self.objs[obj.0 as usize].used |= name == Sym::BLANK;
            return;
        }
        if let Some(&alt) = self.files[ix].scope.get(&name) {
            self.redeclared(obj, alt);
            return;
        }
        Rc::make_mut(&mut self.files[ix].scope).insert(name, obj);
    }

    fn fake_package(&mut self, path: &str) -> PkgId {
        let id = self.add_package(path, true);
        let p = &mut self.packages[id.0 as usize];
        p.name = path.rsplit('/').next().unwrap_or(path).to_string();
        p.fake = true;
        id
    }

    /// Names of dot imports go to the file's scope; imports must not clash with the package's names.
    fn check_dot_imports(&mut self, ix: u32) {
        let entry = self.files[ix as usize].clone();
        let pkg = entry.file.pkg;
        let env = self.env_for(ix);
        self.in_env(env, |c| {
            for import in &entry.imports {
                if import.dot {
                    c.import_dot(ix, *import);
                } else {
                    let name = c.obj(import.obj).name;
                    if let Some(&alt) = c.packages[pkg.0 as usize].scope.get(&name) {
                        c.import_clash(alt, *import);
                    }
                }
            }
        });
    }

    fn import_dot(&mut self, ix: u32, import: Import) {
        let mut names: Vec<(Sym, ObjId)> =
            self.packages[import.pkg.0 as usize].scope.iter().map(|(&n, &o)| (n, o)).collect();
        names.sort();
        let own = self.env.pkg;
        for (name, obj) in names {
            if super::names::is_exported(self.name(name)) {
                Rc::make_mut(&mut self.files[ix as usize].scope).insert(name, obj);
                if let Some(&alt) = self.packages[own.0 as usize].scope.get(&name) {
                    let at = self.obj(obj).pos;
                    self.tell_clash(alt, "dot-import", import.pkg, at);
                }
            }
        }
    }

    fn import_clash(&mut self, alt: ObjId, import: Import) {
        self.tell_clash(alt, "import", import.pkg, import.pos);
    }

    /// Tells that a declared name is one that an import declares. Scripts hide what they import.
    fn tell_clash(&mut self, declared: ObjId, how: &str, from: PkgId, at: Pos) {
        if self.packages[self.env.pkg.0 as usize].script {
            return;
        }
        let name = self.name(self.obj(declared).name).to_string();
        let from = &self.packages[from.0 as usize];
        let full = format!("package {} ({:?})", from.name, from.path);
        let (pos, at) = (self.obj(declared).pos, self.show_pos(at));
        let text = format!(
            "{name} already declared through {how} of {full}\n\t{at}: other declaration of {name}"
        );
        self.err(pos, Code::DuplicateDecl, text);
    }

    /// In scripts the library may be used without importing it.
    pub(crate) fn implicit_import(&mut self, name: Sym) -> Option<ObjId> {
        if !self.is_script() || self.packages[self.env.pkg.0 as usize].std {
            return None;
        }
        let text = self.name(name).to_string();
        let path = self.loader.implicit(&text)?;
        let pkg = self.import(&path).ok()?;
        let importer = self.env.pkg;
        if !self.packages[importer.0 as usize].imports.contains(&pkg) {
            self.packages[importer.0 as usize].imports.push(pkg);
        }
        let obj = self.add_obj(name, Pos::NONE, ObjKind::Package(pkg));
        self.objs[obj.0 as usize].used = true;
        Rc::make_mut(&mut self.files[self.env.file_ix as usize].scope).insert(name, obj);
        Some(obj)
    }

    /// Complains about imports that nothing uses.
    pub(crate) fn unused_imports(&mut self, ix: u32) {
        let imports = self.files[ix as usize].imports.clone();
        for i in imports {
            let o = self.obj(i.obj);
            let used = o.used || (i.dot && self.dot_used(i.pkg));
            if used {
                continue;
            }
            let name = self.name(o.name).to_string();
            let path = self.packages[i.pkg.0 as usize].path.clone();
            let element = path.rsplit('/').next().unwrap_or(&path);
            let text = if name == element || i.dot {
                format!("{path:?} imported and not used")
            } else {
                format!("{path:?} imported as {name} and not used")
            };
            let env = self.env_for(ix);
            self.in_env(env, |c| c.tell_useless(i.pos, Code::UnusedImport, text));
        }
    }

    fn dot_used(&self, pkg: PkgId) -> bool {
        self.packages[pkg.0 as usize].scope.values().any(|&o| self.obj(o).used)
    }
}
