//! The compiler: typed trees become bytecode.
//!
//! What it is: one pass over each reachable function. [`Compiler`] owns the module that is being built, asks the checker
//! ([`Source`]) for bodies as it reaches them, and works off a list until nothing new is reached. `fun` has the state of one
//! function; the files beside it each compile one kind of thing (`expr`, `cond`, `assign`, `loops` ...).
//! What it is not: an optimiser. Good code comes from where values are put in the first place: locals have fixed slots, an
//! expression is evaluated into the slot that needs it, comparisons go straight into jumps.
//!
//! Invariants:
//! * The module only grows; ids never change, so that a REPL can add to a module that is running.
//! * A function id exists before its code: `funcs[id].code` is empty until the work list reaches it.
//! * Nothing here looks at a type parameter or an untyped constant; the checker has removed them.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the compiler asks for one of many kinds of expression, type or instruction nearly everywhere"
)]

mod arith;
mod assign;
mod builtin;
mod call;
mod closure;
mod compare;
mod cond;
mod consts;
mod convert;
mod defer;
mod expr;
mod forward;
mod fun;
mod iface;
mod inline;
mod jumps;
mod literal;
mod loops;
mod methods;
mod order;
mod place;
mod rangefunc;
mod stmt;
mod switch;
mod types;
mod vars;

use crate::diag::Code;
use crate::types::table::HashMap;
use std::rc::Rc;

use crate::bytecode::module::{Const, Func, Global, Module, NativeDecl};
use crate::bytecode::op::Ins;
use crate::bytecode::rt::Rt;
use crate::diag::Diagnostic;
use crate::source::Pos;
use crate::types::ty::Kind;
use crate::types::typed::{FuncBody, FuncRef, GlobalId, Source};

use defer::ThunkKey;
use fun::Fun;
use methods::Methods;
use types::TypeTable;

/// How to compile.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Use fused instructions; without it the code is longer and plainer.
    pub opt: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { opt: true }
    }
}

/// What a [`FuncRef`] has become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Function id.
    Func(u32),
    /// Native id.
    Native(u32),
}

/// The most slots a frame may have; more is a diagnostic.
pub const MAX_FRAME: u32 = 65_000;

/// The compiler. It persists as long as its program may grow.
#[derive(Debug, Default)]
pub struct Compiler {
    pub module: Module,
    opts: Options,
    types: TypeTable,
    methods: Methods,
    /// By [`FuncRef`].
    targets: Vec<Option<Target>>,
    /// By [`GlobalId`]: offset in words.
    globals: Vec<Option<u32>>,
    work: Vec<(u32, FuncBody)>,
    /// Functions that are compiled into their callers, by id.
    inlines: HashMap<u32, Rc<inline::Inline>>,
    words: HashMap<u64, u32>,
    strings: HashMap<Vec<u8>, u32>,
    func_consts: HashMap<u32, u32>,
    natives: HashMap<String, u32>,
    rt: Vec<Option<u32>>,
    thunks: HashMap<ThunkKey, u32>,
    errors: Vec<Diagnostic>,
    /// The function being compiled, for errors without a place of their own.
    at: Pos,
}

impl Compiler {
    /// A compiler with an empty module.
    pub fn new(opts: Options) -> Self {
        Compiler { opts, ..Compiler::default() }
    }

    /// Compiles everything that is reachable from the initialisation of the packages and from `main.main`, and sets
    /// `module.entry`. Errors are limits of the machine, such as a frame that is too large.
    pub fn compile_program(&mut self, src: &mut dyn Source) -> Result<(), Vec<Diagnostic>> {
        if self.module.types.is_empty() {
            self.module.types.push(types::no_type());
        }
        let entry = self.compile_more(src)?;
        self.module.entry = entry;
        Ok(())
    }

    /// Compiles what `src` has to initialise now (for a REPL: the new chunk) and gives the function to run.
    pub fn compile_more(&mut self, src: &mut dyn Source) -> Result<u32, Vec<Diagnostic>> {
        if self.module.types.is_empty() {
            self.module.types.push(types::no_type());
        }
        let mut calls = Vec::new();
        for body in src.inits() {
            let id = self.new_func(body.name.clone(), body.pos);
            calls.push(id);
            self.work.push((id, body));
        }
        if let Some(main) = src.main() {
            match self.target(src, main) {
                Target::Func(id) => calls.push(id),
                Target::Native(_) => {}
            }
        }
        self.finish(src, "runtime.main", &calls)
    }

    /// Compiles a piece of a growing script: a function that runs `bodies` one after the other. The module must know the types and
    /// functions of the machine, so the first piece comes after [`Compiler::compile_program`] or brings them along itself.
    pub fn compile_chunk(
        &mut self,
        src: &mut dyn Source,
        bodies: Vec<FuncBody>,
    ) -> Result<u32, Vec<Diagnostic>> {
        if self.module.types.is_empty() {
            self.module.types.push(types::no_type());
        }
        let mut calls = Vec::new();
        for body in bodies {
            let id = self.new_func(body.name.clone(), body.pos);
            calls.push(id);
            self.work.push((id, body));
        }
        self.finish(src, "main.chunk", &calls)
    }

    /// Compiles everything that has become reachable, and the function that calls what the library needs to be initialised and then `calls`.
    fn finish(
        &mut self,
        src: &mut dyn Source,
        name: &str,
        calls: &[u32],
    ) -> Result<u32, Vec<Diagnostic>> {
        let entry = self.new_func(name.into(), Pos::NONE);
        self.well_known(src);
        let (mut parts, mut ids) = (vec![], HashMap::default());
        loop {
            self.drain(src);
            let found = src.library_inits();
            if found.is_empty() {
                break;
            }
            for (part, body) in found {
                let id = self.new_func(body.name.clone(), body.pos);
                parts.push(part);
                ids.insert(part, id);
                self.work.push((id, body));
            }
        }
        let order = src.init_order(&parts);
        let inits = order.iter().map(|part| &ids[part]);
        let mut code: Vec<Ins> = inits.chain(calls).map(|&f| Ins::Call { w: 0, f }).collect();
        code.push(Ins::Ret0 {});
        let func = &mut self.module.funcs[entry as usize];
        func.code = code;
        func.nslots = 2;
        func.wrapper = true;
        if self.errors.is_empty() { Ok(entry) } else { Err(std::mem::take(&mut self.errors)) }
    }

    /// Works off the list of bodies, and then the methods that have become reachable, until nothing is left.
    fn drain(&mut self, src: &mut dyn Source) {
        loop {
            while let Some((id, body)) = self.work.pop() {
                Fun::compile(self, src, &body, id, None);
            }
            if !self.compile_methods(src) {
                return;
            }
        }
    }

    fn well_known(&mut self, src: &mut dyn Source) {
        use crate::types::ty::Basic;
        let strings = src.types().slice(Basic::String.ty());
        let bytes = src.types().slice(Basic::Uint8.ty());
        self.module.known.bool_ = self.type_id(src, Basic::Bool.ty());
        self.module.known.int = self.type_id(src, Basic::Int.ty());
        self.module.known.string = self.type_id(src, Basic::String.ty());
        self.module.known.slice_string = self.type_id(src, strings);
        self.module.known.slice_byte = self.type_id(src, bytes);
        self.module.known.error = self.std_type(src, "", "error", false);
        self.module.known.runtime_error_string =
            self.std_type(src, "runtime", "errorString", false);
        self.module.known.runtime_bounds_error =
            self.std_type(src, "runtime", "boundsError", false);
        self.module.known.runtime_plain_error = self.std_type(src, "runtime", "plainError", false);
        self.module.known.runtime_type_assertion_error =
            self.std_type(src, "runtime", "TypeAssertionError", true);
        self.module.known.runtime_panic_nil_error =
            self.std_type(src, "runtime", "PanicNilError", true);
        if let Some(f) = src.std_func("runtime", "printPanicValue")
            && let Target::Func(id) = self.target(src, f)
        {
            self.module.known.runtime_panic_text = Some(id);
        }
    }

    /// The id of a type that the machine makes values of, or 0.
    fn std_type(&mut self, src: &mut dyn Source, pkg: &str, name: &str, pointer: bool) -> u32 {
        let Some(mut ty) = src.std_type(pkg, name) else { return 0 };
        if pointer {
            ty = src.types().pointer(ty);
        }
        self.live_type(src, ty)
    }

    /// Reserves a function id.
    fn new_func(&mut self, name: String, pos: Pos) -> u32 {
        let id = u32::try_from(self.module.funcs.len()).expect("fewer than 2^32 functions");
        self.module.funcs.push(Func {
            name,
            code: Vec::new(),
            nslots: 0,
            params: 0,
            results: 0,
            closure: false,
            recover_at: None,
            lines: Vec::new(),
            wrapper: false,
            pos,
        });
        id
    }

    /// What a call of `f` calls; the body is put on the work list when it is first asked for.
    fn target(&mut self, src: &mut dyn Source, f: FuncRef) -> Target {
        let index = f.0 as usize;
        if index >= self.targets.len() {
            self.targets.resize(index + 1, None);
        }
        if let Some(t) = self.targets[index] {
            return t;
        }
        let body = src.body(f);
        let target = if body.native {
            Target::Native(self.declared_native(src, f))
        } else {
            let id = self.new_func(body.name.clone(), body.pos);
            if let Some(inline) = self.inline(src, &body) {
                self.inlines.insert(id, Rc::new(inline));
            }
            self.work.push((id, body));
            Target::Func(id)
        };
        self.targets[index] = Some(target);
        target
    }

    /// The native behind a bodiless function.
    fn declared_native(&mut self, src: &mut dyn Source, f: FuncRef) -> u32 {
        let name = native_name(&src.func_name(f));
        let sig = src.signature(f);
        let Kind::Func(sig) = src.types().kind(sig).clone() else {
            unreachable!("a function has a signature")
        };
        let slots = |c: &mut Self, src: &mut dyn Source, list: &[_]| -> u16 {
            let n: u32 = list.iter().map(|&t| c.info(src, t).slots()).sum();
            u16::try_from(n).unwrap_or(u16::MAX)
        };
        let params = slots(self, src, &sig.params);
        let results = slots(self, src, &sig.results);
        self.native(name, params, results)
    }

    fn native(&mut self, name: String, params: u16, results: u16) -> u32 {
        if let Some(&id) = self.natives.get(&name) {
            return id;
        }
        let id = u32::try_from(self.module.natives.len()).expect("fewer than 2^32 natives");
        self.module.natives.push(NativeDecl { name: name.clone(), params, results });
        self.natives.insert(name, id);
        id
    }

    /// The native id of a row of the compiler's own table.
    fn rt(&mut self, rt: Rt) -> u32 {
        let index = rt as usize;
        if self.rt.len() <= index {
            self.rt.resize(index + 1, None);
        }
        if let Some(id) = self.rt[index] {
            return id;
        }
        let row = rt.row();
        let id = self.native(row.name.into(), row.params, row.results);
        self.rt[index] = Some(id);
        id
    }

    /// Offset of a global in words.
    fn global(&mut self, src: &mut dyn Source, g: GlobalId) -> u32 {
        let index = g.0 as usize;
        if index >= self.globals.len() {
            self.globals.resize(index + 1, None);
        }
        if let Some(at) = self.globals[index] {
            return at;
        }
        let (name, ty) = src.global(g);
        let words = self.info(src, ty).words();
        let ty = self.type_id(src, ty);
        let at = self.module.global_words;
        match u32::try_from(words).ok().and_then(|w| at.checked_add(w)) {
            Some(end) => self.module.global_words = end,
            None => self.errors.push(Diagnostic::error(
                Pos::NONE,
                Code::TooLarge,
                format!("{name} is too large"),
            )),
        }
        self.module.globals.push(Global { name, at, ty });
        self.globals[index] = Some(at);
        at
    }

    fn push_const(&mut self, c: Const) -> u32 {
        let id = u32::try_from(self.module.consts.len()).expect("fewer than 2^32 constants");
        self.module.consts.push(c);
        id
    }

    fn word_const(&mut self, word: u64) -> u32 {
        if let Some(&k) = self.words.get(&word) {
            return k;
        }
        let k = self.push_const(Const::Word(word));
        self.words.insert(word, k);
        k
    }

    fn str_const(&mut self, text: &[u8]) -> u32 {
        if let Some(&k) = self.strings.get(text) {
            return k;
        }
        let k = self.push_const(Const::Str(text.to_vec()));
        self.strings.insert(text.to_vec(), k);
        k
    }

    fn func_const(&mut self, f: u32) -> u32 {
        if let Some(&k) = self.func_consts.get(&f) {
            return k;
        }
        let k = self.push_const(Const::Func(f));
        self.func_consts.insert(f, k);
        k
    }
}

/// `strings.(*Builder).Len` is the native `strings.Builder.Len`; type arguments are left out.
fn native_name(traced: &str) -> String {
    let mut depth = 0;
    let mut out = String::with_capacity(traced.len());
    for c in traced.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '(' | ')' | '*' => {}
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::native_name;

    #[test]
    fn names_of_natives() {
        assert_eq!(native_name("strings.Index"), "strings.Index");
        assert_eq!(
            native_name("sync/atomic.(*Pointer[go.shape.int]).Load"),
            "sync/atomic.Pointer.Load"
        );
    }
}
