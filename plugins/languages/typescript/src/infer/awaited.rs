//! Types of awaited values.

use crate::infer::checker::Checker;
use crate::infer::ty::{Builtin, Ty};

/// Maximum number of supertypes to search for a promise.
const MAX_SUPERTYPES: usize = 16;

impl<'w> Checker<'w> {
    /// Returns the type that a promise resolves to. Other values resolve to themselves.
    pub(crate) fn awaited_type(&self, ty: &Ty<'w>) -> Ty<'w> {
        match ty {
            Ty::Builtin(Builtin::Promise, inner) => {
                self.with_depth(Ty::Unknown, || self.awaited_type(&inner.first().cloned().unwrap_or(Ty::Unknown)))
            }
            Ty::Union(types) => Ty::union_of(types.iter().map(|ty| self.awaited_type(ty))),
            Ty::Intersection(parts) => {
                let promises = parts.iter().filter_map(|part| self.promise_of(part));
                let awaited: Vec<Ty<'w>> = promises.map(|promise| self.awaited_type(&promise)).collect();
                if awaited.is_empty() { ty.clone() } else { Ty::intersection_of(awaited) }
            }
            other => match self.promise_of(other) {
                Some(promise) => self.with_depth(Ty::Unknown, || self.awaited_type(&promise)),
                None => other.clone(),
            },
        }
    }

    /// Returns the promise that a type is, extends or implements.
    fn promise_of(&self, ty: &Ty<'w>) -> Option<Ty<'w>> {
        let mut open = vec![ty.clone()];
        for _ in 0..MAX_SUPERTYPES {
            match open.pop()? {
                promise @ Ty::Builtin(Builtin::Promise, _) => return Some(promise),
                Ty::Instance(owner, substitution) => {
                    open.extend(self.bases(owner, &substitution));
                    open.extend(self.implemented_types(owner, &substitution));
                }
                _ => {}
            }
        }
        None
    }
}
