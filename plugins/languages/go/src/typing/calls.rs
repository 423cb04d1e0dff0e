//! Types of the results of calls.

use std::rc::Rc;

use marquetry_code::NodeIndex;

use super::{Arguments, Ty, Typing, Untyped, compare, constants, declaration, package_of, substitute};
use crate::{
    kinds::{F, K, child, has_kind},
    names::is_universal,
    types::{File, Lookup, Resolver},
};

impl Typing {
    /// The types of the results of a call, or of a conversion.
    pub(crate) fn results(&mut self, file: &Rc<File>, call: NodeIndex) -> Option<Vec<Ty>> {
        self.step()?;
        let arena = file.arena();
        let function = arena.children(call).next()?;
        let arguments: Vec<NodeIndex> =
            child(arena, call, K::Args).map_or_else(Vec::new, |list| arena.children(list).collect());
        if let Some(results) = self.builtin(file, function, &arguments) {
            return Some(vec![results?]);
        }
        if let Some(own) = self.conversion(file, function) {
            return Some(vec![own]);
        }
        if has_kind(arena, function, K::Index)
            && let Some(callee) = self.callee(file, arena.children(function).next()?)
            && !callee.parameters.is_empty()
        {
            let given = arena.children(function).skip(1).map(|own| self.written(file, own));
            let known: Arguments = callee.parameters.iter().cloned().zip(given.collect::<Option<Vec<Ty>>>()?).collect();
            return self.instance(file, &callee, known, &arguments);
        }
        let callee = self.callee(file, function)?;
        self.instance(file, &callee, Vec::new(), &arguments)
    }

    /// The type to which a call converts its argument. A name in a package that is not known may be a function.
    pub(crate) fn conversion(&mut self, file: &Rc<File>, function: NodeIndex) -> Option<Ty> {
        let is_known = |own: &Ty| !matches!(own, Ty::Named(named) if compare::is_unknown(&named.package));
        self.written(file, function).filter(is_known)
    }

    /// The declaration of the function or method that a call calls.
    pub(crate) fn called(&mut self, file: &Rc<File>, function: NodeIndex) -> Option<(Rc<File>, NodeIndex)> {
        let arena = file.arena();
        if has_kind(arena, function, K::Paren) || has_kind(arena, function, K::Index) {
            return self.called(file, arena.children(function).next()?);
        }
        if has_kind(arena, function, K::NameRef) {
            let name = arena.slice(function);
            let is_local = file.names.local(name, arena.node(function).span.start).is_some();
            return if is_local { None } else { declaration(&package_of(file), name) };
        }
        let (left, name) = (arena.children(function).next()?, arena.child(function, F::Name.into())?);
        if let Some(package) = self.qualifier(file, left) {
            return declaration(&package, arena.slice(name));
        }
        match Resolver::default().referred(file, name) {
            Lookup::Found(found, declared) => {
                let declared = found.arena().node(declared).parent;
                Some((found, declared))
            }
            Lookup::Absent | Lookup::Unknown => None,
        }
    }

    /// The results of a function. Its type parameters are inferred from the arguments.
    fn instance(
        &mut self,
        file: &Rc<File>,
        callee: &super::expressions::Callee,
        mut known: Arguments,
        arguments: &[NodeIndex],
    ) -> Option<Vec<Ty>> {
        let signature = &callee.signature;
        if known.len() < callee.parameters.len() {
            for (index, argument) in arguments.iter().enumerate() {
                let last = signature.parameters.len().checked_sub(1)?;
                let parameter = match signature.parameters.get(index.min(last))? {
                    Ty::Slice(element) if signature.is_variadic && index >= last => element,
                    own => own,
                };
                if let Some(own) = self.value(file, *argument).and_then(constants::of_variable) {
                    self.infer(parameter, &own, &callee.parameters, &mut known);
                }
            }
        }
        if known.len() < callee.parameters.len() && !signature.results.iter().all(|own| is_free_of(own, callee)) {
            return None;
        }
        signature.results.iter().map(|own| substitute(own, &known)).collect()
    }

    /// Infers type parameters by comparing the type of a parameter with that of an argument.
    fn infer(&mut self, parameter: &Ty, own: &Ty, names: &[String], known: &mut Arguments) {
        match (parameter, own) {
            (Ty::Parameter(name), _) if names.contains(name) => {
                if !known.iter().any(|(other, _)| other == name) {
                    known.push((name.clone(), own.clone()));
                }
            }
            (Ty::Slice(one), Ty::Slice(other)) | (Ty::Pointer(one), Ty::Pointer(other)) => {
                self.infer(one, other, names, known);
            }
            (Ty::Array(_, one), Ty::Array(_, other)) | (Ty::Chan(_, one), Ty::Chan(_, other)) => {
                self.infer(one, other, names, known);
            }
            (Ty::Map(key, value), Ty::Map(other_key, other_value)) => {
                self.infer(key, other_key, names, known);
                self.infer(value, other_value, names, known);
            }
            (Ty::Func(one), Ty::Func(other)) => {
                let pairs = one.parameters.iter().zip(&other.parameters).chain(one.results.iter().zip(&other.results));
                for (one, other) in pairs {
                    self.infer(one, other, names, known);
                }
            }
            (Ty::Named(one), Ty::Named(other)) if one.package == other.package && one.name == other.name => {
                for (one, other) in one.arguments.iter().zip(&other.arguments) {
                    self.infer(one, other, names, known);
                }
            }
            (Ty::Slice(_) | Ty::Map(..) | Ty::Func(_) | Ty::Chan(..), Ty::Named(_)) => {
                if let Some(own) = self.underlying(own).filter(|own| !matches!(own, Ty::Named(_))) {
                    self.infer(parameter, &own, names, known);
                }
            }
            _ => {}
        }
    }

    /// The type of a call of a predeclared function. `None` for other functions, `Some(None)` if the type is not known.
    fn builtin(&mut self, file: &Rc<File>, function: NodeIndex, arguments: &[NodeIndex]) -> Option<Option<Ty>> {
        if !is_predeclared(file, function) {
            return None;
        }
        let name = file.arena().slice(function);
        let first = arguments.first().copied();
        let own = match name {
            "len" | "cap" | "copy" => Some(Ty::Basic("int".to_owned())),
            "make" => first.and_then(|own| self.written(file, own)),
            "new" => first.and_then(|own| self.written(file, own)).map(|own| Ty::Pointer(Box::new(own))),
            "append" => first.and_then(|own| self.value(file, own)),
            "recover" => Some(Ty::Basic("any".to_owned())),
            "min" | "max" => {
                let types = arguments.iter().map(|own| self.value(file, *own)).collect::<Option<Vec<Ty>>>();
                types.and_then(|types| {
                    types.into_iter().reduce(|one, other| match (one, other) {
                        (Ty::Untyped(one), Ty::Untyped(other)) => Ty::Untyped(one.max(other)),
                        (Ty::Untyped(_), other) => other,
                        (one, _) => one,
                    })
                })
            }
            "real" | "imag" | "complex" => None,
            _ => return None,
        };
        Some(own.filter(|own| !matches!(own, Ty::Untyped(Untyped::Nil))))
    }
}

/// Returns whether an expression is the name of a predeclared function, type or value.
pub(crate) fn is_predeclared(file: &File, node: NodeIndex) -> bool {
    let arena = file.arena();
    let name = arena.slice(node);
    has_kind(arena, node, K::NameRef)
        && is_universal(name)
        && file.names.local(name, arena.node(node).span.start).is_none()
        && declaration(&package_of(file), name).is_none()
}

/// Returns whether a type contains none of the type parameters of a function.
fn is_free_of(own: &Ty, callee: &super::expressions::Callee) -> bool {
    let is_free = |own: &Ty| is_free_of(own, callee);
    match own {
        Ty::Parameter(name) => !callee.parameters.contains(name),
        Ty::Pointer(own) | Ty::Slice(own) | Ty::Array(_, own) | Ty::Chan(_, own) => is_free(own),
        Ty::Map(key, value) => is_free(key) && is_free(value),
        Ty::Named(named) => named.arguments.iter().all(is_free),
        Ty::Func(own) => own.parameters.iter().chain(&own.results).all(is_free),
        Ty::Basic(_) | Ty::Untyped(_) | Ty::Local(_) => true,
        Ty::Struct(_) | Ty::Interface(_) => false,
    }
}
