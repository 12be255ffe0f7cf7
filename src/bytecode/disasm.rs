//! A readable listing of a module, for `gmpl disasm` and for tests.
//!
//! One line an instruction, its operand words folded in; targets of jumps are absolute; names instead of ids. The
//! listing of a function depends on that function alone, so that snapshots stay stable.

#![expect(clippy::wildcard_enum_match_arm, reason = "most opcodes need no note")]

use std::fmt::Write;

use super::effects::{Effects, effects, ext};
use super::module::{Const, Func, Module};
use super::op::{Ins, NO_REG, Role};
use crate::source::SourceMap;

/// Lists every function whose name passes the filter, with the source lines if there is a map.
pub fn disasm(module: &Module, map: Option<&SourceMap>, wanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for func in module.funcs.iter().filter(|f| wanted(&f.name)) {
        function(module, func, map, &mut out);
        out.push('\n');
    }
    out
}

/// Lists one function.
pub fn function(module: &Module, func: &Func, map: Option<&SourceMap>, out: &mut String) {
    let mut notes = String::new();
    if func.closure {
        notes.push_str(", closure");
    }
    if func.wrapper {
        notes.push_str(", wrapper");
    }
    let _ = writeln!(
        out,
        "{}: {} params, {} results, {} slots{notes}",
        func.name, func.params, func.results, func.nslots
    );
    let mut shown = None;
    let mut pc = 0;
    while pc < func.code.len() {
        let line = map.and_then(|m| source_line(func, pc, m));
        if line.is_some() && line != shown {
            let (number, text) = line.clone().unwrap_or_default();
            let _ = writeln!(out, "                                ; {number}: {}", text.trim());
            shown = line;
        }
        let mark = if func.recover_at == Some(pc as u32) { "r" } else { " " };
        let _ = writeln!(out, "{mark}{pc:5}  {}", instruction(module, func, pc));
        pc += 1 + func.code[pc].ext_words();
    }
}

fn source_line(func: &Func, pc: usize, map: &SourceMap) -> Option<(u32, String)> {
    let k = func.lines.partition_point(|l| l.0 as usize <= pc);
    let pos = func.lines.get(k.checked_sub(1)?)?.1;
    let place = map.place(pos)?;
    let file = map.file(map.file_of(pos)?);
    Some((place.line, file.line_text(place.line).to_string()))
}

/// One instruction.
pub fn instruction(module: &Module, func: &Func, pc: usize) -> String {
    let ins = func.code[pc];
    let mut fx = Effects::default();
    effects(module, func, pc, &mut fx);
    let mut text = format!("{:<12}", ins.name());
    for (k, o) in ins.operands().iter().enumerate() {
        text.push_str(if k == 0 { " " } else { ", " });
        text.push_str(&operand(module, o.role, o.value, &fx));
    }
    for k in 0..ins.ext_words() {
        let (a, b) = ext(func, pc, k);
        let _ = write!(text, " [{}, {}]", register(i64::from(a)), b.cast_signed());
    }
    if let Some(note) = type_note(module, func, pc, ins) {
        let _ = write!(text, " ; {note}");
    }
    text.trim_end().to_string()
}

fn register(value: i64) -> String {
    if value == i64::from(NO_REG) { "_".into() } else { value.to_string() }
}

fn operand(module: &Module, role: Role, value: i64, fx: &Effects) -> String {
    let index = usize::try_from(value).unwrap_or(usize::MAX);
    match role {
        Role::Def | Role::Use | Role::UseDef | Role::DefN | Role::UseN | Role::OptDef => {
            if value == i64::from(NO_REG) { "_".into() } else { format!("r{value}") }
        }
        Role::Special if value == i64::from(NO_REG) => "_".into(),
        Role::Special => format!("r{value}"),
        Role::Win => format!("w{value}"),
        Role::Jump => fx.target.map_or_else(String::new, |t| format!("->{t}")),
        Role::Const => module.consts.get(index).map_or_else(String::new, |c| constant(module, c)),
        Role::Func => module.funcs.get(index).map_or_else(String::new, |f| f.name.clone()),
        Role::Type => type_name(module, index),
        Role::Method => module.methods.get(index).map_or_else(String::new, |m| m.name.clone()),
        Role::Native => module.natives.get(index).map_or_else(String::new, |n| n.name.clone()),
        Role::Global => global(module, value),
        Role::Select => select(module, index),
        Role::Imm | Role::Count | Role::Off => value.to_string(),
    }
}

fn select(module: &Module, index: usize) -> String {
    let Some(table) = module.selects.get(index) else { return String::new() };
    let mut parts: Vec<String> = table
        .cases
        .iter()
        .map(|c| {
            let value = register(i64::from(c.value));
            let ok = register(i64::from(c.ok));
            if c.send {
                format!("r{}<-r{value}", c.chan)
            } else {
                format!("r{value},{ok}<-r{}", c.chan)
            }
        })
        .collect();
    if table.default {
        parts.push("default".into());
    }
    format!("{{{}}}", parts.join(" "))
}

fn global(module: &Module, at: i64) -> String {
    let k = module.globals.partition_point(|g| i64::from(g.at) <= at);
    match k.checked_sub(1).and_then(|k| module.globals.get(k)) {
        Some(g) if i64::from(g.at) == at => g.name.clone(),
        Some(g) => format!("{}+{}", g.name, at - i64::from(g.at)),
        None => format!("g{at}"),
    }
}

fn type_name(module: &Module, index: usize) -> String {
    module.types.get(index).map_or_else(String::new, |t| t.name.clone())
}

fn constant(module: &Module, c: &Const) -> String {
    match c {
        Const::Word(w) => format!("{:#x}", w),
        Const::Str(s) => format!("{:?}", String::from_utf8_lossy(s)),
        Const::Func(f) => {
            module.funcs.get(*f as usize).map_or_else(String::new, |f| f.name.clone())
        }
        Const::IfaceWord { ty, word } => {
            format!("{}({})", type_name(module, *ty as usize), word.cast_signed())
        }
        Const::IfaceStr { ty, text } => {
            format!("{}({:?})", type_name(module, *ty as usize), String::from_utf8_lossy(text))
        }
    }
}

/// The type or function that an operand word names.
fn type_note(module: &Module, func: &Func, pc: usize, ins: Ins) -> Option<String> {
    let (_, b) = ext(func, pc, 0);
    match ins {
        Ins::MkClosure { .. } => module.funcs.get(b as usize).map(|f| f.name.clone()),
        Ins::MapNext { .. } => Some(type_name(module, ext(func, pc, 1).1 as usize)),
        Ins::EqT { .. }
        | Ins::MakeSlice { .. }
        | Ins::Append { .. }
        | Ins::AppendN { .. }
        | Ins::AppendSlice { .. }
        | Ins::Copy { .. }
        | Ins::MkIface { .. }
        | Ins::Unbox { .. }
        | Ins::AssertT { .. }
        | Ins::AssertTOk { .. }
        | Ins::AssertI { .. }
        | Ins::AssertIOk { .. }
        | Ins::MakeMap { .. }
        | Ins::MapGet { .. }
        | Ins::MapSet { .. }
        | Ins::MapDelete { .. }
        | Ins::MapAdd { .. }
        | Ins::MakeChan { .. } => Some(type_name(module, b as usize)),
        _ => None,
    }
}
