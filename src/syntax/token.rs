//! The tokens, as the parser sees them. Not how they are found; that is the lexer's business.

/// An operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it; `text` gives the spelling")]
pub enum Op {
    OrOr,
    AndAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Or,
    Xor,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    AndNot,
    Not,
    Recv,
    Tilde,
}

impl Op {
    /// Binding strength as a binary operator, 1 to 5.
    pub fn prec(self) -> u8 {
        match self {
            Op::OrOr => 1,
            Op::AndAnd => 2,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 3,
            Op::Add | Op::Sub | Op::Or | Op::Xor => 4,
            Op::Mul
            | Op::Div
            | Op::Rem
            | Op::Shl
            | Op::Shr
            | Op::And
            | Op::AndNot
            | Op::Not
            | Op::Recv
            | Op::Tilde => 5,
        }
    }

    /// The spelling.
    pub fn text(self) -> &'static str {
        match self {
            Op::OrOr => "||",
            Op::AndAnd => "&&",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Or => "|",
            Op::Xor => "^",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Rem => "%",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::And => "&",
            Op::AndNot => "&^",
            Op::Not => "!",
            Op::Recv => "<-",
            Op::Tilde => "~",
        }
    }

    /// `== != < <= > >=`.
    pub fn is_comparison(self) -> bool {
        matches!(self, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
    }

    /// `<< >>`.
    pub fn is_shift(self) -> bool {
        matches!(self, Op::Shl | Op::Shr)
    }
}

/// What made a semicolon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Semi {
    Explicit,
    Newline,
    Eof,
}

/// What is wrong with a bad token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it; the message module has the words")]
pub enum LexErr {
    BadChar,
    Nul,
    Bom,
    Unterminated(Kind),
    BadNumber,
    BadEscape,
    BadRune,
    EmptyRune,
    BraceOnNextLine,
    Nesting,
}

/// What was not terminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Str,
    Raw,
    Rune,
    Comment,
}

/// What the parser sees. The `u32` payloads are token indexes, filled in when the parser is fed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it where nothing is written")]
pub enum Tok {
    Ident(u32),
    Lit(u32),
    Str(u32),
    Semi(Semi),
    /// `|| && == != < <= > >= / % << >> &^`
    BinOp(Op),
    /// `+ - ^`: unary and binary.
    AddOp(Op),
    Not,
    Tilde,
    Star,
    Amp,
    Pipe,
    Arrow,
    /// `op=`
    AssignOp(Op),
    Assign,
    Define,
    IncDec(Op),
    LParen,
    RParen,
    LBrack,
    RBrack,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Colon,
    Ellipsis,
    /// `[` that opens the type parameters of a type declaration.
    TypeParams,
    /// `func` that starts a top-level function or method declaration.
    FuncDecl,
    Break,
    Case,
    Chan,
    Const,
    Continue,
    Default,
    Defer,
    Else,
    Fallthrough,
    For,
    Func,
    Go,
    Goto,
    If,
    Import,
    Interface,
    Map,
    Package,
    Range,
    Return,
    Select,
    Struct,
    Switch,
    Type,
    Var,
    Error(LexErr),
}

/// A token and the bytes it covers.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
}
