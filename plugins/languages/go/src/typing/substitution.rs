//! Types and signatures with other types for type parameters.

use super::{Arguments, Named, Signature, Source, Ty};

/// Maximum number of parts of a type. The arguments of a type may grow with each of its fields:
/// `type N[T any] struct{ next *N[map[T]T] }`.
const MAX_SIZE: usize = 500;

/// A type with its type parameters replaced. `None` if the type would be too large.
pub(super) fn substitute(own: &Ty, arguments: &Arguments) -> Option<Ty> {
    let found = replaced(own, arguments);
    (arguments.is_empty() || size(&found) <= MAX_SIZE).then_some(found)
}

/// A signature with its type parameters replaced. `None` if a type would be too large.
pub(super) fn substituted_signature(own: &Signature, arguments: &Arguments) -> Option<Signature> {
    let all = |list: &[Ty]| list.iter().map(|own| substitute(own, arguments)).collect::<Option<Vec<Ty>>>();
    let (parameters, results) = (all(&own.parameters)?, all(&own.results)?);
    Some(Signature { parameters, is_variadic: own.is_variadic, results })
}

fn replaced(own: &Ty, arguments: &Arguments) -> Ty {
    if arguments.is_empty() {
        return own.clone();
    }
    let inner = |own: &Ty| Box::new(replaced(own, arguments));
    let all = |list: &[Ty]| list.iter().map(|own| replaced(own, arguments)).collect::<Vec<Ty>>();
    match own {
        Ty::Parameter(name) => {
            arguments.iter().find(|(known, _)| known == name).map_or_else(|| own.clone(), |(_, value)| value.clone())
        }
        Ty::Named(named) => Ty::Named(Named { arguments: all(&named.arguments), ..named.clone() }),
        Ty::Pointer(own) => Ty::Pointer(inner(own)),
        Ty::Slice(own) => Ty::Slice(inner(own)),
        Ty::Array(length, own) => Ty::Array(length.clone(), inner(own)),
        Ty::Map(key, value) => Ty::Map(inner(key), inner(value)),
        Ty::Chan(keyword, own) => Ty::Chan(keyword, inner(own)),
        Ty::Func(own) => {
            let (parameters, results) = (all(&own.parameters), all(&own.results));
            Ty::Func(Box::new(Signature { parameters, is_variadic: own.is_variadic, results }))
        }
        Ty::Struct(source) => Ty::Struct(source.with(arguments)),
        Ty::Interface(source) => Ty::Interface(source.with(arguments)),
        Ty::Basic(_) | Ty::Untyped(_) | Ty::Local(_) => own.clone(),
    }
}

impl Source {
    fn with(&self, arguments: &Arguments) -> Source {
        let own = self.arguments.iter().map(|(name, value)| (name.clone(), replaced(value, arguments)));
        let mut all: Arguments = own.collect();
        all.extend(arguments.iter().cloned());
        Source { arguments: all, ..self.clone() }
    }
}

/// The number of parts of a type.
fn size(own: &Ty) -> usize {
    let all = |list: &[Ty]| list.iter().map(size).sum::<usize>();
    let inner = match own {
        Ty::Basic(_) | Ty::Untyped(_) | Ty::Parameter(_) | Ty::Local(_) => 0,
        Ty::Named(named) => all(&named.arguments),
        Ty::Pointer(own) | Ty::Slice(own) | Ty::Array(_, own) | Ty::Chan(_, own) => size(own),
        Ty::Map(key, value) => size(key) + size(value),
        Ty::Func(own) => all(&own.parameters) + all(&own.results),
        Ty::Struct(source) | Ty::Interface(source) => source.arguments.iter().map(|(_, own)| size(own)).sum(),
    };
    inner + 1
}
