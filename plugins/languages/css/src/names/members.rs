//! Symbol operations on variables, mixins and functions: own and imported ones.

mod clash;

use marquetry_sdk::{
    Destination, Edit, ExportedName, FailureKind, ImportKey, ImportedName, Occurrence, Place as FilePlace, Renamed,
    Renaming, Resolution, Result, Span, Subject, Usage, fail, shared,
};

use crate::{
    chars::{Dialect, ident_end},
    document::Stylesheet,
    members::{
        Kind, Load, LoadKind, Member, Members, Owner, Place,
        origin::{Origin, Sought, seek},
        sign,
    },
    tree::{Kind as ItemKind, Tree},
};

/// A member as a query refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// Local to a block of the file.
    Local(u32),
    /// Any member that has this name at the queried position.
    Here(Member),
    /// In the scope of the file, or in a shared one.
    Global(Member),
    /// Of the file that this statement loads.
    Loaded(u32, Member),
    /// Imported from these files under a name.
    Imported(Vec<String>, Member),
}

/// Returns whether a query can be about a member.
pub(super) fn may_ask(document: &Stylesheet, subject: &Subject) -> bool {
    let is_of_others = matches!(subject, Subject::Shared(_) | Subject::ImportedDefault(_) | Subject::Declared(_));
    document.tree.dialect != Dialect::Css && !is_of_others
}

/// Member that a query refers to.
pub(super) fn asked(document: &Stylesheet, members: &Members, subject: &Subject) -> Option<Asked> {
    let dialect = document.tree.dialect;
    match subject {
        Subject::At(offset) => at(document, members, *offset),
        Subject::Address(address) => of_address(document, members, address.trim_ascii()),
        Subject::Exported(name) => Member::parsed(name, dialect).map(Asked::Global),
        Subject::Imported(ImportKey { specifiers, name }) => {
            Some(Asked::Imported(specifiers.clone(), Member::parsed(name, dialect)?))
        }
        Subject::Shared(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => None,
    }
}

fn at(document: &Stylesheet, members: &Members, offset: u32) -> Option<Asked> {
    let listed = |(number, load): (usize, &Load)| {
        let LoadKind::Forward(forward) = &load.kind else { return None };
        let (name, is_variable, _) =
            forward.listed.iter().find(|(_, _, span)| Span::from(span.clone()).touches(offset as usize))?;
        let own = name.strip_prefix(forward.prefix.as_str())?;
        let kinds: &[Kind] = if *is_variable { &[Kind::Variable] } else { &[Kind::Mixin, Kind::Function] };
        let mut all = kinds.iter().map(|kind| Member::new(*kind, own));
        let found = all.clone().find(|member| matches!(seek(&document.path, load, member), Sought::Found(_)));
        found.or_else(|| all.next()).map(|member| Asked::Loaded(number as u32, member))
    };
    if let Some(found) = members.loads.iter().enumerate().find_map(listed) {
        return Some(found);
    }
    let place = members.at(offset)?;
    Some(match place.owner {
        Owner::Local(number) => Asked::Local(number),
        Owner::Global => Asked::Here(place.member()),
        Owner::Module(load) | Owner::Clause(load) => Asked::Loaded(load, place.member()),
    })
}

fn of_address(document: &Stylesheet, members: &Members, address: &str) -> Option<Asked> {
    let tree = &document.tree;
    if let Some(member) = Member::parsed(address, tree.dialect)
        && members.global(&member).next().is_some()
    {
        return Some(Asked::Here(member));
    }
    let items = super::address::items_at(document, address).ok()?;
    let named = |index: &u32| {
        let item = tree.item(*index);
        // A LESS mixin is a class.
        let is_named = match item.kind {
            ItemKind::Mixin | ItemKind::Function => tree.dialect == Dialect::Scss,
            kind => kind == ItemKind::Variable,
        };
        let own = |place: &&Place| item.head_range().contains(&(place.span.start as usize)) && is_named;
        let place =
            members.places.iter().find(own).filter(|place| matches!(place.usage, Usage::Declaration | Usage::Write))?;
        at(document, members, place.span.start)
    };
    let mut found: Vec<Asked> = items.iter().filter_map(named).collect();
    found.dedup();
    (found.len() == 1).then(|| found.remove(0))
}

// --- exports and imports ---

pub(super) fn exports(tree: &Tree, members: &Members) -> Vec<ExportedName> {
    let export = |(member, place): (Member, &Place)| ExportedName {
        name: member.shown(tree.dialect),
        local: Some(place.span.of(&tree.text).to_owned()),
        span: place.span,
        kind: member.word().to_owned(),
        type_only: false,
    };
    members.declared().into_iter().map(export).collect()
}

pub(super) fn imports(members: &Members) -> Vec<ImportedName> {
    let import = |load: &Load| ImportedName {
        specifier: load.specifier.clone(),
        name: "*".to_owned(),
        local: if let LoadKind::Use(namespace) = &load.kind { namespace.clone() } else { None },
        exported: matches!(load.kind, LoadKind::Forward(_)).then(|| "*".to_owned()),
        type_only: false,
    };
    members.loads.iter().map(import).collect()
}

// --- resolution and renames ---

pub(super) fn resolve(document: &Stylesheet, members: &Members, asked: &Asked) -> Result<Resolution> {
    let share = Known { document, members }.share(asked)?;
    let mut occurrences: Vec<Occurrence> = share.places.iter().map(|place| place.occurrence(true)).collect();
    occurrences.extend(share.unsure.iter().map(|place| place.occurrence(false)));
    occurrences.sort_by_key(|occurrence| occurrence.span.start);
    let declared = share.places.iter().find(|place| place.usage == Usage::Declaration);
    let doubts = share.unsure.len() + share.outside.len();
    Ok(Resolution {
        kind: share.word.to_owned(),
        address: declared.and_then(|place| super::address::around(document, place.span)),
        exported_as: share.leaves.iter().map(|(member, _)| member.shown(document.tree.dialect)).collect(),
        incomplete: (doubts > 0).then(|| format!("number of other places that may refer to this name: {doubts}")),
        elsewhere: share.elsewhere,
        occurrences,
        ..shared::found_nowhere(&share.name)
    })
}

pub(super) fn rename(document: &Stylesheet, members: &Members, asked: &Asked, new_name: &str) -> Result<Renaming> {
    let known = Known { document, members };
    let dialect = document.tree.dialect;
    let share = known.share(asked)?;
    let own = checked_name(new_name, share.word, dialect)?;
    if let Some(place) = &share.elsewhere {
        if !share.prefix.is_empty() {
            let message = format!("`{}` has the prefix `{}`, which a `@forward` adds", share.name, share.prefix);
            let declared = share.name.replacen(share.prefix.as_str(), "", 1);
            let hint = format!("rename `{declared}` in `{}`, without the prefix; this file is updated too", place.path);
            return Err(fail(FailureKind::RefactorFailed, message).hint(hint).candidates([declared]));
        }
        return Ok(Renaming { elsewhere: share.elsewhere, ..shared::renamed_nowhere(&share.name) });
    }
    if own.starts_with(['-', '_']) && share.is_from_module {
        let message = format!("`{own}` would be private to the file that declares it, but this file uses it");
        return Err(fail(FailureKind::RefactorFailed, message).hint("choose a name that starts with a letter"));
    }
    let mut edits: Vec<Edit> =
        share.places.iter().map(|place| Edit::new(place.span, format!("{}{own}", place.prefix))).collect();
    edits.sort_by_key(|edit| edit.span.start);
    edits.retain(|edit| edit.span.of(&document.tree.text) != edit.text);
    known.check(&share, own, &edits)?;
    let exported = share.leaves.iter().map(|(member, prefix)| Renamed {
        old: member.shown(dialect),
        new: member.called(&format!("{prefix}{own}"), dialect).shown(dialect),
    });
    let left = share.unsure.iter().map(|place| place.span).chain(share.outside.iter().copied());
    Ok(Renaming {
        exported: exported.collect(),
        unresolved: left.collect(),
        edits,
        ..shared::renamed_nowhere(&share.name)
    })
}

/// Validates a name of this kind, and strips its sigil or keyword.
fn checked_name<'n>(new_name: &'n str, word: &str, dialect: Dialect) -> Result<&'n str> {
    let signed = match word {
        "variable" | "parameter" => new_name.strip_prefix(sign(dialect)),
        "mixin" => new_name.strip_prefix("@mixin "),
        _ => new_name.strip_prefix("@function "),
    };
    let name = signed.unwrap_or(new_name);
    let is_name = ident_end(name, 0) == Some(name.len()) && !name.contains('\\') && !name.starts_with("--");
    if is_name && !matches!(name, "-" | "_") {
        return Ok(name);
    }
    Err(fail(FailureKind::InvalidArgument, format!("`{new_name}` is not a name for this {word}"))
        .hint("use letters, digits, `-` and `_`, without the prefix of another kind of name"))
}

/// An occurrence of a name in the file.
struct Part {
    span: Span,
    usage: Usage,
    /// Prefix of the declared name here, added by a `@forward`.
    prefix: String,
}

impl Part {
    fn occurrence(&self, certain: bool) -> Occurrence {
        Occurrence { span: self.span, usage: self.usage, certain }
    }
}

/// Occurrences of one member in the file.
#[derive(Default)]
struct Share {
    name: String,
    word: &'static str,
    places: Vec<Part>,
    unsure: Vec<Part>,
    /// Statements that load files outside the workspace, which may use the name.
    outside: Vec<Span>,
    /// Names under which the file exports it, each with its prefix before the declared name.
    leaves: Vec<(Member, String)>,
    elsewhere: Option<FilePlace>,
    /// Prefix of the declared name if the declaration is in another file.
    prefix: String,
    /// The member if it is named without a namespace and is not local to a block.
    in_scope: Option<Member>,
    is_from_module: bool,
}

impl Share {
    fn of(member: &Member, dialect: Dialect) -> Share {
        Share { name: member.shown(dialect), word: member.word(), ..Share::default() }
    }

    fn take<'p>(&mut self, places: impl Iterator<Item = &'p Place>, prefix: &str) {
        for place in places {
            let part = Part { span: place.span, usage: place.usage, prefix: prefix.to_owned() };
            if place.certain { self.places.push(part) } else { self.unsure.push(part) }
        }
    }
}

/// A file and its members.
struct Known<'d> {
    document: &'d Stylesheet,
    members: &'d Members,
}

impl Known<'_> {
    fn share(&self, asked: &Asked) -> Result<Share> {
        match asked {
            Asked::Local(number) => self.local(*number),
            Asked::Global(member) => match self.parameter(member) {
                Some(number) => self.local(number),
                None => Ok(self.global(member)),
            },
            Asked::Here(member) => match self.parameter(member) {
                Some(number) => self.local(number),
                None => Ok(self.behind_loads(member).unwrap_or_else(|| self.global(member))),
            },
            Asked::Loaded(load, member) => self.loaded(*load, member),
            Asked::Imported(specifiers, member) => self.imported(specifiers, member),
        }
    }

    fn dialect(&self) -> Dialect {
        self.document.tree.dialect
    }

    fn parameter(&self, member: &Member) -> Option<u32> {
        let number = self.members.locals.iter().position(|of| of.as_ref() == Some(member))?;
        Some(number as u32)
    }

    fn local(&self, number: u32) -> Result<Share> {
        let members = self.members;
        let own = || members.places.iter().filter(move |place| place.owner == Owner::Local(number));
        let Some(first) = own().next() else {
            return Err(fail(FailureKind::TargetNotFound, "there is no name here that can be renamed"));
        };
        let mut share = Share::of(&first.member(), self.dialect());
        share.take(own(), "");
        let Some(parameter) = &members.locals[number as usize] else { return Ok(share) };
        if members.locals.iter().flatten().filter(|other| *other == parameter).count() > 1 {
            let callee = parameter.name.split('(').next().unwrap_or_default();
            let message = format!("`{callee}` is declared more than once with the parameter `{}`", share.name);
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("calls with a named argument may refer to any of them: rename each by hand")
                .at(first.span));
        }
        share.word = "parameter";
        share.take(members.global(parameter), "");
        share.leaves.push((parameter.clone(), String::new()));
        Ok(share)
    }

    /// Member of the file scope: declared here, or in a file that shares the scope.
    fn global(&self, member: &Member) -> Share {
        let mut share = Share::of(member, self.dialect());
        share.take(self.members.global(member), "");
        if self.dialect() == Dialect::Less {
            // Variables of a mixin are visible to its callers.
            let of_blocks = self.members.places.iter().filter(|place| {
                place.is_of(member)
                    && place.usage == Usage::Declaration
                    && matches!(place.owner, Owner::Local(number) if self.members.locals[number as usize].is_none())
            });
            share.unsure.extend(of_blocks.map(|place| Part {
                span: place.span,
                usage: place.usage,
                prefix: String::new(),
            }));
        }
        if !share.places.is_empty() {
            share.leaves.push((member.clone(), String::new()));
            share.outside = self.outside();
        }
        share.in_scope = Some(member.clone());
        share
    }

    /// Addresses of files outside the workspace that share the scope.
    fn outside(&self) -> Vec<Span> {
        let imports = self.members.loads.iter().filter(|load| load.kind == LoadKind::Import);
        let is_outside = |load: &&Load| {
            let request = crate::members::request(load);
            !matches!(crate::links::resolve::resolve(&self.document.path, &request), Destination::Inside(_))
        };
        imports.filter(is_outside).map(|load| load.span).collect()
    }

    /// A name without a namespace that a module defines, or one renamed by a `@forward` within an `@import`.
    fn behind_loads(&self, member: &Member) -> Option<Share> {
        let is_declared = self.members.declaration(member).is_some();
        for load in &self.members.loads {
            let may_be = match load.kind {
                LoadKind::Use(None) => !is_declared || member.kind == Kind::Variable,
                LoadKind::Import => !is_declared,
                _ => false,
            };
            if !may_be {
                continue;
            }
            let Sought::Found(origin) = seek(&self.document.path, load, member) else { continue };
            if load.kind == LoadKind::Import && origin.member == *member {
                return None;
            }
            return Some(self.elsewhere(member, origin));
        }
        None
    }

    fn elsewhere(&self, member: &Member, origin: Origin) -> Share {
        let mut share = Share::of(member, self.dialect());
        share.prefix = prefix_of(member, &origin.member);
        share.elsewhere = Some(FilePlace { path: origin.path, offset: origin.offset });
        share
    }

    fn loaded(&self, number: u32, member: &Member) -> Result<Share> {
        let load = &self.members.loads[number as usize];
        let shown = member.shown(self.dialect());
        match seek(&self.document.path, load, member) {
            Sought::Found(origin) => Ok(self.elsewhere(member, origin)),
            Sought::Nowhere => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{shown}` is not declared in `{}` or a file that it loads", load.specifier),
            )
            .hint("names that Sass or CSS defines cannot be renamed")),
            Sought::Outside(specifier) => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{shown}` is declared outside the workspace, or in `{specifier}`, which does not exist"),
            )
            .hint("only names that are declared in the workspace can be renamed")),
        }
    }

    /// Occurrences of an imported member, and its re-exports.
    fn imported(&self, specifiers: &[String], member: &Member) -> Result<Share> {
        let mut share = Share::of(member, self.dialect());
        let meant = |(_, load): &(usize, &Load)| specifiers.contains(&load.specifier);
        for (number, load) in self.members.loads.iter().enumerate().filter(meant) {
            let origin = match seek(&self.document.path, load, member) {
                Sought::Found(origin) => Some(origin.member),
                _ => None,
            };
            let prefix = origin.map_or_else(String::new, |origin| prefix_of(member, &origin));
            let places = self.members.places.iter().filter(|place| place.is_of(member));
            let of_load = |place: &&Place| match place.owner {
                Owner::Module(of) | Owner::Clause(of) => of == number as u32,
                Owner::Global | Owner::Local(_) => false,
            };
            share.take(places.filter(of_load), &prefix);
            match &load.kind {
                LoadKind::Use(namespace) => {
                    share.is_from_module = true;
                    let is_own = member.kind != Kind::Variable && self.members.declaration(member).is_some();
                    if namespace.is_none() && !is_own {
                        share.take(self.members.global(member), &prefix);
                        share.in_scope = Some(member.clone());
                    }
                }
                LoadKind::Forward(_) => self.forwarded(load, member, &prefix, &mut share)?,
                LoadKind::Import => {
                    share.take(self.members.global(member), &prefix);
                    share.leaves.push((member.clone(), prefix));
                    share.in_scope = Some(member.clone());
                    share.outside = self.outside();
                }
            }
        }
        Ok(share)
    }

    fn forwarded(&self, load: &Load, member: &Member, prefix: &str, share: &mut Share) -> Result<()> {
        let LoadKind::Forward(forward) = &load.kind else { return Ok(()) };
        share.is_from_module = true;
        let is_variable = member.kind == Kind::Variable;
        let passed = Member::new(member.kind, format!("{}{}", forward.prefix, member.name));
        let callee = passed.name.split('(').next().unwrap_or_default();
        let full = format!("{}{prefix}", forward.prefix);
        let is_named = matches!(member.kind, Kind::Variable | Kind::Mixin | Kind::Function);
        let listed = forward
            .listed
            .iter()
            .filter(|(name, variable, _)| is_named && *variable == is_variable && *name == passed.name);
        for (_, _, span) in listed {
            let other = match member.kind {
                Kind::Mixin => Some(Kind::Function),
                Kind::Function => Some(Kind::Mixin),
                _ => None,
            };
            let both = other.map(|kind| Member::new(kind, &*member.name));
            if both.is_some_and(|both| matches!(seek(&self.document.path, load, &both), Sought::Found(_))) {
                let message = format!("`{}` refers to both a mixin and a function here", passed.name);
                return Err(fail(FailureKind::RefactorFailed, message)
                    .hint("add the new name to the list first, next to the old one")
                    .at(Span::from(span.clone())));
            }
            share.places.push(Part { span: span.clone().into(), usage: Usage::Exported, prefix: full.clone() });
        }
        if forward.passes(callee, is_variable) {
            share.leaves.push((passed, full));
        }
        Ok(())
    }
}

/// Prefix that this file's name for a member adds to the declared name.
fn prefix_of(member: &Member, origin: &Member) -> String {
    member.name.strip_suffix(origin.name.as_str()).unwrap_or_default().to_owned()
}
