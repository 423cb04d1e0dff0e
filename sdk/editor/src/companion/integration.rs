//! Implements [`Integration`] for every type that describes a kind of editor ([`Companion`]). The session is the same
//! for all kinds.

use super::CompanionSession;
use crate::{Ability, Channel, Description, Integration, abilities_without};

/// The description of a kind of editor with a companion. Implements [`Integration`].
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
    /// The default name in the registry. The companion connects to `/editors/` followed by this name.
    const ID: &str;
    /// Display name.
    const NAME: &str;
    /// Semantic version.
    const VERSION: &str;
    /// Abilities that no editor of the kind has.
    const LACKS: &[Ability];
    /// Markdown help: what the integration does and how to attach an editor.
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
            // The integration has no settings.
            settings_schema: r#"{"type": "object", "additionalProperties": false, "properties": {}}"#.to_owned(),
            help: Kind::HELP.to_owned(),
        }
    }

    fn attach(_settings: &str) -> CompanionSession {
        CompanionSession::default()
    }
}
