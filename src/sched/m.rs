//! M: an operating system thread that runs goroutines, its loop, and how Ms are started and sent to sleep.
//!
//! Ms are made on demand, never one per P, and kept: an idle M sleeps in its parker until somebody hands it
//! a P (`next_p`, set before the wake-up). An M leaves only when the runtime ends, or when a goroutine that
//! is locked to it ends.

use super::cx::Cx;
use super::events::{Ev, Stat};
use super::g::{GHead, GRef};
use super::p::{PCore, POwn, pstatus};
use super::rt::{Central, Rt};
use super::{Machine, ProcessEnd};
use crate::sync::{Arc, AtomicPtr, LockGuard, Ordering, Parker, RelBool, RelPtr, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The stack of an M's thread. The machine does not recurse, but printing and JSON follow nested values down to a fixed depth; memory is
/// used only as far as they go.
const THREAD_STACK: usize = 16 << 20;

/// What others see of an M.
#[derive(Debug)]
pub(crate) struct Mach<M: Machine> {
    pub(crate) id: u32,
    pub(crate) parker: Parker,
    /// A P handed over to a sleeping M. Written by the waker before it wakes, taken by the M.
    pub(crate) next_p: AtomicPtr<PCore<M>>,
    /// The woken M starts as a spinning one; the waker has counted it. Written with `next_p`.
    pub(crate) next_spinning: RelBool,
    /// The G that is locked to this M. Written by the M itself.
    pub(crate) locked_g: RelPtr<GHead>,
    /// The G that it runs. Written by the M itself; for dumps.
    pub(crate) cur_g: RelPtr<GHead>,
    /// Its P, or -1; for dumps.
    pub(crate) p: crate::sync::RelI64,
    pub(crate) spinning: RelBool,
    /// Asleep in its parker or in the poller; for dumps.
    pub(crate) blocked: RelBool,
    /// In a blocking native: the runtime's end does not wait for it.
    pub(crate) in_syscall: RelBool,
}

impl<M: Machine> Mach<M> {
    pub(crate) fn new(id: u32) -> Mach<M> {
        Mach {
            id,
            parker: Parker::default(),
            next_p: AtomicPtr::default(),
            next_spinning: RelBool::new(false),
            locked_g: RelPtr::default(),
            cur_g: RelPtr::default(),
            p: crate::sync::RelI64::new(-1),
            spinning: RelBool::new(false),
            blocked: RelBool::new(false),
            in_syscall: RelBool::new(false),
        }
    }
}

/// Ms that the runtime's end has to wait for.
pub(crate) fn live_threads<M: Machine>(c: &Central<M>) -> usize {
    c.all_ms.iter().filter(|m| !m.in_syscall.get()).count()
}

/// Starts the first M with P 0.
pub(crate) fn start_first<M: Machine>(rt: &Arc<Rt<M>>) {
    let mut c = rt.central();
    let Some(p) = rt.take_idle_p(&mut c) else { return };
    rt.start_m(c, p, false);
}

impl<M: Machine> Rt<M> {
    /// Takes a P from the idle list, unless the world is being stopped.
    pub(crate) fn take_idle_p(&self, c: &mut Central<M>) -> Option<POwn<M>> {
        if self.wants.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let p = c.idle_ps.pop()?;
        self.npidle.store(u32::try_from(c.idle_ps.len()).unwrap_or(u32::MAX), Ordering::SeqCst);
        p.shared().status.set(pstatus::RUNNING);
        Some(p)
    }

    /// Puts a P on the idle list.
    pub(crate) fn put_idle_p(&self, c: &mut Central<M>, mut p: POwn<M>) {
        if p.id >= self.procs.get() {
            self.retire(c, p);
            return;
        }
        debug_assert!(p.has_no_work() || self.wants.load(Ordering::Relaxed) != 0);
        p.pace.forget();
        p.shared().m.set(-1);
        p.shared().status.set(pstatus::IDLE);
        c.idle_ps.push(p);
        self.npidle.store(u32::try_from(c.idle_ps.len()).unwrap_or(u32::MAX), Ordering::SeqCst);
        // A stop-the-world waits for exactly this.
        if self.wants.load(Ordering::Relaxed) != 0 {
            self.stop_gate.open();
        }
    }

    /// Gives `p` to a sleeping M or to a new one. A spinning M has been counted in `nmspinning` already.
    pub(crate) fn start_m(
        self: &Arc<Self>,
        mut c: LockGuard<'_, Central<M>>,
        p: POwn<M>,
        spinning: bool,
    ) {
        let m = match c.idle_ms.pop() {
            Some(m) => m,
            None => match self.new_m(c) {
                Some(m) => {
                    Self::hand_over(&m, p, spinning);
                    self.spawn_thread(m);
                    return;
                }
                None => return,
            },
        };
        self.loose_stats.add(Stat::MUnpark, 1);
        if self.has_hook() {
            self.emit(i64::from(p.id), m.id, 0, &Ev::MUnpark { by_m: super::watch::me() });
        }
        Self::hand_over(&m, p, spinning);
        m.parker.unpark();
    }

    fn hand_over(m: &Mach<M>, p: POwn<M>, spinning: bool) {
        m.next_spinning.set(spinning);
        m.next_p.store(p.into_raw(), Ordering::Release);
    }

    /// A new M, or the end of the program if there are too many. Consumes the lock.
    fn new_m(self: &Arc<Self>, mut c: LockGuard<'_, Central<M>>) -> Option<Arc<Mach<M>>> {
        if c.m_count >= self.max_threads.get() {
            drop(c);
            self.threads_exhausted();
            return None;
        }
        let m = Arc::new(Mach::new(c.m_next));
        c.m_next += 1;
        c.m_count += 1;
        c.all_ms.push(Arc::clone(&m));
        self.loose_stats.add(Stat::MNew, 1);
        self.loose_stats.raise(Stat::MMax, u64::from(c.m_count));
        if self.has_hook() {
            self.emit(-1, m.id, 0, &Ev::MNew { m: m.id });
        }
        Some(m)
    }

    /// Go's two lines about `debug.SetMaxThreads`, and the end.
    pub(crate) fn threads_exhausted(&self) {
        let max = self.max_threads.get();
        let text = format!(
            "runtime: program exceeds {max}-thread limit\nfatal error: thread exhaustion\n"
        );
        self.config.sink.write(&text);
        self.end(ProcessEnd::fatal("thread exhaustion"));
    }

    fn spawn_thread(self: &Arc<Self>, m: Arc<Mach<M>>) {
        let rt = Arc::clone(self);
        let id = m.id;
        let name = format!("gmpl-m{id}");
        let builder = thread::Builder::new().name(name).stack_size(THREAD_STACK);
        if let Err(error) = builder.spawn(move || m_main(&rt, m)) {
            self.no_thread(id, &error);
        }
    }

    /// The system refused a thread: Go's texts.
    fn no_thread(&self, id: u32, error: &std::io::Error) {
        let mut c = self.central();
        // There is no such M: the runtime's end must not wait for it.
        c.m_count -= 1;
        c.all_ms.retain(|m| m.id != id);
        let have = c.m_count;
        drop(c);
        let errno = error.raw_os_error().unwrap_or(0);
        let mut text = format!(
            "runtime: failed to create new OS thread (have {have} already; errno={errno})\n"
        );
        if error.kind() == std::io::ErrorKind::WouldBlock {
            text.push_str("runtime: may need to increase max user processes (ulimit -u)\n");
        }
        text.push_str("fatal error: newosproc\n");
        self.config.sink.write(&text);
        self.end(ProcessEnd::fatal("newosproc"));
    }

    /// Wakes or starts an M to look for work, if there is an idle P and nobody is looking already.
    #[cold]
    pub(crate) fn wake_p(self: &Arc<Self>) {
        // Stepped Ps need no threads; a new P is found at the next step.
        if self.nmspinning.load(Ordering::SeqCst) != 0 || self.config.deterministic {
            return;
        }
        let won = self.nmspinning.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
        if won.is_err() {
            return;
        }
        let mut c = self.central();
        match self.take_idle_p(&mut c) {
            Some(p) => self.start_m(c, p, true),
            None => {
                self.nmspinning.fetch_sub(1, Ordering::SeqCst);
                self.needspinning.store(1, Ordering::SeqCst);
            }
        }
    }
}

/// The life of an M's thread.
fn m_main<M: Machine>(rt: &Arc<Rt<M>>, m: Arc<Mach<M>>) {
    super::watch::i_am(m.id);
    let mut cx = rt.cx(Arc::clone(&m));
    let ran = catch_unwind(AssertUnwindSafe(|| {
        cx.take_next_p();
        m_loop(&mut cx);
    }));
    if ran.is_err() {
        internal_error(rt, "a thread of the scheduler panicked");
    }
    leave(&mut cx, &m);
}

/// The thread ends: gives its P away and takes itself off the books.
fn leave<M: Machine>(cx: &mut Cx<'_, M>, m: &Mach<M>) {
    let rt = cx.rt;
    cx.stop_spinning(false);
    if let Some((g, _)) = cx.pending.take() {
        rt.global_push(g, "exit");
    }
    if cx.p.is_some() {
        cx.ev(&Ev::PStop { why: "exit" });
    }
    match cx.take_p() {
        Some(p) if rt.is_ending() => rt.central().idle_ps.push(p),
        Some(p) => rt.hand_off(p, "exit"),
        None => {}
    }
    if cx.leaving {
        cx.ev(&Ev::MExit { why: "locked goroutine ended" });
    }
    let mut c = rt.central();
    c.m_count -= 1;
    c.all_ms.retain(|other| other.id != m.id);
    let verdict = rt.check_dead(&mut c);
    rt.act_on(verdict, c);
    rt.stop_gate.open();
}

/// A fault of gmpl itself: says so, with all goroutines, and ends with status 70.
pub(crate) fn internal_error<M: Machine>(rt: &Rt<M>, what: &str) {
    let text = format!("gmpl: internal error: {what}\n\n{}", super::schedtrace::dump(rt));
    rt.config.sink.write(&text);
    rt.end(ProcessEnd { code: 70, error: Some(what.to_owned()) });
}

/// Finds a goroutine, runs it, and again.
fn m_loop<M: Machine>(cx: &mut Cx<'_, M>) {
    while let Some((g, from)) = cx.find_work() {
        cx.start(g, from);
        let exit = cx.rt.machine.run(cx, g);
        // `run` may have switched: the exit is that of the goroutine which ran last.
        let last = GRef::from_ptr(cx.m.cur_g.get()).unwrap_or(g);
        if !cx.finish(last, exit) {
            return;
        }
    }
}

/// The pointer form of "no goroutine".
pub(crate) fn no_g() -> *mut GHead {
    std::ptr::null_mut()
}

impl<M: Machine> Mach<M> {
    /// The G that is locked to this M.
    pub(crate) fn locked(&self) -> Option<GRef> {
        GRef::from_ptr(self.locked_g.get())
    }
}
