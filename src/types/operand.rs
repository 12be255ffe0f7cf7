//! Operands: what checking an expression gives.

use super::consts::Value;
use super::object::{FuncId, Predeclared};
use super::ty::{Basic, PkgId, Ty};
use super::typed::{ExprId, MethodEntry};
use crate::syntax::NIL;
use crate::syntax::ast::Id;

/// What an operand is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Mode {
    /// It was complained about.
    Invalid,
    /// A call without results.
    NoValue,
    /// A predeclared function.
    Builtin(Predeclared),
    /// A type; whether it is (bound to) a type parameter.
    Type { param: bool },
    /// A constant.
    Const(Value),
    /// Addressable.
    Var,
    /// An element of a map.
    MapIndex,
    /// A computed value.
    Value,
    /// The predeclared `nil`.
    Nil,
    /// A value that may come with a second one.
    CommaOk,
}

/// How the function that an operand stands for is reached.
#[derive(Clone, Debug)]
pub(crate) enum Fun {
    /// A declared function with the type arguments known so far (`None` until inferred).
    Declared { func: FuncId, targs: Vec<Ty> },
    /// A declared method and its receiver, which is ready to be passed.
    Method { recv: ExprId, func: FuncId, targs: Vec<Ty> },
    /// A method of an interface value.
    Interface { recv: ExprId, name: String, pkg: Option<PkgId>, sig: Ty },
    /// `T.M`.
    Expr { recv: Ty, entry: MethodEntry, func: Option<(FuncId, Vec<Ty>)> },
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// What it is.
    pub(crate) mode: Mode,
    /// Its type.
    pub(crate) ty: Ty,
    /// The typed expression, where one was made (constants, `nil` and functions have none until they are used).
    pub(crate) expr: Option<ExprId>,
    /// The syntax.
    pub(crate) node: Id,
    /// The function it is, until it is used as a value.
    pub(crate) fun: Option<Box<Fun>>,
    /// Type parameters that are not yet given: it is a generic function.
    pub(crate) tparams: Vec<Ty>,
    /// What messages call it where the syntax does not say it: `1st function result`.
    pub(crate) alias: String,
    /// Explicit type arguments for the first of them.
    pub(crate) given: Vec<Ty>,
}

impl Operand {
    /// An operand that was complained about.
    pub(crate) fn invalid(node: Id) -> Self {
        Operand {
            mode: Mode::Invalid,
            ty: Basic::Invalid.ty(),
            expr: None,
            node,
            fun: None,
            tparams: vec![],
            given: vec![],
            alias: String::new(),
        }
    }

    /// A computed value.
    pub(crate) fn value(node: Id, ty: Ty, expr: ExprId) -> Self {
        Operand { mode: Mode::Value, ty, expr: Some(expr), ..Operand::invalid(node) }
    }

    /// A constant.
    pub(crate) fn constant(node: Id, ty: Ty, val: Value) -> Self {
        Operand { mode: Mode::Const(val), ty, ..Operand::invalid(node) }
    }

    /// A type.
    pub(crate) fn of_type(node: Id, ty: Ty, param: bool) -> Self {
        Operand { mode: Mode::Type { param }, ty, ..Operand::invalid(node) }
    }

    /// Was not complained about.
    pub(crate) fn is_valid(&self) -> bool {
        self.mode != Mode::Invalid
    }

    /// Marks it as complained about.
    pub(crate) fn invalidate(&mut self) {
        *self = Operand::invalid(self.node);
    }

    /// The value, if it is a constant.
    pub(crate) fn val(&self) -> Option<&Value> {
        if let Mode::Const(v) = &self.mode { Some(v) } else { None }
    }

    /// It is a constant.
    pub(crate) fn is_const(&self) -> bool {
        matches!(self.mode, Mode::Const(_))
    }

    /// It is `nil` without a type.
    pub(crate) fn is_nil(&self) -> bool {
        self.mode == Mode::Nil
    }

    /// Whether there is syntax to show.
    pub(crate) fn has_node(&self) -> bool {
        self.node != NIL
    }

    /// A generic function that still needs type arguments.
    pub(crate) fn is_generic(&self) -> bool {
        !self.tparams.is_empty()
    }
}
