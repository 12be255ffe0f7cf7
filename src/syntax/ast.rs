//! A flat syntax tree: nodes in one vector, lists in another; nothing nests on the Rust stack, drop is flat.
//!
//! The tree owns its tokens. A node's position is the token where its text starts (of `a + b` that of `a`), kept
//! beside it; expressions and types share one set of nodes, since the grammar cannot tell them apart everywhere.

use super::token::{Op, Tok, Token};
use crate::source::Text;

/// Index of a node.
pub type Id = u32;
/// No node, or no token.
pub const NIL: Id = u32::MAX;

/// A run of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "opaque; read with `Ast::get`")]
pub struct List {
    pub at: u32,
    pub len: u32,
}

/// The empty list.
pub const NONE: List = List { at: 0, len: 0 };

/// Direction of a channel type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dir {
    Both,
    Send,
    Recv,
}

/// `=`, `:=` or `op=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AOp {
    Assign,
    Define,
    Op(Op),
}

/// A parameter, result, field or type parameter. `name` and `ty` are nodes, `tag` a token; each may be [`NIL`].
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Param {
    pub name: Id,
    pub ty: Id,
    pub tag: u32,
}

/// What the grammar gives: `name`, `name T`, `T`.
pub type Params = Vec<Param>;

/// A node. Payloads are nodes or lists of nodes, except where a token is named.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Node {
    Bad,
    // expressions and types
    Ident,
    Lit,
    Paren(Id),
    /// Operand, token of the name.
    Sel(Id, u32),
    Index(Id, List),
    /// Base, `[lo, hi, max]` with [`NIL`]s; whether it has two colons.
    Slice(Id, List, bool),
    /// Operand and type; [`NIL`] for `.(type)`.
    Assert(Id, Id),
    /// Callee, arguments, whether `...` follows the last.
    Call(Id, List, bool),
    Unary(Op, Id),
    Star(Id),
    Binary(Op, Id, Id),
    /// Type ([`NIL`] if elided), elements.
    Composite(Id, List),
    KV(Id, Id),
    /// Type, statements.
    FuncLit(Id, List),
    /// Length ([`NIL`] for a slice) and element.
    Array(Id, Id),
    /// `...T`, or the length `...` with [`NIL`].
    Dots(Id),
    Map(Id, Id),
    Chan(Dir, Id),
    Func {
        tparams: List,
        params: List,
        results: List,
    },
    Struct(List),
    Interface(List),
    /// Token of the name, type.
    Method(u32, Id),
    /// An entry of params, results, fields, type params.
    Field(Param),
    // statements
    Expr(Id),
    Assign(AOp, List, List),
    IncDec(Op, Id),
    Send(Id, Id),
    Go(Id),
    Defer(Id),
    Return(List),
    /// Keyword token, label token or [`NIL`].
    Branch(u32, u32),
    /// Token of the name, statement or [`NIL`].
    Label(u32, Id),
    Block(List),
    If {
        init: Id,
        cond: Id,
        then: Id,
        els: Id,
    },
    For {
        init: Id,
        cond: Id,
        post: Id,
        body: Id,
    },
    Range {
        op: Option<AOp>,
        lhs: List,
        x: Id,
        body: Id,
    },
    /// The tag is a statement: an expression, or `x := y.(type)`.
    Switch {
        init: Id,
        tag: Id,
        body: List,
    },
    Select(List),
    /// Expressions (or one communication), statements, whether it is `default`.
    Case(List, List, bool),
    // declarations
    /// Token of the name.
    Package(u32),
    /// Token of the name (that of `.`, or [`NIL`]), token of the path.
    Import(u32, u32),
    /// Keyword token, specs.
    Group(u32, List),
    ValueSpec {
        names: List,
        ty: Id,
        values: List,
    },
    TypeSpec {
        name: u32,
        tparams: List,
        alias: bool,
        ty: Id,
    },
    FuncDecl {
        recv: List,
        name: u32,
        ty: Id,
        body: Id,
    },
}

/// A message about a token.
#[derive(Debug, Clone)]
pub struct Msg {
    /// Its index; the number of tokens for the end of the file.
    pub tok: u32,
    /// Go's words, without `syntax error: `.
    pub text: String,
    /// From the parser's tables, not from a check of an action.
    pub parser: bool,
}

/// The tree of one file.
#[derive(Debug, Default)]
pub struct Ast {
    /// The text it was made from.
    pub src: Text,
    /// Position of the text's first byte in the source map.
    pub base: u32,
    /// All tokens.
    pub toks: Vec<Token>,
    /// Where the comments are (start and end byte).
    pub comments: Vec<(u32, u32)>,
    /// Where the literals start that cannot be read, in order.
    pub unreadable: Vec<u32>,
    /// Where something is wrong with tokens, in order.
    pub misread: Vec<u32>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// For each node the token where it starts.
    pub pos: Vec<u32>,
    /// For nodes that end in a bracket (calls, blocks, literals) its token, else 0.
    pub ends: Vec<u32>,
    /// Where the lists lie.
    pub pool: Vec<Id>,
    /// Package clause, imports, declarations; statements in a script.
    pub items: Vec<Id>,
    /// Messages of the actions, while parsing.
    pub errs: Vec<Msg>,
}

impl Ast {
    /// The node.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// The nodes of a list.
    pub fn get(&self, l: List) -> &[Id] {
        &self.pool[l.at as usize..(l.at + l.len) as usize]
    }

    /// The text of a token.
    pub fn text(&self, tok: u32) -> &str {
        self.toks.get(tok as usize).map_or("", |t| &self.src[t.start as usize..t.end as usize])
    }

    /// The text of the identifier or literal that a node is.
    pub fn name(&self, id: Id) -> &str {
        self.text(self.pos[id as usize])
    }

    /// The kind of a token.
    pub fn tok(&self, tok: u32) -> Option<Tok> {
        self.toks.get(tok as usize).map(|t| t.tok)
    }

    /// Whether a token is a literal that cannot be read.
    pub fn is_unreadable(&self, tok: u32) -> bool {
        let start = self.toks.get(tok as usize).map_or(u32::MAX, |t| t.start);
        self.unreadable.binary_search(&start).is_ok()
    }

    /// Whether the parentheses of a node stand in the text: around types in the place of operands they do not.
    pub fn is_written(&self, paren: Id) -> bool {
        !self.text(self.pos[paren as usize]).is_empty()
    }

    /// Whether the file has a package clause.
    pub fn has_package(&self) -> bool {
        self.items.first().is_some_and(|&i| matches!(self.node(i), Node::Package(_)))
    }

    /// Without parentheses around it.
    pub fn unparen(&self, mut id: Id) -> Id {
        while let Node::Paren(x) = self.node(id) {
            id = x;
        }
        id
    }
}
