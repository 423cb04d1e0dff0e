//! Members of a stylesheet: the variables, mixins and functions of SCSS and LESS. Finds their declarations and uses,
//! and resolves uses within one file. Other files are read only by [`origin`].

mod expression;
mod less;
mod loads;
pub(crate) mod origin;
mod sass;

use std::ops::Range;

use marquetry_sdk::{Span, Usage};

pub(crate) use self::loads::{Load, LoadKind, resolution_request};
use crate::{chars::Dialect, tree::Tree};

/// Kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MemberKind {
    Variable,
    Mixin,
    Function,
    /// A parameter of a mixin. It is a member because calls can contain its name: `$name: value`.
    MixinParameter,
    FunctionParameter,
}

/// A name that other stylesheets can use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Member {
    pub(crate) kind: MemberKind,
    /// Name without its sigil. In Sass, `_` is replaced by `-`. For a parameter, it is `mixin($name)`.
    pub(crate) name: String,
}

/// The scope or file in which a name is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The file, or a module that it loads without a namespace.
    Global,
    /// A block. The number is that of the declaration in the block.
    Local(u32),
    /// The module that is loaded by the statement with this index. The name is used with the namespace of the module.
    Module(u32),
    /// The module that is loaded by the statement with this index. The name is in a clause of this statement, such as
    /// `with (…)`.
    Clause(u32),
}

/// An occurrence of a member's name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemberOccurrence {
    pub(crate) kind: MemberKind,
    pub(crate) name: String,
    /// Span of the name without its sigil and namespace. A rename replaces this span.
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
    pub(crate) occurrences: Vec<MemberOccurrence>,
    /// For each declaration in a block: the member if it is a parameter of a mixin or function that other files can
    /// call.
    pub(crate) locals: Vec<Option<Member>>,
    /// Statements that load other files.
    pub(crate) loads: Vec<Load>,
}

impl Members {
    pub(crate) fn from_tree(tree: &Tree) -> Members {
        let mut members = match tree.dialect {
            Dialect::Css => Members { occurrences: Vec::new(), locals: Vec::new(), loads: Vec::new() },
            Dialect::Scss => sass::read_members(tree),
            Dialect::Less => less::read_members(tree),
        };
        members.occurrences.sort_by_key(|place| (place.span.start, place.span.end));
        members.occurrences.dedup_by_key(|place| (place.span, place.kind));
        members
    }

    /// Returns the occurrence at an offset. The offset can also be that of the sigil before the name.
    pub(crate) fn occurrence_at(&self, offset: u32) -> Option<&MemberOccurrence> {
        let reach = self.occurrences.partition_point(|place| place.span.start <= offset + 1);
        let nearest = || self.occurrences[..reach].iter().rev().take(4);
        let holds = |place: &&MemberOccurrence, sign: u32| {
            place.span.start <= offset + sign && offset <= place.span.end && (sign == 0 || place.is_variable())
        };
        nearest().find(|place| holds(place, 0)).or_else(|| nearest().find(|place| holds(place, 1)))
    }

    /// Returns the occurrences of a member that is in the scope of the file, or loaded without a namespace.
    pub(crate) fn global_occurrences<'m>(&'m self, member: &Member) -> impl Iterator<Item = &'m MemberOccurrence> {
        self.occurrences.iter().filter(move |place| place.owner == Owner::Global && place.refers_to(member))
    }

    /// Returns the declaration of a member in this file.
    pub(crate) fn find_declaration(&self, member: &Member) -> Option<&MemberOccurrence> {
        self.global_occurrences(member).find(|place| place.usage == Usage::Declaration)
    }

    /// Returns the members that the file exports, including parameters, whose names calls can contain. Each member is
    /// returned once, with its first declaration.
    pub(crate) fn exported_members(&self) -> Vec<(Member, &MemberOccurrence)> {
        let mut seen = std::collections::BTreeSet::new();
        let own = |place: &MemberOccurrence| match place.owner {
            Owner::Global => Some(place.member()),
            Owner::Local(number) => self.locals[number as usize].clone(),
            Owner::Module(_) | Owner::Clause(_) => None,
        };
        let declarations = self.occurrences.iter().filter(|place| place.usage == Usage::Declaration);
        let named = declarations.filter_map(|place| Some((own(place)?, place)));
        named.filter(|(member, _)| seen.insert(member.clone())).collect()
    }
}

impl MemberOccurrence {
    pub(crate) fn refers_to(&self, member: &Member) -> bool {
        self.kind == member.kind && self.name == member.name
    }

    pub(crate) fn member(&self) -> Member {
        Member { kind: self.kind, name: self.name.clone() }
    }

    /// Returns whether a sigil precedes the name.
    fn is_variable(&self) -> bool {
        !matches!(self.kind, MemberKind::Mixin | MemberKind::Function)
    }
}

impl Member {
    pub(crate) fn new(kind: MemberKind, name: impl Into<String>) -> Member {
        Member { kind, name: name.into() }
    }

    /// Returns the name that the member has in addresses and in exports. It starts with the sigil or keyword of its
    /// kind.
    pub(crate) fn display_name(&self, dialect: Dialect) -> String {
        let name = &self.name;
        match self.kind {
            MemberKind::Variable => format!("{}{name}", variable_sigil(dialect)),
            MemberKind::Mixin | MemberKind::MixinParameter => format!("@mixin {name}"),
            MemberKind::Function | MemberKind::FunctionParameter => format!("@function {name}"),
        }
    }

    /// Parses the result of [`Self::display_name`].
    pub(crate) fn parse(shown: &str, dialect: Dialect) -> Option<Member> {
        let of = |name: &str, kind: MemberKind, parameter: MemberKind| {
            let name = name.trim();
            let is_parameter = name.ends_with(')');
            (!name.is_empty())
                .then(|| Member::new(if is_parameter { parameter } else { kind }, normalize_name(name, dialect)))
        };
        if let Some(name) = shown.strip_prefix("@mixin ") {
            return of(name, MemberKind::Mixin, MemberKind::MixinParameter);
        }
        if let Some(name) = shown.strip_prefix("@function ") {
            return of(name, MemberKind::Function, MemberKind::FunctionParameter);
        }
        let name = shown.strip_prefix(variable_sigil(dialect)).filter(|_| dialect != Dialect::Css)?;
        let is_name = !name.is_empty() && crate::chars::name_end(name, 0) == name.len();
        is_name.then(|| Member::new(MemberKind::Variable, normalize_name(name, dialect)))
    }

    /// Returns whether only the file that declares the member can use it.
    pub(crate) fn is_private(&self) -> bool {
        self.name.starts_with('-')
    }

    /// Returns the name of the kind for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            MemberKind::Variable => "variable",
            MemberKind::Mixin => "mixin",
            MemberKind::Function => "function",
            MemberKind::MixinParameter | MemberKind::FunctionParameter => "parameter",
        }
    }

    /// Returns the member with another name. For a parameter, the name of its mixin or function is kept.
    pub(crate) fn with_name(&self, new_name: &str, dialect: Dialect) -> Member {
        let own = normalize_name(new_name, dialect);
        let name = match (self.kind, self.name.split_once('(')) {
            (MemberKind::MixinParameter | MemberKind::FunctionParameter, Some((callee, _))) => {
                parameter_member_name(callee, &own, dialect)
            }
            _ => own,
        };
        Member { kind: self.kind, name }
    }
}

/// Returns the sigil of variables.
pub(crate) fn variable_sigil(dialect: Dialect) -> char {
    if dialect == Dialect::Less { '@' } else { '$' }
}

/// Normalizes a name so that equivalent names are equal.
pub(crate) fn normalize_name(name: &str, dialect: Dialect) -> String {
    if dialect == Dialect::Scss { name.replace('_', "-") } else { name.to_owned() }
}

fn parameter_member_name(callee: &str, name: &str, dialect: Dialect) -> String {
    format!("{callee}({}{name})", variable_sigil(dialect))
}

/// Collects the occurrences of members in a stylesheet.
#[derive(Debug)]
struct OccurrenceCollector<'t> {
    tree: &'t Tree,
    places: Vec<MemberOccurrence>,
}

impl OccurrenceCollector<'_> {
    fn normalized_name(&self, range: &Range<usize>) -> String {
        normalize_name(&self.tree.text[range.clone()], self.tree.dialect)
    }

    fn push(&mut self, kind: MemberKind, range: Range<usize>, owner: Owner, usage: Usage) {
        let name = self.normalized_name(&range);
        self.push_named(kind, name, range, owner, usage);
    }

    fn push_named(&mut self, kind: MemberKind, name: String, range: Range<usize>, owner: Owner, usage: Usage) {
        self.places.push(MemberOccurrence { kind, name, span: range.into(), owner, usage, certain: true });
    }

    /// Marks the last occurrence as uncertain.
    fn mark_uncertain(&mut self) {
        if let Some(last) = self.places.last_mut() {
            last.certain = false;
        }
    }
}
