//! The generic parameters and the `where` clause of an extracted function.

use marquetry_code::{Arena, NodeIndex};

use crate::{
    kinds::{F, K, child, has_kind},
    types::text::words,
};

/// The generic parameters that an extracted function needs.
#[derive(Debug, Default)]
pub(super) struct Generics {
    /// The list after the name: `<'a, T: Copy>`.
    pub(super) list: String,
    /// The predicates of the `where` clause.
    pub(super) clauses: Vec<String>,
    /// The arguments of the call, if they cannot be inferred: `::<T>`.
    pub(super) arguments: String,
}

/// The names of the generic parameters of an item.
pub(super) fn names(arena: &Arena, item: NodeIndex) -> Vec<&str> {
    parameters(arena, item).into_iter().map(|(name, _)| name).collect()
}

/// The generic parameters of an item, each with its name.
fn parameters(arena: &Arena, item: NodeIndex) -> Vec<(&str, NodeIndex)> {
    let list = child(arena, item, K::GENERIC_PARAM_LIST);
    let all = list.into_iter().flat_map(|list| arena.children(list));
    all.filter_map(|own| {
        let name = match arena.child(own, F::Name.into()) {
            Some(name) => name,
            None => child(arena, own, K::LIFETIME)?,
        };
        Some((arena.slice(name), own))
    })
    .collect()
}

impl Generics {
    /// The parameters of `function` that its extracted part needs. `types` are the types of the parameters, and `others`
    /// the result type and the code.
    pub(super) fn new(arena: &Arena, function: NodeIndex, types: &str, others: &str) -> Generics {
        let all = parameters(arena, function);
        let clause = child(arena, function, K::WHERE_CLAUSE);
        let predicates: Vec<&str> = clause
            .into_iter()
            .flat_map(|clause| arena.children(clause))
            .filter(|own| has_kind(arena, *own, K::WHERE_PRED))
            .map(|own| arena.slice(own))
            .collect();
        let mut needed: Vec<&str> = words(types).chain(words(others)).collect();
        // The bounds of a needed parameter may need others.
        loop {
            let is_needed =
                |text: &str| all.iter().any(|(name, _)| needed.contains(name) && words(text).any(|word| word == *name));
            let bounds = all.iter().filter(|(name, _)| needed.contains(name)).map(|(_, own)| arena.slice(*own));
            let clauses = predicates.iter().copied().filter(|own| is_needed(own));
            let more: Vec<&str> = bounds.chain(clauses).flat_map(words).filter(|word| !needed.contains(word)).collect();
            if more.is_empty() {
                break;
            }
            needed.extend(more);
        }
        let kept: Vec<&(&str, NodeIndex)> = all.iter().filter(|(name, _)| needed.contains(name)).collect();
        if kept.is_empty() {
            return Generics::default();
        }
        let list: Vec<&str> = kept.iter().map(|(_, own)| arena.slice(*own)).collect();
        let of_kept = |own: &&&str| kept.iter().any(|(name, _)| words(own).any(|word| word == *name));
        let clauses = predicates.iter().filter(of_kept).map(|own| (*own).to_owned()).collect();
        let inferred: Vec<&str> = words(types).collect();
        let explicit: Vec<&str> = kept.iter().map(|(name, _)| *name).filter(|name| !name.starts_with('\'')).collect();
        let is_inferred = explicit.iter().all(|name| inferred.contains(name));
        Generics {
            list: format!("<{}>", list.join(", ")),
            clauses,
            arguments: if is_inferred { String::new() } else { format!("::<{}>", explicit.join(", ")) },
        }
    }
}
