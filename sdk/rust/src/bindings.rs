//! Bindings generated from `wit/language`: the types of all worlds, and the imports that the host offers to every
//! pack. The exports are generated where a pack calls [`export_pack!`](crate::export_pack).
#![allow(missing_docs, unreachable_pub, reason = "generated code; the WIT text is the documentation")]
#![allow(unsafe_code, clippy::all, clippy::pedantic, reason = "generated code")]

wit_bindgen::generate!({
    path: "wit",
    world: "vocabulary",
    additional_derives: [PartialEq],
});
