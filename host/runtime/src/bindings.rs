//! Generated from `wit/language`: what the host calls in a pack, and what it offers to one.
#![allow(missing_docs, unreachable_pub, reason = "generated code; the WIT text is the documentation")]
#![allow(clippy::all, reason = "generated code")]

wasmtime::component::bindgen!({
    path: "../../wit/language",
    world: "whole-pack",
});
