//! A kind of editor whose companion speaks the protocol: it says what it is, and the rest is the same for all.

use super::CompanionSession;
use crate::{Ability, Channel, Description, Integration, abilities_without};

/// What one kind of editor says of itself; it is an [`Integration`] by that.
///
/// ```
/// use marquetry_editor::{Ability, Channel, Integration, companion::Companion};
///
/// struct Pad;
///
/// impl Companion for Pad {
///     const ID: &str = "pad";
///     const NAME: &str = "Pad";
///     const VERSION: &str = "1.0.0";
///     const LACKS: &[Ability] = &[Ability::Diagnostics];
///     const HELP: &str = "Start Pad with `--dial`.";
/// }
///
/// assert_eq!(Pad::describe().channels, [Channel::Websocket("/editors/pad".to_owned())]);
/// ```
pub trait Companion: 'static {
    /// The name that the registry usually gives it. The companion dials `/editors/` and this name.
    const ID: &str;
    /// For people.
    const NAME: &str;
    /// Semantic.
    const VERSION: &str;
    /// What no editor of the kind can do.
    const LACKS: &[Ability];
    /// Markdown for people: what it does, how an editor is attached.
    const HELP: &str;
}

impl<Kind: Companion> Integration for Kind {
    type Session = CompanionSession;

    fn describe() -> Description {
        Description {
            id: Kind::ID.to_owned(),
            name: Kind::NAME.to_owned(),
            version: Kind::VERSION.to_owned(),
            channels: vec![Channel::Websocket(format!("/editors/{}", Kind::ID))],
            abilities: abilities_without(Kind::LACKS),
            // There is nothing to set.
            settings_schema: r#"{"type": "object", "additionalProperties": false, "properties": {}}"#.to_owned(),
            help: Kind::HELP.to_owned(),
        }
    }

    fn attach(_settings: &str) -> CompanionSession {
        CompanionSession::default()
    }
}
