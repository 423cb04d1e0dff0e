//! Generated from `wit`: what the host calls in a pack or an integration, and what it offers to one.
#![allow(missing_docs, unreachable_pub, reason = "generated code; the WIT text is the documentation")]
#![allow(clippy::all, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../wit/language",
    world: "whole-pack",
    // What Extism modules are asked and answer is the same as JSON.
    additional_derives: [marquetry_shapes::Json],
});

/// The same from `wit/editor`.
pub(crate) mod editor {
    wasmtime::component::bindgen!({
        path: "../../wit/editor",
        world: "editor",
    });
}
