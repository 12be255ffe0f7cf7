//! Building the typed tree: functions under construction, their locals, captures, expressions and statements.
//!
//! Invariants: a variable has one local in the function that declares it and, through a chain of captures, one
//! in each function literal between it and its uses; what is known of one (address taken, reassigned) is known
//! of all when the outermost function is finished.

#![expect(clippy::wildcard_enum_match_arm, reason = "only places matter")]

use super::checker::Checker;
use super::names::Sym;
use super::object::{ObjId, ObjKind, Storage};
use super::table::HashMap;
use super::ty::Ty;
use super::typed::{
    Capture, ClosureId, Expr, ExprId, ExprKind, FuncBody, LabelId, Local, LocalId, Stmt, StmtKind,
};
use crate::source::Pos;

/// A function under construction.
#[derive(Debug)]
pub(crate) struct FnCx {
    pub(crate) body: FuncBody,
    /// Statements of the open blocks.
    pub(crate) blocks: Vec<Vec<Stmt>>,
    /// Outer local to the local that stands for it here.
    pub(crate) captured: HashMap<LocalId, LocalId>,
    /// Types of the results.
    pub(crate) results: Vec<Ty>,
    /// Names of the results, where they have some.
    pub(crate) result_objs: Vec<(Sym, ObjId)>,
    /// Untyped left operands of shifts, with their syntax.
    pub(crate) shifted: Vec<(ExprId, crate::syntax::Id)>,
    /// Labels that `goto` can name.
    pub(crate) labels: HashMap<Sym, LabelId>,
    /// Targets before this are not visible.
    pub(crate) target_base: usize,
    /// Function literals and bodies of ranges over functions so far.
    pub(crate) literals: u32,
    pub(crate) ranges: u32,
    /// A function with a `return`, not the body of a range over a function.
    pub(crate) has_results: bool,
}

impl Default for FnCx {
    fn default() -> Self {
        FnCx {
            body: FuncBody::default(),
            blocks: vec![vec![]],
            captured: HashMap::default(),
            results: vec![],
            result_objs: vec![],
            shifted: vec![],
            labels: HashMap::default(),
            target_base: 0,
            literals: 0,
            ranges: 0,
            has_results: false,
        }
    }
}

impl Checker {
    /// The function under construction.
    pub(crate) fn cx(&mut self) -> &mut FnCx {
        self.env.fns.last_mut().expect("an environment has a function")
    }

    /// Adds an expression.
    pub(crate) fn emit(&mut self, kind: ExprKind, ty: Ty, pos: Pos) -> ExprId {
        let exprs = &mut self.cx().body.exprs;
        exprs.push(Expr { kind, ty, pos });
        ExprId(exprs.len() as u32 - 1)
    }

    /// An expression of the function under construction.
    pub(crate) fn expr_of(&self, e: ExprId) -> &Expr {
        let cx = self.env.fns.last().expect("an environment has a function");
        &cx.body.exprs[e.0 as usize]
    }

    /// The same, to change it.
    pub(crate) fn expr_mut(&mut self, e: ExprId) -> &mut Expr {
        &mut self.cx().body.exprs[e.0 as usize]
    }

    /// Adds a statement to the open block.
    pub(crate) fn emit_stmt(&mut self, kind: StmtKind, pos: Pos) {
        if let Some(block) = self.cx().blocks.last_mut() {
            block.push(Stmt { kind, pos });
        }
    }

    /// Opens a block.
    pub(crate) fn begin_block(&mut self) {
        self.cx().blocks.push(vec![]);
    }

    /// Closes it and gives its statements.
    pub(crate) fn end_block(&mut self) -> Vec<Stmt> {
        self.cx().blocks.pop().unwrap_or_default()
    }

    /// A new variable of the function under construction.
    pub(crate) fn new_local(&mut self, name: &str, ty: Ty, pos: Pos) -> LocalId {
        let locals = &mut self.cx().body.locals;
        locals.push(Local {
            name: name.to_string(),
            ty,
            pos,
            addr_taken: false,
            captured: false,
            reassigned: false,
        });
        LocalId(locals.len() as u32 - 1)
    }

    /// A new variable without a name.
    pub(crate) fn temp(&mut self, ty: Ty, pos: Pos) -> LocalId {
        self.new_local("", ty, pos)
    }

    /// A use of a local that was made in the function under construction.
    pub(crate) fn local_expr(&mut self, local: LocalId, pos: Pos) -> ExprId {
        let ty = self.cx().body.locals[local.0 as usize].ty;
        self.emit(ExprKind::Local(local), ty, pos)
    }

    /// The local of the current function that stands for a variable declared at `depth`.
    pub(crate) fn reach_local(&mut self, depth: u32, local: LocalId) -> LocalId {
        let mut at = local;
        for d in depth as usize + 1..self.env.fns.len() {
            if let Some(&inner) = self.env.fns[d].captured.get(&at) {
                at = inner;
                continue;
            }
            let outer = &mut self.env.fns[d - 1].body.locals[at.0 as usize];
            outer.captured = true;
            let copy = outer.clone();
            let cx = &mut self.env.fns[d];
            cx.body.locals.push(copy);
            let inner = LocalId(cx.body.locals.len() as u32 - 1);
            cx.body.captures.push(Capture { outer: at, inner });
            cx.captured.insert(at, inner);
            at = inner;
        }
        at
    }

    /// A use of a variable.
    pub(crate) fn emit_var(&mut self, storage: Storage, ty: Ty, pos: Pos) -> ExprId {
        let kind = match storage {
            Storage::Global(g) => ExprKind::Global(g),
            Storage::Local { depth, local } => ExprKind::Local(self.reach_local(depth, local)),
        };
        self.emit(kind, ty, pos)
    }

    /// Declares a local variable object with a new local.
    pub(crate) fn local_var(&mut self, name: Sym, ty: Ty, pos: Pos) -> (ObjId, LocalId) {
        let text = self.name(name).to_string();
        let local = self.new_local(&text, ty, pos);
        let depth = self.env.fns.len() as u32 - 1;
        let obj =
            self.add_obj(name, pos, ObjKind::Var { ty, storage: Storage::Local { depth, local } });
        (obj, local)
    }

    /// The variable that a place is a part of.
    fn root_local(&self, mut e: ExprId) -> Option<LocalId> {
        loop {
            match &self.expr_of(e).kind {
                ExprKind::Local(l) => return Some(*l),
                ExprKind::Field { x, .. } | ExprKind::IndexArray { x, .. } => e = *x,
                _ => return None,
            }
        }
    }

    /// Notes that a place is assigned to.
    pub(crate) fn mark_assigned(&mut self, e: ExprId) {
        if let Some(l) = self.root_local(e) {
            self.cx().body.locals[l.0 as usize].reassigned = true;
        }
    }

    /// Notes that a place's address is taken.
    pub(crate) fn mark_address(&mut self, e: ExprId) {
        if let Some(l) = self.root_local(e) {
            self.cx().body.locals[l.0 as usize].addr_taken = true;
        }
    }

    /// `&x` of a place.
    pub(crate) fn emit_address(&mut self, x: ExprId, pos: Pos) -> ExprId {
        self.mark_address(x);
        let ty = self.expr_of(x).ty;
        let ptr = self.types.pointer(ty);
        self.emit(ExprKind::AddrOf(x), ptr, pos)
    }

    /// `*p`.
    pub(crate) fn emit_deref(&mut self, p: ExprId, elem: Ty, pos: Pos) -> ExprId {
        self.emit(ExprKind::Deref(p), elem, pos)
    }

    /// A new label.
    pub(crate) fn new_label(&mut self) -> LabelId {
        self.env.next_label += 1;
        LabelId(self.env.next_label - 1)
    }

    /// Starts a function literal.
    pub(crate) fn begin_closure(&mut self, range: bool) {
        let name = self.closure_name(range);
        let target_base = self.env.targets.len();
        let mut cx = FnCx { target_base, ..FnCx::default() };
        cx.body.name = name;
        self.env.fns.push(cx);
    }

    /// Literals are numbered within the function that contains them; the bodies of ranges over functions are no functions in
    /// this sense, and have numbers of their own.
    fn closure_name(&mut self, range: bool) -> String {
        let mut at = self.env.fns.len() - 1;
        while at > 0 && self.env.fns[at].body.range_body {
            at -= 1;
        }
        let cx = &mut self.env.fns[at];
        let counter = if range { &mut cx.ranges } else { &mut cx.literals };
        *counter += 1;
        let suffix = match (range, at > 0) {
            (true, _) => "-range",
            (false, true) => ".",
            (false, false) => ".func",
        };
        format!("{}{suffix}{counter}", cx.body.name)
    }

    /// Finishes a function literal: what it found out about captured variables goes to its parent.
    pub(crate) fn end_closure(&mut self) -> ClosureId {
        let mut cx = self.env.fns.pop().expect("a function literal is open");
        cx.body.body = cx.blocks.pop().unwrap_or_default();
        let inner = cx.body;
        let parent = &mut self.cx().body;
        for c in &inner.captures {
            let from = &inner.locals[c.inner.0 as usize];
            let to = &mut parent.locals[c.outer.0 as usize];
            to.addr_taken |= from.addr_taken;
            to.reassigned |= from.reassigned;
        }
        parent.closures.push(inner);
        ClosureId(parent.closures.len() as u32 - 1)
    }
}

/// Brings what is known of captured variables down to the function literals that use them.
pub(crate) fn settle_captures(body: &mut FuncBody) {
    let locals = &body.locals;
    for closure in &mut body.closures {
        for c in &closure.captures {
            let from = &locals[c.outer.0 as usize];
            let to = &mut closure.locals[c.inner.0 as usize];
            to.addr_taken = from.addr_taken;
            to.reassigned = from.reassigned;
            to.captured = true;
        }
        settle_captures(closure);
    }
}
