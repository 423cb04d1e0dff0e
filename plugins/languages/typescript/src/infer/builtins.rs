//! What the language and its platforms declare: types whose arguments matter, and names that no file of the workspace
//! declares.

use std::{collections::HashSet, rc::Rc, sync::LazyLock};

use crate::infer::ty::{Builtin, Ty};

/// Globals of the language, browsers and workers, one name per line, sorted; written by `e2e/platform.mjs`.
const PLATFORM: &str = include_str!("platform.txt");

/// Members of all their types, in the same form.
const PLATFORM_MEMBERS: &str = include_str!("members.txt");

/// What Node and others declare beyond that. Not all of it: other names are merely unknown.
const HOSTS: &[&str] =
    &["Buffer", "Bun", "Deno", "NodeJS", "React", "arguments", "global", "globalThis", "process", "setImmediate"];

/// Whether the platform declares the name.
pub(crate) fn declares(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> =
        LazyLock::new(|| PLATFORM.lines().chain(HOSTS.iter().copied()).chain(["undefined"]).collect());
    NAMES.contains(name)
}

/// The type of a global: the members of what the language or a browser declares are known.
pub(crate) fn global<'w>(name: &str) -> Ty<'w> {
    // A store has whatever members it is given.
    let is_store = matches!(name, "Storage" | "localStorage" | "sessionStorage");
    if is_store || HOSTS.contains(&name) { Ty::External } else { Ty::Platform }
}

/// Whether some type of the language or of browsers has a member of the name. Checked code that reads another one from such a
/// type has narrowed or augmented it.
pub(crate) fn platform_has_member(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| PLATFORM_MEMBERS.lines().collect());
    NAMES.contains(name) || declares(name)
}

/// The objects that have the globals as members.
pub(crate) const GLOBAL_OBJECTS: [&str; 4] = ["window", "self", "globalThis", "global"];

/// Members of the platform's objects whose values may be of any type.
const ANYTHING: &[&str] = &[
    "data",
    "detail",
    "details",
    "info",
    "opener",
    "options",
    "reason",
    "response",
    "result",
    "returnValue",
    "state",
    "value",
];

/// Whether an object of the platform has anything under this name: what the program itself put there.
pub(crate) fn may_hold_anything(member: &str) -> bool {
    ANYTHING.binary_search(&member).is_ok()
}

/// Types by which packages declare components: what they hold are the types of properties and state.
const COMPONENTS: [&str; 9] = [
    "FC",
    "FunctionComponent",
    "VFC",
    "SFC",
    "ComponentType",
    "ComponentClass",
    "Component",
    "PureComponent",
    "ForwardRefRenderFunction",
];

/// A type that a package declares, made with these types: what it makes of them cannot be seen, but for a few.
pub(crate) fn package_type<'w>(name: &str, mut arguments: Vec<Ty<'w>>) -> Ty<'w> {
    if arguments.is_empty() {
        return Ty::External;
    }
    match name {
        "PropsWithChildren" | "PropsWithRef" => arguments.remove(0),
        _ if COMPONENTS.contains(&name) => Ty::Builtin(Builtin::Component, Rc::from(arguments)),
        _ => Ty::Unknown,
    }
}

/// Whether what a function of the platform returns has no members of ours, by the name that the call begins with.
pub(crate) fn returns_own(root: &str) -> bool {
    matches!(
        root,
        "Math"
            | "Number"
            | "String"
            | "Boolean"
            | "BigInt"
            | "Date"
            | "console"
            | "parseInt"
            | "parseFloat"
            | "isNaN"
            | "setTimeout"
            | "setInterval"
            | "clearTimeout"
            | "clearInterval"
            | "performance"
            | "process"
            | "Buffer"
            | "Symbol"
            | "document"
            | "localStorage"
            | "sessionStorage"
            | "crypto"
            | "queueMicrotask"
            | "URL"
    )
}

/// The type of a name that nothing here declares.
pub(crate) fn named<'w>(name: &str, mut arguments: Vec<Ty<'w>>) -> Ty<'w> {
    let known = |known: Builtin, arguments: Vec<Ty<'w>>| Ty::Builtin(known, Rc::from(arguments));
    match name {
        "Array"
        | "ReadonlyArray"
        | "ArrayLike"
        | "Iterable"
        | "IterableIterator"
        | "Iterator"
        | "Generator"
        | "AsyncIterable"
        | "AsyncGenerator"
        | "AsyncIterableIterator" => known(Builtin::Array, arguments),
        "Promise" | "PromiseLike" => known(Builtin::Promise, arguments),
        "Map" | "ReadonlyMap" | "WeakMap" => known(Builtin::Map, arguments),
        "Set" | "ReadonlySet" | "WeakSet" => known(Builtin::Set, arguments),
        "Partial" | "Required" | "Readonly" | "Pick" | "Omit" | "NonNullable" | "Exclude" | "Extract" | "NoInfer"
            if !arguments.is_empty() =>
        {
            arguments.remove(0)
        }
        "Awaited" => match arguments.first() {
            Some(Ty::Builtin(Builtin::Promise, inner)) => inner.first().cloned().unwrap_or(Ty::Unknown),
            Some(other) => other.clone(),
            None => Ty::Unknown,
        },
        "InstanceType" => match arguments.first() {
            Some(Ty::Static(owner)) => Ty::Instance(*owner, None),
            _ => Ty::Unknown,
        },
        // Types that are made from others in ways that are not followed.
        "ReturnType" | "Parameters" | "ConstructorParameters" | "Record" | "ThisType" | "ThisParameterType" => {
            Ty::Unknown
        }
        // What it makes of types of ours cannot be seen.
        _ if declares(name) && arguments.is_empty() => global(name),
        _ => Ty::Unknown,
    }
}

/// Which parameter of a callback gets the elements of the container that the method is called on.
pub(crate) fn callback_elements(container: Builtin, method: &str) -> &'static [usize] {
    match (container, method) {
        (Builtin::Array, "reduce" | "reduceRight") => &[1],
        (Builtin::Array, "sort" | "toSorted") => &[0, 1],
        (
            Builtin::Array,
            "map" | "flatMap" | "forEach" | "filter" | "find" | "findLast" | "findIndex" | "findLastIndex" | "some"
            | "every" | "from",
        ) => &[0],
        (Builtin::Set, "forEach") => &[0, 1],
        _ => &[],
    }
}

/// Whether objects of a class of the platform hold what they are made with.
pub(crate) fn is_generic(name: &str) -> bool {
    matches!(
        name,
        "CustomEvent"
            | "FinalizationRegistry"
            | "MessageEvent"
            | "Proxy"
            | "ReadableStream"
            | "TransformStream"
            | "WeakRef"
            | "WritableStream"
    )
}

/// Methods of containers that give a number, a text, a truth value or nothing.
const PLAIN_METHODS: &[&str] = &[
    "clear",
    "delete",
    "every",
    "findIndex",
    "findLastIndex",
    "forEach",
    "has",
    "includes",
    "indexOf",
    "isDisjointFrom",
    "isSubsetOf",
    "isSupersetOf",
    "join",
    "lastIndexOf",
    "push",
    "some",
    "toLocaleString",
    "toString",
    "unshift",
];

/// Whether the method of a container gives nothing that it holds.
pub(crate) fn returns_plain(method: &str) -> bool {
    PLAIN_METHODS.binary_search(&method).is_ok()
}

/// Whether a method of a container is given what the container holds.
pub(crate) fn takes_contents(method: &str) -> bool {
    matches!(
        method,
        "add"
            | "delete"
            | "fill"
            | "get"
            | "has"
            | "includes"
            | "indexOf"
            | "lastIndexOf"
            | "push"
            | "set"
            | "unshift"
            | "with"
    )
}

/// Members of lists, maps, sets, promises and iterators.
const CONTAINER_MEMBERS: &[&str] = &[
    "add",
    "at",
    "catch",
    "clear",
    "concat",
    "copyWithin",
    "delete",
    "difference",
    "drop",
    "entries",
    "every",
    "fill",
    "filter",
    "finally",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flat",
    "flatMap",
    "forEach",
    "get",
    "getOrInsert",
    "getOrInsertComputed",
    "has",
    "includes",
    "indexOf",
    "intersection",
    "isDisjointFrom",
    "isSubsetOf",
    "isSupersetOf",
    "join",
    "keys",
    "lastIndexOf",
    "length",
    "map",
    "next",
    "pop",
    "push",
    "reduce",
    "reduceRight",
    "return",
    "reverse",
    "set",
    "shift",
    "size",
    "slice",
    "some",
    "sort",
    "splice",
    "symmetricDifference",
    "take",
    "then",
    "throw",
    "toArray",
    "toReversed",
    "toSorted",
    "toSpliced",
    "union",
    "unshift",
    "values",
    "with",
];

/// Whether some container of the platform has a member of the name.
pub(crate) fn container_has_member(name: &str) -> bool {
    CONTAINER_MEMBERS.binary_search(&name).is_ok() || has_member(name)
}

/// Members that the language gives to texts, numbers, functions, lists and every object.
const MEMBERS: &[&str] = &[
    "anchor",
    "apply",
    "arguments",
    "at",
    "bind",
    "call",
    "caller",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "constructor",
    "description",
    "endsWith",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "isPrototypeOf",
    "isWellFormed",
    "lastIndexOf",
    "length",
    "localeCompare",
    "match",
    "matchAll",
    "name",
    "normalize",
    "padEnd",
    "padStart",
    "propertyIsEnumerable",
    "prototype",
    "repeat",
    "replace",
    "replaceAll",
    "search",
    "slice",
    "split",
    "startsWith",
    "substr",
    "substring",
    "toExponential",
    "toFixed",
    "toLocaleLowerCase",
    "toLocaleString",
    "toLocaleUpperCase",
    "toLowerCase",
    "toPrecision",
    "toString",
    "toUpperCase",
    "toWellFormed",
    "trim",
    "trimEnd",
    "trimLeft",
    "trimRight",
    "trimStart",
    "valueOf",
];

/// Whether every function has a method of the name, by which it may be what a type asks for.
pub(crate) fn is_of_functions(name: &str) -> bool {
    matches!(name, "apply" | "bind" | "call")
}

/// Whether every text, number, function or object may have a member of the name.
pub(crate) fn has_member(name: &str) -> bool {
    MEMBERS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted() {
        assert!(
            super::ANYTHING.is_sorted()
                && super::PLATFORM.lines().is_sorted()
                && super::PLATFORM_MEMBERS.lines().is_sorted()
                && super::MEMBERS.is_sorted()
                && super::CONTAINER_MEMBERS.is_sorted()
                && super::PLAIN_METHODS.is_sorted()
        );
        assert!(super::declares("console") && !super::declares("myOwn"));
    }
}
