//! What may help beside Go's words: the name that was probably meant, or where something is declared.
//!
//! Nothing here decides whether a program is right.

#![expect(clippy::wildcard_enum_match_arm, reason = "few types have fields or methods")]

use super::checker::Checker;
use super::names::{Sym, is_exported};
use super::object::{ObjId, ObjKind};
use super::ty::{Kind, PkgId, Ty};
use crate::diag::{Code, Note, nearest};
use crate::source::Pos;
use crate::syntax::ast::{Id, Node};

fn did_you_mean(name: Option<&str>) -> Vec<Note> {
    name.map(|n| Note::hint(format!("did you mean {n}?"))).into_iter().collect()
}

impl Checker {
    /// Tells that a name stands for nothing.
    pub(crate) fn undeclared(&mut self, name: Sym, node: Id) {
        if name == Sym::BLANK {
            self.err_at(node, Code::InvalidBlank, "cannot use _ as value or type");
            return;
        }
        // what no name may look like was told by the lexer
        if self.env.silent || !crate::syntax::is_name(self.name(name)) {
            return;
        }
        let text = format!("undefined: {}", self.name(name));
        let notes = self.name_hints(name);
        let pos = self.pos(node);
        self.err_noted(pos, Code::UndeclaredName, text, notes);
    }

    fn name_hints(&self, name: Sym) -> Vec<Note> {
        let word = self.name(name);
        if let Some(path) = self.loader.implicit(word) {
            return vec![Note::hint(format!("import {path:?} first"))];
        }
        let locals = self.env.scope.iter().map(|(n, _)| *n);
        let file = self.files.get(self.env.file_ix as usize);
        let imports = file.into_iter().flat_map(|f| f.scope.keys().copied());
        let package = self.packages.get(self.env.pkg.0 as usize);
        let package = package.into_iter().flat_map(|p| p.scope.keys().copied());
        let all = locals.chain(imports).chain(package).chain(self.universe.keys().copied());
        did_you_mean(nearest(word, all.map(|n| self.name(n))))
    }

    /// For a name that a package has not.
    pub(crate) fn package_hints(&self, pkg: PkgId, name: &str) -> Vec<Note> {
        let scope = &self.packages[pkg.0 as usize].scope;
        let names = scope.keys().map(|&n| self.name(n)).filter(|n| is_exported(n));
        did_you_mean(nearest(name, names))
    }

    /// For a field or method that a type has not: the one that was meant, or where the type is declared.
    pub(crate) fn member_hints(&mut self, t: Ty, name: &str) -> Vec<Note> {
        let (base, _) = self.deref(t);
        let mut names: Vec<String> = match self.under_kind(base) {
            Kind::Struct(fields) => fields.into_iter().map(|f| f.name).collect(),
            Kind::Interface(i) => i.methods.iter().map(|m| m.name.clone()).collect(),
            _ => vec![],
        };
        let Some(info) = self.named_info(base) else {
            return did_you_mean(nearest(name, names.iter().map(String::as_str)));
        };
        let obj = info.obj;
        names.extend(info.methods.iter().map(|(n, _)| self.names.text(*n).to_string()));
        let near = did_you_mean(nearest(name, names.iter().map(String::as_str)));
        if !near.is_empty() {
            return near;
        }
        obj.map(|o| self.declared_note(o)).into_iter().flatten().collect()
    }

    /// Where an object of the user's is declared.
    pub(crate) fn declared_note(&self, obj: ObjId) -> Option<Note> {
        let o = self.obj(obj);
        let place = self.map.place(o.pos)?;
        let in_library = o.pkg.is_some_and(|p| !self.is_users(p));
        (!in_library && place.line > 0)
            .then(|| Note::at(o.pos, format!("{} is declared here", self.name(o.name))))
    }

    /// Whether a package is the program's or one that it imports from beside it.
    fn is_users(&self, pkg: PkgId) -> bool {
        self.main_pkg == Some(pkg) || self.user_pkgs.contains(&pkg)
    }

    /// Where the function or method that a call names is declared.
    pub(crate) fn callee_note(&mut self, fun: Id) -> Vec<Note> {
        let fun = self.unparen(fun);
        let Node::Ident = self.node(fun) else { return vec![] };
        let name = self.sym(fun);
        let Some(obj) = self.lookup(name) else { return vec![] };
        if !matches!(self.obj(obj).kind, ObjKind::Func(_) | ObjKind::Var { .. })
            || self.obj(obj).pos == Pos::NONE
        {
            return vec![];
        }
        self.declared_note(obj).into_iter().collect()
    }
}
