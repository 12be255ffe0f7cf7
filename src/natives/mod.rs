//! The functions of std packages that are written in Rust, and those that the compiler inserts.
//!
//! A native sees its arguments as slots and writes its results over them. It never calls guest code, never keeps a guest address
//! over a safe point, and charges the budget for the bytes and elements that it touches. What may block is split: [`Outcome::Block`] runs a
//! part without a P, whose completion then stores the results.
//!
//! Each package has a file with a table of (name, function); [`find`] looks through them. A test holds the tables against
//! the bodiless declarations in `std/`.

mod base64;
mod big;
mod calls;
mod digest;
mod errors;
mod finals;
mod flate;
pub mod float;
pub mod fmt;
mod handle;
mod inflate;
mod inq;
mod json;
mod math;
mod net;
mod os;
mod pipe;
mod process;
mod rand;
mod reflect;
mod regexp;
mod rt;
mod runtime;
pub mod session;
mod signal;
mod sort;
mod strconv;
mod strings;
mod sync;
mod time;
mod trace;
mod unicode;
mod zone;

use std::fmt::Debug;
use std::sync::Mutex;

use crate::sched::{Cx, Flow, GRef};
use crate::value::{Alloc, mem, text};
use crate::vm::Vm;
use crate::vm::co::Completion;
use crate::vm::trap::Trap;

/// What a native answers.
pub enum Outcome {
    /// The results are in place.
    Done,
    Trap(Trap),
    /// A lock operation: may have parked the goroutine.
    Flow(Flow),
    /// To the tail of the global queue.
    Gosched,
    Goexit,
    /// Ends the program.
    Exit(i32),
    /// Runs without a P, then completes.
    Block(Job),
    /// Wants a collection now.
    Collect,
}

impl Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outcome")
    }
}

/// The blocking part of a native. It owns what it uses: no guest memory.
#[expect(missing_debug_implementations, reason = "holds a closure")]
pub struct Job {
    /// Blocks for sure (a read of standard input): the P is handed off at once.
    pub known_to_block: bool,
    pub run: Box<dyn FnOnce() -> Completion + Send>,
}

/// A native function.
pub type NativeFn = fn(&mut Ncx<'_, '_>) -> Outcome;

/// What a native works with.
#[derive(Debug)]
pub struct Ncx<'a, 'rt> {
    pub vm: &'a Vm,
    pub cx: &'a mut Cx<'rt, Vm>,
    pub g: GRef,
    pub(crate) args: *mut u64,
}

impl Ncx<'_, '_> {
    /// Slot `i` of the arguments.
    #[inline(always)]
    pub fn arg(&self, i: usize) -> u64 {
        mem::load(self.args, i)
    }

    /// Slot `i` of the arguments as a signed number.
    #[inline(always)]
    pub fn int(&self, i: usize) -> i64 {
        self.arg(i) as i64
    }

    /// Slot `i` of the arguments as a float64.
    pub fn float(&self, i: usize) -> f64 {
        f64::from_bits(self.arg(i))
    }

    /// The bytes of the string in slot `i`.
    pub fn bytes<'b>(&self, i: usize) -> &'b [u8] {
        text::bytes(self.arg(i))
    }

    /// The string in slot `i` for the host: bad UTF-8 is replaced.
    pub fn string(&self, i: usize) -> String {
        text::lossy(self.arg(i))
    }

    /// A copy of the bytes of the byte slice in slot `i` (the guest may write them meanwhile).
    pub fn byte_slice(&self, i: usize) -> Vec<u8> {
        let s = self.arg(i);
        mem::read_bytes(text::data(s), text::len(s))
    }

    /// The words of the slice in slot `i`.
    pub fn words(&self, i: usize) -> Vec<u64> {
        let s = self.arg(i);
        (0..text::len(s)).map(|k| mem::load(text::data(s) as *const u64, k)).collect()
    }

    /// Sets result slot `i`.
    #[inline(always)]
    pub fn ret(&mut self, i: usize, v: u64) {
        mem::store(self.args, i, v);
    }

    /// Sets result slot `i` to a bool.
    pub fn ret_bool(&mut self, i: usize, v: bool) {
        self.ret(i, u64::from(v));
    }

    /// Sets result slot `i` to a float64.
    pub fn ret_float(&mut self, i: usize, v: f64) {
        self.ret(i, v.to_bits());
    }

    /// Sets result slot `i` to a new string.
    pub fn ret_string(&mut self, i: usize, s: &[u8]) {
        self.charge(s.len());
        let w = self.alloc().string(s);
        self.ret(i, w);
    }

    /// Sets result slot `i` to a new byte slice.
    pub fn ret_bytes(&mut self, i: usize, s: &[u8]) {
        self.charge(s.len());
        let w = self.alloc().byte_slice(s);
        self.ret(i, w);
    }

    /// Sets result slot `i` to a new slice of strings.
    pub fn ret_strings<S: AsRef<[u8]>>(&mut self, i: usize, list: &[S]) {
        let words: Vec<u64> = list.iter().map(|s| self.alloc().string(s.as_ref())).collect();
        let w = self.alloc().word_slice(&words, crate::heap::SHAPE_WORDS);
        self.ret(i, w);
    }

    /// After the world was stopped in a native: the stack may have moved. The native must answer `Outcome::Flow(Flow::Done)`, so that
    /// the handlers look at it anew, too.
    pub(crate) fn refresh(&mut self) {
        self.args = self.vm.native_window(self.cx, self.g);
    }

    /// Says what is left to do if the native parks the goroutine: to be called before it may.
    pub(crate) fn set_completion(&mut self, done: Completion) {
        self.vm.set_pending_native(self.cx, self.g, done);
    }

    /// It did not park.
    pub(crate) fn clear_completion(&mut self) {
        self.vm.set_pending_nothing(self.cx, self.g);
    }

    /// The means to allocate.
    pub fn alloc(&mut self) -> Alloc<'_> {
        Alloc { heap: &self.vm.heap, cache: &mut self.cx.local().cache }
    }

    /// Charges the budget for work on so many bytes.
    pub fn charge(&mut self, bytes: usize) {
        self.cx.fuel -= (bytes / 16) as i64;
    }
}

/// Something a native keeps behind a guest object: a timer, a file, a connection.
pub trait NativePart: Send + Sync + Debug {
    /// Offers the guest words it refers to.
    fn trace(&self, _word: &mut dyn FnMut(u64)) {}
    /// Whether `reflect.DeepEqual` sees no difference to another part.
    fn equals(&self, _other: &dyn NativePart) -> bool {
        false
    }
    /// For looking at the concrete type.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// The box behind a guest object of shape `SHAPE_NATIVE`.
#[derive(Debug)]
pub struct NativeObject(pub Box<dyn NativePart>);

impl NativeObject {
    /// Offers the guest words it refers to.
    pub fn trace(&self, word: &mut dyn FnMut(u64)) {
        self.0.trace(word);
    }
}

/// What natives keep for a whole machine.
#[derive(Debug, Default)]
pub struct State {
    pub(crate) fmt: fmt::MethodIds,
    classes: unicode::Classes,
    json_ids: json::MethodIds,
    json_fields: json::Cache,
    zones: zone::Zones,
    pub(crate) finals: finals::Finals,
    /// The link between a session and its front end.
    pub session: session::Session,
    /// The trace that the program has started.
    started: trace::Started,
    /// Words that must stay alive for natives, such as the channels that signals are sent to.
    pub(crate) kept: Mutex<Vec<u64>>,
}

impl State {
    /// Offers the words that natives keep.
    pub fn trace(&self, mut word: impl FnMut(u64)) {
        self.kept.lock().expect("never held across a panic").iter().for_each(|w| word(*w));
        self.finals.trace(word);
    }
}

/// A table of natives of one package: names without the package's path.
pub(crate) type Table = &'static [(&'static str, NativeFn)];

/// All tables, by package path.
const TABLES: &[(&str, Table)] = &[
    ("rt", rt::TABLE),
    ("compress/flate", flate::TABLE),
    ("crypto/md5", digest::CRYPTO),
    ("crypto/rand", digest::CRYPTO_RAND),
    ("crypto/sha1", digest::CRYPTO),
    ("crypto/sha256", digest::CRYPTO),
    ("crypto/sha512", digest::CRYPTO),
    ("encoding/base64", base64::TABLE),
    ("encoding/json", json::TABLE),
    ("hash/adler32", digest::ADLER),
    ("hash/crc32", digest::CRC32),
    ("hash/crc64", digest::CRC64),
    ("hash/fnv", digest::FNV),
    ("errors", errors::TABLE),
    ("sort", sort::TABLE),
    ("fmt", fmt::TABLE),
    ("math", math::TABLE),
    ("math/big", big::TABLE),
    ("math/bits", math::BITS),
    ("math/rand", rand::TABLE),
    ("math/rand/v2", rand::V2),
    ("net", net::TABLE),
    ("os", os::TABLE),
    ("os/signal", signal::TABLE),
    ("reflect", reflect::TABLE),
    ("regexp", regexp::TABLE),
    ("runtime", finals::TABLE),
    ("runtime", runtime::TABLE),
    ("runtime/debug", runtime::DEBUG),
    ("runtime/trace", trace::TABLE),
    ("session", session::TABLE),
    ("strconv", strconv::TABLE),
    ("strings", strings::TABLE),
    ("bytes", strings::BYTES),
    ("unicode", unicode::TABLE),
    ("sync", sync::TABLE),
    ("sync/atomic", sync::ATOMIC),
    ("runtime/metrics", calls::METRICS),
    ("syscall", calls::TABLE),
    ("syscall", process::TABLE),
    ("time", time::TABLE),
    ("time", zone::TABLE),
    ("weak", finals::WEAK),
];

/// The native with a full name, such as `strings.Index` or `math/bits.Len64`.
pub fn find(name: &str) -> Option<NativeFn> {
    let slash = name.rfind('/').map_or(0, |i| i + 1);
    let dot = slash + name[slash..].find('.')?;
    let (package, rest) = (&name[..dot], &name[dot + 1..]);
    let mut tables = TABLES.iter().filter(|(p, _)| *p == package);
    tables.find_map(|(_, table)| table.iter().find(|(n, _)| *n == rest)).map(|(_, f)| *f)
}

/// Every native: its full name.
pub fn names() -> Vec<String> {
    TABLES.iter().flat_map(|(p, t)| t.iter().map(move |(n, _)| format!("{p}.{n}"))).collect()
}

impl Ncx<'_, '_> {
    /// The native is about to call a lock operation that may park the goroutine.
    pub(crate) fn may_park(&mut self) {
        self.vm.set_pending_sync(self.cx, self.g);
    }

    /// The native is about to sleep or wait for a descriptor: when the goroutine runs again, it just goes on.
    pub(crate) fn may_wait(&mut self) {
        self.vm.set_pending_nothing(self.cx, self.g);
    }
}

pub(crate) use sync::{fault as sync_fault, is_free, lock_quickly, unlock_quickly};
pub(crate) use time::wall;
