//! Package runtime and runtime/debug.

use crate::value::{iface, mem};

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("Gosched", |_| Outcome::Gosched),
    ("Goexit", |_| Outcome::Goexit),
    ("GC", |_| Outcome::Collect),
    ("NumGoroutine", num_goroutine),
    ("NumCPU", num_cpu),
    ("GOMAXPROCS", gomaxprocs),
    ("SetDefaultGOMAXPROCS", set_default_gomaxprocs),
    ("LockOSThread", lock_thread),
    ("UnlockOSThread", unlock_thread),
    ("memStats", mem_stats),
    ("pauses", pauses),
    ("stack", stack),
    ("caller", caller),
    ("funcAt", func_at),
    ("threadID", thread_id),
    ("typeString", type_string),
    ("KeepAlive", |_| Outcome::Done),
];

pub(super) const DEBUG: Table = &[
    ("setGCPercent", set_gc_percent),
    ("setMaxStack", set_max_stack),
    ("setMaxThreads", set_max_threads),
    ("showAllGoroutines", show_all_goroutines),
    ("setMemoryLimit", set_memory_limit),
];

fn num_goroutine(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.cx.num_goroutine();
    n.ret(0, v);
    Outcome::Done
}

fn num_cpu(n: &mut Ncx<'_, '_>) -> Outcome {
    n.ret(0, u64::from(n.vm.cpus));
    Outcome::Done
}

/// Stops the world for the change.
fn gomaxprocs(n: &mut Ncx<'_, '_>) -> Outcome {
    let want = n.int(0);
    if want < 1 {
        n.ret(0, u64::from(n.cx.procs()));
        return Outcome::Done;
    }
    let old = n.cx.set_procs(n.g, want);
    n.refresh();
    n.ret(0, u64::from(old));
    Outcome::Flow(crate::sched::Flow::Done)
}

/// Stops the world if there is a change.
fn set_default_gomaxprocs(n: &mut Ncx<'_, '_>) -> Outcome {
    n.cx.set_default_procs(n.g);
    n.refresh();
    Outcome::Flow(crate::sched::Flow::Done)
}

fn lock_thread(n: &mut Ncx<'_, '_>) -> Outcome {
    n.cx.lock_os_thread(n.g);
    Outcome::Done
}

fn unlock_thread(n: &mut Ncx<'_, '_>) -> Outcome {
    n.cx.unlock_os_thread(n.g);
    Outcome::Done
}

/// `func memStats() (alloc, total, sys, collections, forced, pauseTotal, lastEnd, stacks, mallocs, frees, goal, elapsed uint64)`.
fn mem_stats(n: &mut Ncx<'_, '_>) -> Outcome {
    let (mut stacks, mut unused) = (0, (0, 0));
    n.cx.stop_the_world(n.g, "read mem stats", |world| {
        world.each_g(|_, co| stacks += co.stack.len() as u64 * 8);
        world.each_local(|local| {
            let (cells, bytes) = local.cache.unused();
            unused = (unused.0 + cells, unused.1 + bytes);
        });
    });
    n.refresh();
    let s = n.vm.heap.stats();
    let sys = n.vm.heap.reserved_bytes();
    let list = [
        s.live_bytes,
        s.allocated_bytes - unused.1,
        sys,
        s.collections,
        s.forced,
        s.total_pause_ns,
        s.last.end,
        stacks,
        s.objects - unused.0,
        s.freed,
        n.vm.heap.goal(),
        u64::try_from(n.cx.now()).unwrap_or(0),
    ];
    for (i, v) in list.into_iter().enumerate() {
        n.ret(i, v);
    }
    Outcome::Flow(crate::sched::Flow::Done)
}

/// `func pauses(lengths, ends *[256]uint64)`: nanoseconds; ends since 1970.
fn pauses(n: &mut Ncx<'_, '_>) -> Outcome {
    let (lengths, ends) = (n.arg(0), n.arg(1));
    for (i, pause) in (0..).zip(n.vm.heap.pauses()) {
        mem::store64(lengths + 8 * i, pause.ns);
        mem::store64(ends + 8 * i, pause.end);
    }
    Outcome::Done
}

/// `func stack(all bool) string`.
fn stack(n: &mut Ncx<'_, '_>) -> Outcome {
    let all = n.arg(0) != 0;
    let info = n.cx.info(n.g);
    let mut s = info.header();
    let mut frames = String::new();
    n.vm.traceback_running(n.cx, n.g, &info, &mut frames);
    // runtime.Stack itself is not of interest.
    let own = if frames.starts_with("runtime.Stack(") { 2 } else { 0 };
    s.extend(frames.split_inclusive('\n').skip(own));
    if all {
        s.push_str(&n.cx.traceback_others(n.g));
        n.refresh();
    }
    n.ret_string(0, s.as_bytes());
    Outcome::Flow(crate::sched::Flow::Done)
}

/// `func caller(skip int) (name, file string, line int, ok bool)`; 0 is the caller of the function that calls this.
fn caller(n: &mut Ncx<'_, '_>) -> Outcome {
    let skip = usize::try_from(n.int(0)).unwrap_or(usize::MAX);
    match n.vm.frame_of_running(n.cx, n.g, skip.saturating_add(1)) {
        Some((name, file, line)) => {
            n.ret_string(0, name.as_bytes());
            n.ret_string(1, file.as_bytes());
            n.ret(2, u64::from(line));
            n.ret_bool(3, true);
        }
        None => (0..4).for_each(|i| n.ret(i, 0)),
    }
    Outcome::Done
}

/// `func funcAt(p uintptr) (name, file string, line int)`: the function of the func value at an address, with an empty name if there is none.
fn func_at(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = n.arg(0);
    let id = if p.is_multiple_of(8) && n.vm.holds(p, 8) { mem::load64(p) } else { u64::MAX };
    let known = usize::try_from(id).is_ok_and(|id| id < n.vm.funcs.len());
    let (name, (file, line)) = if known {
        let f = n.vm.funcs.at(id as usize);
        (f.name.clone(), n.vm.line_of(f, f.code.as_ptr()))
    } else {
        (String::new(), (String::new(), 0))
    };
    n.ret_string(0, name.as_bytes());
    n.ret_string(1, file.as_bytes());
    n.ret(2, u64::from(line));
    Outcome::Done
}

fn thread_id(n: &mut Ncx<'_, '_>) -> Outcome {
    let id = n.cx.m_id();
    n.ret(0, u64::from(id));
    Outcome::Done
}

/// `func typeString(v any) string`.
fn type_string(n: &mut Ncx<'_, '_>) -> Outcome {
    let ty = iface::type_of(n.arg(0));
    let s = if ty == 0 { "nil" } else { n.vm.types.name(ty) };
    n.ret_string(0, s.as_bytes());
    Outcome::Done
}

/// `func setGCPercent(p int) int`; -1 is off.
fn set_gc_percent(n: &mut Ncx<'_, '_>) -> Outcome {
    let old = n.vm.heap.set_gc_percent(u64::try_from(n.int(0)).ok());
    n.ret(0, old.map_or(-1i64 as u64, |v| v));
    Outcome::Done
}

fn set_max_stack(n: &mut Ncx<'_, '_>) -> Outcome {
    let old = n.vm.set_max_stack(n.arg(0));
    n.ret(0, old);
    Outcome::Done
}

fn show_all_goroutines(n: &mut Ncx<'_, '_>) -> Outcome {
    n.vm.show_all_goroutines();
    Outcome::Done
}

fn set_max_threads(n: &mut Ncx<'_, '_>) -> Outcome {
    let max = u32::try_from(n.int(0)).unwrap_or(u32::MAX);
    let old = n.cx.set_max_threads(max);
    n.ret(0, u64::from(old));
    Outcome::Done
}

fn set_memory_limit(n: &mut Ncx<'_, '_>) -> Outcome {
    let old = match u64::try_from(n.int(0)) {
        Ok(limit) => n.vm.heap.set_limit(limit),
        Err(_) => n.vm.heap.set_limit(u64::MAX),
    };
    n.ret(0, old.min(i64::MAX as u64));
    Outcome::Done
}
