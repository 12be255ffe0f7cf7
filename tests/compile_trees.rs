//! The compiler on typed trees made by hand: what code comes out, that the verifier takes it, that liveness agrees with a naive
//! analysis of the same code.

use gmpl::bytecode::disasm;
use gmpl::bytecode::effects::{Effects, effects, falls_through};
use gmpl::bytecode::liveness::Liveness;
use gmpl::bytecode::module::{Func, Module};
use gmpl::bytecode::verify;
use gmpl::compile::{Compiler, Options};
use gmpl::source::Pos;
use gmpl::types::ty::{Basic, Kind, PkgId, Signature, Ty, Types};
use gmpl::types::typed::*;

/// A program of hand-made functions; the first is main.
struct Trees {
    types: Types,
    funcs: Vec<(FuncBody, Signature)>,
}

impl Source for Trees {
    fn types(&mut self) -> &mut Types {
        &mut self.types
    }

    fn known_types(&self) -> &Types {
        &self.types
    }
    fn body(&mut self, f: FuncRef) -> FuncBody {
        std::mem::take(&mut self.funcs[f.0 as usize].0)
    }
    fn signature(&mut self, f: FuncRef) -> Ty {
        let sig = self.funcs[f.0 as usize].1.clone();
        self.types.intern(Kind::Func(sig))
    }
    fn func_name(&mut self, f: FuncRef) -> String {
        format!("main.f{}", f.0)
    }
    fn method_set(&mut self, _: Ty) -> Vec<MethodEntry> {
        Vec::new()
    }
    fn global(&mut self, _: GlobalId) -> (String, Ty) {
        ("main.g".into(), INT)
    }
    fn library_inits(&mut self) -> Vec<(LibraryInit, FuncBody)> {
        vec![]
    }

    fn init_order(&mut self, parts: &[LibraryInit]) -> Vec<LibraryInit> {
        parts.to_vec()
    }

    fn inits(&mut self) -> Vec<FuncBody> {
        Vec::new()
    }
    fn main(&mut self) -> Option<FuncRef> {
        Some(FuncRef(0))
    }
    fn package(&mut self, _: PkgId) -> (String, String) {
        ("main".into(), "main".into())
    }
    fn type_string(&mut self, t: Ty) -> String {
        format!("{:?}", self.types.kind(t))
    }
    fn std_type(&mut self, _: &str, _: &str) -> Option<Ty> {
        None
    }
    fn std_func(&mut self, _: &str, _: &str) -> Option<FuncRef> {
        None
    }
}

const INT: Ty = Basic::Int.ty();

/// Builds one function.
struct Build {
    body: FuncBody,
    labels: u32,
}

impl Build {
    fn new(name: &str) -> Self {
        Build { body: FuncBody { name: name.into(), ..FuncBody::default() }, labels: 0 }
    }

    fn local(&mut self, name: &str, ty: Ty) -> LocalId {
        self.body.locals.push(Local {
            name: name.into(),
            ty,
            pos: Pos::NONE,
            addr_taken: false,
            captured: false,
            reassigned: true,
        });
        LocalId(self.body.locals.len() as u32 - 1)
    }

    fn param(&mut self, name: &str, ty: Ty) -> LocalId {
        let l = self.local(name, ty);
        self.body.params.push(l);
        l
    }

    fn result(&mut self, ty: Ty) {
        let l = self.local("", ty);
        self.body.results.push(l);
    }

    fn expr(&mut self, kind: ExprKind, ty: Ty) -> ExprId {
        self.body.exprs.push(Expr { kind, ty, pos: Pos::NONE });
        ExprId(self.body.exprs.len() as u32 - 1)
    }

    fn int(&mut self, v: i64) -> ExprId {
        self.expr(ExprKind::Const(ConstVal::Int(v.into())), INT)
    }

    fn read(&mut self, l: LocalId) -> ExprId {
        let ty = self.body.locals[l.0 as usize].ty;
        self.expr(ExprKind::Local(l), ty)
    }

    fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels)
    }

    fn stmt(kind: StmtKind) -> Stmt {
        Stmt { kind, pos: Pos::NONE }
    }

    fn push(&mut self, kind: StmtKind) {
        self.body.body.push(Build::stmt(kind));
    }

    fn call(&mut self, f: u32, args: Vec<ExprId>, ty: Ty) -> ExprId {
        self.expr(ExprKind::Call(Call { callee: Callee::Static(FuncRef(f)), args }), ty)
    }
}

fn sig(params: &[Ty], results: &[Ty]) -> Signature {
    Signature { params: params.to_vec(), results: results.to_vec(), variadic: false }
}

fn compile(types: Types, funcs: Vec<(FuncBody, Signature)>, opt: bool) -> Module {
    let mut c = Compiler::new(Options { opt });
    c.compile_program(&mut Trees { types, funcs }).expect("within limits");
    let module = c.module;
    for func in &module.funcs {
        assert_eq!(verify::verify_func(&module, func), Ok(()), "{}", listing(&module, func));
        cross_check(&module, func);
    }
    module
}

fn listing(module: &Module, func: &Func) -> String {
    let mut out = String::new();
    disasm::function(module, func, None, &mut out);
    out
}

fn code(module: &Module, name: &str) -> Vec<String> {
    let func = module.funcs.iter().find(|f| f.name == name).expect("the function is there");
    let text = listing(module, func);
    text.lines().skip(1).map(|l| l[8..].split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Live slots before each instruction, one slot at a time.
fn naive(module: &Module, func: &Func) -> Vec<Vec<bool>> {
    let (n, slots) = (func.code.len(), func.nslots as usize);
    let mut live = vec![vec![false; slots]; n + 1];
    let mut fx = Effects::default();
    loop {
        let mut changed = false;
        let mut pc = 0;
        while pc < n {
            let ins = func.code[pc];
            let next = pc + 1 + ins.ext_words();
            effects(module, func, pc, &mut fx);
            #[expect(clippy::needless_range_loop, reason = "several rows are read at one slot")]
            for slot in 0..slots {
                let within = |runs: &[(u16, u32)]| {
                    runs.iter().any(|&(r, k)| {
                        (usize::from(r)..usize::from(r) + k as usize).contains(&slot)
                    })
                };
                let (mut killed, used) = (within(&fx.defs), within(&fx.uses));
                if let Some((w, ..)) = fx.window {
                    killed |= slot >= usize::from(w);
                }
                let fall = falls_through(ins) && live[next][slot];
                let jump = fx.target.is_some_and(|t| live[t as usize][slot]);
                let now = used || (!killed && (fall || jump));
                changed |= now != live[pc][slot];
                live[pc][slot] = now;
            }
            pc = next;
        }
        if !changed {
            return live;
        }
    }
}

fn cross_check(module: &Module, func: &Func) {
    let maps = Liveness::compute(func, module);
    let live = naive(module, func);
    for (pc, ins) in func.code.iter().enumerate() {
        if gmpl::bytecode::effects::is_loop(*ins) {
            let want: Vec<u16> =
                (0..func.nslots as u16).filter(|&k| live[pc][usize::from(k)]).collect();
            assert_eq!(maps.slots(pc as u32), want, "at {pc} of {}", listing(module, func));
        }
    }
}

/// func sum(n int) int { s := 0; for i := 0; i < n; i++ { s += i }; return s }
fn sum() -> (FuncBody, Signature) {
    let mut b = Build::new("main.sum");
    let n = b.param("n", INT);
    b.result(INT);
    let (s, i) = (b.local("s", INT), b.local("i", INT));
    let zero = b.int(0);
    b.push(StmtKind::Decl { local: s, init: Some(zero) });
    b.push(StmtKind::Decl { local: i, init: Some(zero) });
    let (lhs, rhs) = (b.read(s), b.read(i));
    let body = vec![Build::stmt(StmtKind::OpAssign { op: BinaryOp::Add, lhs, rhs })];
    let (a, limit, one) = (b.read(i), b.read(n), b.int(1));
    let cond = b.expr(ExprKind::Compare(CompareOp::Lt, a, limit), Basic::Bool.ty());
    let post = vec![Build::stmt(StmtKind::OpAssign { op: BinaryOp::Add, lhs: a, rhs: one })];
    let label = b.label();
    b.push(StmtKind::For { label, cond: Some(cond), post, body, per_iteration: vec![i] });
    let s = b.read(s);
    b.push(StmtKind::Return(vec![s]));
    (b.body, sig(&[INT], &[INT]))
}

/// func main() { sum(sum(10)) }
fn main_calling(f: u32, types: &mut Types) -> (FuncBody, Signature) {
    let mut b = Build::new("main.main");
    types.intern(Kind::Tuple(vec![]));
    let ten = b.int(10);
    let inner = b.call(f, vec![ten], INT);
    let outer = b.call(f, vec![inner], INT);
    b.push(StmtKind::Expr(outer));
    (b.body, sig(&[], &[]))
}

#[test]
fn counted_loop_is_one_instruction() {
    let mut types = Types::new();
    let main = main_calling(1, &mut types);
    let m = compile(types, vec![main, sum()], true);
    assert_eq!(
        code(&m, "main.sum"),
        [
            "LoadI r1, 0",
            "LoadI r2, 0",
            "JLeI r0, r2, ->5",
            "AddI r1, r1, r2",
            "LoopIncLtI r2, r0, ->3",
            "Ret1 r1"
        ]
    );
    assert_eq!(
        code(&m, "main.main"),
        ["LoadI r2, 10", "Call w0, main.sum", "Call w0, main.sum", "Ret0"]
    );
}

#[test]
fn without_fusion_the_same_loop_is_plain() {
    let mut types = Types::new();
    let main = main_calling(1, &mut types);
    let m = compile(types, vec![main, sum()], false);
    let text = code(&m, "main.sum").join("\n");
    assert!(!text.contains("LoopInc"), "{text}");
    assert!(text.contains("LoopT"), "{text}");
}

#[test]
fn swap_needs_three_moves() {
    let types = Types::new();
    let mut b = Build::new("main.main");
    let (x, y) = (b.local("x", INT), b.local("y", INT));
    let (one, two) = (b.int(1), b.int(2));
    b.push(StmtKind::Decl { local: x, init: Some(one) });
    b.push(StmtKind::Decl { local: y, init: Some(two) });
    let (ex, ey) = (b.read(x), b.read(y));
    b.push(StmtKind::Assign { lhs: vec![Some(ex), Some(ey)], rhs: vec![ey, ex] });
    let m = compile(types, vec![(b.body, sig(&[], &[]))], true);
    assert_eq!(
        code(&m, "main.main"),
        ["LoadI r0, 1", "LoadI r1, 2", "Mov r2, r0", "Mov r0, r1", "Mov r1, r2", "Ret0"]
    );
}

#[test]
fn append_to_a_slice_in_a_loop() {
    let mut types = Types::new();
    let slice = types.slice(INT);
    let mut b = Build::new("main.main");
    let s = b.local("s", slice);
    b.push(StmtKind::Decl { local: s, init: None });
    let n = b.int(1000);
    let i = b.local("i", INT);
    b.body.locals[i.0 as usize].reassigned = false;
    let (es, ei) = (b.read(s), b.read(i));
    let append = b.expr(ExprKind::Builtin(Builtin::Append { slice: es, elems: vec![ei] }), slice);
    let body = vec![Build::stmt(StmtKind::Assign { lhs: vec![Some(es)], rhs: vec![append] })];
    let label = b.label();
    let range = Range { label, over: RangeOver::Int, x: n, key: Some(i), value: None, body };
    b.push(StmtKind::Range(Box::new(range)));
    let m = compile(types, vec![(b.body, sig(&[], &[]))], true);
    let lines = code(&m, "main.main");
    assert_eq!(lines[3..5], ["Append r0, r0, r2 [0, 2] ; Basic(Int)", "LoopIncLtI r2, r1, ->3"]);
}
