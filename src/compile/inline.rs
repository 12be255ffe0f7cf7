//! Small functions are compiled into their callers.
//!
//! Only functions that choose between expressions with `if` and return one, where nothing can panic or call anything: then nobody
//! can tell, since no traceback ever shows the frame that is not there.
//!
//! Invariant: the parameters are never assigned to, so an argument that is in a register already is used where it is.

use std::rc::Rc;

use super::fun::Fun;
use super::types::Class;
use super::vars::Var;
use super::{Compiler, Target};
use crate::bytecode::op::Ins;
use crate::types::ty::Ty;
use crate::types::typed::{
    BinaryOp, Builtin, Call, Callee, ConstVal, ExprId, ExprKind, FuncBody, Source, Stmt, StmtKind,
};

/// The most nodes that an expression may have to be compiled into its callers.
const MAX_NODES: u32 = 24;

/// A function to be compiled into its callers.
#[derive(Debug)]
pub(super) struct Inline {
    body: FuncBody,
    /// `if condition { return value }`, in order.
    cases: Vec<(ExprId, ExprId)>,
    /// What is returned otherwise.
    value: ExprId,
    /// The destination is written only after all operands are read.
    pub(super) late: bool,
}

impl Compiler {
    /// What is needed to compile a function into its callers, if it may be.
    pub(super) fn inline(&mut self, src: &mut dyn Source, body: &FuncBody) -> Option<Inline> {
        let (cases, value) = returned(&body.body)?;
        let plain = !body.named_results
            && !body.has_defer
            && !body.has_recover
            && body.closures.is_empty()
            && body.captures.is_empty();
        if !self.opts.opt || !plain || !self.simple_params(src, body) {
            return None;
        }
        let mut nodes = 0;
        let all = cases.iter().flat_map(|c| [c.0, c.1]).chain([value]);
        if self.info(src, body.exprs[value.0 as usize].ty).mem()
            || !all.clone().all(|e| self.harmless(src, body, e, &mut nodes))
        {
            return None;
        }
        let mut values = cases.iter().map(|c| c.1).chain([value]);
        let late = values.all(|e| self.writes_late(src, body, e));
        let copy = FuncBody {
            name: body.name.clone(),
            pos: body.pos,
            params: body.params.clone(),
            locals: body.locals.clone(),
            exprs: body.exprs.clone(),
            ..FuncBody::default()
        };
        Some(Inline { body: copy, cases, value, late })
    }

    fn simple_params(&mut self, src: &mut dyn Source, body: &FuncBody) -> bool {
        body.params.iter().all(|&p| {
            let l = &body.locals[p.0 as usize];
            !l.addr_taken && !l.captured && !l.reassigned && !self.info(src, l.ty).mem()
        })
    }

    fn writes_late(&mut self, src: &mut dyn Source, body: &FuncBody, e: ExprId) -> bool {
        let x = &body.exprs[e.0 as usize];
        let scalar = self.is_number(src, x.ty) || self.info(src, x.ty).class == Class::Bool;
        let kind = matches!(
            x.kind,
            ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Compare(..)
                | ExprKind::Local(_)
                | ExprKind::Const(_)
        );
        scalar && kind
    }

    fn is_number(&mut self, src: &mut dyn Source, t: Ty) -> bool {
        matches!(self.info(src, t).class, Class::Int(..) | Class::F64 | Class::F32)
    }

    /// Whether evaluating an expression cannot panic and calls nothing.
    fn harmless(
        &mut self,
        src: &mut dyn Source,
        body: &FuncBody,
        e: ExprId,
        nodes: &mut u32,
    ) -> bool {
        *nodes += 1;
        if *nodes > MAX_NODES {
            return false;
        }
        let x = &body.exprs[e.0 as usize];
        match &x.kind {
            ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Nil => true,
            ExprKind::Unary(_, a)
            | ExprKind::Field { x: a, .. }
            | ExprKind::Builtin(Builtin::Len(a)) => self.harmless(src, body, *a, nodes),
            ExprKind::Convert(a) => {
                let from = body.exprs[a.0 as usize].ty;
                let numbers = self.is_number(src, from) && self.is_number(src, x.ty);
                let same = self.info(src, from).class == self.info(src, x.ty).class;
                (numbers || same) && self.harmless(src, body, *a, nodes)
            }
            ExprKind::Binary(op, a, b) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && matches!(self.info(src, x.ty).class, Class::Int(..));
                let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let count = body.exprs[b.0 as usize].ty;
                let signed = matches!(self.info(src, count).class, Class::Int(_, true));
                let risky = (divides || (shifts && signed)) && !is_positive(body, *b);
                self.is_number(src, x.ty)
                    && !risky
                    && self.harmless(src, body, *a, nodes)
                    && self.harmless(src, body, *b, nodes)
            }
            ExprKind::Compare(_, a, b) => {
                let deep = matches!(
                    self.info(src, body.exprs[a.0 as usize].ty).class,
                    Class::Iface | Class::Struct | Class::Array
                );
                !deep && self.harmless(src, body, *a, nodes) && self.harmless(src, body, *b, nodes)
            }
            ExprKind::AndAnd(a, b) | ExprKind::OrOr(a, b) => {
                self.harmless(src, body, *a, nodes) && self.harmless(src, body, *b, nodes)
            }
            _ => false,
        }
    }
}

/// The conditions and values of a body that only chooses what to return.
fn returned(list: &[Stmt]) -> Option<(Vec<(ExprId, ExprId)>, ExprId)> {
    let (last, first) = list.split_last()?;
    let mut cases = Vec::new();
    for s in first {
        let StmtKind::If { cond, then, els } = &s.kind else { return None };
        let ([then], []) = (then.as_slice(), els.as_slice()) else { return None };
        cases.push((*cond, one_value(then)?));
    }
    if let StmtKind::If { cond, then, els } = &last.kind {
        let ([then], [els]) = (then.as_slice(), els.as_slice()) else { return None };
        cases.push((*cond, one_value(then)?));
        return Some((cases, one_value(els)?));
    }
    Some((cases, one_value(last)?))
}

fn one_value(s: &Stmt) -> Option<ExprId> {
    match &s.kind {
        StmtKind::Return(values) if values.len() == 1 => Some(values[0]),
        _ => None,
    }
}

fn is_positive(body: &FuncBody, e: ExprId) -> bool {
    match &body.exprs[e.0 as usize].kind {
        ExprKind::Const(ConstVal::Int(v)) => v.sign() == num_bigint::Sign::Plus,
        _ => false,
    }
}

impl<'a> Fun<'a> {
    /// The function to compile in place of a call.
    pub(super) fn inlined(&mut self, call: &Call) -> Option<Rc<Inline>> {
        let Callee::Static(f) = &call.callee else { return None };
        if !self.fuse {
            return None;
        }
        let Target::Func(id) = self.c.target(self.src, *f) else { return None };
        self.c.inlines.get(&id).map(Rc::clone)
    }

    /// Compiles the expression of an inlined function into `d`.
    pub(super) fn inline_to(&mut self, inline: &Inline, call: &'a Call, d: u16) {
        let regs: Vec<u16> = call.args.iter().map(|&a| self.operand(a)).collect();
        let mut inner = Fun::new(self.c, self.src, &inline.body, self.fuse);
        for (&p, &r) in inline.body.params.iter().zip(&regs) {
            inner.vars[p.0 as usize] = Var::Reg(r);
        }
        inner.top = self.top;
        inner.max = self.max;
        inner.depth = self.depth;
        inner.pos = self.pos;
        inner.bound = self.bound;
        std::mem::swap(&mut inner.code, &mut self.code);
        std::mem::swap(&mut inner.lines, &mut self.lines);
        std::mem::swap(&mut inner.labels, &mut self.labels);
        std::mem::swap(&mut inner.consts, &mut self.consts);
        inner.choose(inline, d);
        std::mem::swap(&mut inner.code, &mut self.code);
        std::mem::swap(&mut inner.lines, &mut self.lines);
        std::mem::swap(&mut inner.labels, &mut self.labels);
        std::mem::swap(&mut inner.consts, &mut self.consts);
        self.max = inner.max;
        self.bound = inner.bound;
        self.failed = inner.failed.or(self.failed);
    }

    /// The value of the first case whose condition holds.
    fn choose(&mut self, inline: &Inline, d: u16) {
        let end = self.labels.fresh();
        for &(cond, value) in &inline.cases {
            let next = self.labels.fresh();
            self.branch(cond, false, next);
            self.expr_to(value, d);
            self.jump(Ins::Jmp { o: 0 }, end);
            self.bind(next);
        }
        self.expr_to(inline.value, d);
        self.bind(end);
    }
}
