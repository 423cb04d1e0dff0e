//! Preferences for writing and sorting imports, with the names of TypeScript's user preferences.

use marquetry_sdk::refactor::{Argument, RefactorInput};
use marquetry_sdk::{FailureKind, Result, fail};

use crate::imports::module_order::ModuleOrder;
use crate::imports::project_settings;
use crate::program::resolution::json::Json;
use crate::program::resolution::workspace::Workspace;

/// Argument of the refactorings that use preferences.
pub(crate) const ARGUMENT: Argument = Argument {
    name: "preferences",
    summary: "TypeScript's preferences for imports as a JSON object: `{\"organizeImportsIgnoreCase\": true}`",
    values: &[],
    required: false,
};

/// Position of types in a list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeOrder {
    Last,
    Inline,
    First,
}

/// Collation of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Collation {
    /// Dictionary order rather than order of code points.
    pub(crate) unicode: bool,
    /// `a2` sorts before `a10`.
    pub(crate) numeric: bool,
    /// `a` and `à` are equal.
    pub(crate) without_accents: bool,
    /// `A` sorts before `a` if they differ in nothing else.
    pub(crate) upper_first: bool,
    /// Character by character, with numbers by value, as in Biome.
    pub(crate) natural: bool,
}

/// Preferred form of a specifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum SpecifierForm {
    #[default]
    Shortest,
    Relative,
    NonRelative,
    ProjectRelative,
}

/// Preferred ending of specifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PreferredEnding {
    Minimal,
    Index,
    Js,
}

/// All preferences; missing ones are detected from the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preferences {
    pub(crate) ignore_case: Option<bool>,
    pub(crate) type_order: Option<TypeOrder>,
    pub(crate) collation: Collation,
    pub(crate) modules: ModuleOrder,
    pub(crate) specifier_form: SpecifierForm,
    pub(crate) ending: Option<PreferredEnding>,
    /// `'` or `"`.
    pub(crate) quote: Option<char>,
    pub(crate) prefer_types: bool,
    /// Prefixes of specifiers that are not suggested.
    pub(crate) excluded: Vec<String>,
}

impl Preferences {
    /// Returns the caller's preferences, completed by the settings of the project for the file.
    pub(crate) fn for_request(input: &RefactorInput, path: &str) -> Result<Preferences> {
        let mut all = project_settings::project_preferences(&Workspace::current(), path);
        let Some(text) = input.argument(ARGUMENT.name) else { return Ok(Preferences::from_json(&Json::Object(all))) };
        match Json::parse(text) {
            Json::Object(given) => {
                all.extend(given);
                Ok(Preferences::from_json(&Json::Object(all)))
            }
            _ => Err(fail(FailureKind::InvalidArgument, "`preferences` is not a JSON object").hint(ARGUMENT.summary)),
        }
    }

    /// Reads preferences from an object with TypeScript's names. Invalid values are ignored.
    pub(crate) fn from_json(json: &Json) -> Preferences {
        let flag = |key: &str| match json.get(key) {
            Some(Json::Bool(value)) => Some(*value),
            _ => None,
        };
        let text = |key: &str| json.text_of(key);
        let ordinal_ignoring_case = match text("organizeImportsSort") {
            Some("ordinalIgnoreCase") => Some(true),
            Some("ordinal") => Some(false),
            _ => None,
        };
        Preferences {
            ignore_case: flag("organizeImportsIgnoreCase").or(ordinal_ignoring_case),
            type_order: match text("organizeImportsTypeOrder") {
                Some("last") => Some(TypeOrder::Last),
                Some("inline") => Some(TypeOrder::Inline),
                Some("first") => Some(TypeOrder::First),
                _ => None,
            },
            collation: Collation {
                unicode: text("organizeImportsCollation") == Some("unicode"),
                numeric: flag("organizeImportsNumericCollation") == Some(true),
                without_accents: flag("organizeImportsAccentCollation") == Some(false),
                upper_first: text("organizeImportsCaseFirst") == Some("upper"),
                natural: text("organizeImportsCollation") == Some("natural"),
            },
            modules: text("organizeImportsModules").and_then(ModuleOrder::from_name).unwrap_or_default(),
            specifier_form: match text("importModuleSpecifierPreference") {
                Some("relative") => SpecifierForm::Relative,
                Some("non-relative") => SpecifierForm::NonRelative,
                Some("project-relative") => SpecifierForm::ProjectRelative,
                _ => SpecifierForm::Shortest,
            },
            ending: match text("importModuleSpecifierEnding") {
                Some("minimal") => Some(PreferredEnding::Minimal),
                Some("index") => Some(PreferredEnding::Index),
                Some("js") => Some(PreferredEnding::Js),
                _ => None,
            },
            quote: match text("quotePreference") {
                Some("single") => Some('\''),
                Some("double") => Some('"'),
                _ => None,
            },
            prefer_types: flag("preferTypeOnlyAutoImports") == Some(true),
            excluded: json.texts_of("autoImportFileExcludePatterns").unwrap_or_default(),
        }
    }
}
