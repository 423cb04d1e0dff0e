//! Types generated from `wit/editor`. The exports are generated where an integration calls
//! [`export_editor!`](crate::export_editor).
#![allow(missing_docs, unreachable_pub, reason = "generated code; the WIT text is the documentation")]
#![allow(unsafe_code, clippy::all, clippy::pedantic, reason = "generated code")]

wit_bindgen::generate!({
    path: "wit",
    world: "editor-vocabulary",
    additional_derives: [PartialEq],
});
