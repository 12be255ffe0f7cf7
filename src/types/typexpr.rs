//! Type expressions: syntax to types (Go specification, "Types").

#![expect(clippy::wildcard_enum_match_arm, reason = "expressions are no types")]

use super::checker::{Checker, Later, Written};
use super::consts::{self, Value};
use super::convert::represent;
use super::names::{Sym, is_exported};
use super::object::{ObjKind, Storage};
use super::operand::{Mode, Operand};
use super::predicates::is_integer_basic;
use super::ty::{Basic, ChanDir, Field, Interface, Kind, Method, Signature, Term, Ty, TypeParam};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Dir, Id, List, Node, Param};
use crate::syntax::token::Op;
use num_traits::ToPrimitive;

/// Terms that Go takes in a union.
const MAX_TERMS: usize = 100;
/// Elements an array may have.
const MAX_LEN: u64 = i64::MAX as u64;

/// The parts of a function's syntax that are declared in its scope.
#[derive(Debug, Default)]
pub(crate) struct ParamNames {
    pub(crate) params: Vec<(Sym, Pos, Ty)>,
    pub(crate) results: Vec<(Sym, Pos, Ty)>,
    /// The parameters have names (asked where they are shown).
    pub(crate) named_params: bool,
    /// The results have names.
    pub(crate) named_results: bool,
}

impl Checker {
    /// A type that a variable may have: no constraint interface.
    pub(crate) fn var_type(&mut self, node: Id) -> Ty {
        let t = self.type_expr(node);
        self.valid_var_type(t, node);
        t
    }

    /// Checks later that a type is no constraint.
    pub(crate) fn valid_var_type(&mut self, t: Ty, node: Id) {
        if !self.env.silent && matches!(self.types.kind(t), Kind::Named(_) | Kind::Interface(_)) {
            let pos = self.pos(node);
            self.later.push(Later::VarType(t, pos));
        }
    }

    /// A type; generic ones must be instantiated.
    pub(crate) fn type_expr(&mut self, node: Id) -> Ty {
        if !self.deeper(node) {
            self.shallower();
            return Basic::Invalid.ty();
        }
        let x = self.type_operand(node);
        self.shallower();
        if x.is_generic() {
            let shown = self.show_generic(x.ty, &x.tparams);
            self.err_at(
                node,
                Code::MissingTypeArgs,
                format!("cannot use generic type {shown} without instantiation"),
            );
            return Basic::Invalid.ty();
        }
        x.ty
    }

    /// A generic type with its parameters: `List[T any]`.
    pub(crate) fn show_generic(&mut self, t: Ty, tparams: &[Ty]) -> String {
        let mut out = self.show(t);
        if let Some(i) = out.find('[').filter(|_| out.ends_with(']')) {
            out.truncate(i);
        }
        let mut list: Vec<String> = vec![];
        for (i, &p) in tparams.iter().enumerate() {
            let constraint = |c: &Self, t: Ty| match *c.types.kind(t) {
                Kind::Param(id) => c.types.params[id.0 as usize].constraint,
                _ => t,
            };
            let c = constraint(self, p);
            // parameters in a row with one constraint share it
            let shared = tparams.get(i + 1).is_some_and(|&q| constraint(self, q) == c);
            let name = self.show(p);
            list.push(if shared { name } else { format!("{name} {}", self.show_constraint(p)) });
        }
        format!("{out}[{}]", list.join(", "))
    }

    /// A type that may still be generic.
    fn type_operand(&mut self, node: Id) -> Operand {
        let t = match self.node(node) {
            Node::Ident => return self.type_name(node),
            Node::Sel(..) => {
                let x = self.selector(node, true);
                return self.must_be_type(x, node);
            }
            Node::Paren(x) => {
                let t = self.type_expr(x);
                return Operand::of_type(node, t, false);
            }
            Node::Index(base, args) => self.instantiated_type(base, args),
            Node::Array(len, elem) => self.array_type(node, len, elem),
            Node::Star(elem) => {
                let e = self.var_type(elem);
                if self.is_valid_ty(e) { self.types.pointer(e) } else { e }
            }
            Node::Func { params, results, .. } => {
                self.open_scope();
                let (t, names) = self.func_type(params, results);
                self.spell(t, &names);
                self.close_scope();
                t
            }
            Node::Struct(fields) => self.struct_type(fields),
            Node::Interface(list) => self.interface_type(list),
            Node::Map(k, v) => self.map_type(k, v),
            Node::Chan(dir, e) => {
                let e = self.var_type(e);
                if !self.env.silent {
                    let pos = self.pos(node);
                    self.later.push(Later::ChanElem(e, pos));
                }
                let dir = match dir {
                    Dir::Both => ChanDir::Both,
                    Dir::Send => ChanDir::Send,
                    Dir::Recv => ChanDir::Recv,
                };
                self.types.intern(Kind::Chan(dir, e))
            }
            Node::Bad => Basic::Invalid.ty(),
            Node::Dots(_) => {
                self.err_at(node, Code::InvalidDotDotDot, "invalid use of ...");
                Basic::Invalid.ty()
            }
            _ => {
                let shown = self.show_node(node);
                self.err_at(node, Code::NotAType, format!("{shown} is not a type"));
                self.use_exprs(&[node]);
                Basic::Invalid.ty()
            }
        };
        Operand::of_type(node, t, false)
    }

    fn must_be_type(&mut self, x: Operand, node: Id) -> Operand {
        match x.mode {
            Mode::Type { .. } => x,
            Mode::Invalid => Operand::invalid(node),
            _ => {
                let shown = self.show_operand(&x);
                self.err_at(node, Code::NotAType, format!("{shown} is not a type"));
                Operand::invalid(node)
            }
        }
    }

    fn type_name(&mut self, node: Id) -> Operand {
        let name = self.sym(node);
        let Some(obj) = self.lookup(name) else {
            self.undeclared(name, node);
            return Operand::invalid(node);
        };
        let what = match &self.obj(obj).kind {
            ObjKind::Type { .. } => {
                self.note_alias_name(name);
                return self.use_obj(obj, node);
            }
            ObjKind::Package(_) => "package name",
            ObjKind::Const { .. } => "constant",
            ObjKind::Var { storage: Storage::Global(_), .. } => "package-level variable",
            ObjKind::Var { storage: Storage::Local { depth, local }, .. } => {
                let body = &self.env.fns[*depth as usize].body;
                if body.params.contains(local) {
                    "parameter"
                } else if body.results.contains(local) {
                    "result variable"
                } else {
                    "local variable"
                }
            }
            ObjKind::Func(_) => "function",
            ObjKind::Builtin(_) => "built-in function",
            ObjKind::Nil => "untyped nil",
        };
        self.objs[obj.0 as usize].used = true;
        let text = format!("{} ({what}) is not a type", self.name(name));
        self.err_at(node, Code::NotAType, text);
        Operand::invalid(node)
    }

    /// Messages say `byte` or `uint8`, `any` or `interface{}` as the program last did.
    pub(crate) fn note_alias_name(&mut self, name: Sym) {
        if self.env.silent {
            return;
        }
        match self.names.text(name) {
            "byte" => self.says_byte = true,
            "uint8" => self.says_byte = false,
            "rune" => self.says_rune = true,
            "int32" => self.says_rune = false,
            "any" => self.says_any = true,
            _ => {}
        }
    }

    // ---- instances ----

    fn instantiated_type(&mut self, base: Id, args: List) -> Ty {
        let x = self.type_operand(base);
        let invalid = Basic::Invalid.ty();
        if !matches!(x.mode, Mode::Type { .. }) || !self.is_valid_ty(x.ty) {
            for a in self.list(args) {
                self.type_expr(a);
            }
            return invalid;
        }
        let list = self.list(args);
        let Some(generic) = self.generic_of(&x) else {
            let (b, t) = (self.show_node(base), self.show(x.ty));
            let shown: Vec<String> = list.iter().map(|&a| self.show_node(a)).collect();
            let text =
                format!("invalid operation: {b}[{}] ({t} is not a generic type)", shown.join(", "));
            self.err_at(base, Code::NotAGenericType, text);
            return invalid;
        };
        let targs: Vec<Ty> = list.iter().map(|&a| self.var_type(a)).collect();
        if targs.contains(&invalid) {
            return invalid;
        }
        let want = self.generics[generic.0 as usize].tparams.len();
        if targs.len() != want {
            let qualifier = if targs.len() < want { "not enough" } else { "too many" };
            let name = self.name(self.obj(self.generics[generic.0 as usize].obj).name).to_string();
            let text = format!(
                "{qualifier} type arguments for type {name}: have {}, want {want}",
                targs.len()
            );
            self.err_at(base, Code::WrongTypeArgCount, text);
            return invalid;
        }
        let inst = self.instantiate(generic, &targs);
        if !self.env.silent {
            let pos = self.pos(base);
            let at = self.operator_pos(base);
            if self.named_id(inst).is_some() {
                self.named_info_mut(inst).pos.get_or_insert(at);
            }
            let file = self.env.file_ix;
            let alias = self.generics[generic.0 as usize].alias;
            if alias {
                let params = self.generics[generic.0 as usize].tparams.clone();
                self.later_verify_alias(&params, &targs, &list, pos);
            } else {
                self.later.push(Later::Verify { inst, pos, file, args });
            }
        }
        inst
    }

    fn later_verify_alias(&mut self, params: &[Ty], targs: &[Ty], list: &[Id], pos: Pos) {
        let at: Vec<Pos> = list.iter().map(|&n| self.pos(n)).collect();
        self.verify(params, targs, &at, pos);
    }

    /// The generic type that an operand names.
    pub(crate) fn generic_of(&self, x: &Operand) -> Option<super::object::GenericId> {
        if !x.is_generic() {
            return None;
        }
        let by_named = self.named_info(x.ty).and_then(|i| i.generic);
        let first = x.tparams[0];
        by_named.filter(|g| self.generics[g.0 as usize].tparams == x.tparams).or_else(|| {
            let at = self.generics.iter().position(|g| g.tparams.first() == Some(&first));
            at.map(|n| super::object::GenericId(n as u32))
        })
    }

    // ---- composite types ----

    fn array_type(&mut self, node: Id, len: Id, elem: Id) -> Ty {
        if len == NIL {
            let e = self.var_type(elem);
            return self.types.slice(e);
        }
        if matches!(self.node(len), Node::Dots(_)) {
            self.err_at(
                node,
                Code::InvalidArrayLen,
                "invalid use of [...] array (outside a composite literal)",
            );
            self.var_type(elem);
            return Basic::Invalid.ty();
        }
        let n = self.array_length(len);
        let e = self.var_type(elem);
        match n {
            Some(n) => self.types.intern(Kind::Array(n, e)),
            None => Basic::Invalid.ty(),
        }
    }

    fn array_length(&mut self, node: Id) -> Option<u64> {
        if matches!(self.node(node), Node::Ident) {
            let name = self.sym(node);
            let text = self.name(name).to_string();
            match self.lookup(name).map(|o| self.obj(o).kind.clone()) {
                None => {
                    self.err_at(
                        node,
                        Code::InvalidArrayLen,
                        format!("undefined array length {text} or missing type constraint"),
                    );
                    return None;
                }
                Some(ObjKind::Const { .. }) => {}
                Some(_) => {
                    self.err_at(
                        node,
                        Code::InvalidArrayLen,
                        format!("invalid array length {text}"),
                    );
                    return None;
                }
            }
        }
        let x = self.expr(node);
        let Some(v) = x.val() else {
            if x.is_valid() {
                let shown = self.show_operand(&x);
                self.err_at(
                    node,
                    Code::InvalidArrayLen,
                    format!("array length {shown} must be constant"),
                );
            }
            return None;
        };
        if *v == Value::Unknown {
            return None;
        }
        let integer = self.types.basic(x.ty).is_some_and(is_integer_basic);
        if (self.is_untyped(x.ty) || integer)
            && let Some(Value::Int(n)) = represent(v, Basic::Int)
            && let Some(n) = n.to_u64().filter(|n| *n <= MAX_LEN)
        {
            return Some(n);
        }
        let shown = self.show_operand(&x);
        let text = if integer {
            format!("invalid array length {shown}")
        } else {
            format!("array length {shown} must be integer")
        };
        self.err_at(node, Code::InvalidArrayLen, text);
        None
    }

    fn map_type(&mut self, k: Id, v: Id) -> Ty {
        let key = self.var_type(k);
        let elem = self.var_type(v);
        if !self.env.silent {
            let pos = self.pos(k);
            self.later.push(Later::MapKey { key, pos });
        }
        self.types.intern(Kind::Map(key, elem))
    }

    fn struct_type(&mut self, list: List) -> Ty {
        let mut fields: Vec<Field> = vec![];
        let mut places: Vec<(String, Pos)> = vec![];
        let mut last = (NIL, Basic::Invalid.ty());
        for f in self.list(list) {
            let Node::Field(Param { name, ty, tag }) = self.node(f) else { continue };
            if ty != last.0 {
                last = (ty, self.var_type(ty));
            }
            let t = last.1;
            let ident = if name == NIL {
                self.embedded_name(ty)
            } else {
                Some((self.sym(name), self.pos(name)))
            };
            let Some((sym, pos)) = ident else {
                let shown = self.show_node(ty);
                self.err_at(ty, Code::InvalidEmbed, format!("invalid embedded field type {shown}"));
                continue;
            };
            if name == NIL && !self.env.silent {
                let at = self.pos(ty);
                self.later.push(Later::Embedded(t, at));
            }
            let text = self.name(sym).to_string();
            if sym != Sym::BLANK {
                if let Some((_, other)) = places.iter().find(|(n, _)| *n == text) {
                    let other = self.show_pos(*other);
                    self.err(
                        pos,
                        Code::DuplicateDecl,
                        format!("{text} redeclared\n\t{other}: other declaration of {text}"),
                    );
                    continue;
                }
                places.push((text.clone(), pos));
            }
            let tag = if tag == NIL { String::new() } else { self.tag(tag) };
            let pkg = if is_exported(&text) { None } else { Some(self.env.pkg) };
            fields.push(Field { name: text, pkg, ty: t, embedded: name == NIL, tag });
        }
        self.types.intern(Kind::Struct(fields))
    }

    fn tag(&self, tok: u32) -> String {
        String::from_utf8_lossy(&consts::unquote(self.env.file.ast.text(tok)).0).into_owned()
    }

    fn embedded_name(&self, node: Id) -> Option<(Sym, Pos)> {
        match self.node(node) {
            Node::Ident => Some((self.sym(node), self.pos(node))),
            Node::Star(x) if !matches!(self.node(x), Node::Star(_)) => self.embedded_name(x),
            Node::Sel(_, name) => Some((self.sym_of(name), self.tok_pos(name))),
            Node::Index(x, _) => self.embedded_name(x),
            _ => None,
        }
    }

    // ---- functions ----

    /// A function type and the names it declares; the caller has opened a scope.
    pub(crate) fn func_type(&mut self, params: List, results: List) -> (Ty, ParamNames) {
        let mut names = ParamNames::default();
        let (ps, variadic) = self.param_types(params, true, &mut names.params);
        let (rs, _) = self.param_types(results, false, &mut names.results);
        names.named_results = self
            .list(results)
            .first()
            .is_some_and(|&f| matches!(self.node(f), Node::Field(p) if p.name != NIL));
        self.duplicate_params(&names);
        let sig = Signature { params: ps, results: rs, variadic };
        let ty = self.types.intern(Kind::Func(sig));
        // a declared function is shown with its own names
        if !self.spelled.contains_key(&ty) {
            self.spell(ty, &names);
        }
        (ty, names)
    }

    /// Messages show a function type with these names from now on.
    fn spell(&mut self, ty: Ty, names: &ParamNames) {
        let words = |l: &[(Sym, Pos, Ty)]| l.iter().map(|n| n.0).collect();
        self.spelled.insert(ty, (words(&names.params), words(&names.results)));
    }

    fn duplicate_params(&mut self, names: &ParamNames) {
        let all: Vec<(Sym, Pos)> =
            names.params.iter().chain(&names.results).map(|&(n, p, _)| (n, p)).collect();
        for (i, &(name, pos)) in all.iter().enumerate() {
            if name == Sym::BLANK {
                continue;
            }
            if let Some(&(_, other)) = all[..i].iter().find(|(n, _)| *n == name) {
                let (n, at) = (self.name(name).to_string(), self.show_pos(other));
                self.err(
                    pos,
                    Code::DuplicateDecl,
                    format!("{n} redeclared in this block\n\t{at}: other declaration of {n}"),
                );
            }
        }
    }

    fn param_types(
        &mut self,
        list: List,
        variadic_ok: bool,
        names: &mut Vec<(Sym, Pos, Ty)>,
    ) -> (Vec<Ty>, bool) {
        let nodes = self.list(list);
        let mut out = vec![];
        let mut variadic = false;
        let mut last = (NIL, Basic::Invalid.ty());
        for (i, &f) in nodes.iter().enumerate() {
            let Node::Field(p) = self.node(f) else { continue };
            if p.ty != last.0 {
                let t = match self.node(p.ty) {
                    Node::Dots(e) if e != NIL => {
                        let e = self.var_type(e);
                        if variadic_ok && i + 1 == nodes.len() {
                            variadic = true;
                            self.types.slice(e)
                        } else {
                            e
                        }
                    }
                    _ => self.var_type(p.ty),
                };
                last = (p.ty, t);
            }
            out.push(last.1);
            let name = if p.name == NIL { Sym::BLANK } else { self.sym(p.name) };
            let pos = if p.name == NIL { self.pos(p.ty) } else { self.pos(p.name) };
            names.push((name, pos, last.1));
        }
        (out, variadic)
    }

    // ---- interfaces ----

    fn interface_type(&mut self, list: List) -> Ty {
        if list.len == 0 && !self.env.silent {
            self.says_any = false;
        }
        self.literals += 1;
        let mut methods: Vec<(Method, Pos, bool)> = vec![];
        let mut embedded = vec![];
        let mut out = Interface::default();
        // what it embeds is added to its own methods
        let (own, others): (Vec<Id>, Vec<Id>) =
            self.list(list).into_iter().partition(|&e| matches!(self.node(e), Node::Method(..)));
        for e in own.into_iter().chain(others) {
            match self.node(e) {
                Node::Method(name, sig) => {
                    let pos = self.tok_pos(name);
                    let name = self.name(self.sym_of(name)).to_string();
                    if name == "_" {
                        self.err(
                            pos,
                            Code::BlankIfaceMethod,
                            "methods must have a unique non-blank name",
                        );
                        continue;
                    }
                    let sig = self.type_expr(sig);
                    let pkg = if is_exported(&name) { None } else { Some(self.env.pkg) };
                    self.add_method(&mut methods, Method { name, pkg, sig }, pos, true);
                }
                Node::Bad => {}
                _ => embedded.extend(self.embed(e, &mut methods, &mut out)),
            }
        }
        let explicit = methods.iter().filter(|m| m.2).map(|m| m.0.name.clone()).collect();
        out.methods = methods.into_iter().map(|(m, ..)| m).collect();
        out.methods.sort_by(|a, b| a.name.cmp(&b.name).then(a.pkg.cmp(&b.pkg)));
        if let Some(mut terms) = self.terms_of(&out) {
            if std::mem::take(&mut out.comparable) {
                terms.retain(|t| self.comparable(t.ty, false).is_ok());
            }
            out.unions = vec![terms];
        }
        let t = self.types.intern(Kind::Interface(out));
        // messages show it as the program last spelled it
        self.implicit.remove(&t);
        self.literals -= 1;
        self.last_embedded = embedded.iter().flatten().cloned().collect();
        if embedded.is_empty() {
            self.written.remove(&t);
        } else {
            self.written.insert(t, Written { methods: explicit, embedded });
        }
        t
    }

    fn add_method(
        &mut self,
        methods: &mut Vec<(Method, Pos, bool)>,
        m: Method,
        pos: Pos,
        explicit: bool,
    ) {
        let same = |o: &Method| super::lookup::same_id(&o.name, o.pkg, &m.name, m.pkg, false);
        let Some((other, at, was_explicit)) = methods.iter().find(|(o, ..)| same(o)).cloned()
        else {
            methods.push((m, pos, explicit));
            return;
        };
        if (explicit && was_explicit) || other.sig != m.sig {
            let at = self.show_pos(at);
            let name = &m.name;
            self.err(
                pos,
                Code::DuplicateMethod,
                format!("duplicate method {name}\n\t{at}: other declaration of method {name}"),
            );
        }
    }

    /// Adds what an embedded element has; gives its terms.
    fn embed(
        &mut self,
        node: Id,
        methods: &mut Vec<(Method, Pos, bool)>,
        out: &mut Interface,
    ) -> Option<Vec<Term>> {
        let pos = self.pos(node);
        let t = self.union_or_type(node);
        if !self.is_valid_ty(t) || self.is_anonymous_cycle(t) {
            return None;
        }
        if self.is_open(t) {
            // told as a type that contains itself
            return Some(vec![Term { tilde: false, ty: t }]);
        }
        match self.under_kind(t) {
            Kind::Interface(i) => {
                for m in i.methods {
                    self.add_method(methods, m, pos, false);
                }
                out.unions.extend(i.unions);
                out.comparable |= i.comparable;
            }
            Kind::Basic(Basic::Invalid) => return None,
            _ => out.unions.push(vec![Term { tilde: false, ty: t }]),
        }
        let terms = self.written_terms.get(&t).filter(|_| self.implicit.contains(&t));
        Some(terms.cloned().unwrap_or_else(|| vec![Term { tilde: false, ty: t }]))
    }

    /// An element of an interface or a constraint: a union becomes an interface of its own.
    fn union_or_type(&mut self, node: Id) -> Ty {
        let mut nodes = vec![];
        let mut at = node;
        while let Node::Binary(Op::Or, l, r) = self.node(at) {
            nodes.push(r);
            at = l;
        }
        nodes.push(at);
        nodes.reverse();
        if nodes.len() == 1 && !matches!(self.node(at), Node::Unary(Op::Tilde, _)) {
            let t = self.type_expr(node);
            if self.is_param(t) {
                self.err_at(node, Code::MisplacedTypeParam, "term cannot be a type parameter");
                return Basic::Invalid.ty();
            }
            return t;
        }
        if let Some(&extra) = nodes.get(MAX_TERMS) {
            return self.too_many_terms(extra);
        }
        let mut terms = vec![];
        for n in nodes {
            let (inner, tilde) =
                if let Node::Unary(Op::Tilde, x) = self.node(n) { (x, true) } else { (n, false) };
            let ty = self.type_expr(inner);
            if self.is_param(ty) {
                let shown = self.show_node(n);
                let text = if tilde {
                    format!("type in term {shown} cannot be a type parameter")
                } else {
                    "term cannot be a type parameter".into()
                };
                self.err_at(inner, Code::MisplacedTypeParam, text);
                continue;
            }
            if self.is_valid_ty(ty) && self.valid_term(n, tilde, ty, &terms) {
                terms.push(Term { tilde, ty });
            }
        }
        if terms.is_empty() {
            return Basic::Invalid.ty();
        }
        let unions: Vec<Vec<Term>> = self.flatten_terms(terms.clone()).into_iter().collect();
        if unions.iter().any(|u| u.len() > MAX_TERMS) {
            return self.too_many_terms(at);
        }
        let t = self.types.intern(Kind::Interface(Interface { unions, ..Interface::default() }));
        self.implicit.insert(t);
        self.written_terms.insert(t, terms);
        t
    }

    fn too_many_terms(&mut self, at: Id) -> Ty {
        let text =
            format!("cannot handle more than {MAX_TERMS} union terms (implementation limitation)");
        self.err_at(at, Code::InvalidUnion, text);
        Basic::Invalid.ty()
    }

    fn valid_term(&mut self, node: Id, tilde: bool, ty: Ty, before: &[Term]) -> bool {
        let u = self.under(ty);
        let shown = self.show(ty);
        if let Kind::Interface(i) = self.types.kind(u).clone() {
            let text = if tilde {
                format!("invalid use of ~ ({shown} is an interface)")
            } else if !i.methods.is_empty() {
                let shown = self.show_in_term(ty);
                format!("cannot use {shown} in union ({shown} contains methods)")
            } else if ty == self.comparable_ty {
                "cannot use comparable in union".into()
            } else if i.comparable {
                let shown = self.show_in_term(ty);
                format!("cannot use {shown} in union ({shown} embeds comparable)")
            } else {
                return true;
            };
            self.err_at(node, Code::InvalidUnion, text);
            return false;
        }
        if tilde && u != ty {
            let text = format!("invalid use of ~ (underlying type of {shown} is {})", self.show(u));
            self.err_at(node, Code::InvalidUnion, text);
            return false;
        }
        for t in before {
            if self.is_interface(t.ty) {
                continue;
            }
            let new = Term { tilde, ty };
            if self.term_includes(t, ty) || self.term_includes(&new, t.ty) {
                let text = format!(
                    "overlapping terms {} and {}",
                    self.show_terms(std::slice::from_ref(&new)),
                    self.show_terms(std::slice::from_ref(t))
                );
                self.err_at(node, Code::InvalidUnion, text);
                return false;
            }
        }
        true
    }

    // ---- type parameters ----

    /// Declares type parameters in the open scope and resolves their constraints.
    pub(crate) fn declare_tparams(&mut self, list: List) -> Vec<Ty> {
        let nodes = self.list(list);
        let mut params = vec![];
        for &f in &nodes {
            let Node::Field(p) = self.node(f) else { continue };
            let (sym, pos) = (self.sym(p.name), self.pos(p.name));
            let name = self.name(sym).to_string();
            let t = self.types.new_param(TypeParam {
                name,
                pos,
                constraint: self.any_ty,
                says_any: true,
            });
            let obj = self.add_obj(sym, pos, ObjKind::Type { ty: t, generic: None, param: true });
            self.declare(sym, obj);
            params.push(t);
        }
        params
    }

    /// Resolves the constraints of parameters declared before.
    pub(crate) fn resolve_constraints(&mut self, list: List, params: &[Ty]) {
        let saved = std::mem::replace(&mut self.env.in_tparams, true);
        let mut last = (NIL, self.any_ty);
        for (&f, &t) in self.list(list).iter().zip(params) {
            let Node::Field(p) = self.node(f) else { continue };
            if p.ty != last.0 && p.ty != NIL {
                let c = self.constraint(p.ty);
                last = (p.ty, c);
            }
            let Kind::Param(id) = *self.types.kind(t) else { continue };
            let says_any = last.0 == NIL || !matches!(self.node(last.0), Node::Interface(_));
            let param = &mut self.types.params[id.0 as usize];
            (param.constraint, param.says_any) = (last.1, says_any);
        }
        self.env.in_tparams = saved;
    }

    fn constraint(&mut self, node: Id) -> Ty {
        if matches!(self.node(node), Node::Binary(Op::Or, ..) | Node::Unary(Op::Tilde, _)) {
            return self.union_or_type(node);
        }
        let t = self.type_expr(node);
        if self.is_param(t) {
            self.err_at(
                node,
                Code::MisplacedTypeParam,
                "cannot use a type parameter as constraint",
            );
            return Basic::Invalid.ty();
        }
        t
    }
}
