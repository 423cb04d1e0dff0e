//! Syntax tree of selectors.

/// A complex selector: compound selectors from left to right, separated by combinators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complex {
    /// Leading combinator. Only relative selectors in `:has()` have one.
    pub(crate) leading: Option<Combinator>,
    pub(crate) first: Compound,
    pub(crate) rest: Vec<(Combinator, Compound)>,
}

/// Relation between two compound selectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combinator {
    /// White space.
    Descendant,
    /// `>`.
    Child,
    /// `+`.
    Next,
    /// `~`.
    Later,
}

/// A compound selector. An element matches it if it passes all tests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Compound {
    pub(crate) tests: Vec<Simple>,
}

/// Namespace prefix in a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// The prefix is `*|`, or it is missing in a type selector.
    Any,
    /// The prefix is `|`, or it is missing in an attribute selector.
    None,
    /// `prefix|`, declared in the document.
    Named(String),
}

/// Operator of an attribute selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Includes,
    DashMatch,
    StartsWith,
    EndsWith,
    Contains,
}

/// `[name op "value" i]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttributeTest {
    pub(crate) prefix: Prefix,
    pub(crate) name: String,
    pub(crate) value: Option<(Comparison, String)>,
    /// Case sensitivity, if the selector specifies it.
    pub(crate) case: Option<bool>,
}

/// `an+b`, with its selector list (`of …`) and direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nth {
    pub(crate) step: i64,
    pub(crate) offset: i64,
    pub(crate) of_type: bool,
    pub(crate) from_end: bool,
    pub(crate) of: Option<Vec<Complex>>,
}

/// A simple selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Simple {
    /// A type selector; `*` if the name is `None`.
    Type(Prefix, Option<String>),
    Id(String),
    Class(String),
    Attribute(AttributeTest),
    Is(Vec<Complex>),
    Not(Vec<Complex>),
    Has(Vec<Complex>),
    Nth(Nth),
    Lang(Vec<String>),
    /// True for left to right; `None` for an unknown direction.
    Dir(Option<bool>),
    /// `:contains("…")`: the text of the element contains this text. CSS does not define this pseudo-class.
    Contains(String),
    Pseudo(Pseudo),
}

macro_rules! pseudo_classes {
    ($($variant:ident $name:literal,)*) => {
        /// Pseudo-classes without arguments.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Pseudo {
            $($variant,)*
            /// A pseudo-class or pseudo-element that matches nothing in a file, such as `:hover` or `::before`.
            Never,
        }

        const PSEUDO_CLASSES: &[(&str, Pseudo)] = &[$(($name, Pseudo::$variant),)*];
    };
}

pseudo_classes! {
    AnyLink "any-link", Checked "checked", Default "default", Defined "defined", Disabled "disabled",
    Empty "empty", Enabled "enabled", InRange "in-range", Indeterminate "indeterminate",
    Muted "muted", Open "open", Optional "optional", OutOfRange "out-of-range", Paused "paused",
    PlaceholderShown "placeholder-shown", ReadOnly "read-only", ReadWrite "read-write", Required "required",
    Root "root",
}

/// Pseudo-classes that depend on user interaction or display.
const NEVER_MATCHING: &[&str] = &[
    "active",
    "autofill",
    "buffering",
    "current",
    "focus",
    "focus-visible",
    "focus-within",
    "fullscreen",
    "future",
    "host",
    "hover",
    "modal",
    "past",
    "picture-in-picture",
    "playing",
    "popover-open",
    "seeking",
    "stalled",
    "target",
    "target-current",
    "target-within",
    "user-invalid",
    "user-valid",
    "visited",
    "volume-locked",
    "-webkit-autofill",
];

/// Pseudo-elements, which are not elements of the document.
const PSEUDO_ELEMENTS: &[&str] = &[
    "after",
    "backdrop",
    "before",
    "checkmark",
    "cue",
    "details-content",
    "file-selector-button",
    "first-letter",
    "first-line",
    "grammar-error",
    "highlight",
    "marker",
    "part",
    "picker",
    "picker-icon",
    "placeholder",
    "scroll-marker",
    "scroll-marker-group",
    "search-text",
    "selection",
    "slotted",
    "spelling-error",
    "target-text",
    "view-transition",
    "view-transition-group",
    "view-transition-image-pair",
    "view-transition-new",
    "view-transition-old",
];

/// Names of pseudo-classes with arguments.
pub(crate) const FUNCTIONS: &[&str] = &[
    "is",
    "where",
    "not",
    "has",
    "nth-child",
    "nth-last-child",
    "nth-of-type",
    "nth-last-of-type",
    "lang",
    "dir",
    "contains",
];

/// Names of pseudo-classes that are shorthands for one of the `:nth-…()` pseudo-classes; see [`Nth`].
pub(crate) const SHORT_NTH: &[&str] =
    &["first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type"];

/// Returns the pseudo-class with this lower-case name.
pub(crate) fn pseudo_class(name: &str) -> Option<Pseudo> {
    let name = match name {
        "link" | "-webkit-any-link" => "any-link",
        // The scope of a query on a whole document is its root.
        "scope" => "root",
        _ => name,
    };
    let known = PSEUDO_CLASSES.iter().find(|(known, _)| *known == name).map(|(_, pseudo)| *pseudo);
    known.or_else(|| NEVER_MATCHING.contains(&name).then_some(Pseudo::Never))
}

/// Returns whether a pseudo-element with this lower-case name exists.
pub(crate) fn is_pseudo_element(name: &str) -> bool {
    PSEUDO_ELEMENTS.contains(&name) || name.starts_with("-webkit-")
}

/// Names of all pseudo-classes, for suggestions.
pub(crate) fn pseudo_class_names() -> impl Iterator<Item = &'static str> {
    let plain = PSEUDO_CLASSES.iter().map(|(name, _)| *name).chain(["link", "scope"]);
    plain.chain(SHORT_NTH.iter().copied()).chain(FUNCTIONS.iter().copied()).chain(NEVER_MATCHING.iter().copied())
}
