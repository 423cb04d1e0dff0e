//! Members: variables, mixins and functions in SCSS or LESS, their declarations and uses, and the resolution of uses
//! within one file. Other files are not read here.

mod expression;
mod less;
mod loads;
pub(crate) mod origin;
mod sass;

use std::ops::Range;

use marquetry_sdk::{Span, Usage};

pub(crate) use self::loads::{Load, LoadKind, request};
use crate::{chars::Dialect, tree::Tree};

/// Kind of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Variable,
    Mixin,
    Function,
    /// A mixin parameter, which calls can name.
    MixinParameter,
    FunctionParameter,
}

/// A name that other stylesheets can use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Member {
    pub(crate) kind: Kind,
    /// Normalized name without its sigil: `_` becomes `-` in Sass. For a parameter, `mixin($name)`.
    pub(crate) name: String,
}

/// Owner of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The file, or a module that it loads without a namespace.
    Global,
    /// A block, with the number of the declaration.
    Local(u32),
    /// The module that this statement loads, accessed by its namespace.
    Module(u32),
    /// The module that this statement loads, named in the statement itself.
    Clause(u32),
}

/// An occurrence of a member's name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The name without sigil and namespace, which a rename replaces.
    pub(crate) span: Span,
    pub(crate) owner: Owner,
    pub(crate) usage: Usage,
    /// True if the owner is certain.
    pub(crate) certain: bool,
}

/// All members of a stylesheet.
#[derive(Debug)]
pub(crate) struct Members {
    /// In document order.
    pub(crate) places: Vec<Place>,
    /// For each local declaration, the parameter if it is one of a mixin or function of the file.
    pub(crate) locals: Vec<Option<Member>>,
    /// Files that are loaded.
    pub(crate) loads: Vec<Load>,
}

impl Members {
    pub(crate) fn of(tree: &Tree) -> Members {
        let mut members = match tree.dialect {
            Dialect::Css => Members { places: Vec::new(), locals: Vec::new(), loads: Vec::new() },
            Dialect::Scss => sass::read(tree),
            Dialect::Less => less::read(tree),
        };
        members.places.sort_by_key(|place| (place.span.start, place.span.end));
        members.places.dedup_by_key(|place| (place.span, place.kind));
        members
    }

    /// Occurrence at an offset, including the sigil before the name.
    pub(crate) fn at(&self, offset: u32) -> Option<&Place> {
        let reach = self.places.partition_point(|place| place.span.start <= offset + 1);
        let nearest = || self.places[..reach].iter().rev().take(4);
        let holds = |place: &&Place, sign: u32| {
            place.span.start <= offset + sign && offset <= place.span.end && (sign == 0 || place.is_variable())
        };
        nearest().find(|place| holds(place, 0)).or_else(|| nearest().find(|place| holds(place, 1)))
    }

    /// Occurrences of a member in the file scope, or loaded without a namespace.
    pub(crate) fn global<'m>(&'m self, member: &Member) -> impl Iterator<Item = &'m Place> {
        self.places.iter().filter(move |place| place.owner == Owner::Global && place.is_of(member))
    }

    /// Declaration of a member in this file.
    pub(crate) fn declaration(&self, member: &Member) -> Option<&Place> {
        self.global(member).find(|place| place.usage == Usage::Declaration)
    }

    /// Members that the file exports, including parameters that calls can name. Each occurs once, with its first
    /// declaration.
    pub(crate) fn declared(&self) -> Vec<(Member, &Place)> {
        let mut seen = std::collections::BTreeSet::new();
        let own = |place: &Place| match place.owner {
            Owner::Global => Some(place.member()),
            Owner::Local(number) => self.locals[number as usize].clone(),
            Owner::Module(_) | Owner::Clause(_) => None,
        };
        let declarations = self.places.iter().filter(|place| place.usage == Usage::Declaration);
        let named = declarations.filter_map(|place| Some((own(place)?, place)));
        named.filter(|(member, _)| seen.insert(member.clone())).collect()
    }
}

impl Place {
    pub(crate) fn is_of(&self, member: &Member) -> bool {
        self.kind == member.kind && self.name == member.name
    }

    pub(crate) fn member(&self) -> Member {
        Member { kind: self.kind, name: self.name.clone() }
    }

    /// Returns whether a sigil comes before the name.
    fn is_variable(&self) -> bool {
        !matches!(self.kind, Kind::Mixin | Kind::Function)
    }
}

impl Member {
    pub(crate) fn new(kind: Kind, name: impl Into<String>) -> Member {
        Member { kind, name: name.into() }
    }

    /// Name of the member for addresses and for other files, with the sigil or keyword of its kind.
    pub(crate) fn shown(&self, dialect: Dialect) -> String {
        let name = &self.name;
        match self.kind {
            Kind::Variable => format!("{}{name}", sign(dialect)),
            Kind::Mixin | Kind::MixinParameter => format!("@mixin {name}"),
            Kind::Function | Kind::FunctionParameter => format!("@function {name}"),
        }
    }

    /// Parses the result of `shown`.
    pub(crate) fn parsed(shown: &str, dialect: Dialect) -> Option<Member> {
        let of = |name: &str, kind: Kind, parameter: Kind| {
            let name = name.trim();
            let is_parameter = name.ends_with(')');
            (!name.is_empty()).then(|| Member::new(if is_parameter { parameter } else { kind }, folded(name, dialect)))
        };
        if let Some(name) = shown.strip_prefix("@mixin ") {
            return of(name, Kind::Mixin, Kind::MixinParameter);
        }
        if let Some(name) = shown.strip_prefix("@function ") {
            return of(name, Kind::Function, Kind::FunctionParameter);
        }
        let name = shown.strip_prefix(sign(dialect)).filter(|_| dialect != Dialect::Css)?;
        let is_name = !name.is_empty() && crate::chars::name_end(name, 0) == name.len();
        is_name.then(|| Member::new(Kind::Variable, folded(name, dialect)))
    }

    /// Returns whether only the declaring file can use it.
    pub(crate) fn is_private(&self) -> bool {
        self.name.starts_with('-')
    }

    /// Name of the kind for messages.
    pub(crate) fn word(&self) -> &'static str {
        match self.kind {
            Kind::Variable => "variable",
            Kind::Mixin => "mixin",
            Kind::Function => "function",
            Kind::MixinParameter | Kind::FunctionParameter => "parameter",
        }
    }

    /// The member with another name; only the own part of a parameter's name changes.
    pub(crate) fn called(&self, new_name: &str, dialect: Dialect) -> Member {
        let own = folded(new_name, dialect);
        let name = match (self.kind, self.name.split_once('(')) {
            (Kind::MixinParameter | Kind::FunctionParameter, Some((callee, _))) => parameter(callee, &own, dialect),
            _ => own,
        };
        Member { kind: self.kind, name }
    }
}

/// Sigil of variables.
pub(crate) fn sign(dialect: Dialect) -> char {
    if dialect == Dialect::Less { '@' } else { '$' }
}

/// Normalized name, for comparison.
pub(crate) fn folded(name: &str, dialect: Dialect) -> String {
    if dialect == Dialect::Scss { name.replace('_', "-") } else { name.to_owned() }
}

fn parameter(callee: &str, name: &str, dialect: Dialect) -> String {
    format!("{callee}({}{name})", sign(dialect))
}

/// Collects occurrences while a stylesheet is read.
#[derive(Debug)]
struct Found<'t> {
    tree: &'t Tree,
    places: Vec<Place>,
}

impl Found<'_> {
    fn name(&self, range: &Range<usize>) -> String {
        folded(&self.tree.text[range.clone()], self.tree.dialect)
    }

    fn push(&mut self, kind: Kind, range: Range<usize>, owner: Owner, usage: Usage) {
        let name = self.name(&range);
        self.push_named(kind, name, range, owner, usage);
    }

    fn push_named(&mut self, kind: Kind, name: String, range: Range<usize>, owner: Owner, usage: Usage) {
        self.places.push(Place { kind, name, span: range.into(), owner, usage, certain: true });
    }

    /// Marks the last occurrence as uncertain.
    fn doubt(&mut self) {
        if let Some(last) = self.places.last_mut() {
            last.certain = false;
        }
    }
}
