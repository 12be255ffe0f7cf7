//! What can go wrong in the middle of an instruction or a native, as data.

/// Becomes a panic or a fatal error of the guest.
#[derive(Clone, PartialEq, Debug)]
pub enum Trap {
    /// A nil pointer, map element, func ... was followed.
    Nil,
    /// `runtime.Error` with the prefix `runtime error: `, of type `runtime.errorString`.
    Runtime(String),
    /// `runtime.Error` with the prefix, of type `runtime.boundsError`.
    Bounds(String),
    /// `runtime.Error` without a prefix: `send on closed channel` and its like.
    Plain(String),
    /// `*runtime.TypeAssertionError`.
    Assertion(String),
    /// `panic(nil)`.
    NilPanic,
    /// Any value: the interface word.
    Value(u64),
    /// A string as panic value (panics of std packages).
    Text(String),
    /// Cannot be recovered: `fatal error: ...`.
    Fatal(String),
}

impl Trap {
    /// An index out of range. `index` as a signed number.
    pub fn index(index: i64, len: usize) -> Trap {
        if index < 0 {
            return Trap::Bounds(format!("index out of range [{index}]"));
        }
        Trap::Bounds(format!("index out of range [{index}] with length {len}"))
    }

    /// A division by zero.
    pub fn divide() -> Trap {
        Trap::Runtime("integer divide by zero".into())
    }
}
