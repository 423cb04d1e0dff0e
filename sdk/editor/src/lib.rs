//! Write a Marquetry editor integration in Rust.
//!
//! An integration stands between the bytes of one editor and the vocabulary that the host has for all editors. It is a
//! state machine: implement [`Integration`] and [`Session`], call [`export_editor!`], and build a `cdylib` for
//! `wasm32-wasip2`. The same crate, built natively, runs its own tests; `testing` (feature of that name) holds the laws that
//! every integration keeps.
//!
//! ```
//! use marquetry_editor::{Action, Event, Introduction, Session};
//!
//! /// An editor that says its name in its first line.
//! struct Greeting(Vec<u8>);
//!
//! impl Session for Greeting {
//!     fn handle(&mut self, event: Event) -> Vec<Action> {
//!         let Event::Received(bytes) = event else { return Vec::new() };
//!         let known = self.0.contains(&b'\n');
//!         self.0.extend(bytes);
//!         match self.0.iter().position(|byte| *byte == b'\n') {
//!             Some(end) if !known => {
//!                 let title = String::from_utf8_lossy(&self.0[..end]).into_owned();
//!                 vec![Action::Introduce(Introduction { title, folders: vec![], abilities: vec![] })]
//!             }
//!             _ => Vec::new(),
//!         }
//!     }
//! }
//!
//! let mut session = Greeting(Vec::new());
//! assert!(session.handle(Event::Received(b"ed 1".to_vec())).is_empty());
//! assert_eq!(session.handle(Event::Received(b".0\n".to_vec())).len(), 1);
//! ```

mod abilities;
pub mod bindings;
#[cfg(feature = "companion")]
pub mod companion;
mod export;
#[cfg(feature = "testing")]
pub mod testing;

pub use abilities::abilities_without;
pub use bindings::marquetry::editor::types;
pub use types::*;

#[doc(hidden)]
pub use wit_bindgen;

/// One kind of editor: what it is, and a state machine for each that is attached.
pub trait Integration: 'static {
    /// One attached editor.
    type Session: Session;

    /// What the integration says of itself.
    fn describe() -> Description;

    /// A session whose connection is about to be there. Settings that make no sense are as if they were not given.
    fn attach(settings: &str) -> Self::Session;
}

/// One attached editor. The same events give the same actions, whatever the bytes are and wherever they are split.
pub trait Session: 'static {
    /// What is done about something that happened, in this order.
    fn handle(&mut self, event: Event) -> Vec<Action>;
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), hint: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}
