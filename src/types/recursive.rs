//! Types that refer to themselves where they must not (Go specification, "Type declarations"): names that only lead to each other, and
//! types that contain themselves.
//!
//! Both are looked for when the types of a package are known, in the order of their declarations, so that it does not matter which
//! was wanted first. Other cycles are found while declarations are resolved.

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds contain others")]

use super::checker::Checker;
use super::object::{DeclKind, ObjId, ObjKind, State};
use super::table::HashMap;
use super::ty::{Basic, Kind, Ty};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::{Id, Node};

/// Types nest at most this deep in each other.
const MAX_NESTING: usize = 500;

/// How far a name was followed.
enum Mark {
    /// It is this one of the names that are being followed.
    On(usize),
    Done,
}

/// A walk into a type.
#[derive(Default)]
struct Walk {
    /// The defined types that the current one lies in, as memory or as embedded interfaces.
    nest: Vec<Ty>,
    /// All defined types on the way to it.
    path: Vec<Ty>,
    /// Types without parameters that contain nothing wrong.
    fine: Vec<Ty>,
}

impl Checker {
    // ---- messages ----

    /// Tells a cycle of declarations, from its first member in the source.
    pub(crate) fn cycle_error(&mut self, cycle: &[ObjId]) {
        let Some(start) = (0..cycle.len()).min_by_key(|&i| self.obj(cycle[i]).pos) else { return };
        let is_type = matches!(self.obj(cycle[start]).kind, ObjKind::Type { .. });
        let steps: Vec<(String, Pos)> = (0..cycle.len())
            .map(|i| self.obj(cycle[(start + i) % cycle.len()]))
            .map(|o| (self.name(o.name).to_string(), o.pos))
            .collect();
        self.tell_declaration_cycle(&steps, is_type);
    }

    fn tell_declaration_cycle(&mut self, steps: &[(String, Pos)], is_type: bool) {
        let Some((first, pos)) = steps.first() else { return };
        let what = if is_type { "invalid recursive type" } else { "invalid cycle in declaration" };
        if steps.len() == 1 {
            let text = format!("{what}: {first} refers to itself");
            self.err(*pos, Code::InvalidCycle, text);
            return;
        }
        let of = if is_type { "" } else { " of" };
        let mut text = format!("{what}{of} {first}");
        for (i, (name, pos)) in steps.iter().enumerate() {
            let (next, _) = &steps[(i + 1) % steps.len()];
            text.push_str(&format!("\n\t{}: {name} refers to {next}", self.show_pos(*pos)));
        }
        self.err(*pos, Code::InvalidCycle, text);
    }

    // ---- names that only lead to names ----

    /// Finds types whose declarations are only names that lead back to them.
    pub(crate) fn direct_cycles(&mut self, objs: &[ObjId]) {
        let mut marks: HashMap<ObjId, Mark> = HashMap::default();
        for &o in objs {
            self.direct_cycle(o, &mut marks);
        }
    }

    fn direct_cycle(&mut self, from: ObjId, marks: &mut HashMap<ObjId, Mark>) {
        let mut path = vec![];
        let mut next = Some(from);
        while let Some(o) = next {
            match marks.get(&o) {
                Some(Mark::Done) => break,
                Some(Mark::On(start)) => {
                    let cycle = path[*start..].to_vec();
                    self.cycle_error(&cycle);
                    let obj = &mut self.objs[o.0 as usize];
                    obj.state = State::Done;
                    break;
                }
                None => {}
            }
            marks.insert(o, Mark::On(path.len()));
            path.push(o);
            next = self.named_by(o);
        }
        for o in path {
            marks.insert(o, Mark::Done);
        }
    }

    /// The tree node of a type declaration that was not looked at yet, with the file it is in.
    fn waiting_spec(&self, o: ObjId) -> Option<(u32, Id)> {
        let obj = self.obj(o);
        let decl = &self.decls[obj.decl? as usize];
        match decl.kind {
            DeclKind::Type { spec } if obj.state == State::Waiting => Some((decl.file, spec)),
            _ => None,
        }
    }

    /// The type of the package that a declaration names and that is all it says.
    fn named_by(&self, o: ObjId) -> Option<ObjId> {
        let (file, spec) = self.waiting_spec(o)?;
        let file = &self.files[file as usize].file;
        let Node::TypeSpec { ty, .. } = file.ast.node(spec) else { return None };
        let Node::Ident = file.ast.node(ty) else { return None };
        let name = file.syms[file.ast.pos[ty as usize] as usize];
        let other = *self.packages[file.pkg.0 as usize].scope.get(&name)?;
        matches!(self.obj(other).kind, ObjKind::Type { .. }).then_some(other)
    }

    /// Whether an object is declared as another name of a type.
    pub(crate) fn is_alias_decl(&self, o: ObjId) -> bool {
        let Some(decl) = self.obj(o).decl.map(|d| &self.decls[d as usize]) else { return false };
        let DeclKind::Type { spec } = decl.kind else { return false };
        let node = self.files[decl.file as usize].file.ast.node(spec);
        matches!(node, Node::TypeSpec { alias: true, .. })
    }

    // ---- types that are needed for their own declarations ----

    /// The declared types from one on that are being completed, if that one is.
    fn open_from(&self, t: Ty) -> Option<usize> {
        let obj = self.named_info(t)?.obj?;
        if self.obj(obj).state != State::Active {
            return None;
        }
        self.path.iter().position(|&o| o == obj)
    }

    /// Whether a declared type is being completed.
    pub(crate) fn is_open(&self, t: Ty) -> bool {
        self.open_from(t).is_some()
    }

    /// Tells that what a type is made of was asked for while that is being found out.
    pub(crate) fn open_cycle(&mut self, t: Ty) {
        let Some(start) = self.open_from(t) else { return };
        // what an alias stands for is part of what names it
        let is_alias = |c: &Self, o: ObjId| matches!(c.obj(o).kind, ObjKind::Type { ty, .. } if !c.is_valid_ty(ty));
        let cycle: Vec<ObjId> =
            self.path[start..].iter().copied().filter(|&o| !is_alias(self, o)).collect();
        // all instances that are reached through the cycle fall with it
        self.cycle_error(&cycle);
        self.named_info_mut(t).complete = true;
    }

    /// Whether an interface embeds a type that is being completed by way of an interface literal inside of another. It is noted: Go's
    /// compiler refuses it when nothing else is wrong.
    pub(crate) fn is_anonymous_cycle(&mut self, t: Ty) -> bool {
        let Some(start) = self.open_from(t) else { return false };
        let inner = self.path_literals[start + 1..].iter().any(|&n| n > 1);
        if !inner && self.literals < 2 {
            return false;
        }
        if let Some(&obj) = self.path.get(start)
            && let Some(at) = self.rhs_pos(obj)
        {
            self.anonymous_cycles.push(at);
        }
        true
    }

    /// Where the right side of a type declaration starts.
    fn rhs_pos(&self, o: ObjId) -> Option<Pos> {
        let decl = &self.decls[self.obj(o).decl? as usize];
        let DeclKind::Type { spec } = decl.kind else { return None };
        let ast = &self.files[decl.file as usize].file.ast;
        let Node::TypeSpec { ty, .. } = ast.node(spec) else { return None };
        Some(Pos(ast.base + ast.toks[ast.pos[ty as usize] as usize].start))
    }

    /// Tells the cycles of interface literals.
    pub(crate) fn tell_anonymous_cycles(&mut self) {
        let mut places = std::mem::take(&mut self.anonymous_cycles);
        places.sort_unstable();
        places.dedup();
        for pos in places {
            let text = "invalid recursive type: anonymous interface refers to itself (see https://go.dev/issue/56103)";
            self.err(pos, Code::InvalidCycle, text);
        }
    }

    // ---- types that contain themselves ----

    /// A type must not contain itself by value, nor embed itself.
    pub(crate) fn valid_type(&mut self, t: Ty) {
        if self.env.silent {
            return;
        }
        let mut w = Walk::default();
        let is_generic = self.named_info(t).is_some_and(|i| i.generic.is_some());
        if is_generic {
            // in its own declaration it is an instance
            self.declared_contains(t, &mut w);
        } else {
            self.contains(t, &mut w);
        }
    }

    /// Whether what the declaration of `t` contains is all right.
    fn declared_contains(&mut self, t: Ty, w: &mut Walk) -> bool {
        let Some(n) = self.named_id(t) else { return true };
        let origin = self.named[n.0 as usize].origin.unwrap_or(n);
        let origin = self.types.intern(Kind::Named(origin));
        self.under(origin);
        let info = self.named_info(origin);
        let Some(rhs) = info.and_then(|i| i.rhs) else { return true };
        let embeds = info.and_then(|i| i.embeds.clone()).filter(|_| self.is_valid_ty(rhs));
        match embeds {
            Some(terms) => terms.into_iter().all(|term| self.contains(term.ty, w)),
            None => self.contains(rhs, w),
        }
    }

    /// Whether what `t` contains is all right.
    fn contains(&mut self, t: Ty, w: &mut Walk) -> bool {
        match self.types.kind(t).clone() {
            Kind::Array(_, e) => self.contains(e, w),
            Kind::Struct(fields) => fields.iter().all(|f| self.contains(f.ty, w)),
            // what a declared interface embeds is known from its declaration
            Kind::Interface(i) if self.implicit.contains(&t) => {
                i.unions.iter().flatten().all(|term| self.contains(term.ty, w))
            }
            Kind::Named(_) => self.named_contains(t, w),
            Kind::Param(_) => self.argument_contains(t, w),
            _ => true,
        }
    }

    fn named_contains(&mut self, t: Ty, w: &mut Walk) -> bool {
        if w.nest.contains(&t) {
            let start = w.path.iter().position(|&p| p == t).unwrap_or(0);
            let cycle = w.path[start..].to_vec();
            self.containment_cycle(&cycle);
            return false;
        }
        let Some(n) = self.named_id(t) else { return true };
        let named = &self.types.named[n.0 as usize];
        let (plain, pkg) = (named.args.is_empty(), named.pkg);
        let foreign = pkg.is_none_or(|p| self.packages[p.0 as usize].std);
        if plain && (foreign || w.fine.contains(&t)) || w.path.len() > MAX_NESTING {
            return true;
        }
        w.nest.push(t);
        w.path.push(t);
        let is_fine = self.declared_contains(t, w);
        w.nest.pop();
        w.path.pop();
        if is_fine && plain {
            w.fine.push(t);
        }
        is_fine
    }

    /// A type parameter stands for the argument of the innermost instance, which belongs to what lies around that instance.
    fn argument_contains(&mut self, param: Ty, w: &mut Walk) -> bool {
        let Some(&inst) = w.nest.last() else { return true };
        let Some(generic) = self.named_info(inst).and_then(|i| i.generic) else { return true };
        let at = self.generics[generic.0 as usize].tparams.iter().position(|&p| p == param);
        let Some(arg) = at.and_then(|i| self.type_args(inst).get(i).copied()) else { return true };
        if arg == param {
            return true;
        }
        w.nest.pop();
        let is_fine = self.contains(arg, w);
        w.nest.push(inst);
        is_fine
    }

    fn containment_cycle(&mut self, types: &[Ty]) {
        let mut steps = vec![];
        for &t in types {
            let info = self.named_info(t);
            let (own, obj) = info.map_or((None, None), |i| (i.pos, i.obj));
            let declared = obj.map(|o| self.obj(o).pos);
            let is_instance = info.is_some_and(|i| i.generic.is_some());
            let name = match self.named_id(t) {
                Some(n) if !is_instance => self.types.named[n.0 as usize].name.clone(),
                _ => self.show(t),
            };
            let pos = own.filter(|_| is_instance).or(declared).unwrap_or(Pos::NONE);
            steps.push((name, pos));
        }
        self.tell_declaration_cycle(&steps, true);
        for &t in types {
            self.break_cycle(t, t == types[0]);
        }
    }

    /// Takes the underlying type away from a type of a cycle: the first, and those that have it from another.
    fn break_cycle(&mut self, t: Ty, is_first: bool) {
        let invalid = Basic::Invalid.ty();
        let Some(n) = self.named_id(t) else { return };
        let origin = self.named[n.0 as usize].origin.unwrap_or(n);
        let rhs = self.named[origin.0 as usize].rhs;
        let copies = rhs.is_some_and(|r| self.named_id(r).is_some());
        for id in [n, origin] {
            if is_first || copies {
                self.types.named[id.0 as usize].underlying = invalid;
                self.named[id.0 as usize].complete = true;
            }
            if is_first {
                self.named[id.0 as usize].rhs = Some(invalid);
            }
        }
    }
}
