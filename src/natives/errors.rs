//! Package errors: the part of `As` that looks at types.

use crate::bytecode::module::TypeKind;
use crate::value::{iface, mem};

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[("asTarget", as_target), ("validTarget", valid_target)];

/// The type that `target` (an interface word) points to, and the pointer.
fn pointed(n: &Ncx<'_, '_>, target: u64) -> Option<(u32, u64)> {
    let ty = iface::type_of(target);
    if ty == 0 {
        return None;
    }
    let TypeKind::Pointer(elem) = n.vm.types.at(ty).desc.kind else { return None };
    let p = mem::load64(iface::payload(target));
    (p != 0).then_some((elem, p))
}

/// `func asTarget(err error, target any) bool`.
fn as_target(n: &mut Ncx<'_, '_>) -> Outcome {
    let (err, target) = (n.arg(0), n.arg(1));
    let Some((elem, p)) = pointed(n, target) else {
        n.ret_bool(0, false);
        return Outcome::Done;
    };
    let dynamic = iface::type_of(err);
    let t = n.vm.types.at(elem);
    let fits = if matches!(t.desc.kind, TypeKind::Interface(_)) {
        let fits = dynamic != 0 && n.vm.types.missing_method(dynamic, elem).is_none();
        if fits {
            mem::store64(p, err);
        }
        fits
    } else {
        if dynamic == elem {
            mem::copy_bytes(p, iface::payload(err), t.stride);
        }
        dynamic == elem
    };
    n.ret_bool(0, fits);
    Outcome::Done
}

/// `func validTarget(target any) int`: 1 no pointer or nil, 2 points to a type that cannot hold an error.
fn valid_target(n: &mut Ncx<'_, '_>) -> Outcome {
    let status = match pointed(n, n.arg(0)) {
        None => 1,
        Some((elem, _)) => {
            let t = n.vm.types.at(elem);
            let has_error =
                t.desc.methods.iter().any(|m| n.vm.methods.at(m.method as usize).name == "Error");
            if matches!(t.desc.kind, TypeKind::Interface(_)) || has_error { 0 } else { 2 }
        }
    };
    n.ret(0, status);
    Outcome::Done
}
