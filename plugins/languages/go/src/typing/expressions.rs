//! Types of expressions.

use std::rc::Rc;

use marquetry_code::NodeIndex;
use marquetry_sdk::Span;

use super::{
    Found, Member, Package, Signature, Ty, Typing, Untyped, constants, declaration, package_of, type_parameters,
};
use crate::{
    kinds::{F, K, child, has_kind, with_role},
    names::BindingKind,
    types::File,
};

impl Typing {
    /// The type of an expression with one value. A constant may have no type.
    pub(crate) fn value(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        self.nested(|typing| typing.of_value(file, node))
    }

    fn of_value(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let has = |kind: K| has_kind(arena, node, kind);
        let first = || arena.children(node).next();
        match () {
            () if has(K::NameRef) => self.name(file, node),
            () if has(K::Literal) => Some(Ty::Untyped(constants::literal_kind(arena.slice(node)))),
            () if has(K::Text) => Some(Ty::Untyped(Untyped::String)),
            () if has(K::Paren) => self.value(file, first()?),
            () if has(K::Unary) => self.unary(file, node),
            () if has(K::Binary) => self.operation(file, node),
            () if has(K::Composite) => self.composite(file, node),
            () if has(K::FuncLit) => self.written(file, node),
            () if has(K::Call) => match &self.results(file, node)?[..] {
                [only] => Some(only.clone()),
                _ => None,
            },
            () if has(K::Selector) => self.selector(file, node),
            () if has(K::Index) => {
                let container = self.value(file, first()?)?;
                self.element(&container, true)
            }
            () if has(K::Slice) => {
                let own = self.value(file, first()?)?;
                match self.underlying(&own)? {
                    Ty::Array(_, element) => Some(Ty::Slice(element)),
                    Ty::Untyped(Untyped::String) => Some(Ty::Basic("string".to_owned())),
                    Ty::Pointer(inner) => match self.underlying(&inner)? {
                        Ty::Array(_, element) => Some(Ty::Slice(element)),
                        _ => None,
                    },
                    _ => Some(own),
                }
            }
            () if has(K::Assert) => self.written(file, arena.child(node, F::Type.into())?),
            () => None,
        }
    }

    /// The type of an operation. The left operands of a long sum are nested, and are visited in a loop.
    fn operation(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let (mut left, mut rights) = (node, Vec::new());
        while has_kind(arena, left, K::Binary) {
            let (first, right) = (arena.children(left).next()?, arena.children(left).nth(1)?);
            let between = Span { start: arena.node(first).span.end, end: arena.node(right).span.start };
            rights.push((constants::operator(between.slice(&arena.text)), right));
            left = first;
        }
        let mut own = self.value(file, left);
        for (operator, right) in rights.into_iter().rev() {
            let right = self.value(file, right);
            own = constants::binary(operator, own?, right);
        }
        own
    }

    fn unary(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let operand = arena.children(node).next()?;
        let text = arena.slice(node);
        if text.starts_with('&') {
            return Some(Ty::Pointer(Box::new(self.value(file, operand)?)));
        }
        let own = self.value(file, operand)?;
        if text.starts_with("<-") {
            let Ty::Chan(_, element) = self.underlying(&own)? else { return None };
            return Some(*element);
        }
        if text.starts_with('*') {
            let Ty::Pointer(inner) = self.underlying(&own)? else { return None };
            return Some(*inner);
        }
        Some(own)
    }

    fn composite(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let own = arena.children(node).next()?;
        if has_kind(arena, own, K::ArrayType) && arena.slice(own).starts_with("[...") {
            let values: Vec<NodeIndex> = arena.children(arena.child(node, F::Body.into())?).collect();
            if values.iter().any(|value| has_kind(arena, *value, K::Keyed)) {
                return None;
            }
            let element = self.written(file, arena.child(own, F::Type.into())?)?;
            return Some(Ty::Array(values.len().to_string(), Box::new(element)));
        }
        self.written(file, own)
    }

    fn name(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let name = arena.slice(node);
        if let Some(index) = file.names.lookup(name, arena.node(node).span.start)
            && file.names.bindings[index].kind != BindingKind::Package
        {
            return self.variable(file, index, node);
        }
        if let Some((found, declared)) = declaration(&package_of(file), name) {
            return self.declared_value(&found, declared, name);
        }
        match name {
            "true" | "false" => Some(Ty::Untyped(Untyped::Bool)),
            "nil" => Some(Ty::Untyped(Untyped::Nil)),
            "iota" => Some(Ty::Untyped(Untyped::Int)),
            _ => None,
        }
    }

    /// The type of a package-level variable, constant or function.
    fn declared_value(&mut self, file: &Rc<File>, declared: NodeIndex, name: &str) -> Option<Ty> {
        let arena = file.arena();
        if has_kind(arena, declared, K::Func) {
            if !type_parameters(file, declared).is_empty() {
                return None;
            }
            return Some(Ty::Func(Box::new(self.signature(file, declared)?)));
        }
        let name = with_role(arena, declared, F::Name).find(|own| arena.slice(*own) == name)?;
        self.of_declaration(file, name)
    }

    /// The type of a name in another package, or of a field or method.
    fn selector(&mut self, file: &Rc<File>, node: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let (left, name) = (arena.children(node).next()?, arena.child(node, F::Name.into())?);
        let name = arena.slice(name);
        if let Some(package) = self.qualifier(file, left) {
            let (found, declared) = declaration(&package, name)?;
            return self.declared_value(&found, declared, name);
        }
        let own = self.value(file, left)?;
        match self.member(&own, name) {
            Found::Member(Member::Field(own)) => Some(own),
            Found::Member(Member::Method { signature, .. }) => Some(Ty::Func(Box::new(signature?))),
            Found::Absent | Found::Unknown => None,
        }
    }

    /// The element of a container: the value of a map, or its key.
    pub(super) fn element(&mut self, own: &Ty, is_value: bool) -> Option<Ty> {
        let int = || Ty::Basic("int".to_owned());
        match self.underlying(own)? {
            Ty::Slice(element) | Ty::Array(_, element) => Some(if is_value { *element } else { int() }),
            Ty::Map(key, value) => Some(if is_value { *value } else { *key }),
            Ty::Pointer(inner) => match self.underlying(&inner)? {
                Ty::Array(_, element) => Some(if is_value { *element } else { int() }),
                _ => None,
            },
            Ty::Basic(name) if name == "string" => Some(if is_value { Ty::Basic("byte".to_owned()) } else { int() }),
            Ty::Untyped(Untyped::String) => Some(Ty::Basic("byte".to_owned())),
            _ => None,
        }
    }

    /// The function that a call calls.
    pub(super) fn callee(&mut self, file: &Rc<File>, function: NodeIndex) -> Option<Callee> {
        let arena = file.arena();
        if has_kind(arena, function, K::Paren) {
            return self.callee(file, arena.children(function).next()?);
        }
        let (package, name) = match () {
            () if has_kind(arena, function, K::NameRef) => {
                let name = arena.slice(function);
                let is_local = file.names.local(name, arena.node(function).span.start).is_some();
                ((!is_local).then(|| package_of(file)), name)
            }
            () if has_kind(arena, function, K::Selector) => {
                let left = arena.children(function).next()?;
                (self.qualifier(file, left), arena.slice(arena.child(function, F::Name.into())?))
            }
            () => (None, ""),
        };
        if let Some(callee) = package.and_then(|package| self.generic(&package, name)) {
            return Some(callee);
        }
        let own = self.value(file, function)?;
        let Ty::Func(signature) = self.underlying(&own)? else { return None };
        Some(Callee { parameters: Vec::new(), signature: *signature })
    }

    /// A generic function of a package.
    fn generic(&mut self, package: &Package, name: &str) -> Option<Callee> {
        let (found, declared) = declaration(package, name)?;
        let parameters = type_parameters(&found, declared);
        if parameters.is_empty() || child(found.arena(), declared, K::Params).is_none() {
            return None;
        }
        Some(Callee { parameters, signature: self.signature(&found, declared)? })
    }
}

/// A function that is called, with the names of its type parameters.
pub(super) struct Callee {
    pub(super) parameters: Vec<String>,
    pub(super) signature: Signature,
}
