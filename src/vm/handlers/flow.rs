//! Calls, returns, deferred calls, panics and channels.

use crate::bytecode::op::{HEADER, NO_REG};
use crate::heap::SHAPE_WORDS;
use crate::natives;
use crate::sched::{Exit, ProcessEnd};
use crate::value::mem;
use crate::vm::co::{Deferred, Pending};
use crate::vm::frame::Stop;
use crate::vm::frames::{move_n, set_closure, window, wr};
use crate::vm::trap::Trap;

quick!(Call, {
    |fr, w, f| match fr.fits(w, u64::from(f)) {
        Some(entry) => fr.link(w, entry)?,
        None => return Ok(false),
    }
} else {
    |fr, w, f| fr.enter(w, u64::from(f))?
});
quick!(CallC, {
    |fr, w, c| {
        let c = fr.pointer(c)?;
        match fr.fits(w, mem::load64(c)) {
            Some(entry) => {
                set_closure(window(fr.base, w), c);
                fr.link(w, entry)?;
            }
            None => return Ok(false),
        }
    }
} else {
    |fr, w, c| {
        let c = fr.r(c);
        set_closure(window(fr.base, w), c);
        fr.enter(w, mem::load64(c))?;
    }
});
quick!(CallI, {
    |fr, w| {
        let (_, cache) = fr.ext();
        let v = mem::load(window(fr.base, w), 0);
        if v == 0 {
            return Err(Stop::Nil);
        }
        let Some((f, receiver)) = fr.env.vm.cached(v, cache) else { return Ok(false) };
        let Some(entry) = fr.fits(w, u64::from(f)) else { return Ok(false) };
        mem::store(window(fr.base, w), 0, receiver);
        fr.link(w, entry)?;
    }
} else {
    |fr, w, m| {
        let (_, cache) = fr.ext();
        let v = mem::load(window(fr.base, w), 0);
        match fr.env.vm.cached(v, cache) {
            Some((f, receiver)) => {
                mem::store(window(fr.base, w), 0, receiver);
                fr.enter(w, u64::from(f))?;
            }
            None => {
                fr.env.vm.cache(v, m, cache);
                fr.again();
            }
        }
    }
});
apart!(CallN, |fr, w, x| fr.native(w, x)?);
quick!(CallLock, {
    |fr, p| {
        if !natives::lock_quickly(fr.r(p), fr.env.cx.alone) {
            return Ok(false);
        }
    }
} else {
    |fr, w, p, x| fr.native_of(w, p, x)?
});
quick!(CallLockAdd, {
    |fr, p| {
        let p = fr.r(p);
        if fr.env.cx.alone && natives::is_free(p) {
            let (q, o, i) = fr.addition();
            let q = fr.r(q);
            if q != 0 {
                let q = q + u64::from(o);
                mem::store64(q, mem::load64(q).wrapping_add(i as i64 as u64));
                fr.skip_addition();
                return Ok(true);
            }
        }
        if !natives::lock_quickly(p, fr.env.cx.alone) {
            return Ok(false);
        }
    }
} else {
    |fr, w, p, x| fr.native_of(w, p, x)?
});
quick!(CallUnlock, {
    |fr, p| {
        if !natives::unlock_quickly(fr.r(p), fr.env.cx.alone) {
            return Ok(false);
        }
    }
} else {
    |fr, w, p, x| fr.native_of(w, p, x)?
});
apart!(Go, |fr, w, f| fr.env.vm.spawn(fr.env.cx, fr.env.g, fr.pc(), fr.at(w), f, 0));
apart!(GoC, |fr, w, c| {
    let c = fr.r(c);
    if c == 0 {
        return Err(fr.trap(Trap::Fatal("go of nil func value".into())));
    }
    fr.env.vm.spawn(fr.env.cx, fr.env.g, fr.pc(), fr.at(w), mem::load64(c) as u32, c);
});
apart!(Defer, |fr, c| {
    let frame = fr.offset();
    fr.env.co.defers.push(Deferred { frame, closure: fr.r(c) });
});
apart!(DeferTo, |fr, c, t| {
    let (closure, frame) = (fr.r(c), fr.r(t) as usize);
    crate::vm::calls::defer_to(fr.env.co, frame, closure);
});
op!(FrameToken, |fr, d| {
    let frame = fr.offset();
    fr.set(d, frame as u64);
});
apart!(RunDefers, |fr, w| {
    let frame = fr.offset();
    match fr.env.co.defers.last() {
        Some(&Deferred { frame: of, closure }) if of == frame => {
            fr.env.co.defers.pop();
            if closure == 0 {
                return Err(Stop::Nil);
            }
            set_closure(window(fr.base, w), closure);
            fr.enter(w, mem::load64(closure))?;
        }
        _ => fr.jump(1),
    }
});
apart!(Recover, |fr, d| {
    fr.save();
    let v = fr.env.vm.recover(fr.env.co);
    fr.set(d, v);
});
apart!(Panic, |fr, a| {
    let v = fr.r(a);
    return Err(fr.trap(if v == 0 { Trap::NilPanic } else { Trap::Value(v) }));
});
op!(Ret, |fr, a, n| {
    move_n(fr.base, fr.at(a), usize::from(n));
    fr.ret();
});
op!(Ret1, |fr, a| {
    let v = fr.r(a);
    wr(fr.base, 0, v);
    fr.ret();
});
op!(RetI, |fr, i| {
    wr(fr.base, 0, i as i64 as u64);
    fr.ret();
});
op!(RetAddI, |fr, a, b| {
    let v = fr.r(a).wrapping_add(fr.r(b));
    wr(fr.base, 0, v);
    fr.ret();
});
op!(Ret0, |fr| fr.ret());
quick!(MkClosure, {
    |fr, d, a, n| {
        let (_, func) = fr.ext();
        match fr.alloc().quick_object(1 + usize::from(n), SHAPE_WORDS) {
            Some(p) => fr.fill_closure(p, func, d, a, n),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, a, n| {
        let (_, func) = fr.ext();
        let p = fr.alloc().object(1 + usize::from(n), SHAPE_WORDS);
        fr.fill_closure(p, func, d, a, n);
    }
});
apart!(MakeChan, |fr, d, n| {
    let (_, ty) = fr.ext();
    let c = fr.env.vm.make_chan(fr.env.cx, ty, fr.r(n) as i64).map_err(|t| fr.trap(t))?;
    fr.set(d, c);
});
apart!(Send, |fr, c, v| {
    fr.save();
    let (n, _) = fr.ext();
    match fr.env.vm.send(fr.env.cx, fr.env.g, fr.env.co, fr.r(c), fr.at(v), n) {
        Ok(None) => {}
        Ok(Some(exit)) => return fr.leave_to(exit),
        Err(t) => return Err(fr.trap(t)),
    }
});
apart!(Recv, |fr, d, c, ok| {
    fr.save();
    let (n, _) = fr.ext();
    match fr.env.vm.recv(fr.env.cx, fr.env.g, fr.env.co, fr.r(c), fr.at(d), d != NO_REG, n) {
        Ok(received) => {
            if ok != NO_REG {
                fr.set(ok, u64::from(received));
            }
        }
        Err(exit) => return fr.leave_to(exit),
    }
});
apart!(Close, |fr, c| fr.env.vm.close(fr.env.cx, fr.r(c)).map_err(|t| fr.trap(t))?);
apart!(ChanLen, |fr, d, c| {
    let n = fr.env.vm.chan_len(fr.env.cx, fr.r(c));
    fr.set(d, n);
});
apart!(ChanCap, |fr, d, c| {
    let n = fr.env.vm.chan_cap(fr.env.cx, fr.r(c));
    fr.set(d, n);
});
apart!(Select, |fr, d, t| {
    fr.save();
    match fr.env.vm.select(fr.env.cx, fr.env.g, fr.env.co, fr.base, t) {
        Ok(Ok(chosen)) => fr.set(d, chosen),
        Ok(Err(exit)) => return fr.leave_to(exit),
        Err(t) => return Err(fr.trap(t)),
    }
});
apart!(EndG, |fr| {
    fr.save();
    if fr.env.g.is_main.get() {
        if fr.env.vm.main_may_end() {
            return fr.leave_to(Exit::End(ProcessEnd::exit(0)));
        }
        // Comes back to this instruction.
        fr.env.co.pc = fr.pc().wrapping_sub(1);
        fr.env.co.pending = Pending::Nothing;
        return fr.leave_to(Exit::Gosched);
    }
    return fr.leave_to(Exit::Done);
});
apart!(EndDefer, |fr| {
    fr.save();
    let step = fr.env.vm.deferred_returned(fr.env.cx, fr.env.g, fr.env.co);
    return fr.step(step);
});
apart!(EndPanicText, |fr| {
    // The text is the result, where the call's window was.
    let word = fr.r(HEADER);
    fr.save();
    let step = fr.env.vm.panic_text_returned(fr.env.cx, fr.env.g, fr.env.co, word);
    return fr.step(step);
});
apart!(Unreachable, |fr| {
    return Err(
        fr.trap(Trap::Fatal("gmpl: unreachable code was reached (this is a bug of gmpl)".into()))
    );
});
