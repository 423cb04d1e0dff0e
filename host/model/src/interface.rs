//! The optional interfaces of the contract (the WIT interface) with language packs.

use std::fmt;

/// An optional interface of a language pack. Its name is that of the WIT interface.
///
/// # Examples
///
/// ```
/// use marquetry_model::Interface;
///
/// assert_eq!(Interface::Hover.name(), "hover");
/// assert_eq!(Interface::from_name("symbols"), Some(Interface::Symbols));
/// assert_eq!(Interface::from_name("language"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// References to other files.
    Links,
    /// Name resolution and renaming.
    Symbols,
    /// Refactorings.
    Refactors,
    /// Hover information, navigation, and diagnostics beyond syntax.
    Hover,
    /// Structural search.
    Search,
    /// Names of files in texts of any format.
    Mentions,
}

impl Interface {
    /// All optional interfaces, in the order in which they are listed.
    pub const ALL: [Interface; 6] = [
        Interface::Links,
        Interface::Symbols,
        Interface::Refactors,
        Interface::Hover,
        Interface::Search,
        Interface::Mentions,
    ];

    /// The name of the WIT interface.
    pub fn name(self) -> &'static str {
        match self {
            Interface::Links => "links",
            Interface::Symbols => "symbols",
            Interface::Refactors => "refactors",
            Interface::Hover => "hover",
            Interface::Search => "search",
            Interface::Mentions => "mentions",
        }
    }

    /// Returns the interface with this name.
    pub fn from_name(name: &str) -> Option<Interface> {
        Interface::ALL.into_iter().find(|interface| interface.name() == name)
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_are_found_by_name() {
        let names = ["links", "symbols", "refactors", "hover", "search", "mentions"];
        assert_eq!(Interface::ALL.map(|interface| interface.to_string()), names);
        assert_eq!(names.map(|name| Interface::from_name(name).map(Interface::name)), names.map(Some));
        assert_eq!([Interface::from_name(""), Interface::from_name("Hover")], [None, None]);
    }
}
