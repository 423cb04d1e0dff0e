//! Obsidian as an attached editor: its plugin dials the host and speaks the protocol of companions.

#[cfg(test)]
mod tests;

use marquetry_editor::{Ability, Channel, Description, Integration, companion::CompanionSession, export_editor};

/// The integration.
#[derive(Debug)]
pub struct Obsidian;

/// Where the plugin dials.
const PATH: &str = "/editors/obsidian";

/// What every Obsidian can do: it knows of no problems in notes.
const ABILITIES: [Ability; 12] = [
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
    Ability::Apply,
    Ability::Show,
];

impl Integration for Obsidian {
    type Session = CompanionSession;

    fn describe() -> Description {
        Description {
            id: "obsidian".to_owned(),
            name: "Obsidian".to_owned(),
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

export_editor!(Obsidian);
