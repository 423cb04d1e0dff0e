//! What an editor can be able to do: the one list, in the order of the contract.

use crate::Ability;

/// Everything that an editor can be able to do, with the name of the request in the contract.
pub(crate) const NAMED: [(&str, Ability); 13] = [
    ("open", Ability::Open),
    ("show-diff", Ability::ShowDiff),
    ("decide", Ability::Decide),
    ("close-tab", Ability::CloseTab),
    ("tabs", Ability::Tabs),
    ("selection", Ability::Selection),
    ("dirty", Ability::Dirty),
    ("text", Ability::Text),
    ("save", Ability::Save),
    ("folders", Ability::Folders),
    ("diagnostics", Ability::Diagnostics),
    ("apply", Ability::Apply),
    ("show", Ability::Show),
];

/// The abilities of an editor that can do everything but a few things.
///
/// ```
/// use marquetry_editor::{Ability, abilities_without};
///
/// assert_eq!(abilities_without(&[]).len(), 13);
/// assert!(!abilities_without(&[Ability::Apply]).contains(&Ability::Apply));
/// ```
pub fn abilities_without(lacks: &[Ability]) -> Vec<Ability> {
    NAMED.into_iter().map(|(_, ability)| ability).filter(|ability| !lacks.contains(ability)).collect()
}
