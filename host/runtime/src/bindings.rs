//! Bindings generated from `wit`: functions of packs and integrations that the host calls, and those that it provides.
#![allow(missing_docs, unreachable_pub, reason = "generated code; the WIT text is the documentation")]
#![allow(clippy::all, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../wit/language",
    world: "whole-pack",
    // Extism modules receive and return the same values as JSON.
    additional_derives: [marquetry_shapes::Json],
});

/// The answer of a guest; an error if it trapped.
pub(crate) type Answer<T> = wasmtime::Result<T>;

/// Bindings generated from `wit/editor`.
pub(crate) mod editor {
    wasmtime::component::bindgen!({
        path: "../../wit/editor",
        world: "editor",
    });
}
