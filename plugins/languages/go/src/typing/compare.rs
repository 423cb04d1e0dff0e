//! Compares types.

use super::{Package, Signature, Ty};
use crate::standard;

/// Returns whether two signatures are identical. `None` if this cannot be determined.
pub(crate) fn same_signature(one: &Signature, other: &Signature) -> Option<bool> {
    if one.is_variadic != other.is_variadic {
        return Some(false);
    }
    all_same(&one.parameters, &other.parameters, all_same(&one.results, &other.results, Some(true)))
}

fn all_same(one: &[Ty], other: &[Ty], known: Option<bool>) -> Option<bool> {
    if one.len() != other.len() {
        return Some(false);
    }
    one.iter().zip(other).fold(known, |known, (one, other)| both(known, same(one, other)))
}

/// The conjunction of two results, of which each may be unknown.
fn both(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The name of a predeclared type without aliases.
fn canonical(name: &str) -> &str {
    match name {
        "byte" => "uint8",
        "rune" => "int32",
        _ => name,
    }
}

/// Returns whether the declarations of a package are not known. A name of such a package may be an alias.
pub(super) fn is_unknown(package: &Package) -> bool {
    matches!(package, Package::Path(path) if standard::declarations(path).is_none())
}

/// Returns whether a type certainly is not a declared type of a package that is not known.
fn is_certain(own: &Ty) -> bool {
    !matches!(own, Ty::Parameter(_) | Ty::Local(_)) && !matches!(own, Ty::Named(named) if is_unknown(&named.package))
}

/// Returns whether two types are identical. `None` if this cannot be determined.
pub(super) fn same(one: &Ty, other: &Ty) -> Option<bool> {
    match (one, other) {
        (Ty::Basic(one), Ty::Basic(other)) => Some(canonical(one) == canonical(other)),
        (Ty::Named(one), Ty::Named(other)) => {
            let is_same = one.package == other.package && one.name == other.name;
            match is_same {
                true => all_same(&one.arguments, &other.arguments, Some(true)),
                false if is_unknown(&one.package) || is_unknown(&other.package) => None,
                false => Some(false),
            }
        }
        (Ty::Pointer(one), Ty::Pointer(other)) | (Ty::Slice(one), Ty::Slice(other)) => same(one, other),
        (Ty::Array(length, one), Ty::Array(other_length, other)) => {
            let is_number = |length: &str| length.bytes().all(|byte| byte.is_ascii_digit());
            let lengths = match length == other_length {
                true => Some(true),
                false if is_number(length) && is_number(other_length) => Some(false),
                false => None,
            };
            both(lengths, same(one, other))
        }
        (Ty::Map(key, value), Ty::Map(other_key, other_value)) => both(same(key, other_key), same(value, other_value)),
        (Ty::Chan(one_keyword, one), Ty::Chan(other_keyword, other)) => {
            both(Some(one_keyword == other_keyword), same(one, other))
        }
        (Ty::Func(one), Ty::Func(other)) => same_signature(one, other),
        (Ty::Parameter(one), Ty::Parameter(other)) if one == other => None,
        (Ty::Struct(one), Ty::Struct(other)) | (Ty::Interface(one), Ty::Interface(other)) => {
            let is_empty = |source: &super::Source| source.file.arena().children(source.node).next().is_none();
            match (is_empty(one), is_empty(other)) {
                (true, true) => Some(true),
                (false, false) => None,
                _ => Some(false),
            }
        }
        (Ty::Interface(source), Ty::Basic(name)) | (Ty::Basic(name), Ty::Interface(source)) => {
            let is_empty = source.file.arena().children(source.node).next().is_none();
            if name == "any" && !is_empty { None } else { Some(name == "any") }
        }
        _ if is_certain(one) && is_certain(other) => Some(false),
        _ => None,
    }
}
