//! Walking frames, and Go's form of a traceback.

use crate::bytecode::module::Func;
use crate::bytecode::op::{HEADER, Ins};
use crate::sched::GInfo;

use super::co::Co;
use super::frames::{return_pc, window_before};
use super::machine::Vm;

/// Frames printed at each end of a deep stack.
const KEEP: usize = 50;

impl Vm {
    /// Calls `visit` with function, base offset and pc of each frame, the innermost first, until it says false. A frame that panicked
    /// follows the deferred calls that its panic runs.
    pub(super) fn walk(&self, co: &Co, mut visit: impl FnMut(&Func, usize, *const Ins) -> bool) {
        let (mut base, mut pc) = (co.base, co.pc);
        if !co.started {
            return;
        }
        loop {
            let Some((_, f)) = self.func_at(pc) else {
                // In a stub: only `EndPanicText` and `EndDefer` can be met here, above the frame of the panic.
                let Some((b, p)) = self.below_stub(co, base, pc) else { return };
                (base, pc) = (b, p);
                continue;
            };
            if !visit(f, base, pc) {
                return;
            }
            let b = co.stack.as_ptr().wrapping_add(base).cast_mut();
            let ret = return_pc(b);
            if ret == self.stubs.end_g() {
                return;
            }
            if ret == self.stubs.end_defer() || ret == self.stubs.end_text() {
                let Some((b, p)) = self.below_stub(co, base, ret) else { return };
                (base, pc) = (b, p);
                continue;
            }
            base -= usize::from(window_before(ret)) + usize::from(HEADER);
            pc = ret;
        }
    }

    /// The frame that panicked, under the deferred call at `base`.
    fn below_stub(&self, co: &Co, base: usize, pc: *const Ins) -> Option<(usize, *const Ins)> {
        if pc == self.stubs.end_text() {
            return co.panics.last().map(|p| (p.frame, p.pc));
        }
        let by_call = co.panics.iter().find(|p| p.running.is_some_and(|(call, _)| call == base));
        by_call.or_else(|| co.panics.iter().rev().find(|p| p.frame < base)).map(|p| (p.frame, p.pc))
    }

    /// The frames of one goroutine and where it was created.
    pub(super) fn write_traceback(&self, info: &GInfo, co: &Co, out: &mut String) {
        let mut frames = Vec::new();
        if co.panics.last().is_some_and(|p| p.goexit && p.running.is_some()) {
            frames.push("runtime.Goexit()\n\truntime/panic.go:1 +0x0\n".to_string());
        }
        self.walk(co, |f, base, pc| {
            if !f.wrapper {
                frames.push(self.frame_text(f, pc));
            }
            let called_by_panic =
                co.panics.iter().any(|p| p.running.is_some_and(|(call, _)| call == base));
            if called_by_panic {
                let goexit = co
                    .panics
                    .iter()
                    .any(|p| p.goexit && p.running.is_some_and(|(call, _)| call == base));
                let name = if goexit { "runtime.Goexit()" } else { "panic(...)" };
                frames.push(format!("{name}\n\truntime/panic.go:1 +0x0\n"));
            }
            true
        });
        if frames.len() > 2 * KEEP {
            let elided = frames.len() - 2 * KEEP;
            let tail = frames.split_off(frames.len() - KEEP);
            frames.truncate(KEEP);
            frames.push(format!("...{elided} frames elided...\n"));
            frames.extend(tail);
        }
        frames.iter().for_each(|f| out.push_str(f));
        self.write_creator(info, out);
    }

    fn frame_text(&self, f: &Func, pc: *const Ins) -> String {
        let (file, line) = self.line_of(f, pc);
        let args = if f.params > 0 { "..." } else { "" };
        let offset = (pc as usize - f.code.as_ptr() as usize) / size_of::<Ins>();
        format!("{}({args})\n\t{file}:{line} +{offset:#x}\n", f.name)
    }

    fn write_creator(&self, info: &GInfo, out: &mut String) {
        if info.site == 0 {
            return;
        }
        let pc = info.site as *const Ins;
        let Some((_, f)) = self.func_at(pc) else { return };
        let (file, line) = self.line_of(f, pc);
        let offset = (pc as usize - f.code.as_ptr() as usize) / size_of::<Ins>();
        let parent =
            if info.parent == 0 { String::new() } else { format!(" in goroutine {}", info.parent) };
        out.push_str(&format!("created by {}{parent}\n\t{file}:{line} +{offset:#x}\n", f.name));
    }
}
