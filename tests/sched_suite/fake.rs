//! A machine whose goroutines are lists of operations: enough to write any scheduling scenario down.
//!
//! A `Co` is a list of operations, a program counter and what a parked operation has to do when it goes on.

use gmpl::chan::{
    self, Case, Channel, CondWords, MutexWords, Received, RwWords, Sent, WaitGroupWords,
};
use gmpl::sched::{
    Config, Cx, Exit, Flow, GInfo, GRef, Machine, Mode, NetResult, Place, ProcessEnd, Refill,
    Runtime, Sink, Timer,
};
use gmpl::sync::Ordering;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex};

/// One operation of a goroutine.
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "some are only for the scenarios of the model checkers")]
pub(crate) enum Op {
    Go(Arc<[Op]>),
    Send(usize, u64),
    Recv(usize),
    /// Receives and logs the prefix with the value.
    RecvAdd(usize, &'static str),
    /// Receives until the channel is closed, logging each value with the prefix.
    Range(usize, &'static str),
    Close(usize),
    Add(String),
    Gosched,
    Lock(usize),
    Unlock(usize),
    RLock(usize),
    RUnlock(usize),
    WLock(usize),
    WUnlock(usize),
    WgAdd(usize, i64),
    WgWait(usize),
    CondTicket(usize),
    CondSleep(usize),
    /// Goes on when somebody has a ticket of this condition.
    AwaitTicket(usize),
    Signal(usize),
    Broadcast(usize),
    Sleep(i64),
    /// Burns this much fuel.
    Burn(u64),
    /// No refill comes for so much fuel.
    Refuel(i64),
    Select(Vec<(usize, Option<u64>)>, bool),
    /// Blocks the thread for milliseconds, as a native that may block.
    Syscall(u64),
    /// As `Syscall`, but busy for this many turns of a short loop.
    SyscallSpin(u64),
    /// As `Syscall`, for one that blocks for sure.
    Blocking(u64),
    /// Keeps its P for milliseconds without charging fuel, as a native that is too long.
    Hog(u64),
    /// Goes on when GOMAXPROCS is this.
    AwaitProcs(u32),
    /// Goes on when the log has so many lines. It keeps its P and comes to its refills: another P has to do the work.
    Await(usize),
    /// As `Await`, but without refills, as a native that is too long.
    Hold(usize),
    /// Stops the world and counts the goroutines.
    Stw,
    Procs(i64),
    LockThread,
    UnlockThread,
    /// Logs the thread's number.
    AddThread,
    NilRecv,
    AfterFunc(i64, u64),
    /// Arms timer `.0` (whose channel is `.1`) to fire after `.2`, then each `.3`.
    Arm(usize, i64, i64),
    StopTimer(usize),
    /// Jumps back by `.1` operations `.0` times.
    Loop(u64, usize),
    AddNum,
    /// Reads one byte from pipe `.0`, waiting in the poller, and logs it (or how the wait ended).
    NetRead(usize),
    /// Begins to watch pipe `.0`.
    NetOpen(usize),
    /// Writes one byte to pipe `.0`.
    NetWrite(usize, u8),
    /// Stops watching pipe `.0`.
    NetClose(usize),
    /// A read deadline this many nanoseconds from now.
    NetDeadline(usize, i64),
    End(i32),
}

/// What a parked operation does when it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resume {
    No,
    Recv(usize),
    RecvAdd(usize, &'static str),
    Range(usize, &'static str),
    Send,
    Sync,
    Select,
    Net(usize),
}

#[derive(Debug)]
pub(crate) struct Co {
    pub(crate) ops: Arc<[Op]>,
    pc: usize,
    resume: Resume,
    burn: u64,
    ticket: u64,
    loops: Vec<(usize, u64)>,
    value: u64,
}

/// Channels of a scenario at most.
const MAX_CHANS: usize = 8;

/// The objects of a scenario.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    /// In one piece, so that their order in memory is that of their numbers in each run.
    pub(crate) chans: Vec<Channel>,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) mutexes: Vec<Box<MutexWords>>,
    pub(crate) rws: Vec<Box<RwWords>>,
    pub(crate) wgs: Vec<Box<WaitGroupWords>>,
    pub(crate) conds: Vec<Box<CondWords>>,
    pub(crate) log: Mutex<Vec<String>>,
    pub(crate) pipes: Vec<Pipe>,
}

/// A pipe whose reading end does not block, and its token once it is watched.
#[derive(Debug)]
pub(crate) struct Pipe {
    reader: std::os::unix::net::UnixStream,
    pub(crate) writer: std::os::unix::net::UnixStream,
    token: Mutex<Option<u64>>,
}

impl Fake {
    /// Adds pipes.
    pub(crate) fn with_pipes(mut self, n: usize) -> Fake {
        for _ in 0..n {
            let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
            reader.set_nonblocking(true).unwrap();
            self.pipes.push(Pipe { reader, writer, token: Mutex::new(None) });
        }
        self
    }

    fn token(&self, cx: &mut Cx<'_, Fake>, n: usize) -> u64 {
        let pipe = &self.pipes[n];
        *pipe
            .token
            .lock()
            .unwrap()
            .get_or_insert_with(|| cx.net_open(pipe.reader.as_raw_fd()).unwrap())
    }

    fn net_read(&self, cx: &mut Cx<'_, Fake>, g: GRef, n: usize) -> Step {
        let token = self.token(cx, n);
        loop {
            let mut byte = [0];
            match (&self.pipes[n].reader).read(&mut byte) {
                Ok(_) => {
                    self.add(format!("b{}", byte[0]));
                    return Step::Next;
                }
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
            co(cx, g).resume = Resume::Net(n);
            if cx.net_wait(g, token, Mode::Read) == Flow::Park {
                return Step::Give(Exit::Parked);
            }
            co(cx, g).resume = Resume::No;
            if cx.net_result(g) != NetResult::Ready {
                self.add(format!("{:?}", cx.net_result(g)));
                return Step::Next;
            }
        }
    }

    /// `n` of each kind of lock, and channels with these capacities.
    pub(crate) fn new(caps: &[u32], n: usize) -> Fake {
        let mut chans = Vec::with_capacity(MAX_CHANS);
        chans.extend(caps.iter().map(|cap| Channel::new(1, *cap, 0)));
        Fake {
            chans,
            timers: Vec::new(),
            mutexes: (0..n).map(|_| Box::default()).collect(),
            rws: (0..n).map(|_| Box::default()).collect(),
            wgs: (0..n).map(|_| Box::default()).collect(),
            conds: (0..n).map(|_| Box::default()).collect(),
            log: Mutex::default(),
            pipes: Vec::new(),
        }
    }

    /// Adds a timer with its channel (the next channel number).
    pub(crate) fn with_timer(mut self) -> Fake {
        let timer = Timer::for_channel();
        assert!(self.chans.len() < MAX_CHANS, "channels must not move");
        self.chans.push(Channel::new(1, 1, 0));
        self.chans.last_mut().unwrap().attach_timer(&timer);
        self.timers.push(timer);
        self
    }

    fn lines(&self) -> usize {
        self.log.lock().unwrap().len()
    }

    fn add(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }
}

/// What one operation came to.
enum Step {
    Next,
    Give(Exit),
}

impl From<Flow> for Step {
    fn from(flow: Flow) -> Step {
        match flow {
            Flow::Done => Step::Next,
            Flow::Park => Step::Give(Exit::Parked),
            Flow::Yield => Step::Give(Exit::Yielded),
        }
    }
}

fn co<'a>(cx: &Cx<'_, Fake>, g: GRef) -> &'a mut Co {
    unsafe { &mut *cx.co(g) }
}

impl Machine for Fake {
    type Co = Co;
    type Local = u64;

    fn new_co(&self) -> Co {
        Co {
            ops: Arc::new([]),
            pc: 0,
            resume: Resume::No,
            burn: 0,
            ticket: 0,
            loops: Vec::new(),
            value: 0,
        }
    }

    fn new_local(&self, p: u32) -> u64 {
        u64::from(p)
    }

    fn recycle(&self, co: &mut Co) {
        *co = self.new_co();
    }

    fn run(&self, cx: &mut Cx<'_, Fake>, g: GRef) -> Exit {
        let mut g = g;
        loop {
            let exit = self.run_one(cx, g);
            if let Exit::LostP | Exit::End(_) = exit {
                return exit;
            }
            match cx.switch(g, exit) {
                Some(next) => g = next,
                None => return Exit::Switched,
            }
        }
    }

    fn timer_fired(&self, cx: &mut Cx<'_, Fake>, arg: u64) {
        cx.spawn(None, 0, |co| co.ops = Arc::new([Op::Add(format!("f{arg}"))]));
    }

    fn timer_value(&self, _when: i64, _late: i64, out: &mut [u64]) {
        out[0] = 7;
    }

    fn traceback(&self, info: &GInfo, co: &Co, out: &mut String) {
        out.push_str(&format!("main.f{}()\n\tfake.go:{} +0x0\n", info.id, co.pc));
    }

    fn place(&self, co: &Co) -> Place {
        Place { func: "main.f".into(), file: "fake.go".into(), line: co.pc as u32 }
    }

    fn site_place(&self, site: u64) -> Place {
        Place { func: "main.f".into(), file: "fake.go".into(), line: site as u32 }
    }

    fn how_ended(&self, _co: &Co) -> &'static str {
        "return"
    }
}

impl Fake {
    fn run_one(&self, cx: &mut Cx<'_, Fake>, g: GRef) -> Exit {
        if let Step::Give(exit) = self.resume(cx, g) {
            return exit;
        }
        loop {
            cx.fuel -= 1;
            if cx.fuel <= 0 && cx.refill(g) == Refill::Preempt {
                return Exit::Preempted;
            }
            let c = co(cx, g);
            if c.pc >= c.ops.len() {
                return if g.is_main.get() { Exit::End(ProcessEnd::exit(0)) } else { Exit::Done };
            }
            let ops = Arc::clone(&c.ops);
            c.pc += 1;
            if let Step::Give(exit) = self.step(cx, g, &ops[c.pc - 1]) {
                return exit;
            }
        }
    }

    fn resume(&self, cx: &mut Cx<'_, Fake>, g: GRef) -> Step {
        let c = co(cx, g);
        let resume = std::mem::replace(&mut c.resume, Resume::No);
        let mut value = 0;
        match resume {
            Resume::No => {}
            Resume::Recv(_) | Resume::RecvAdd(..) | Resume::Range(..) => {
                let ok = unsafe { chan::recv_result(cx, g, 1, &mut value) };
                self.received(c, resume, value, ok);
            }
            Resume::Send => assert!(chan::send_result(g), "send on closed channel"),
            Resume::Sync => {
                c.resume = Resume::Sync;
                let flow = chan::resume_sync(cx, g).unwrap();
                if flow != Flow::Park {
                    co(cx, g).resume = Resume::No;
                }
                return flow.into();
            }
            Resume::Net(n) if cx.net_result(g) == NetResult::Ready => {
                return self.net_read(cx, g, n);
            }
            Resume::Net(_) => self.add(format!("{:?}", cx.net_result(g))),
            Resume::Select => {
                let end = unsafe { chan::select_result(cx, g, |_| &mut value) };
                if let chan::SelectEnd::Chosen { case, ok } = end {
                    self.add(format!("sel{case}:{value}:{ok}"));
                }
            }
        }
        Step::Next
    }

    fn received(&self, c: &mut Co, resume: Resume, value: u64, ok: bool) {
        c.value = value;
        match resume {
            Resume::RecvAdd(_, prefix) => self.add(format!("{prefix}{value}")),
            Resume::Range(_, prefix) if ok => {
                self.add(format!("{prefix}{value}"));
                c.pc -= 1;
            }
            _ => {}
        }
    }

    fn recv(&self, cx: &mut Cx<'_, Fake>, g: GRef, n: usize, resume: Resume) -> Step {
        let c = co(cx, g);
        c.resume = resume;
        let mut value = 0;
        match unsafe { self.chans[n].recv(cx, g, &mut value) } {
            Received::Done(ok) => {
                c.resume = Resume::No;
                self.received(c, resume, value, ok);
                Step::Next
            }
            Received::Park => Step::Give(Exit::Parked),
            Received::WouldBlock => unreachable!(),
        }
    }

    /// Runs a lock operation with the resume word set around it.
    fn sync(
        &self,
        cx: &mut Cx<'_, Fake>,
        g: GRef,
        f: impl FnOnce(&mut Cx<'_, Fake>) -> Flow,
    ) -> Step {
        co(cx, g).resume = Resume::Sync;
        let flow = f(cx);
        if flow != Flow::Park {
            co(cx, g).resume = Resume::No;
        }
        flow.into()
    }

    fn step(&self, cx: &mut Cx<'_, Fake>, g: GRef, op: &Op) -> Step {
        match op {
            Op::Go(ops) => {
                let ops = Arc::clone(ops);
                cx.spawn(Some(g), 0, |co| co.ops = ops);
                Step::Next
            }
            Op::Send(n, v) => {
                co(cx, g).resume = Resume::Send;
                match unsafe { self.chans[*n].send(cx, g, v) } {
                    Sent::Done => {
                        co(cx, g).resume = Resume::No;
                        Step::Next
                    }
                    Sent::Park => Step::Give(Exit::Parked),
                    Sent::Closed | Sent::WouldBlock => unreachable!(),
                }
            }
            Op::Recv(n) => self.recv(cx, g, *n, Resume::Recv(*n)),
            Op::RecvAdd(n, p) => self.recv(cx, g, *n, Resume::RecvAdd(*n, p)),
            Op::Range(n, p) => self.recv(cx, g, *n, Resume::Range(*n, p)),
            Op::Close(n) => {
                assert!(self.chans[*n].close(cx));
                Step::Next
            }
            Op::Add(s) => {
                self.add(s.clone());
                Step::Next
            }
            Op::AddNum => {
                self.add(format!("n={}", cx.num_goroutine()));
                Step::Next
            }
            Op::Gosched => Step::Give(Exit::Gosched),
            Op::Sleep(ns) => cx.sleep(g, *ns).into(),
            Op::Loop(n, back) => self.back(co(cx, g), *n, *back),
            Op::Burn(n) => self.burn(cx, g, *n),
            Op::Refuel(n) => {
                cx.fuel = *n;
                Step::Next
            }
            Op::End(code) => Step::Give(Exit::End(ProcessEnd::exit(*code))),
            other => self.step_more(cx, g, other),
        }
    }

    fn back(&self, c: &mut Co, n: u64, back: usize) -> Step {
        let pc = c.pc;
        let at = c.loops.iter().position(|(p, _)| *p == pc).unwrap_or_else(|| {
            c.loops.push((pc, 0));
            c.loops.len() - 1
        });
        c.loops[at].1 += 1;
        if c.loops[at].1 < n {
            c.pc -= back + 1;
        } else {
            c.loops.remove(at);
        }
        Step::Next
    }

    fn burn(&self, cx: &mut Cx<'_, Fake>, g: GRef, n: u64) -> Step {
        let c = co(cx, g);
        if c.burn == 0 {
            c.burn = n;
        }
        while c.burn > 0 {
            let part = c.burn.min(cx.fuel.max(0) as u64 + 1);
            for i in 0..part {
                std::hint::black_box(i);
            }
            c.burn -= part;
            cx.fuel -= part as i64;
            if c.burn > 0 && cx.fuel <= 0 {
                c.pc -= 1;
                if cx.refill(g) == Refill::Preempt {
                    return Step::Give(Exit::Preempted);
                }
                c.pc += 1;
            }
        }
        Step::Next
    }

    fn step_more(&self, cx: &mut Cx<'_, Fake>, g: GRef, op: &Op) -> Step {
        match op {
            Op::Lock(n) => {
                self.sync(cx, g, |cx| unsafe { chan::mutex_lock(cx, g, &*self.mutexes[*n]) })
            }
            Op::Unlock(n) => unsafe { chan::mutex_unlock(cx, &*self.mutexes[*n]) }.unwrap().into(),
            Op::RLock(n) => self.sync(cx, g, |cx| unsafe { chan::rw_rlock(cx, g, &*self.rws[*n]) }),
            Op::RUnlock(n) => unsafe { chan::rw_runlock(cx, &*self.rws[*n]) }.unwrap().into(),
            Op::WLock(n) => self.sync(cx, g, |cx| unsafe { chan::rw_lock(cx, g, &*self.rws[*n]) }),
            Op::WUnlock(n) => unsafe { chan::rw_unlock(cx, &*self.rws[*n]) }.unwrap().into(),
            Op::WgAdd(n, d) => {
                unsafe { chan::wait_group_add(cx, &*self.wgs[*n], *d) }.unwrap().into()
            }
            Op::WgWait(n) => self
                .sync(cx, g, |cx| unsafe { chan::wait_group_wait(cx, g, &*self.wgs[*n]) }.unwrap()),
            Op::CondTicket(n) => {
                co(cx, g).ticket = unsafe { chan::cond_ticket(&*self.conds[*n]) };
                Step::Next
            }
            Op::CondSleep(n) => {
                let ticket = co(cx, g).ticket;
                self.sync(cx, g, |cx| unsafe { chan::cond_wait(cx, g, &*self.conds[*n], ticket) })
            }
            Op::Signal(n) => {
                unsafe { chan::cond_signal(cx, &*self.conds[*n]) };
                Step::Next
            }
            Op::Broadcast(n) => {
                unsafe { chan::cond_broadcast(cx, &*self.conds[*n]) };
                Step::Next
            }
            other => self.step_rare(cx, g, other),
        }
    }

    fn step_net(&self, cx: &mut Cx<'_, Fake>, op: &Op) {
        match op {
            Op::NetOpen(n) => {
                self.token(cx, *n);
            }
            Op::NetWrite(n, byte) => {
                assert_eq!((&self.pipes[*n].writer).write(&[*byte]).unwrap(), 1);
                #[cfg(feature = "loom")]
                {
                    let token = self.token(cx, *n);
                    cx.net_pretend(token, Mode::Read);
                }
            }
            Op::NetClose(n) => {
                let token = self.token(cx, *n);
                cx.net_close(token);
            }
            Op::NetDeadline(n, ns) => {
                let (token, when) = (self.token(cx, *n), cx.now() + ns);
                cx.net_deadline(token, Mode::Read, when);
            }
            other => unreachable!("{other:?}"),
        }
    }

    /// Operations that keep their P while they wait.
    fn step_waiting(&self, cx: &mut Cx<'_, Fake>, g: GRef, op: &Op) {
        match op {
            Op::Hog(ms) => std::thread::sleep(std::time::Duration::from_millis(*ms)),
            Op::AwaitProcs(n) if cx.procs() != *n => {
                co(cx, g).pc -= 1;
                gmpl::sync::thread::yield_now();
            }
            Op::AwaitTicket(n) if self.conds[*n].next.load(Ordering::SeqCst) == 0 => {
                co(cx, g).pc -= 1;
                gmpl::sync::thread::yield_now();
            }
            Op::Await(n) if self.lines() < *n => {
                co(cx, g).pc -= 1;
                gmpl::sync::thread::yield_now();
            }
            Op::Hold(n) => {
                while self.lines() < *n {
                    gmpl::sync::thread::yield_now();
                }
            }
            _ => {}
        }
    }

    fn step_rare(&self, cx: &mut Cx<'_, Fake>, g: GRef, op: &Op) -> Step {
        match op {
            Op::Select(cases, block) => return self.select(cx, g, cases, *block),
            Op::Syscall(_) | Op::SyscallSpin(_) | Op::Blocking(_) => {
                match op {
                    Op::Blocking(_) => cx.enter_blocking(g),
                    _ => cx.enter_syscall(g),
                }
                in_syscall(op);
                if !cx.exit_syscall(g) {
                    return Step::Give(Exit::LostP);
                }
            }
            Op::Hog(_) | Op::AwaitTicket(_) | Op::AwaitProcs(_) | Op::Await(_) | Op::Hold(_) => {
                self.step_waiting(cx, g, op);
            }
            Op::Stw => {
                let n = cx.stop_the_world(g, "test", |world| {
                    let mut n = 0;
                    world.each_g(|_, co| n += usize::from(co.pc <= co.ops.len()));
                    world.each_local(|local| *local += 1);
                    n
                });
                assert!(n > 0);
            }
            Op::Procs(n) => {
                cx.set_procs(g, *n);
            }
            Op::NetRead(n) => return self.net_read(cx, g, *n),
            Op::NetOpen(_) | Op::NetWrite(..) | Op::NetClose(_) | Op::NetDeadline(..) => {
                self.step_net(cx, op)
            }
            Op::LockThread => cx.lock_os_thread(g),
            Op::UnlockThread => cx.unlock_os_thread(g),
            Op::AddThread => self.add(format!("m{}", cx.m_id())),
            Op::NilRecv => {
                return cx.park_forever(g, gmpl::sched::WaitReason::ChanReceiveNil).into();
            }
            Op::AfterFunc(ns, arg) => {
                let when = cx.now() + ns;
                Timer::for_func(*arg).start(cx, when, 0);
            }
            Op::Arm(n, ns, period) => {
                let when = cx.now() + ns;
                let pending = self.timers[*n].reset(cx, when, *period);
                self.add(format!("reset:{pending}"));
            }
            Op::StopTimer(n) => {
                let pending = self.timers[*n].stop(cx);
                self.add(format!("stop:{pending}"));
            }
            other => unreachable!("{other:?}"),
        }
        Step::Next
    }

    fn select(
        &self,
        cx: &mut Cx<'_, Fake>,
        g: GRef,
        cases: &[(usize, Option<u64>)],
        block: bool,
    ) -> Step {
        let mut values: Vec<u64> = cases.iter().map(|(_, v)| v.unwrap_or(0)).collect();
        let cases: Vec<Case> = cases
            .iter()
            .zip(&mut values)
            .map(|((n, v), slot)| Case { chan: &self.chans[*n], send: v.is_some(), slots: slot })
            .collect();
        co(cx, g).resume = Resume::Select;
        let selected = unsafe { chan::select(cx, g, &cases, block) };
        if selected == chan::Selected::Park {
            return Step::Give(Exit::Parked);
        }
        co(cx, g).resume = Resume::No;
        match selected {
            chan::Selected::Chosen { case, ok } => {
                self.add(format!("sel{case}:{}:{ok}", values[case as usize]));
            }
            chan::Selected::Default => self.add("default".to_owned()),
            chan::Selected::Closed | chan::Selected::Park => unreachable!(),
        }
        Step::Next
    }
}

/// What a blocking native does meanwhile.
fn in_syscall(op: &Op) {
    match op {
        Op::Syscall(ms) | Op::Blocking(ms) if *ms > 0 => {
            std::thread::sleep(std::time::Duration::from_millis(*ms));
        }
        Op::SyscallSpin(n) => (0..*n).for_each(|_| std::hint::spin_loop()),
        _ => {}
    }
}

/// A sink that keeps what it is given.
#[derive(Debug, Default)]
pub(crate) struct Kept(pub(crate) Mutex<String>);

impl Sink for Kept {
    fn write(&self, text: &str) {
        self.0.lock().unwrap().push_str(text);
    }
}

/// How a run ended, what it logged, and what it wrote.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) end: ProcessEnd,
    pub(crate) log: Vec<String>,
    pub(crate) text: String,
    pub(crate) runtime: Runtime<Fake>,
}

impl Ran {
    pub(crate) fn joined(&self) -> String {
        self.log.join(" ")
    }
}

/// Runs `main` with these objects.
pub(crate) fn run_with(config: Config, fake: Fake, main: Vec<Op>) -> Ran {
    let sink = Arc::new(Kept::default());
    let config = Config { sink: Arc::<Kept>::clone(&sink), ..config };
    let runtime = Runtime::new(config, fake);
    let end = runtime.run_main(|co| co.ops = main.into());
    let log = runtime.machine().log.lock().unwrap().clone();
    let text = sink.0.lock().unwrap().clone();
    Ran { end, log, text, runtime }
}

/// A configuration with this many Ps.
pub(crate) fn procs(n: u32) -> Config {
    Config { procs: n, ..Config::default() }
}

pub(crate) fn go(ops: Vec<Op>) -> Op {
    Op::Go(ops.into())
}

pub(crate) fn add(s: impl Into<String>) -> Op {
    Op::Add(s.into())
}

/// `wg.Add(1); go func() { ops; wg.Done() }()` on wait group 0.
pub(crate) fn wg_go(mut ops: Vec<Op>) -> [Op; 2] {
    ops.push(Op::WgAdd(0, -1));
    [Op::WgAdd(0, 1), go(ops)]
}

/// `cond.Wait()` with its mutex.
pub(crate) fn cond_wait(c: usize, m: usize) -> [Op; 4] {
    [Op::CondTicket(c), Op::Unlock(m), Op::CondSleep(c), Op::Lock(m)]
}

/// Lets everything else settle.
pub(crate) fn settle() -> Vec<Op> {
    vec![Op::Gosched; 8]
}
