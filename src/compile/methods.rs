//! Method ids, and the implementations that interface calls reach.
//!
//! A method id exists once an interface type has been described or an interface call compiled. A type is *live* once a value of
//! it may become an interface. For every live type, every method with an id gets an implementation in its descriptor; new ids
//! and new live types meet each other through the two tables by name, whichever comes first.
//!
//! Invariant: `TypeDesc::methods` is sorted by method id.

use crate::types::table::HashMap;

use super::{Compiler, Target};
use crate::bytecode::module::{MethodImpl, MethodName};
use crate::types::names::is_exported;
use crate::types::ty::{Field, Kind, PkgId, Ty};
use crate::types::typed::{MethodEntry, MethodTarget, Source};

/// What makes two methods the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct MethodKey {
    pub(super) name: String,
    pub(super) pkg: Option<PkgId>,
    /// `Kind::Func` without receiver.
    pub(super) sig: Ty,
}

/// The two tables, and what they have still to bring together.
#[derive(Debug, Default)]
pub(super) struct Methods {
    ids: HashMap<MethodKey, u32>,
    /// Live types by the keys of their methods, for ids that come later: type id and entry.
    waiting: HashMap<MethodKey, Vec<(u32, MethodEntry)>>,
    live: Vec<bool>,
    /// Live defined types, as long as no method is known that reads into a variable; see [`Compiler::mark_live`].
    named: Vec<Ty>,
    /// There is such a method.
    readers: bool,
    /// Package reflect calls methods by name: every exported method of a live type is wanted.
    by_name: bool,
    /// Package reflect is there: values can come out of channels and calls, too.
    reflected: bool,
    /// The live types, in the order in which they became so.
    all: Vec<Ty>,
    /// Implementations to make: type id, method id, entry.
    todo: Vec<(u32, u32, MethodEntry)>,
}

impl Compiler {
    /// The id of a method; a new one reaches the live types that have it.
    pub(super) fn method_id(&mut self, src: &mut dyn Source, key: &MethodKey) -> u32 {
        if let Some(&id) = self.methods.ids.get(key) {
            return id;
        }
        let sig = self.type_id(src, key.sig);
        if let Some(&id) = self.methods.ids.get(key) {
            return id;
        }
        let id = u32::try_from(self.module.methods.len()).expect("fewer than 2^32 methods");
        let pkg = key.pkg.map(|p| src.package(p).0).unwrap_or_default();
        self.module.methods.push(MethodName { name: key.name.clone(), pkg, sig });
        self.methods.ids.insert(key.clone(), id);
        // what reads into variables, and reflect.New, hand out pointers to them
        let readers = ["UnmarshalJSON", "UnmarshalText", "allTypesInside"];
        if readers.contains(&key.name.as_str()) && !self.methods.readers {
            self.methods.readers = true;
            for t in std::mem::take(&mut self.methods.named) {
                let pointer = src.types().pointer(t);
                self.mark_live(src, pointer);
            }
        }
        let by_name = key.name == "allMethodsByName" && !self.methods.by_name;
        let reflected = key.name == "allTypesInside" && !self.methods.reflected;
        self.methods.by_name |= by_name;
        self.methods.reflected |= reflected;
        if by_name || reflected {
            let mut inside = vec![];
            for t in self.methods.all.clone() {
                if by_name {
                    self.want_all(src, t);
                }
                self.nested(src, t, &mut inside);
            }
            for t in inside {
                self.live_type(src, t);
            }
        }
        if let Some(list) = self.methods.waiting.remove(key) {
            self.methods.todo.extend(list.into_iter().map(|(ty, entry)| (ty, id, entry)));
        }
        id
    }

    /// The id of a type whose values may become interfaces; marks what printing can reach from it too.
    pub(super) fn live_type(&mut self, src: &mut dyn Source, t: Ty) -> u32 {
        let id = self.type_id(src, t);
        let mut list = vec![t];
        while let Some(t) = list.pop() {
            if self.mark_live(src, t) {
                self.nested(src, t, &mut list);
            }
        }
        id
    }

    /// Where values are read into variables (JSON), pointers to the variables inside a live value become interfaces too: their
    /// methods do the reading.
    fn mark_live(&mut self, src: &mut dyn Source, t: Ty) -> bool {
        let id = self.type_id(src, t);
        let index = id as usize;
        if index >= self.methods.live.len() {
            self.methods.live.resize(index + 64, false);
        }
        if std::mem::replace(&mut self.methods.live[index], true) {
            return false;
        }
        if src.types().is_interface(t) {
            return true;
        }
        if matches!(src.types().kind(t), Kind::Named(_)) {
            if self.methods.readers {
                let pointer = src.types().pointer(t);
                self.mark_live(src, pointer);
            } else {
                self.methods.named.push(t);
            }
        }
        if self.methods.by_name {
            self.want_all(src, t);
        }
        self.methods.all.push(t);
        for entry in src.method_set(t) {
            let key = MethodKey { name: entry.name.clone(), pkg: entry.pkg, sig: entry.sig };
            match self.methods.ids.get(&key) {
                Some(&method) => self.methods.todo.push((id, method, entry)),
                None => self.methods.waiting.entry(key).or_default().push((id, entry)),
            }
        }
        true
    }

    /// Gives an id to each exported method of a type.
    fn want_all(&mut self, src: &mut dyn Source, t: Ty) {
        for entry in src.method_set(t) {
            if entry.pkg.is_none() {
                self.method_id(src, &MethodKey { name: entry.name, pkg: None, sig: entry.sig });
            }
        }
    }

    /// The types of the values that printing can get out of a value of `t` and call methods of: what unexported fields hold stays
    /// inside, but an embedded field leads to exported ones. Package reflect counts the methods of everything, and gets values out of
    /// channels and calls.
    fn nested(&mut self, src: &mut dyn Source, t: Ty, out: &mut Vec<Ty>) {
        match src.types().under(t) {
            Kind::Pointer(e) | Kind::Slice(e) | Kind::Array(_, e) => out.push(*e),
            Kind::Map(k, v) => out.extend([*k, *v]),
            Kind::Chan(_, e) if self.methods.reflected => out.push(*e),
            Kind::Func(s) if self.methods.reflected => {
                out.extend(s.params.iter().chain(&s.results));
            }
            Kind::Struct(fields) => {
                let all = self.methods.by_name;
                let open = |f: &&Field| all || f.embedded || is_exported(&f.name);
                out.extend(fields.iter().filter(open).map(|f| f.ty));
            }
            _ => {}
        }
    }

    /// Makes the implementations that are due. False if there were none.
    pub(super) fn compile_methods(&mut self, src: &mut dyn Source) -> bool {
        let todo = std::mem::take(&mut self.methods.todo);
        let any = !todo.is_empty();
        for (ty, method, entry) in todo {
            let func = self.implementation(src, ty, &entry);
            let list = &mut self.module.types[ty as usize].methods;
            let at = list.partition_point(|m| m.method < method);
            list.insert(at, MethodImpl { method, func });
        }
        any
    }

    /// The function that an interface call of `entry` on a value of type `id` calls: the method itself where it takes the
    /// receiver in the form that the interface has it, else a wrapper.
    fn implementation(&mut self, src: &mut dyn Source, id: u32, entry: &MethodEntry) -> u32 {
        let t = self.types.of_id[id as usize].expect("a described type");
        if entry.path.is_empty()
            && let MethodTarget::Func { func, ptr } = entry.target
            && let Target::Func(f) = self.target(src, func)
        {
            let info = self.info(src, t);
            let direct = !info.mem() && info.slots() == 1;
            let pointer = matches!(src.types().kind(t), Kind::Pointer(_));
            if direct && pointer == ptr {
                return f;
            }
        }
        self.receiver_wrapper(src, t, entry)
    }

    /// Whether values of the type are passed to interface methods as they are.
    pub(super) fn is_direct(&mut self, src: &mut dyn Source, t: Ty) -> bool {
        let info = self.info(src, t);
        !info.mem() && info.slots() == 1
    }
}
