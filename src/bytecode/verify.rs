//! The load-time verifier: what it accepts, the machine may run with unchecked registers and jumps.
//!
//! It checks each function on its own, in one pass: registers and windows inside the frame, indexes inside their tables, jumps onto
//! the first words of instructions, operand words present, backward jumps only as `Loop*`, and no way out of the end of the code.
//! It does not check types: slots are untyped, and a wrong one is a bug of the compiler.

use super::effects::{Effects, effects, falls_through, is_loop};
use super::module::{Func, Module};
use super::op::{HEADER, Ins, Role};

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub func: String,
    pub pc: usize,
    pub text: String,
}

/// Verifies the functions from index `from` on.
pub fn verify(module: &Module, from: usize) -> Result<(), Fault> {
    for func in &module.funcs[from.min(module.funcs.len())..] {
        verify_func(module, func)?;
    }
    Ok(())
}

/// Verifies one function.
pub fn verify_func(module: &Module, func: &Func) -> Result<(), Fault> {
    let fail = |pc: usize, text: String| Fault { func: func.name.clone(), pc, text };
    let starts = starts(func).map_err(|pc| fail(pc, "operand word missing or misplaced".into()))?;
    let mut fx = Effects::default();
    let mut pc = 0;
    while pc < func.code.len() {
        let ins = func.code[pc];
        indexes(module, func, pc).map_err(|text| fail(pc, text))?;
        effects(module, func, pc, &mut fx);
        frame(func, &fx).map_err(|text| fail(pc, format!("{}: {text}", ins.name())))?;
        if let Some(target) = fx.target {
            jump(&starts, pc, target, ins).map_err(|text| fail(pc, text))?;
        }
        let next = pc + 1 + ins.ext_words();
        if next >= func.code.len() && falls_through(ins) {
            return Err(fail(pc, "control runs out of the end".into()));
        }
        pc = next;
    }
    match func.recover_at {
        Some(at) if !matches!(func.code.get(at as usize), Some(Ins::RunDefers { .. })) => {
            Err(fail(at as usize, "recover_at is no RunDefers".into()))
        }
        _ if func.code.is_empty() => Err(fail(0, "no code".into())),
        _ => Ok(()),
    }
}

/// Which words are first words of instructions.
fn starts(func: &Func) -> Result<Vec<bool>, usize> {
    let mut starts = vec![false; func.code.len()];
    let mut pc = 0;
    while let Some(ins) = func.code.get(pc) {
        if matches!(ins, Ins::Ext { .. }) {
            return Err(pc);
        }
        starts[pc] = true;
        for k in 1..=ins.ext_words() {
            if !matches!(func.code.get(pc + k), Some(Ins::Ext { .. })) {
                return Err(pc);
            }
        }
        pc += 1 + ins.ext_words();
    }
    Ok(starts)
}

fn jump(starts: &[bool], pc: usize, target: i64, ins: Ins) -> Result<(), String> {
    let lands = usize::try_from(target).ok().and_then(|t| starts.get(t).copied());
    if lands != Some(true) {
        return Err(format!("{} to {target}, where no instruction starts", ins.name()));
    }
    let back = target <= pc as i64;
    match (back, is_loop(ins)) {
        (true, false) => Err(format!("{} jumps back", ins.name())),
        (false, true) => Err(format!("{} jumps forward", ins.name())),
        _ => Ok(()),
    }
}

fn frame(func: &Func, fx: &Effects) -> Result<(), String> {
    for &(r, n) in fx.uses.iter().chain(&fx.defs) {
        if u32::from(r) + n > func.nslots {
            return Err(format!("register {r} (of {n}) outside a frame of {}", func.nslots));
        }
    }
    if let Some((w, args, results)) = fx.window {
        let end = u32::from(w) + u32::from(HEADER) + args.max(results);
        if end > func.nslots {
            return Err(format!("window {w} outside a frame of {}", func.nslots));
        }
    }
    Ok(())
}

/// Checks the indexes into the module's tables.
fn indexes(module: &Module, func: &Func, pc: usize) -> Result<(), String> {
    let ins = func.code[pc];
    for o in ins.operands().iter() {
        let limit = match o.role {
            Role::Const => module.consts.len(),
            Role::Global => module.global_words as usize + 1,
            Role::Func => module.funcs.len(),
            Role::Type => module.types.len(),
            Role::Method => module.methods.len(),
            Role::Native => module.natives.len(),
            Role::Select => module.selects.len(),
            Role::Def
            | Role::Use
            | Role::UseDef
            | Role::DefN
            | Role::UseN
            | Role::OptDef
            | Role::Win
            | Role::Imm
            | Role::Count
            | Role::Off
            | Role::Jump
            | Role::Special => continue,
        };
        if usize::try_from(o.value).is_ok_and(|v| v < limit) {
            continue;
        }
        return Err(format!("{}: {} {} of {limit}", ins.name(), o.name, o.value));
    }
    Ok(())
}
