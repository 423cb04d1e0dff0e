//! SDK for Marquetry editor integrations in Rust.
//!
//! An integration translates between the byte stream of one editor and the requests and events that the host uses for
//! all editors. It is a state machine: implement [`Integration`] and [`Session`], call [`export_editor!`], and build
//! a `cdylib` for `wasm32-wasip2`. The same crate, built natively, runs its own tests; the module `testing` (enabled
//! by the feature of that name) checks the requirements that every integration must meet.
//!
//! ```
//! use marquetry_editor::{Action, Event, Introduction, Session};
//!
//! /// An editor that sends its name in its first line.
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

/// Support for one kind of editor: its description, and a state machine for each attached editor.
pub trait Integration: 'static {
    /// One attached editor.
    type Session: Session;

    /// Describes the integration.
    fn describe() -> Description;

    /// Creates the session of a connection that is about to open. Invalid settings are treated as missing.
    fn attach(settings: &str) -> Self::Session;
}

/// One attached editor. The same events must always give the same actions, however the bytes are split.
pub trait Session: 'static {
    /// Handles an event. Returns the actions to take, in order.
    fn handle(&mut self, event: Event) -> Vec<Action>;
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into(), hint: None }
    }

    /// Adds a hint about what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }
}
