//! The checker: one long-lived object that is asked on demand and remembers what it has found.
//!
//! Everything is resolved lazily. A `Env` is where checking stands: file, package, scopes, functions under
//! construction; resolving an object from within a body replaces it for the time being. Errors are collected
//! in `Checker::diags`; an environment that is silent drops them, which is how library bodies, instances of
//! generic functions and second looks are checked.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds are treated alike")]

use super::consts::Value;
use super::emit::FnCx;
use super::names::{Names, Sym};
use super::object::{
    Decl, File, FileEntry, FuncDecl, FuncId, Generic, NamedInfo, Obj, ObjId, ObjKind, Package,
    State, VarSpec,
};
use super::table::{HashMap, HashSet};
use super::ty::{Basic, PkgId, Term, Ty, Types};
use super::typed::{FuncBody, FuncRef, LabelId};
use crate::diag::{Code, Diagnostic, Note};
use crate::source::{Pos, SourceMap, Text};
use crate::syntax::Outline;
use crate::syntax::ast::{Dir, Id, List, NIL, Node};
use std::rc::Rc;

/// Room for what a small program and the packages that it imports declare.
const AT_FIRST: usize = 1100;

/// A file of the library.
#[derive(Clone, Debug)]
pub struct LibraryFile {
    /// As tracebacks show it.
    pub name: String,
    /// The whole text.
    pub text: Text,
    /// What it declares.
    pub outline: Outline,
}

/// Where the sources of imported packages come from.
pub trait Loader {
    /// The files of a package of the library; `None` if there is no such package.
    fn load(&self, path: &str) -> Option<Vec<LibraryFile>>;
    /// What an import path in a package of the user's (`from`, its full path) means: the full path of another one, or `None` for the
    /// library.
    ///
    /// # Errors
    /// Why there is no such package, in one line.
    fn locate(&self, path: &str, from: &str) -> Result<Option<String>, String> {
        let _ = (path, from);
        Ok(None)
    }
    /// Names and texts of the files of a package of the user's, by its full path.
    ///
    /// # Errors
    /// Why they cannot be had, in one line.
    fn load_user(&self, path: &str) -> Result<Vec<(String, String)>, String> {
        Err(format!("package {path} is not in std"))
    }
    /// What to say of a package that does not exist.
    fn not_found(&self, path: &str) -> String {
        format!("package {path} is not in std")
    }
    /// Whether this package is under test: then it may be imported though it is a program.
    fn is_tested(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Paths of the packages that a script may use without importing them, by the name they are used under.
    fn implicit(&self, name: &str) -> Option<String>;
}

/// What `break` and `continue` can name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) name: Option<Sym>,
    pub(crate) label: LabelId,
    pub(crate) is_loop: bool,
}

/// What a declaration depends on: another variable, or a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Dep {
    /// A variable or constant of package level.
    Obj(ObjId),
    /// A function or method.
    Func(FuncId),
}

/// Where checking stands.
#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) file_ix: u32,
    pub(crate) file: Rc<File>,
    pub(crate) pkg: PkgId,
    /// Local names, innermost last.
    pub(crate) scope: Vec<(Sym, ObjId)>,
    /// For each local name its objects, innermost last, with their places in `scope`.
    pub(crate) bindings: HashMap<Sym, Vec<(usize, ObjId)>>,
    /// Where the open scopes begin.
    pub(crate) marks: Vec<usize>,
    /// Functions under construction, outermost first; never empty while checking.
    pub(crate) fns: Vec<FnCx>,
    /// What `break` and `continue` see.
    pub(crate) targets: Vec<Target>,
    pub(crate) next_label: u32,
    pub(crate) iota: Option<u32>,
    /// Errors of inherited constant expressions are told here.
    pub(crate) err_pos: Pos,
    pub(crate) silent: bool,
    /// Local variables that nothing uses, not told yet.
    pub(crate) unused: Vec<(Pos, Sym)>,
    /// Calls of the predeclared `panic` that were checked.
    pub(crate) panics: HashSet<Id>,
    /// Only types are wanted: bodies of function literals are left alone.
    pub(crate) types_only: bool,
    /// Checking the constraints of a type parameter list.
    pub(crate) in_tparams: bool,
    /// The declaration whose dependencies are being collected.
    pub(crate) dep: Option<Dep>,
    /// A call or receive was seen (for constant `len`).
    pub(crate) has_call: bool,
    /// How deep expressions, types and statements nest.
    pub(crate) depth: u32,
}

/// The checker.
pub struct Checker {
    pub(crate) types: Types,
    pub(crate) names: Names,
    pub(crate) map: SourceMap,
    pub(crate) loader: Box<dyn Loader>,
    pub(crate) objs: Vec<Obj>,
    pub(crate) decls: Vec<Decl>,
    pub(crate) var_specs: Vec<VarSpec>,
    pub(crate) funcs: Vec<FuncDecl>,
    pub(crate) generics: Vec<Generic>,
    /// Beside `types.named`.
    pub(crate) named: Vec<NamedInfo>,
    pub(crate) files: Vec<FileEntry>,
    pub(crate) packages: Vec<Package>,
    pub(crate) pkg_ids: HashMap<String, PkgId>,
    /// Packages in the order of initialisation.
    pub(crate) pkg_order: Vec<PkgId>,
    pub(crate) universe: HashMap<Sym, ObjId>,
    pub(crate) globals: Vec<ObjId>,
    pub(crate) diags: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) env: Env,
    /// Objects that are being resolved.
    pub(crate) path: Vec<ObjId>,
    /// Checks that wait until types are complete.
    /// Beside it, in how many interface literals its members were needed.
    pub(crate) path_literals: Vec<u32>,
    /// In how many interface literals of the current declaration the checker is.
    pub(crate) literals: u32,
    /// The terms that the last interface literal embeds.
    pub(crate) last_embedded: Vec<Term>,
    /// Where interfaces stand whose literals refer to themselves.
    pub(crate) anonymous_cycles: Vec<Pos>,
    pub(crate) later: Vec<Later>,
    pub(crate) refs: Vec<(FuncId, Vec<Ty>)>,
    pub(crate) ref_ids: HashMap<(FuncId, Vec<Ty>), FuncRef>,
    /// Bodies that were checked before they were asked for.
    pub(crate) bodies: HashMap<FuncRef, FuncBody>,
    pub(crate) deps: HashMap<Dep, Vec<Dep>>,
    /// Interfaces that stand for a bare union in a constraint.
    pub(crate) implicit: HashSet<Ty>,
    pub(crate) error_ty: Ty,
    pub(crate) any_ty: Ty,
    pub(crate) comparable_ty: Ty,
    pub(crate) says_byte: bool,
    pub(crate) says_rune: bool,
    pub(crate) says_any: bool,
    /// The names of parameters and results of a signature, as the program last spelled it.
    pub(crate) spelled: HashMap<Ty, (Vec<Sym>, Vec<Sym>)>,
    /// Interfaces with embedded elements, as the program last spelled them.
    pub(crate) written: HashMap<Ty, Written>,
    /// The terms of unions, as the program last spelled them.
    pub(crate) written_terms: HashMap<Ty, Vec<Term>>,
    /// Statements of scripts in the order they run, as `inits` gives them.
    pub(crate) script_body: Option<FuncBody>,
    /// Packages before this in the order have had their initialisation handed out.
    pub(crate) initialised: usize,
    /// What of the library is to be initialised.
    pub(crate) library_inits: super::init::LibraryInits,
    /// Methods that wait for their type to be declared.
    pub(crate) methods_by_base: HashMap<(PkgId, Sym), Vec<FuncId>>,
    /// Which types mention type parameters.
    pub(crate) with_params: std::cell::RefCell<Vec<Option<bool>>>,
    /// Sizes and alignments.
    pub(crate) layouts: HashMap<Ty, (u64, u64)>,
    /// A file could not be parsed.
    pub(crate) broken: bool,
    /// Instantiations that mention type parameters.
    pub(crate) instances: Vec<super::mono::Edge>,
    /// Initial values of the program's package and of those of the user's that it imports.
    pub(crate) user_inits: HashMap<PkgId, super::init::PkgInit>,
    /// Packages of the user's, dependencies first, and those whose imports are being followed.
    pub(crate) user_pkgs: Vec<PkgId>,
    pub(crate) loading: Vec<PkgId>,
    /// Functions before this were checked.
    pub(crate) checked_funcs: u32,
    pub(crate) main_pkg: Option<PkgId>,
    pub(crate) method_sets: HashMap<Ty, Vec<super::typed::MethodEntry>>,
    /// Instances that wait for their underlying type.
    pub(crate) pending: Vec<Ty>,
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("objs", &self.objs.len())
            .field("diags", &self.diags)
            .finish_non_exhaustive()
    }
}

/// An interface as the program has it: its type only has all methods and the terms that remain.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// Names of the methods that it declares itself.
    pub(crate) methods: Vec<String>,
    /// The unions that it embeds, in order; a type is one of itself.
    pub(crate) embedded: Vec<Vec<Term>>,
}

/// A check that has to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Later {
    /// An embedded field's type, told at a position.
    Embedded(Ty, Pos),
    /// A map's key type, with the syntax of the key.
    MapKey { key: Ty, pos: Pos },
    /// Type arguments of an instance against the constraints; the list of positions is in `verify`.
    Verify { inst: Ty, pos: Pos, file: u32, args: List },
    /// A channel's element type must not be too large.
    ChanElem(Ty, Pos),
    /// A type that stands for a variable must not be a constraint interface.
    VarType(Ty, Pos),
    /// A receiver's type.
    Receiver { func: FuncId, ty: Ty, pos: Pos },
    /// Fields and methods of a type must not share names.
    FieldMethods(Ty),
}

impl Env {
    /// An empty environment for a file.
    pub(crate) fn new(file_ix: u32, file: Rc<File>, pkg: PkgId) -> Env {
        Env {
            file_ix,
            file,
            pkg,
            scope: vec![],
            bindings: HashMap::default(),
            marks: vec![],
            fns: vec![FnCx::default()],
            targets: vec![],
            next_label: 0,
            iota: None,
            err_pos: Pos::NONE,
            silent: false,
            unused: vec![],
            panics: HashSet::default(),
            types_only: false,
            in_tparams: false,
            dep: None,
            has_call: false,
            depth: 0,
        }
    }
}

/// Expressions, types and statements may nest this deep.
pub(crate) const MAX_DEPTH: u32 = 5_000;

impl Checker {
    /// A checker that gets imported packages from `loader`.
    pub fn new(loader: Box<dyn Loader>) -> Checker {
        let file =
            Rc::new(File { ast: crate::syntax::Ast::default(), syms: vec![], pkg: PkgId(0) });
        let mut checker = Checker {
            types: Types::new(),
            names: Names::default(),
            map: SourceMap::new(),
            loader,
            objs: Vec::with_capacity(AT_FIRST),
            decls: Vec::with_capacity(AT_FIRST),
            var_specs: vec![],
            funcs: Vec::with_capacity(AT_FIRST / 2),
            generics: vec![],
            named: vec![],
            files: vec![],
            packages: vec![],
            pkg_ids: HashMap::default(),
            pkg_order: vec![],
            universe: HashMap::default(),
            globals: vec![],
            diags: vec![],
            warnings: vec![],
            env: Env::new(0, file, PkgId(0)),
            path: vec![],
            path_literals: vec![],
            literals: 0,
            last_embedded: vec![],
            anonymous_cycles: vec![],
            later: vec![],
            refs: vec![],
            ref_ids: HashMap::default(),
            bodies: HashMap::default(),
            deps: HashMap::default(),
            implicit: HashSet::default(),
            error_ty: Basic::Invalid.ty(),
            any_ty: Basic::Invalid.ty(),
            comparable_ty: Basic::Invalid.ty(),
            says_byte: true,
            says_rune: true,
            says_any: true,
            spelled: HashMap::default(),
            written: HashMap::default(),
            written_terms: HashMap::default(),
            script_body: None,
            initialised: 0,
            library_inits: super::init::LibraryInits::default(),
            methods_by_base: HashMap::default(),
            with_params: std::cell::RefCell::default(),
            layouts: HashMap::default(),
            broken: false,
            instances: vec![],
            user_inits: HashMap::default(),
            user_pkgs: vec![],
            loading: vec![],
            checked_funcs: 0,
            main_pkg: None,
            method_sets: HashMap::default(),
            pending: vec![],
        };
        checker.declare_universe();
        checker
    }

    /// The source files, for showing positions.
    pub fn source_map(&self) -> &SourceMap {
        &self.map
    }

    /// What was found wrong so far.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diags
    }

    /// What a reader of the program should know; it can run all the same.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    // ---- errors ----

    /// Tells an error, unless it only follows from another.
    pub(crate) fn err(&mut self, pos: Pos, code: Code, text: impl Into<String>) {
        self.err_noted(pos, code, text, vec![]);
    }

    /// Tells an error with what may help.
    pub(crate) fn err_noted(
        &mut self,
        pos: Pos,
        code: Code,
        text: impl Into<String>,
        notes: Vec<Note>,
    ) {
        if self.env.silent {
            return;
        }
        let text = text.into();
        let follows = |words: &str| text.find(words).is_some_and(|at| at > 0);
        if !self.diags.is_empty() && (follows("invalid operand") || follows("invalid type")) {
            return;
        }
        let pos = if self.env.err_pos.is_known() { self.env.err_pos } else { pos };
        self.diags.push(Diagnostic { notes, ..Diagnostic::error(pos, code, text) });
    }

    /// Tells an error at the start of a node.
    pub(crate) fn err_at(&mut self, node: Id, code: Code, text: impl Into<String>) {
        let pos = self.pos(node);
        self.err(pos, code, text);
    }

    // ---- syntax ----

    /// The node.
    pub(crate) fn node(&self, id: Id) -> Node {
        self.env.file.ast.node(id)
    }

    /// A list's nodes.
    pub(crate) fn list(&self, l: List) -> Vec<Id> {
        self.env.file.ast.get(l).to_vec()
    }

    /// Where a token starts.
    pub(crate) fn tok_pos(&self, tok: u32) -> Pos {
        let ast = &self.env.file.ast;
        let at = ast.toks.get(tok as usize).map_or(ast.src.len() as u32, |t| t.start);
        Pos(ast.base + at)
    }

    /// Where a node starts.
    pub(crate) fn pos(&self, id: Id) -> Pos {
        if id == NIL {
            return Pos::NONE;
        }
        // Go puts a function type at its parameters, and in the place of an operand `<-chan` at its keyword
        let (id, is_operand) = match self.node(id) {
            Node::Paren(x) if !self.env.file.ast.is_written(id) => (x, true),
            _ => (id, false),
        };
        let skip = match self.node(id) {
            Node::Func { .. } => 1,
            Node::Chan(Dir::Recv, _) if is_operand => 1,
            _ => 0,
        };
        self.tok_pos(self.env.file.ast.pos[id as usize] + skip)
    }

    /// The closing bracket of a node.
    pub(crate) fn end_pos(&self, id: Id) -> Pos {
        self.tok_pos(self.env.file.ast.ends[id as usize])
    }

    /// The operator of a binary expression, or of an assignment with this first right operand.
    pub(crate) fn op_pos(&self, right: Id) -> Pos {
        self.tok_pos(self.env.file.ast.pos[right as usize].saturating_sub(1))
    }

    /// The bracket of a call or an index expression.
    pub(crate) fn bracket_pos(&self, node: Id) -> Pos {
        let first = match self.node(node) {
            Node::Call(_, l, _) | Node::Index(_, l) => self.list(l).first().copied(),
            _ => None,
        };
        match first {
            Some(first) => self.op_pos(first),
            None => self.tok_pos(self.env.file.ast.ends[node as usize].saturating_sub(1)),
        }
    }

    /// The outermost operator of an expression: that of a binary one, a dot, a bracket; else where it starts.
    pub(crate) fn operator_pos(&self, node: Id) -> Pos {
        match self.node(node) {
            Node::Binary(_, _, right) => self.op_pos(right),
            Node::Sel(_, name) => self.tok_pos(name.saturating_sub(1)),
            Node::Call(..) | Node::Index(..) => self.bracket_pos(node),
            _ => self.pos(node),
        }
    }

    /// The name that a token is.
    pub(crate) fn sym_of(&self, tok: u32) -> Sym {
        self.env.file.syms.get(tok as usize).copied().unwrap_or(Sym::BLANK)
    }

    /// The name that an identifier is.
    pub(crate) fn sym(&self, ident: Id) -> Sym {
        self.sym_of(self.env.file.ast.pos[ident as usize])
    }

    /// A name's spelling.
    pub(crate) fn name(&self, s: Sym) -> &str {
        self.names.text(s)
    }

    /// An expression's text.
    pub(crate) fn show_node(&self, id: Id) -> String {
        crate::syntax::show::show_expr(&self.env.file.ast, id)
    }

    /// Without parentheses.
    pub(crate) fn unparen(&self, id: Id) -> Id {
        self.env.file.ast.unparen(id)
    }

    /// A position in the middle of a message: `file:line:col`.
    pub(crate) fn show_pos(&self, pos: Pos) -> String {
        self.map.place(pos).map_or(String::new(), |p| p.to_string())
    }

    // ---- environment and scopes ----

    /// Runs `f` in another environment.
    pub(crate) fn in_env<R>(&mut self, env: Env, f: impl FnOnce(&mut Self) -> R) -> (R, Env) {
        let saved = std::mem::replace(&mut self.env, env);
        let r = f(self);
        let used = std::mem::replace(&mut self.env, saved);
        (r, used)
    }

    /// A fresh environment for a file; silence is inherited for library files only.
    pub(crate) fn env_for(&self, file_ix: u32) -> Env {
        let file = Rc::clone(&self.files[file_ix as usize].file);
        let pkg = file.pkg;
        let mut env = Env::new(file_ix, file, pkg);
        env.silent = self.packages[pkg.0 as usize].std;
        env
    }

    /// Opens a scope.
    pub(crate) fn open_scope(&mut self) {
        let n = self.env.scope.len();
        self.env.marks.push(n);
    }

    /// Closes a scope; its unused variables are reported.
    pub(crate) fn close_scope(&mut self) {
        let n = self.env.marks.pop().unwrap_or(0);
        let closed = self.env.scope.split_off(n);
        for &(name, _) in closed.iter().rev() {
            if let Some(list) = self.env.bindings.get_mut(&name) {
                list.pop();
            }
        }
        for (_, obj) in closed {
            self.report_unused(obj);
        }
    }

    fn report_unused(&mut self, obj: ObjId) {
        let o = &self.objs[obj.0 as usize];
        if !o.used && matches!(o.kind, ObjKind::Var { .. }) && !self.env.silent {
            self.env.unused.push((o.pos, o.name));
        }
    }

    /// Tells the variables that were found unused since there were `from` of them: Go does so where a function ends.
    pub(crate) fn tell_unused(&mut self, from: usize) {
        let mut list = self.env.unused.split_off(from);
        list.sort_unstable();
        for (pos, name) in list {
            let text = format!("declared and not used: {}", self.name(name));
            self.tell_useless(pos, Code::UnusedVar, text);
        }
    }

    /// Something is of no use: an error, in a script a warning.
    pub(crate) fn tell_useless(&mut self, pos: Pos, code: Code, text: String) {
        if self.is_script() {
            self.warnings.push(Diagnostic::warning(pos, code, text));
        } else {
            self.err(pos, code, text);
        }
    }

    /// Whether the current package is a script.
    pub(crate) fn is_script(&self) -> bool {
        self.packages.get(self.env.pkg.0 as usize).is_some_and(|p| p.script)
    }

    /// Adds an object.
    pub(crate) fn add_obj(&mut self, name: Sym, pos: Pos, kind: ObjKind) -> ObjId {
        let pkg = Some(self.env.pkg);
        self.objs.push(Obj { name, pkg, pos, kind, used: false, state: State::Done, decl: None });
        ObjId(self.objs.len() as u32 - 1)
    }

    /// The object with this id.
    pub(crate) fn obj(&self, id: ObjId) -> &Obj {
        &self.objs[id.0 as usize]
    }

    /// Declares a local name in the innermost scope.
    pub(crate) fn declare(&mut self, name: Sym, obj: ObjId) {
        if name == Sym::BLANK {
            return;
        }
        if let Some(alt) = self.lookup_innermost(name) {
            self.redeclared(obj, alt);
            return;
        }
        let at = self.env.scope.len();
        self.env.scope.push((name, obj));
        self.env.bindings.entry(name).or_default().push((at, obj));
    }

    /// Tells that an object's name is taken.
    pub(crate) fn redeclared(&mut self, obj: ObjId, alt: ObjId) {
        let o = self.obj(obj);
        let name = self.name(o.name).to_string();
        let pos = o.pos;
        let mut text = format!("{name} redeclared in this block");
        let other = self.obj(alt).pos;
        if other.is_known() {
            text.push_str(&format!("\n\t{}: other declaration of {name}", self.show_pos(other)));
        }
        self.err(pos, Code::DuplicateDecl, text);
    }

    /// A name of the innermost scope only.
    pub(crate) fn lookup_innermost(&self, name: Sym) -> Option<ObjId> {
        let from = self.env.marks.last().copied().unwrap_or(0);
        self.env.bindings.get(&name)?.last().filter(|(at, _)| *at >= from).map(|(_, o)| *o)
    }

    /// What a name stands for here: local scopes, package, file, universe.
    pub(crate) fn lookup(&mut self, name: Sym) -> Option<ObjId> {
        if let Some(&(_, o)) = self.env.bindings.get(&name).and_then(|list| list.last()) {
            return Some(o);
        }
        if let Some(&o) = self.files.get(self.env.file_ix as usize).and_then(|f| f.scope.get(&name))
        {
            return Some(o);
        }
        let pkg = self.env.pkg.0 as usize;
        if let Some(&o) = self.packages.get(pkg).and_then(|p| p.scope.get(&name)) {
            return Some(o);
        }
        if let Some(&o) = self.universe.get(&name) {
            return Some(o);
        }
        self.implicit_import(name)
    }

    /// Records that the current declaration refers to another.
    pub(crate) fn add_dep(&mut self, to: Dep) {
        if let Some(from) = self.env.dep {
            let list = self.deps.entry(from).or_default();
            if !list.contains(&to) {
                list.push(to);
            }
        }
    }

    /// Goes one level deeper; `false` (and an error) if that is too deep.
    pub(crate) fn deeper(&mut self, node: Id) -> bool {
        self.env.depth += 1;
        if self.env.depth <= MAX_DEPTH {
            return true;
        }
        if self.env.depth == MAX_DEPTH + 1 {
            self.err_at(node, Code::TooDeep, "exceeded max nesting depth");
        }
        false
    }

    /// Comes back.
    pub(crate) fn shallower(&mut self) {
        self.env.depth -= 1;
    }

    /// The constant of an `int` in the constant's representation.
    pub(crate) fn int_value(n: u64) -> Value {
        Value::Int(n.into())
    }
}
