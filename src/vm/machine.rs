//! The tables that all goroutines of one machine share, and how a module gets into them.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, RwLock};

use crate::bytecode::liveness::Liveness;
use crate::bytecode::module::{Const, Func, MethodName, Module, SelectTable, WellKnown};
use crate::bytecode::op::Ins;
use crate::heap::{Cache, Heap};
use crate::natives::{self, NativeFn};
use crate::source::Pos;
use crate::value::append_vec::AppendVec;
use crate::value::mem;
use crate::value::types::TypeTable;

use super::co::Stacks;

/// What the handlers need of a function. 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) code: *const Ins,
    pub(crate) nslots: u32,
    /// Slots of the parameters, which are registers.
    pub(crate) params: u16,
    /// What a call charges: the length of the code, bounded.
    pub(crate) cost: u16,
}

mod send {
    #![expect(unsafe_code, reason = "code is immutable and lives as long as the machine")]
    // SAFETY: see the reason.
    unsafe impl Send for super::Entry {}
    // SAFETY: see the reason.
    unsafe impl Sync for super::Entry {}
}

/// What an interface call has found for up to four types: type id in the high half, function id and a flag in the low half.
pub(crate) type InlineCache = [AtomicU64; 4];

/// Turns a position into file and line.
pub struct Locate(pub Box<dyn Fn(Pos) -> Option<(String, u32)> + Send + Sync>);

impl std::fmt::Debug for Locate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Locate")
    }
}

/// Where a guest's standard streams go. The command line gives the process's own.
pub struct Streams {
    pub stdin: Mutex<Box<dyn std::io::Read + Send>>,
    pub stdout: Mutex<Box<dyn Write + Send>>,
    pub stderr: Mutex<Box<dyn Write + Send>>,
}

impl std::fmt::Debug for Streams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Streams")
    }
}

impl Default for Streams {
    fn default() -> Self {
        Streams {
            stdin: Mutex::new(Box::new(std::io::stdin())),
            stdout: Mutex::new(Box::new(std::io::stdout())),
            stderr: Mutex::new(Box::new(std::io::stderr())),
        }
    }
}

/// Settings of a machine.
#[derive(Debug, Default)]
pub struct VmConfig {
    pub streams: std::sync::Arc<Streams>,
    /// `os.Args`.
    pub args: Vec<String>,
    /// Environment of the guest.
    pub env: Vec<(String, String)>,
    /// Collect at every n-th safe point (0: only when due).
    pub gc_stress: u32,
    /// Print a line about each collection (`GODEBUG=gctrace`).
    pub gc_trace: bool,
    /// GOGC; `None` is off.
    pub gc_percent: Option<u64>,
    /// GOMEMLIMIT in bytes.
    pub memory_limit: Option<u64>,
    /// GOTRACEBACK=all, system or crash.
    pub traceback_all: bool,
    /// A session: an unrecovered panic ends its goroutine, not the program.
    pub session: bool,
    /// The guest's clock is virtual.
    pub virtual_time: bool,
    /// Slots of a new goroutine's stack; 0 for the ordinary size.
    pub first_stack: usize,
    /// Set by the guest while it deals with SIGQUIT itself, for whoever writes the dump otherwise; `None` if nobody does.
    pub quit_taken: Option<std::sync::Arc<AtomicBool>>,
    /// GOTRACEBACK=none.
    pub traceback_none: bool,
}

/// The shared state of a machine. See the head of the file.
#[derive(Debug)]
pub struct Vm {
    pub heap: Heap,
    pub(crate) entries: AppendVec<Entry>,
    pub(crate) funcs: AppendVec<Func>,
    pub(crate) consts: AppendVec<u64>,
    pub types: TypeTable,
    pub methods: AppendVec<MethodName>,
    pub(crate) natives: AppendVec<NativeFn>,
    /// Beside `natives`: slots of arguments and results.
    pub(crate) native_slots: AppendVec<(u16, u16)>,
    /// Beside `funcs`: which slots are live where, once the collector has asked.
    pub(crate) live: AppendVec<OnceLock<Liveness>>,
    pub(crate) selects: AppendVec<SelectTable>,
    /// Inline caches of interface calls: see [`InlineCache`].
    pub(crate) caches: AppendVec<InlineCache>,
    globals: AppendVec<AtomicU64>,
    /// Backing of constants: strings, boxes, static closures.
    statics: Mutex<Vec<Box<[u64]>>>,
    /// Code start address to function id.
    by_address: RwLock<BTreeMap<usize, u32>>,
    /// Return points that are not in any function: see [`Stubs`].
    pub(crate) stubs: Stubs,
    pub(crate) known: RwLock<WellKnown>,
    pub(crate) locate: RwLock<Option<Locate>>,
    pub config: VmConfig,
    pub(crate) max_stack: AtomicU64,
    /// Tracebacks of panics show all goroutines.
    pub(crate) traceback_all: AtomicBool,
    pub(crate) stress_left: AtomicU32,
    /// The collection that is wanted is the one that is forced after two minutes.
    pub(crate) gc_by_time: AtomicBool,
    pub(crate) stacks: Stacks,
    /// `runtime.NumCPU`: the CPUs in the affinity mask at the start.
    pub(crate) cpus: u32,
    /// A goroutine is printing its panic: the end of main waits for it.
    pub(crate) dying: AtomicBool,
    /// Panics under way in all goroutines, and how often the end of main has waited for them.
    pub(crate) panicking: AtomicU32,
    pub(crate) turns: AtomicU32,
    /// What natives keep for the whole machine.
    pub natives_state: natives::State,
}

/// Return points of the machine's own. Each is preceded by a call with window 0, as every return point is.
#[derive(Debug)]
pub(crate) struct Stubs(Box<[Ins]>);

impl Stubs {
    fn new() -> Stubs {
        let call = Ins::Call { w: 0, f: 0 };
        Stubs(Box::new([call, Ins::EndG {}, call, Ins::EndDefer {}, call, Ins::EndPanicText {}]))
    }

    pub(crate) fn end_g(&self) -> *const Ins {
        &raw const self.0[1]
    }

    pub(crate) fn end_defer(&self) -> *const Ins {
        &raw const self.0[3]
    }

    pub(crate) fn end_text(&self) -> *const Ins {
        &raw const self.0[5]
    }
}

/// Go's limit on a goroutine's stack in bytes.
const MAX_STACK: u64 = 1_000_000_000;
/// Room for the tables; only what is used takes memory.
const MAX_FUNCS: usize = 1 << 19;
const MAX_CONSTS: usize = 1 << 21;
const MAX_GLOBALS: usize = 1 << 20;

/// The machine's part of a P.
#[derive(Debug, Default)]
pub struct Local {
    pub cache: Cache,
}

impl Vm {
    /// A machine with nothing loaded. `module` says how much room the globals need at least.
    ///
    /// # Errors
    /// If no memory can be reserved.
    pub fn new(config: VmConfig, module: &Module) -> Result<Vm, String> {
        let heap = Heap::new()?;
        heap.set_gc_percent(config.gc_percent);
        if let Some(limit) = config.memory_limit {
            heap.set_limit(limit);
        }
        let stacks = Stacks::new(config.first_stack);
        let vm = Vm {
            heap,
            entries: AppendVec::new(MAX_FUNCS),
            funcs: AppendVec::new(MAX_FUNCS),
            live: AppendVec::new(MAX_FUNCS),
            consts: AppendVec::new(MAX_CONSTS),
            types: TypeTable::new(),
            methods: AppendVec::new(MAX_FUNCS),
            natives: AppendVec::new(1 << 16),
            native_slots: AppendVec::new(1 << 16),
            selects: AppendVec::new(1 << 18),
            caches: AppendVec::new(MAX_FUNCS),
            globals: AppendVec::new((module.global_words as usize).max(MAX_GLOBALS) + MAX_GLOBALS),
            statics: Mutex::new(Vec::new()),
            by_address: RwLock::new(BTreeMap::new()),
            stubs: Stubs::new(),
            known: RwLock::new(WellKnown::default()),
            locate: RwLock::new(None),
            traceback_all: AtomicBool::new(config.traceback_all),
            config,
            max_stack: AtomicU64::new(MAX_STACK),
            stress_left: AtomicU32::new(0),
            gc_by_time: AtomicBool::new(false),
            stacks,
            cpus: crate::sync::affinity(),
            dying: AtomicBool::new(false),
            panicking: AtomicU32::new(0),
            turns: AtomicU32::new(0),
            natives_state: natives::State::default(),
        };
        Ok(vm)
    }

    /// Loads what the module has beyond what was loaded before. The module was verified.
    ///
    /// # Errors
    /// The name of a native that does not exist.
    pub fn load(&self, module: &Module) -> Result<(), String> {
        for d in &module.types[self.types.len()..] {
            self.types.push(d.clone());
        }
        for m in &module.methods[self.methods.len()..] {
            self.methods.push(m.clone());
        }
        for n in &module.natives[self.natives.len()..] {
            let f = natives::find(&n.name)
                .ok_or_else(|| format!("native function {} does not exist", n.name))?;
            self.natives.push(f);
            self.native_slots.push((n.params, n.results));
        }
        for s in &module.selects[self.selects.len()..] {
            self.selects.push(s.clone());
        }
        while self.caches.len() < module.caches as usize {
            self.caches.push(InlineCache::default());
        }
        while self.globals.len() < module.global_words as usize {
            self.globals.push(AtomicU64::new(0));
        }
        for f in &module.funcs[self.funcs.len()..] {
            self.add_func(f.clone());
        }
        for c in &module.consts[self.consts.len()..] {
            let word = self.constant(c);
            self.consts.push(word);
        }
        *self.known.write().expect("never held across a panic") = module.known.clone();
        Ok(())
    }

    fn add_func(&self, f: Func) {
        let id = self.funcs.push(f);
        self.live.push(OnceLock::new());
        let f = self.funcs.at(id);
        let cost = (f.code.len() / 2).clamp(1, 64) as u16;
        self.entries.push(Entry {
            code: f.code.as_ptr(),
            nslots: f.nslots,
            params: u16::try_from(f.params).expect("parameters are registers"),
            cost,
        });
        let mut map = self.by_address.write().expect("never held across a panic");
        map.insert(f.code.as_ptr() as usize, id as u32);
    }

    fn constant(&self, c: &Const) -> u64 {
        match c {
            Const::Word(w) => *w,
            Const::Str(s) => self.static_string(s),
            Const::Func(f) => self.keep(vec![u64::from(*f)]),
            Const::IfaceWord { ty, word } => self.keep(vec![u64::from(*ty), *word]) + 8,
            Const::IfaceStr { ty, text } => {
                let s = self.static_string(text);
                self.keep(vec![u64::from(*ty), s]) + 8
            }
        }
    }

    /// A string that lives as long as the machine.
    pub(crate) fn static_string(&self, s: &[u8]) -> u64 {
        if s.is_empty() {
            return 0;
        }
        let mut words = vec![0u64; 2 + s.len().div_ceil(8)];
        words[1] = s.len() as u64;
        let p = self.keep(words);
        mem::store64(p, p + 16);
        mem::write_bytes(p + 16, s);
        p
    }

    fn keep(&self, words: Vec<u64>) -> u64 {
        let mut b = words.into_boxed_slice();
        let p = b.as_mut_ptr() as u64;
        self.statics.lock().expect("never held across a panic").push(b);
        p
    }

    /// Whether the object at an address has so many bytes from there on: a cell of the heap, a constant or the globals.
    pub(crate) fn holds(&self, p: u64, bytes: u64) -> bool {
        if let Some(room) = self.heap.room_from(p) {
            return bytes <= room;
        }
        let within = |start: *const u64, words: usize| {
            let start = start as u64;
            start <= p && p - start + bytes <= words as u64 * 8
        };
        let (globals, n) = self.global_words();
        let statics = self.statics.lock().expect("never held across a panic");
        within(globals, n) || statics.iter().any(|b| within(b.as_ptr(), b.len()))
    }

    /// The address of a word of the globals.
    #[inline(always)]
    pub(crate) fn global(&self, word: u32) -> u64 {
        self.globals.as_ptr().wrapping_add(word as usize) as u64
    }

    pub(crate) fn global_words(&self) -> (*const u64, usize) {
        (self.globals.as_ptr().cast(), self.globals.len())
    }

    /// The function that a code address lies in.
    pub(crate) fn func_at(&self, pc: *const Ins) -> Option<(u32, &Func)> {
        let map = self.by_address.read().expect("never held across a panic");
        let (&start, &id) = map.range(..=pc as usize).next_back()?;
        let f = self.funcs.at(id as usize);
        (pc as usize <= start + f.code.len() * size_of::<Ins>()).then_some((id, f))
    }

    /// File and line of the instruction before a saved pc.
    pub(crate) fn line_of(&self, f: &Func, pc: *const Ins) -> (String, u32) {
        let at = (pc as usize - f.code.as_ptr() as usize) / size_of::<Ins>();
        let i = f.lines.partition_point(|(start, _)| (*start as usize) < at.max(1));
        let pos = if i == 0 { f.pos } else { f.lines[i - 1].1 };
        let locate = self.locate.read().expect("never held across a panic");
        locate.as_ref().and_then(|l| (l.0)(pos)).unwrap_or_else(|| ("?".into(), 0))
    }

    /// Writes bytes to the guest's standard error.
    pub(crate) fn write_stderr_bytes(&self, bytes: &[u8]) {
        let mut err = self.config.streams.stderr.lock().expect("never held across a panic");
        // Nothing can be done about a closed stream.
        let _ = err.write_all(bytes);
        let _ = err.flush();
    }

    /// A func value for a function without parameters and captured variables.
    pub fn func_value(&self, func: u32) -> u64 {
        self.keep(vec![u64::from(func)])
    }

    /// Sets how positions become files and lines.
    pub fn set_locate(&self, locate: Locate) {
        *self.locate.write().expect("never held across a panic") = Some(locate);
    }

    /// Has tracebacks of panics show all goroutines.
    pub fn show_all_goroutines(&self) {
        self.traceback_all.store(true, Ordering::Relaxed);
    }

    /// Writes to the guest's standard error.
    pub fn write_stderr(&self, text: &str) {
        let mut err = self.config.streams.stderr.lock().expect("never held across a panic");
        // Nothing can be done about a closed stream.
        let _ = err.write_all(text.as_bytes());
        let _ = err.flush();
    }

    /// The limit on a goroutine's stack in bytes; returns the old one.
    pub fn set_max_stack(&self, bytes: u64) -> u64 {
        self.max_stack.swap(bytes, Ordering::Relaxed)
    }
}
