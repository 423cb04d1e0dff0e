//! All abilities of editors, in the order of the WIT interface.

use crate::Ability;

/// All abilities, with the names of their requests.
pub(crate) const ABILITY_NAMES: [(&str, Ability); 13] = [
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

/// All abilities except the given ones.
///
/// ```
/// use marquetry_editor::{Ability, abilities_without};
///
/// assert_eq!(abilities_without(&[]).len(), 13);
/// assert!(!abilities_without(&[Ability::Apply]).contains(&Ability::Apply));
/// ```
pub fn abilities_without(lacks: &[Ability]) -> Vec<Ability> {
    ABILITY_NAMES.into_iter().map(|(_, ability)| ability).filter(|ability| !lacks.contains(ability)).collect()
}
