//! Selectors, parsed.

/// One of a list of selectors: compounds from left to right with what stands between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complex {
    /// Before the first compound: only in the relative selectors of `:has()`.
    pub(crate) leading: Option<Combinator>,
    pub(crate) first: Compound,
    pub(crate) rest: Vec<(Combinator, Compound)>,
}

/// How two compounds are related.
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

/// What one element must satisfy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Compound {
    pub(crate) tests: Vec<Simple>,
}

/// A namespace as a selector gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// `*|`, or nothing before a type.
    Any,
    /// `|`, or nothing before an attribute.
    None,
    /// `prefix|`, one of those the document declares.
    Named(String),
}

/// How the value of an attribute is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Includes,
    DashMatch,
    Starts,
    Ends,
    Contains,
}

/// `[name op "value" i]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttributeTest {
    pub(crate) prefix: Prefix,
    pub(crate) name: String,
    pub(crate) value: Option<(Comparison, String)>,
    /// Whether case counts, where the selector says so.
    pub(crate) case: Option<bool>,
}

/// `an+b`, of what, and counted from where.
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
    /// A type; without name `*`.
    Type(Prefix, Option<String>),
    Id(String),
    Class(String),
    Attribute(AttributeTest),
    Is(Vec<Complex>),
    Not(Vec<Complex>),
    Has(Vec<Complex>),
    Nth(Nth),
    Lang(Vec<String>),
    /// Left to right or not; nothing for a direction that does not exist.
    Dir(Option<bool>),
    /// Not of the standard: the text of the element contains this.
    Contains(String),
    Pseudo(Pseudo),
}

macro_rules! pseudo_classes {
    ($($variant:ident $name:literal,)*) => {
        /// Pseudo-classes without arguments.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Pseudo {
            $($variant,)*
            /// One that nothing in a file matches: `:hover`, `::before` …
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

/// Pseudo-classes about what happens while a page is shown.
const NEVER: &[&str] = &[
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

/// Pseudo-elements, which are no elements of the document.
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

/// The names of the pseudo-classes with arguments.
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

/// The names of those that are short for a use of [`Nth`].
pub(crate) const SHORT_NTH: &[&str] =
    &["first-child", "last-child", "only-child", "first-of-type", "last-of-type", "only-of-type"];

/// The pseudo-class of a name in lower case.
pub(crate) fn pseudo_class(name: &str) -> Option<Pseudo> {
    let name = match name {
        "link" | "-webkit-any-link" => "any-link",
        // A query of a whole document starts at its root.
        "scope" => "root",
        _ => name,
    };
    let known = PSEUDO_CLASSES.iter().find(|(known, _)| *known == name).map(|(_, pseudo)| *pseudo);
    known.or_else(|| NEVER.contains(&name).then_some(Pseudo::Never))
}

/// Whether there is a pseudo-element of that name, in lower case.
pub(crate) fn is_pseudo_element(name: &str) -> bool {
    PSEUDO_ELEMENTS.contains(&name) || name.starts_with("-webkit-")
}

/// Every pseudo-class, to name the nearest.
pub(crate) fn pseudo_class_names() -> impl Iterator<Item = &'static str> {
    let plain = PSEUDO_CLASSES.iter().map(|(name, _)| *name).chain(["link", "scope"]);
    plain.chain(SHORT_NTH.iter().copied()).chain(FUNCTIONS.iter().copied()).chain(NEVER.iter().copied())
}
