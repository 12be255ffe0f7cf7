//! Instantiation cycles: a generic function or type whose type arguments grow with each step needs infinitely many
//! instances (Go specification, "Instantiations").
//!
//! A graph over type parameters: an edge says that a parameter is instantiated with a type that mentions another;
//! it grows if the type is not the bare parameter. A cycle with a growing edge is an error.

use super::checker::Checker;
use super::table::HashSet;
use super::ty::{Kind, Ty};
use crate::diag::Code;
use crate::diag::Diagnostic;
use crate::source::Pos;

/// `to` is instantiated with `arg`, which mentions `from`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    from: Ty,
    to: Ty,
    arg: Ty,
    pos: Pos,
}

impl Checker {
    /// Notes an instantiation.
    pub(crate) fn record_instance(&mut self, params: &[Ty], targs: &[Ty], at: &[Pos], pos: Pos) {
        for (i, (&to, &arg)) in params.iter().zip(targs).enumerate() {
            let mut mentioned = vec![];
            self.mentioned_params(arg, &mut mentioned);
            for from in mentioned {
                let pos = at.get(i).copied().unwrap_or(pos);
                self.instances.push(Edge { from, to, arg, pos });
            }
        }
    }

    fn mentioned_params(&self, t: Ty, out: &mut Vec<Ty>) {
        if !self.has_param(t) {
            return;
        }
        match self.types.kind(t) {
            Kind::Param(_) => out.push(t),
            Kind::Basic(_) => {}
            Kind::Named(n) => {
                for &a in &self.types.named[n.0 as usize].args {
                    self.mentioned_params(a, out);
                }
            }
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) | Kind::Chan(_, e) => {
                self.mentioned_params(*e, out)
            }
            Kind::Map(k, v) => {
                self.mentioned_params(*k, out);
                self.mentioned_params(*v, out);
            }
            Kind::Func(s) => {
                s.params.iter().chain(&s.results).for_each(|&t| self.mentioned_params(t, out))
            }
            Kind::Struct(fields) => fields.iter().for_each(|f| self.mentioned_params(f.ty, out)),
            Kind::Interface(i) => i.methods.iter().for_each(|m| self.mentioned_params(m.sig, out)),
            Kind::Tuple(list) => list.iter().for_each(|&t| self.mentioned_params(t, out)),
        }
    }

    /// Tells the cycles that grow.
    pub(crate) fn instance_cycles(&mut self) {
        let edges = std::mem::take(&mut self.instances);
        let mut told: HashSet<Ty> = HashSet::default();
        for e in edges.iter().filter(|e| e.arg != e.from) {
            let Some(way) = way_back(&edges, e.to, e.from) else { continue };
            if told.contains(&e.to) {
                continue;
            }
            let cycle: Vec<Edge> = std::iter::once(*e).chain(way).collect();
            told.extend(cycle.iter().map(|e| e.to));
            let Kind::Param(p) = *self.types.kind(e.to) else { continue };
            let pos = self.types.params[p.0 as usize].pos;
            let mut text = String::from("instantiation cycle:");
            for e in &cycle {
                let (at, to, arg) = (self.show_pos(e.pos), self.show(e.to), self.show(e.arg));
                text.push_str(&format!("\n\t{at}: {to} instantiated as {arg}"));
            }
            self.diags.push(Diagnostic::error(pos, Code::InvalidInstanceCycle, text));
        }
    }
}

/// The edges that lead from one parameter to another.
fn way_back(edges: &[Edge], from: Ty, to: Ty) -> Option<Vec<Edge>> {
    let mut seen: HashSet<Ty> = HashSet::from_iter([from]);
    let mut work: Vec<(Ty, Vec<Edge>)> = vec![(from, vec![])];
    while let Some((at, way)) = work.pop() {
        if at == to {
            return Some(way);
        }
        for e in edges.iter().filter(|e| e.from == at) {
            if seen.insert(e.to) {
                let mut way = way.clone();
                way.push(*e);
                work.push((e.to, way));
            }
        }
    }
    None
}
