//! The page of a server as an attached editor: it dials the host and speaks the protocol of companions.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, Channel, Description, Integration, companion::CompanionSession, export_editor};

/// The integration.
#[derive(Debug)]
pub struct Web;

/// Where the page dials.
const PATH: &str = "/editors/web";

/// What every page can do.
const ABILITIES: [Ability; 11] = [
    Ability::Open,
    Ability::ShowDiff,
    Ability::Decide,
    Ability::CloseTab,
    Ability::Tabs,
    Ability::Selection,
    Ability::Dirty,
    Ability::Text,
    Ability::Save,
    Ability::Folders,
    Ability::Show,
];

impl Integration for Web {
    type Session = CompanionSession;

    fn describe() -> Description {
        Description {
            id: "web".to_owned(),
            name: "Page".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            channels: vec![Channel::Websocket(PATH.to_owned())],
            abilities: ABILITIES.to_vec(),
            settings_schema: r#"{"type": "object", "additionalProperties": false, "properties": {}}"#.to_owned(),
            help: include_str!("../help.md").to_owned(),
        }
    }

    fn attach(_settings: &str) -> CompanionSession {
        CompanionSession::default()
    }
}

export_editor!(Web);
