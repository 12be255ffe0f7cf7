//! Labels and branches (Go specification, "Labeled statements", "Break statements", "Goto statements"). Works on syntax
//! alone, one function at a time, as soon as a file was parsed; function literals are looked at on their own.

#![expect(clippy::wildcard_enum_match_arm, reason = "most statements hold no statements")]

use super::checker::Checker;
use super::names::Sym;
use crate::diag::{Code, Diagnostic};
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{AOp, Id, List, Node};
use crate::syntax::token::Tok;

/// A block of statements.
struct Block {
    parent: Option<usize>,
    start: Pos,
    /// The labeled statement that the block belongs to.
    label: Option<Id>,
}

struct Label {
    name: Sym,
    node: Id,
    block: usize,
    used: bool,
}

/// A `goto` whose label comes later.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Forward {
    tok: u32,
    name: Sym,
}

/// What `break` and `continue` without a label mean.
#[derive(Clone, Copy)]
struct Context {
    breaks: bool,
    continues: bool,
    /// In a clause of a switch: whether it is the last, and whether the switch is one on types.
    clause: Option<(bool, bool)>,
    /// The innermost statement is a switch on types.
    type_switch: bool,
    /// The innermost breakable statement is a switch.
    in_switch: bool,
}

#[derive(Default)]
struct Walk {
    blocks: Vec<Block>,
    labels: Vec<Label>,
}

impl Checker {
    /// Checks the branches of all functions of the current file, inner ones first. Go's parser does it, so it is done whatever else is
    /// wrong with the program. `fatal`: what is left of the file are bodies. `told`: where its syntax errors begin; what is found here is put
    /// among them as Go comes upon it, a function's where it ends.
    pub(crate) fn check_branches_of_file(&mut self, fatal: bool, told: usize) {
        if self.env.silent {
            return;
        }
        let mut found: Vec<(Pos, Diagnostic)> =
            self.diags.split_off(told).into_iter().map(|d| (d.pos, d)).collect();
        for id in 0..self.env.file.ast.nodes.len() as Id {
            if self.is_misread(id) {
                continue;
            }
            let (list, end) = match self.node(id) {
                Node::FuncLit(_, list) => (list, self.end_pos(id)),
                Node::FuncDecl { body, .. } if body != NIL => match self.node(body) {
                    Node::Block(list) => (list, self.end_pos(body)),
                    _ => continue,
                },
                _ => continue,
            };
            self.branches_of(list, end, told, &mut found);
        }
        if fatal {
            for item in self.env.file.ast.items.clone() {
                if let Node::Block(list) = self.node(item) {
                    let end = self.end_pos(item);
                    self.branches_of(list, end, told, &mut found);
                }
            }
        }
        found.sort_by_key(|(when, _)| *when);
        self.diags.extend(found.into_iter().map(|(_, d)| d));
    }

    fn branches_of(
        &mut self,
        list: List,
        end: Pos,
        told: usize,
        found: &mut Vec<(Pos, Diagnostic)>,
    ) {
        let nodes = self.list(list);
        self.check_branches(&nodes);
        found.extend(self.diags.split_off(told).into_iter().map(|d| (end, d)));
    }

    /// Whether a token of a function cannot be read: Go leaves its branches alone.
    fn is_misread(&self, function: Id) -> bool {
        let ast = &self.env.file.ast;
        if ast.misread.is_empty() {
            return false;
        }
        let end = match ast.node(function) {
            Node::FuncDecl { body, .. } if body != NIL => ast.ends[body as usize],
            _ => ast.ends[function as usize],
        };
        let byte = |tok: u32| ast.toks.get(tok as usize).map_or(0, |t| t.start);
        let (from, to) = (byte(ast.pos[function as usize]), byte(end));
        ast.misread.partition_point(|&at| at < from) < ast.misread.partition_point(|&at| at < to)
    }

    /// Checks the branches of a function body.
    pub(crate) fn check_branches(&mut self, nodes: &[Id]) {
        if self.env.silent {
            return;
        }
        let mut w = Walk::default();
        let none = Context {
            breaks: false,
            continues: false,
            clause: None,
            type_switch: false,
            in_switch: false,
        };
        let start = nodes.first().map_or(Pos::NONE, |&s| self.pos(s));
        let forward = self.walk_block(&mut w, None, none, None, start, nodes);
        for f in forward {
            let pos = self.tok_pos(f.tok);
            let name = self.name(f.name).to_string();
            if let Some(l) = w.labels.iter_mut().find(|l| l.name == f.name) {
                l.used = true;
                let at = self.show_pos(w.blocks[l.block].start);
                self.err(
                    pos,
                    Code::JumpIntoBlock,
                    format!("goto {name} jumps into block starting at {at}"),
                );
            } else {
                self.err(pos, Code::UndeclaredLabel, format!("label {name} not defined"));
            }
        }
        for l in &w.labels {
            if !l.used {
                let text = format!("label {} defined and not used", self.name(l.name));
                self.err_at(l.node, Code::UnusedLabel, text);
            }
        }
    }

    fn walk_block(
        &mut self,
        w: &mut Walk,
        parent: Option<usize>,
        ctx: Context,
        label: Option<Id>,
        start: Pos,
        body: &[Id],
    ) -> Vec<Forward> {
        w.blocks.push(Block { parent, start, label });
        let b = w.blocks.len() - 1;
        let mut forward: Vec<Forward> = vec![];
        let mut over: Vec<Forward> = vec![];
        let mut declared: Option<(String, Pos)> = None;
        for (i, &s) in body.iter().enumerate() {
            let mut at = s;
            let mut label = None;
            while let Node::Label(name, inner) = self.node(at) {
                self.declare_label(w, b, at, name);
                let sym = self.sym_of(name);
                let (hit, rest): (Vec<_>, Vec<_>) = forward.iter().partition(|f| f.name == sym);
                forward = rest;
                for f in hit {
                    self.forward_reached(w, f, &over, declared.as_ref());
                }
                label = Some(at);
                at = inner;
                if at == NIL {
                    break;
                }
            }
            if at == NIL {
                continue;
            }
            if let Some(d) = self.declares_variable(at) {
                declared = Some(d);
                over.clone_from(&forward);
            }
            let last = i + 1 == body.len();
            forward.extend(self.walk_stmt(w, b, ctx, label, at, last));
        }
        forward
    }

    fn declare_label(&mut self, w: &mut Walk, block: usize, node: Id, tok: u32) {
        let name = self.sym_of(tok);
        if name == Sym::BLANK {
            return;
        }
        if let Some(l) = w.labels.iter().find(|l| l.name == name) {
            let at = self.show_pos(self.pos(l.node));
            let text = format!("label {} already defined at {at}", self.name(name));
            self.err_at(node, Code::DuplicateLabel, text);
            return;
        }
        w.labels.push(Label { name, node, block, used: false });
    }

    fn forward_reached(
        &mut self,
        w: &mut Walk,
        f: Forward,
        over: &[Forward],
        declared: Option<&(String, Pos)>,
    ) {
        if let Some(l) = w.labels.iter_mut().find(|l| l.name == f.name) {
            l.used = true;
        }
        if let Some((var, at)) = declared
            && over.contains(&f)
        {
            let (name, at) = (self.name(f.name).to_string(), self.show_pos(*at));
            let pos = self.tok_pos(f.tok);
            self.err(
                pos,
                Code::JumpOverDecl,
                format!("goto {name} jumps over declaration of {var} at {at}"),
            );
        }
    }

    fn declares_variable(&self, id: Id) -> Option<(String, Pos)> {
        match self.node(id) {
            Node::Group(kw, specs) if self.env.file.ast.tok(kw) == Some(Tok::Var) => {
                let spec = *self.list(specs).first()?;
                let Node::ValueSpec { names, .. } = self.node(spec) else { return None };
                Some((self.show_node(*self.list(names).first()?), self.pos(spec)))
            }
            Node::Assign(AOp::Define, l, r) => {
                let shown: Vec<String> = self.list(l).iter().map(|&n| self.show_node(n)).collect();
                Some((shown.join(", "), self.op_pos(*self.list(r).first()?)))
            }
            _ => None,
        }
    }

    fn walk_stmt(
        &mut self,
        w: &mut Walk,
        b: usize,
        ctx: Context,
        label: Option<Id>,
        id: Id,
        last: bool,
    ) -> Vec<Forward> {
        let plain = Context { clause: None, ..ctx };
        let looping = Context {
            breaks: true,
            continues: true,
            clause: None,
            type_switch: false,
            in_switch: false,
        };
        match self.node(id) {
            Node::Branch(kw, target) => {
                self.walk_branch(w, b, ctx, (kw, target), last).into_iter().collect()
            }
            Node::Block(list) => self.walk_list(w, b, plain, label, id, list),
            Node::If { then, els, .. } => {
                let mut out = vec![];
                let (mut then, mut els) = (then, els);
                loop {
                    if let Node::Block(list) = self.node(then) {
                        out.extend(self.walk_list(w, b, plain, label, then, list));
                    }
                    if els == NIL {
                        return out;
                    }
                    match self.node(els) {
                        Node::If { then: t, els: e, .. } => (then, els) = (t, e),
                        Node::Block(list) => {
                            out.extend(self.walk_list(w, b, plain, label, els, list));
                            return out;
                        }
                        _ => return out,
                    }
                }
            }
            Node::For { body, .. } | Node::Range { body, .. } => match self.node(body) {
                Node::Block(list) => self.walk_list(w, b, looping, label, body, list),
                _ => vec![],
            },
            Node::Switch { tag, body, .. } => self.walk_switch(w, b, ctx, label, tag, body),
            Node::Select(body) => {
                let inner = Context {
                    breaks: true,
                    clause: None,
                    type_switch: false,
                    in_switch: false,
                    ..ctx
                };
                self.walk_clauses(w, b, inner, label, body, false)
            }
            _ => vec![],
        }
    }

    fn walk_list(
        &mut self,
        w: &mut Walk,
        b: usize,
        ctx: Context,
        label: Option<Id>,
        node: Id,
        list: List,
    ) -> Vec<Forward> {
        let (start, nodes) = (self.pos(node), self.list(list));
        self.walk_block(w, Some(b), ctx, label, start, &nodes)
    }

    fn walk_switch(
        &mut self,
        w: &mut Walk,
        b: usize,
        ctx: Context,
        label: Option<Id>,
        tag: Id,
        body: List,
    ) -> Vec<Forward> {
        let is_guard = |c: &Self, x: Id| matches!(c.node(x), Node::Assert(_, NIL));
        let type_switch = tag != NIL
            && match self.node(tag) {
                Node::Expr(x) => is_guard(self, x),
                Node::Assign(_, _, r) => self.list(r).first().is_some_and(|&x| is_guard(self, x)),
                _ => false,
            };
        let inner = Context { breaks: true, clause: None, type_switch, in_switch: true, ..ctx };
        self.walk_clauses(w, b, inner, label, body, true)
    }

    fn walk_clauses(
        &mut self,
        w: &mut Walk,
        b: usize,
        ctx: Context,
        label: Option<Id>,
        body: List,
        switch: bool,
    ) -> Vec<Forward> {
        let clauses = self.list(body);
        let mut out = vec![];
        for (i, &c) in clauses.iter().enumerate() {
            let Node::Case(_, stmts, _) = self.node(c) else { continue };
            let clause =
                if switch { Some((i + 1 == clauses.len(), ctx.type_switch)) } else { None };
            out.extend(self.walk_list(w, b, Context { clause, ..ctx }, label, c, stmts));
        }
        out
    }

    fn walk_branch(
        &mut self,
        w: &mut Walk,
        b: usize,
        ctx: Context,
        branch: (u32, u32),
        last: bool,
    ) -> Option<Forward> {
        let (kw, target) = branch;
        let tok = self.env.file.ast.tok(kw);
        let pos = self.tok_pos(kw);
        if target == NIL {
            match tok {
                Some(Tok::Break) if !ctx.breaks => {
                    self.err(pos, Code::MisplacedBreak, "break is not in a loop, switch, or select")
                }
                Some(Tok::Continue) if !ctx.continues => {
                    self.err(pos, Code::MisplacedContinue, "continue is not in a loop")
                }
                Some(Tok::Fallthrough) => self.fallthrough(ctx, last, pos),
                _ => {}
            }
            return None;
        }
        let name = self.sym_of(target);
        let at = self.tok_pos(target);
        let text = self.name(name).to_string();
        let found = w.labels.iter_mut().find(|l| l.name == name);
        if tok == Some(Tok::Goto) {
            if let Some(l) = found {
                l.used = true;
                let home = l.block;
                let mut block = Some(b);
                while let Some(i) = block {
                    if i == home {
                        return None;
                    }
                    block = w.blocks[i].parent;
                }
            }
            return Some(Forward { tok: target, name });
        }
        let is_break = tok == Some(Tok::Break);
        let what = if is_break { "break" } else { "continue" };
        let Some(l) = found else {
            self.err(at, Code::UndeclaredLabel, format!("{what} label not defined: {text}"));
            return None;
        };
        l.used = true;
        let node = l.node;
        let mut block = Some(b);
        let mut encloses = false;
        while let Some(i) = block {
            encloses |= w.blocks[i].label == Some(node);
            block = w.blocks[i].parent;
        }
        let fits = encloses && self.labels_target(node, is_break);
        if !fits {
            self.err(at, Code::MisplacedLabel, format!("invalid {what} label {text}"));
        }
        None
    }

    /// Whether a label stands before a statement that `break` or `continue` may name.
    fn labels_target(&self, label: Id, is_break: bool) -> bool {
        let Node::Label(_, inner) = self.node(label) else { return false };
        if inner == NIL {
            return false;
        }
        match self.node(inner) {
            Node::For { .. } | Node::Range { .. } => true,
            Node::Switch { .. } | Node::Select(_) => is_break,
            _ => false,
        }
    }

    fn fallthrough(&mut self, ctx: Context, last: bool, pos: Pos) {
        let text = match ctx.clause {
            _ if ctx.in_switch && ctx.type_switch => "cannot fallthrough in type switch",
            Some((true, _)) if last => "cannot fallthrough final case in switch",
            Some((false, _)) if last => return,
            _ => "fallthrough statement out of place",
        };
        self.err(pos, Code::MisplacedFallthrough, text);
    }
}
