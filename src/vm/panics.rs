//! Panics, Goexit, recover, deferred calls that a panic runs, and the death of the program.
//!
//! A panic does not unwind at once: its deferred calls run in windows above the frame that panicked, so the traceback still shows
//! that frame. Each such call returns to the stub `EndDefer`, where the panic goes on, or, if `recover` was called, the frame
//! that deferred the call becomes the running one and goes on at its `recover_at`.
//!
//! `Co::panics` holds the panics under way, oldest first. One whose deferred call can never return because a later panic
//! passed it is `aborted`; it is forgotten with the later one.

#![expect(clippy::wildcard_enum_match_arm, reason = "few traps are special in each place")]

use std::sync::atomic::Ordering;

use crate::bytecode::module::TypeKind;
use crate::bytecode::op::{HEADER, Ins};
use crate::natives::fmt::print_panic_value;
use crate::sched::{Cx, Exit, GRef, ProcessEnd};
use crate::value::{iface, mem, text};

use super::co::{Co, Panicking, Pending};
use super::frames::{return_pc, set_closure, set_return, window_before};
use super::machine::Vm;
use super::run::{Step, alloc};
use super::trap::Trap;

impl Vm {
    /// A trap in the middle of an instruction; the state is saved.
    #[cold]
    pub(super) fn raise(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co, trap: Trap) -> Step {
        co.pending = Pending::Nothing;
        let signal = trap == Trap::Nil;
        let value = match trap {
            Trap::Fatal(message) => return self.fatal(cx, g, co, &message),
            Trap::Value(v) => v,
            other => self.trap_value(cx, other),
        };
        self.start_panic(co, value, false, signal);
        self.run_panic(cx, g, co)
    }

    /// `runtime.Goexit`.
    pub(super) fn goexit(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Step {
        self.start_panic(co, 0, true, false);
        self.run_panic(cx, g, co)
    }

    fn start_panic(&self, co: &mut Co, value: u64, goexit: bool, signal: bool) {
        if !goexit {
            self.panicking.fetch_add(1, Ordering::SeqCst);
        }
        let repanicked =
            !goexit && co.panics.iter().any(|p| p.recovered && !p.goexit && p.value == value);
        co.panics.push(Panicking {
            value,
            goexit,
            recovered: false,
            aborted: false,
            frame: co.base,
            pc: co.pc,
            running: None,
            text: None,
            signal,
            repanicked,
        });
    }

    /// The panic value for a trap.
    fn trap_value(&self, cx: &mut Cx<'_, Vm>, trap: Trap) -> u64 {
        let known = self.known.read().expect("never held across a panic").clone();
        let (ty, message) = match trap {
            Trap::Nil => (
                known.runtime_error_string,
                "invalid memory address or nil pointer dereference".to_string(),
            ),
            Trap::Runtime(s) => (known.runtime_error_string, s),
            Trap::Bounds(s) => (known.runtime_bounds_error, s),
            Trap::Plain(s) => (known.runtime_plain_error, s),
            Trap::Assertion(s) => {
                return self.error_object(cx, known.runtime_type_assertion_error, &s);
            }
            Trap::NilPanic => {
                let s = "runtime error: panic called with nil argument";
                return self.error_object(cx, known.runtime_panic_nil_error, s);
            }
            Trap::Text(s) | Trap::Fatal(s) => (known.string, s),
            Trap::Value(v) => return v,
        };
        let ty = if ty == 0 { known.string } else { ty };
        let mut a = alloc(self, cx);
        let s = a.string(message.as_bytes());
        iface::make_word(&mut a, ty, s)
    }

    /// A pointer to a struct whose first field is the message.
    fn error_object(&self, cx: &mut Cx<'_, Vm>, pointer: u32, message: &str) -> u64 {
        let mut a = alloc(self, cx);
        let s = a.string(message.as_bytes());
        let TypeKind::Pointer(elem) = self.types.at(pointer).desc.kind else {
            let string = self.known.read().expect("never held across a panic").string;
            return iface::make_word(&mut a, string, s);
        };
        let object = a.object(self.types.at(elem).desc.words.max(1) as usize, elem);
        mem::store(object, 0, s);
        iface::make_word(&mut a, pointer, object as u64)
    }

    /// Runs the next deferred call of the panic on top, or ends the goroutine or the program.
    fn run_panic(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Step {
        let Some(deferred) = co.defers.pop() else {
            let goexit = co.panics.last().is_some_and(|p| p.goexit);
            return if goexit { Step::Leave(Exit::Done) } else { self.die(cx, g, co) };
        };
        let count = co.panics.len();
        for p in &mut co.panics[..count - 1] {
            p.aborted |= p.running.is_some_and(|(call, _)| deferred.frame < call);
        }
        let top = co.panics.last().expect("a panic is under way");
        let (frame, pc) = (top.frame, top.pc);
        let window = frame + self.frame_slots(pc);
        if deferred.closure == 0 {
            co.base = frame;
            co.pc = pc;
            self.start_nil_deferred(cx, co);
            return self.run_panic(cx, g, co);
        }
        let call = window + usize::from(HEADER);
        if let Some(p) = co.panics.last_mut() {
            p.running = Some((call, deferred.frame));
        }
        self.push_frame(cx, g, co, call, deferred.closure, self.stubs.end_defer())
    }

    fn start_nil_deferred(&self, cx: &mut Cx<'_, Vm>, co: &mut Co) {
        let value = self.trap_value(cx, Trap::Nil);
        self.start_panic(co, value, false, true);
    }

    /// Slots of the frame that `pc` is in.
    fn frame_slots(&self, pc: *const Ins) -> usize {
        self.func_at(pc).map_or(0, |(_, f)| f.nslots as usize)
    }

    /// Enters a func value with its base at `call`, to return to a stub.
    fn push_frame(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        call: usize,
        closure: u64,
        stub: *const Ins,
    ) -> Step {
        let entry = *self.entries.at(mem::load64(closure) as usize);
        if let Err(t) = self.reserve_stack(cx, g, co, call + entry.nslots as usize) {
            return self.raise(cx, g, co, t);
        }
        let base = co.base_ptr(call);
        set_return(base, stub);
        set_closure(base, closure);
        co.base = call;
        co.pc = entry.code;
        Step::Reload
    }

    /// A deferred call that a panic runs has returned.
    pub(super) fn deferred_returned(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Step {
        let top = co.panics.last_mut().expect("a panic runs this call");
        let Some((_, frame)) = top.running.take() else { return Step::Leave(Exit::Done) };
        if !top.recovered {
            return self.run_panic(cx, g, co);
        }
        let pc = self.resume_point(co, frame);
        let mut goexit = false;
        let mut next = co.panics.pop();
        while let Some(p) = next {
            goexit |= p.goexit;
            if !p.goexit {
                self.panicking.fetch_sub(1, Ordering::SeqCst);
            }
            next = co.panics.pop_if(|p| p.frame >= frame);
        }
        co.base = frame;
        co.pc = pc;
        co.pending = Pending::Nothing;
        if goexit {
            return self.goexit(cx, g, co);
        }
        Step::Reload
    }

    /// Where a frame goes on after a recovered panic.
    fn resume_point(&self, co: &Co, frame: usize) -> *const Ins {
        let mut found = None;
        self.walk(co, |f, base, _| {
            if base == frame {
                found = Some((f.code.as_ptr(), f.recover_at.unwrap_or(0)));
            }
            found.is_none()
        });
        let (code, at) = found.expect("the frame of a deferred call is on the stack");
        code.wrapping_add(at as usize)
    }

    /// `recover()`; the state is saved.
    pub(super) fn recover(&self, co: &mut Co) -> u64 {
        let mut base = co.base;
        let Some(call) = co.panics.last().and_then(|p| p.running).map(|r| r.0) else { return 0 };
        // `defer recover()`: as if the function that deferred it called recover when it ended; a panic that runs it gets nothing
        if self.func_at(co.pc).is_some_and(|(_, f)| f.wrapper) {
            let pc = return_pc(co.base_ptr(base));
            if self.func_at(pc).is_none() {
                return 0;
            }
            base -= usize::from(window_before(pc)) + usize::from(HEADER);
        }
        while base != call {
            // Compiler-made wrappers between the deferred call and this function do not count.
            let b = co.base_ptr(base);
            let pc = return_pc(b);
            let Some((_, f)) = self.func_at(pc) else { return 0 };
            if !f.wrapper {
                return 0;
            }
            base -= usize::from(window_before(pc)) + usize::from(HEADER);
        }
        let top = co.panics.last_mut().expect("looked at above");
        if top.goexit || top.recovered {
            return 0;
        }
        top.recovered = true;
        top.value
    }

    // ---- the end ----

    /// An unrecovered panic: makes the texts of the values, by guest code where they have methods for it, then prints and ends.
    fn die(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Step {
        self.dying.store(true, Ordering::SeqCst);
        let known = self.known.read().expect("never held across a panic").runtime_panic_text;
        for i in 0..co.panics.len() {
            if co.panics[i].goexit || co.panics[i].text.is_some() {
                continue;
            }
            let value = co.panics[i].value;
            if let (Some(f), true) = (known, self.has_text_method(value)) {
                return self.call_panic_text(cx, g, co, f, value);
            }
            co.panics[i].text = Some(print_panic_value(self, value));
        }
        self.print_panics(cx, g, co)
    }

    /// Whether a value is an error or a Stringer.
    fn has_text_method(&self, value: u64) -> bool {
        let ty = iface::type_of(value);
        ty != 0
            && self.types.at(ty).desc.methods.iter().any(|m| {
                let name = &self.methods.at(m.method as usize).name;
                name == "Error" || name == "String"
            })
    }

    fn call_panic_text(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        f: u32,
        value: u64,
    ) -> Step {
        let top = co.panics.last().expect("the program dies of a panic");
        let call = top.frame + self.frame_slots(top.pc) + usize::from(HEADER);
        let entry = *self.entries.at(f as usize);
        if let Err(t) = self.reserve_stack(cx, g, co, call + entry.nslots as usize) {
            return self.raise(cx, g, co, t);
        }
        let base = co.base_ptr(call);
        set_return(base, self.stubs.end_text());
        set_closure(base, 0);
        mem::store(base, 0, value);
        co.base = call;
        co.pc = entry.code;
        Step::Reload
    }

    /// The guest code made the text of the first panic value that had none.
    pub(super) fn panic_text_returned(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        word: u64,
    ) -> Step {
        let s = text::lossy(word);
        if let Some(p) = co.panics.iter_mut().find(|p| !p.goexit && p.text.is_none()) {
            p.text = Some(s);
        }
        self.die(cx, g, co)
    }

    fn print_panics(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Step {
        let mut out = panic_lines(&co.panics);
        let first = out.lines().next().unwrap_or_default().to_string();
        if co.panics.iter().any(|p| p.signal) {
            out.push_str("[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x0]\n");
        }
        if let Some(top) = co.panics.last() {
            co.base = top.frame;
            co.pc = top.pc;
        }
        self.finish_death(cx, g, co, out, first)
    }

    /// `fatal error: ...`; cannot be recovered.
    fn fatal(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co, message: &str) -> Step {
        self.dying.store(true, Ordering::SeqCst);
        let first = format!("fatal error: {message}");
        self.finish_death(cx, g, co, format!("{first}\n"), first)
    }

    fn finish_death(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        mut out: String,
        first: String,
    ) -> Step {
        if !self.config.traceback_none {
            out.push('\n');
            let info = cx.info(g);
            out.push_str(&info.header());
            self.write_traceback(&info, co, &mut out);
            if self.traceback_all.load(Ordering::Relaxed) {
                out.push_str(&cx.traceback_others(g));
            }
        }
        cx.write_error(&out);
        if self.config.session {
            self.dying.store(false, Ordering::SeqCst);
            self.natives_state.session.finished(g.id.get());
            return Step::Leave(Exit::Done);
        }
        Step::Leave(Exit::End(ProcessEnd::fatal(first)))
    }

    /// Main has returned. False while another goroutine is panicking: it gets a chance (up to 1000 turns, as in Go) to crash the
    /// program first.
    pub(super) fn main_may_end(&self) -> bool {
        /// Go's number of turns.
        const TURNS: u32 = 1000;
        self.panicking.load(Ordering::SeqCst) == 0
            || self.turns.fetch_add(1, Ordering::SeqCst) >= TURNS
    }
}

/// `panic: ...` for every panic under way, oldest first.
fn panic_lines(panics: &[Panicking]) -> String {
    let mut out = String::new();
    let mut indent = false;
    for (i, p) in panics.iter().enumerate() {
        if p.goexit {
            continue;
        }
        if p.repanicked && i > 0 {
            // Said with the earlier one.
            continue;
        }
        if indent {
            out.push('\t');
        }
        indent = true;
        let again = panics[i + 1..].iter().any(|q| q.repanicked && q.value == p.value);
        let note = match (p.recovered, again) {
            (true, true) => " [recovered, repanicked]",
            (true, false) => " [recovered]",
            _ => "",
        };
        let text = p.text.as_deref().unwrap_or_default().replace('\n', "\n\t");
        out.push_str(&format!("panic: {text}{note}\n"));
    }
    out
}
