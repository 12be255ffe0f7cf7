//! Package initialisation: the order of variables, init functions, the statements of scripts (Go specification,
//! "Package initialization").

#![expect(clippy::wildcard_enum_match_arm, reason = "statements are checked elsewhere")]

use super::checker::{Checker, Dep};
use super::object::{DeclKind, FuncId, ObjId, ObjKind, VarSpec};
use super::table::{HashMap, HashSet};
use super::ty::{Kind, PkgId};
use super::typed::{Call, Callee, ExprKind, FuncBody, LibraryInit, Stmt, StmtKind};
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::source::Pos;
use crate::syntax::ast::{AOp, Id, Node};
use crate::syntax::token::Tok;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The checked initial values of a package: the function that holds them and the statements of each spec.
#[derive(Debug, Default)]
pub(crate) struct PkgInit {
    pub(crate) body: FuncBody,
    pub(crate) specs: Vec<(u32, Vec<Stmt>)>,
}

/// What of the library is to be initialised: what the program refers to, and no more.
#[derive(Debug, Default)]
pub(crate) struct LibraryInits {
    /// Variable declarations that were asked for and not handed out yet.
    wanted: Vec<u32>,
    /// All that were asked for.
    known: HashSet<u32>,
    /// Packages before this in the order have had their init functions handed out.
    packages: usize,
}

impl Checker {
    /// Notes that a variable is used, which of the library are initialised only then.
    pub(crate) fn want_init(&mut self, id: ObjId) {
        let obj = self.obj(id);
        let is_std = obj.pkg.is_some_and(|p| self.packages[p.0 as usize].std);
        let Some(decl) = obj.decl.filter(|_| is_std) else { return };
        let DeclKind::Var { spec, .. } = self.decls[decl as usize].kind else { return };
        if self.var_specs[spec as usize].values.len > 0 && self.library_inits.known.insert(spec) {
            self.library_inits.wanted.push(spec);
        }
    }

    /// Checks what of the library is to be initialised and was not handed out before.
    pub(crate) fn wanted_inits(&mut self) -> Vec<(LibraryInit, FuncBody)> {
        let mut out = vec![];
        let from = std::mem::replace(&mut self.library_inits.packages, self.pkg_order.len());
        let fresh: Vec<PkgId> = self.pkg_order[from..].to_vec();
        for pkg in fresh {
            let p = &self.packages[pkg.0 as usize];
            if !p.std || p.inits.is_empty() {
                continue;
            }
            let (file, inits) = (p.files[0], p.inits.clone());
            let body =
                self.init_body(file, pkg, |c| inits.into_iter().for_each(|f| c.call_init(f)));
            out.push((LibraryInit::Funcs(pkg), body));
        }
        for spec in std::mem::take(&mut self.library_inits.wanted) {
            let file = self.var_specs[spec as usize].file;
            let pkg = self.files[file as usize].file.pkg;
            let body = self.init_body(file, pkg, |c| {
                c.env.dep = c.var_specs[spec as usize].objs.first().map(|&o| Dep::Obj(o));
                c.init_globals(spec);
                c.process_later();
            });
            self.share_deps(spec);
            out.push((LibraryInit::Vars(spec), body));
        }
        out
    }

    /// A function of the initialisation of a package of the library.
    fn init_body(&mut self, file: u32, pkg: PkgId, f: impl FnOnce(&mut Self)) -> FuncBody {
        let name = format!("{}.init", self.packages[pkg.0 as usize].path);
        let env = self.init_env(file, &name);
        let (body, _) = self.in_env(env, |c| {
            f(c);
            c.finish_body()
        });
        body
    }

    /// Package for package; in each first the variables, those first that others need, and then the init functions.
    pub(crate) fn ordered_parts(&mut self, parts: &[LibraryInit]) -> Vec<LibraryInit> {
        let mut by_package: HashMap<PkgId, (Vec<u32>, bool)> = HashMap::default();
        for part in parts {
            match *part {
                LibraryInit::Vars(spec) => {
                    let file = self.var_specs[spec as usize].file;
                    let pkg = self.files[file as usize].file.pkg;
                    by_package.entry(pkg).or_default().0.push(spec);
                }
                LibraryInit::Funcs(pkg) => by_package.entry(pkg).or_default().1 = true,
            }
        }
        let mut out = vec![];
        for pkg in self.pkg_order.clone() {
            let Some((mut specs, funcs)) = by_package.remove(&pkg) else { continue };
            specs.sort_by_key(|&s| self.var_specs[s as usize].objs.first().copied());
            out.extend(self.init_order(&specs).into_iter().map(LibraryInit::Vars));
            out.extend(funcs.then_some(LibraryInit::Funcs(pkg)));
        }
        out
    }

    /// Checks the initial values of a package's variables.
    pub(crate) fn check_globals(&mut self, pkg: PkgId) -> PkgInit {
        let Some(&first) = self.packages[pkg.0 as usize].files.first() else {
            return PkgInit::default();
        };
        let name = format!("{}.init", self.packages[pkg.0 as usize].path);
        let env = self.init_env(first, &name);
        let specs = self.packages[pkg.0 as usize].var_specs.clone();
        let inits = self.packages[pkg.0 as usize].inits.clone();
        let (out, _) = self.in_env(env, |c| {
            let mut out = vec![];
            for s in specs {
                c.enter_file(c.var_specs[s as usize].file);
                c.env.dep = c.var_specs[s as usize].objs.first().map(|&o| Dep::Obj(o));
                c.begin_block();
                c.init_globals(s);
                out.push((s, c.end_block()));
                c.process_later();
            }
            c.env.dep = None;
            for f in inits {
                c.call_init(f);
            }
            PkgInit { body: c.finish_body(), specs: out }
        });
        for s in self.packages[pkg.0 as usize].var_specs.clone() {
            self.share_deps(s);
        }
        out
    }

    /// All variables of one spec depend on the same things.
    fn share_deps(&mut self, spec: u32) {
        let objs = self.var_specs[spec as usize].objs.clone();
        let Some((&first, rest)) = objs.split_first().filter(|(_, rest)| !rest.is_empty()) else {
            return;
        };
        let Some(deps) = self.deps.get(&Dep::Obj(first)).cloned() else { return };
        for &o in rest {
            self.deps.insert(Dep::Obj(o), deps.clone());
        }
    }

    fn enter_file(&mut self, ix: u32) {
        self.env.file_ix = ix;
        self.env.file = Rc::clone(&self.files[ix as usize].file);
    }

    fn call_init(&mut self, f: FuncId) {
        let pos = self.funcs[f.0 as usize].pos;
        let callee = Callee::Static(self.func_ref(f, vec![]));
        let none = self.types.intern(Kind::Tuple(vec![]));
        let e = self.emit(ExprKind::Call(Call { callee, args: vec![] }), none, pos);
        self.emit_stmt(StmtKind::Expr(e), pos);
    }

    /// The initialisation of a package as one function.
    pub(crate) fn ordered_init(&mut self, pkg: PkgId, init: PkgInit) -> FuncBody {
        let mut body = init.body;
        let calls = std::mem::take(&mut body.body);
        let specs = self.packages[pkg.0 as usize].var_specs.clone();
        let order = self.init_order(&specs);
        let mut by_spec: HashMap<u32, Vec<Stmt>> = init.specs.into_iter().collect();
        for s in order {
            body.body.extend(by_spec.remove(&s).unwrap_or_default());
        }
        body.body.extend(calls);
        body
    }

    /// These specs of a package's variables, which are in the order of the source, in the order of their initialisation.
    fn init_order(&mut self, specs: &[u32]) -> Vec<u32> {
        let mut spec_of: HashMap<ObjId, u32> = HashMap::default();
        for &s in specs {
            for &o in &self.var_specs[s as usize].objs {
                spec_of.insert(o, s);
            }
        }
        let mut needs: HashMap<u32, usize> = HashMap::default();
        let mut users: HashMap<u32, Vec<u32>> = HashMap::default();
        let mut ready: BTreeSet<(usize, u32)> = BTreeSet::new();
        for &s in specs {
            let deps = self.spec_deps(s, &spec_of);
            needs.insert(s, deps.len());
            ready.insert((deps.len(), s));
            let mut deps: Vec<u32> = deps.into_iter().collect();
            deps.sort_unstable();
            for d in deps {
                users.entry(d).or_default().push(s);
            }
        }
        let mut out = vec![];
        // in a cycle (which was told) what needs least goes first
        while let Some((_, s)) = ready.pop_first() {
            out.push(s);
            for &u in users.get(&s).into_iter().flatten() {
                let Some(n) = needs.get_mut(&u) else { continue };
                if ready.remove(&(*n, u)) {
                    *n = n.saturating_sub(1);
                    ready.insert((*n, u));
                }
            }
        }
        out
    }

    /// The specs that a spec refers to, through functions too.
    fn spec_deps(&mut self, spec: u32, spec_of: &HashMap<ObjId, u32>) -> HashSet<u32> {
        let VarSpec { file, objs, .. } = &self.var_specs[spec as usize];
        let pkg = self.files[*file as usize].file.pkg;
        let mut work: Vec<Dep> = objs.iter().map(|&o| Dep::Obj(o)).collect();
        let mut seen: HashSet<Dep> = HashSet::default();
        let mut out = HashSet::default();
        while let Some(d) = work.pop() {
            for to in self.deps_of(d) {
                if !seen.insert(to) {
                    continue;
                }
                match to {
                    Dep::Obj(o) => {
                        if let Some(&s) = spec_of.get(&o).filter(|s| **s != spec) {
                            out.insert(s);
                        }
                    }
                    Dep::Func(f) if self.funcs[f.0 as usize].pkg == pkg => work.push(to),
                    // other packages know nothing of this one
                    Dep::Func(_) => {}
                }
            }
        }
        out
    }

    /// What a declaration refers to; the body of a library function is looked at now if it was not before.
    fn deps_of(&mut self, d: Dep) -> Vec<Dep> {
        if let Dep::Func(f) = d
            && !self.deps.contains_key(&d)
        {
            self.deps.insert(d, vec![]);
            let decl = &self.funcs[f.0 as usize];
            if self.packages[decl.pkg.0 as usize].std && !decl.native {
                self.func_sig(f);
                let decl = &self.funcs[f.0 as usize];
                let params: Vec<super::ty::Ty> =
                    decl.recv_params.iter().chain(&decl.tparams).copied().collect();
                let body = self.check_body(f, &params, true);
                if params.is_empty() {
                    let r = self.func_ref(f, vec![]);
                    self.bodies.insert(r, body);
                }
            }
        }
        self.deps.get(&d).cloned().unwrap_or_default()
    }

    // ---- cycles ----

    /// Tells initialisation cycles among a package's variables and constants: what still depends on something when
    /// its turn comes is in one.
    pub(crate) fn init_cycles(&mut self, pkg: PkgId) {
        let nodes: Vec<ObjId> = self.packages[pkg.0 as usize]
            .objs
            .iter()
            .copied()
            .filter(|&o| matches!(self.obj(o).kind, ObjKind::Var { .. } | ObjKind::Const { .. }))
            .collect();
        let mut needs: Vec<usize> = vec![];
        let mut users: HashMap<ObjId, Vec<usize>> = HashMap::default();
        for (i, &o) in nodes.iter().enumerate() {
            let deps = self.obj_deps(o);
            needs.push(deps.iter().filter(|d| nodes.binary_search(d).is_ok()).count());
            let mut deps: Vec<ObjId> = deps.into_iter().collect();
            deps.sort_unstable();
            for d in deps {
                users.entry(d).or_default().push(i);
            }
        }
        let rank = |c: &Self, needs: &[usize], i: usize| {
            (!matches!(c.obj(nodes[i]).kind, ObjKind::Const { .. }), needs[i], i)
        };
        let mut queue: BTreeSet<(bool, usize, usize)> =
            (0..nodes.len()).map(|i| rank(self, &needs, i)).collect();
        while let Some((_, n, i)) = queue.pop_first() {
            let o = nodes[i];
            if n > 0
                && let Some(cycle) =
                    self.find_cycle(Dep::Obj(o), Dep::Obj(o), &mut HashSet::default())
            {
                self.tell_cycle(&cycle);
            }
            for &u in users.get(&o).into_iter().flatten() {
                if queue.remove(&rank(self, &needs, u)) {
                    needs[u] -= 1;
                    queue.insert(rank(self, &needs, u));
                }
            }
        }
    }

    /// The variables and constants that one refers to, through functions too.
    fn obj_deps(&self, o: ObjId) -> HashSet<ObjId> {
        let mut work = vec![Dep::Obj(o)];
        let mut seen: HashSet<Dep> = HashSet::default();
        let mut out = HashSet::default();
        while let Some(d) = work.pop() {
            for &to in self.deps.get(&d).into_iter().flatten() {
                if !seen.insert(to) {
                    continue;
                }
                match to {
                    Dep::Obj(o) => {
                        out.insert(o);
                    }
                    Dep::Func(_) => work.push(to),
                }
            }
        }
        out
    }

    /// The way from `from` back to `to`, last step first.
    fn find_cycle(&self, from: Dep, to: Dep, seen: &mut HashSet<Dep>) -> Option<Vec<Dep>> {
        // an explicit stack: chains of declarations may be long
        let mut stack: Vec<(Dep, usize)> = vec![(from, 0)];
        seen.insert(from);
        while let Some((d, i)) = stack.last_mut() {
            let mut deps = self.deps.get(d).cloned().unwrap_or_default();
            deps.sort_by_key(|d| self.dep_pos(*d));
            let Some(&next) = deps.get(*i) else {
                stack.pop();
                continue;
            };
            *i += 1;
            if next == to {
                let mut path: Vec<Dep> = stack.iter().skip(1).map(|(d, _)| *d).collect();
                path.insert(0, to);
                path[1..].reverse();
                return Some(path);
            }
            if seen.insert(next) {
                stack.push((next, 0));
            }
        }
        None
    }

    fn dep_pos(&self, d: Dep) -> Pos {
        match d {
            Dep::Obj(o) => self.obj(o).pos,
            Dep::Func(f) => self.funcs[f.0 as usize].pos,
        }
    }

    fn dep_name(&self, d: Dep) -> String {
        let sym = match d {
            Dep::Obj(o) => self.obj(o).name,
            Dep::Func(f) => self.funcs[f.0 as usize].name,
        };
        self.name(sym).to_string()
    }

    fn tell_cycle(&mut self, cycle: &[Dep]) {
        let mut at = cycle[0];
        let (pos, name) = (self.dep_pos(at), self.dep_name(at));
        let mut text = if cycle.len() == 1 {
            format!("initialization cycle: {name} refers to itself")
        } else {
            format!("initialization cycle for {name}")
        };
        if cycle.len() > 1 {
            for &next in cycle.iter().rev() {
                let place = self.show_pos(self.dep_pos(at));
                text.push_str(&format!(
                    "\n\t{place}: {} refers to {}",
                    self.dep_name(at),
                    self.dep_name(next)
                ));
                at = next;
            }
        }
        self.diags.push(Diagnostic::error(pos, Code::InvalidInitCycle, text));
    }

    // ---- scripts ----

    /// Checks the statements of a script's file, which run as the body of main.
    pub(crate) fn check_script(&mut self, ix: u32) -> FuncBody {
        let env = self.init_env(ix, "main.main");
        let (body, _) = self.in_env(env, |c| c.script_statements(ix));
        body
    }

    fn script_statements(&mut self, ix: u32) -> FuncBody {
        let items = self.env.file.ast.items.clone();
        let pkg = self.env.pkg;
        let mut specs: Vec<u32> = self.packages[pkg.0 as usize]
            .var_specs
            .iter()
            .copied()
            .filter(|&s| self.var_specs[s as usize].file == ix)
            .collect();
        specs.reverse();
        let statements: Vec<Id> = items
            .iter()
            .copied()
            .filter(|&i| !matches!(self.node(i), Node::FuncDecl { .. }))
            .collect();
        self.check_branches(&statements);
        for item in items {
            match self.node(item) {
                Node::Group(kw, list) => {
                    if self.env.file.ast.tok(kw) != Some(Tok::Var) {
                        continue;
                    }
                    self.script_vars(&self.list(list), &mut specs);
                }
                Node::Assign(AOp::Define, ..) => {
                    if let Some(s) = specs.pop() {
                        self.init_globals(s);
                    }
                }
                Node::FuncDecl { .. } | Node::Package(_) => {}
                _ => self.stmt(item, None),
            }
        }
        self.tell_unused(0);
        self.process_later();
        let end = self.tok_pos(u32::MAX);
        self.cx().body.end = end;
        self.finish_body()
    }

    /// The variables of a declaration at the top of a script.
    fn script_vars(&mut self, nodes: &[Id], specs: &mut Vec<u32>) {
        for &spec in nodes {
            let from = self.pos(spec);
            while specs.last().is_some_and(|&s| self.var_specs[s as usize].from == from) {
                if let Some(s) = specs.pop() {
                    self.init_globals(s);
                }
            }
        }
    }
}
