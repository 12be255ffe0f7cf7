//! The kinds of errors. Their names are stable: scripts may look for them in `--error-format=json`, and `gmpl explain` explains them
//! with the text of `docs/errors.md`, which has a section with an example for each.

/// Defines the enum and its list of names.
macro_rules! codes {
    ($($name:ident),* $(,)?) => {
        /// The kind of an error. What each means, with an example, is in `docs/errors.md`.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[expect(missing_docs, reason = "docs/errors.md has a section for each")]
        pub enum Code {
            $($name,)*
        }

        impl Code {
            /// All of them: syntax, declarations, constants, assignments, types, expressions, statements, generics.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The name that is shown.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$name => stringify!($name),)*
                }
            }
        }
    };
}

codes! {
    SyntaxError,
    BadToken,
    BadDecl,
    InvalidPkgName,
    InvalidPkgUse,
    BadImportPath,
    BrokenImport,
    UnusedImport,
    UndeclaredName,
    UndeclaredImportedName,
    UnexportedName,
    InvalidBlank,
    DuplicateDecl,
    RepeatedDecl,
    NoNewVar,
    UnusedVar,
    InvalidInitCycle,
    InvalidCycle,
    InvalidInitDecl,
    InvalidInitSig,
    InvalidMainDecl,
    MissingBody,
    InvalidConstInit,
    InvalidConstVal,
    InvalidConstType,
    InvalidIota,
    NumericOverflow,
    TruncatedFloat,
    DivisionByZero,
    WrongAssignCount,
    UnassignableOperand,
    UnaddressableFieldAssign,
    IncompatibleAssign,
    UntypedNilUse,
    TooManyValues,
    NotAType,
    NotAnExpr,
    InvalidArrayLen,
    TooLarge,
    TooDeep,
    InvalidEmbed,
    DuplicateMethod,
    DuplicateFieldAndMethod,
    BlankIfaceMethod,
    IncomparableMapKey,
    InvalidRecv,
    UndefinedOp,
    MismatchedTypes,
    InvalidComparison,
    InvalidShiftCount,
    InvalidShiftOperand,
    NonNumericIncDec,
    UnaddressableOperand,
    InvalidIndirection,
    NonIndexableOperand,
    InvalidIndex,
    NonSliceableOperand,
    InvalidSliceExpr,
    SwappedSliceIndices,
    InvalidReceive,
    InvalidSend,
    InvalidLit,
    InvalidLitIndex,
    DuplicateLitKey,
    MissingLitKey,
    MixedStructLit,
    InvalidStructLit,
    MissingLitField,
    DuplicateLitField,
    UnexportedLitField,
    AmbiguousSelector,
    MissingFieldOrMethod,
    InvalidMethodExpr,
    InvalidDotDotDot,
    InvalidArgument,
    SwappedMakeArgs,
    WrongArgCount,
    InvalidCall,
    InvalidConversion,
    InvalidAssert,
    ImpossibleAssert,
    MisplacedGuard,
    UnusedExpr,
    InvalidGoDefer,
    MissingReturn,
    WrongResultCount,
    OutOfScopeResult,
    InvalidCond,
    InvalidIterVar,
    InvalidRangeExpr,
    MisplacedBreak,
    MisplacedContinue,
    MisplacedFallthrough,
    InvalidCase,
    DuplicateCase,
    InvalidExprSwitch,
    InvalidTypeSwitch,
    InvalidSelectCase,
    MisplacedLabel,
    UndeclaredLabel,
    DuplicateLabel,
    UnusedLabel,
    JumpOverDecl,
    JumpIntoBlock,
    NotAGenericType,
    MissingTypeArgs,
    WrongTypeArgCount,
    CannotInferTypeArgs,
    InvalidTypeArg,
    InvalidInstanceCycle,
    InvalidUnion,
    MisplacedConstraintIface,
    MisplacedTypeParam,
}

/// The texts of all codes.
const TEXTS: &str = include_str!("../../docs/errors.md");

impl Code {
    /// The code with this name.
    pub fn named(name: &str) -> Option<Code> {
        Self::ALL.iter().copied().find(|c| c.name().eq_ignore_ascii_case(name))
    }

    /// What it means and an example program, as in `docs/errors.md`.
    pub fn explanation(self) -> &'static str {
        let head = format!("\n## {}\n", self.name());
        let start = TEXTS.find(&head).map_or(TEXTS.len(), |at| at + head.len());
        let text = &TEXTS[start..];
        text[..text.find("\n## ").unwrap_or(text.len())].trim()
    }

    /// The example in the explanation: a program that has this error and no other.
    pub fn example(self) -> &'static str {
        let text = self.explanation();
        let start = text.find("```go\n").map_or(text.len(), |at| at + "```go\n".len());
        let text = &text[start..];
        &text[..text.find("```").unwrap_or(text.len())]
    }
}
