//! Symbol operations on variables, mixins and functions, which can be declared in the file or imported.

mod conflict;

use marquetry_sdk::{
    Destination, Edit, ExportedName, FailureKind, FileLocation as FilePlace, ImportKey, ImportedName, Occurrence,
    RenameResult, RenamedExport, Resolution, Result, Span, Subject, Usage, fail, shared,
};

use crate::{
    chars::{Dialect, ident_end},
    document::Stylesheet,
    members::{
        Load, LoadKind, Member, MemberKind, MemberOccurrence, Members, Owner,
        origin::{Origin, OriginLookup, find_origin},
        variable_sigil,
    },
    tree::{Kind as ItemKind, Tree},
};

/// The member that a query refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemberQuery {
    /// A member that is local to a block. The number is that of its declaration.
    Local(u32),
    /// The member that this name refers to in the file. It is declared in the file or loaded from another one.
    Here(Member),
    /// A member in the scope of the file, or in a scope that the file shares by `@import`.
    Global(Member),
    /// A member of the file that the statement with this index loads.
    Loaded(u32, Member),
    /// A member that is imported from one of the files with these specifiers.
    Imported(Vec<String>, Member),
}

/// Returns whether a query can be about a member.
pub(super) fn can_query_member(document: &Stylesheet, subject: &Subject) -> bool {
    let is_of_others = matches!(subject, Subject::Shared(_) | Subject::ImportedDefault(_) | Subject::Declared(_));
    document.tree.dialect != Dialect::Css && !is_of_others
}

/// Returns the member that a query refers to.
pub(super) fn resolve_query(document: &Stylesheet, members: &Members, subject: &Subject) -> Option<MemberQuery> {
    let dialect = document.tree.dialect;
    match subject {
        Subject::At(offset) => member_at(document, members, *offset),
        Subject::Address(address) => member_at_address(document, members, address.trim_ascii()),
        Subject::Exported(name) => Member::parse(name, dialect).map(MemberQuery::Global),
        Subject::Imported(ImportKey { specifiers, name }) => {
            Some(MemberQuery::Imported(specifiers.clone(), Member::parse(name, dialect)?))
        }
        Subject::Shared(_) | Subject::ImportedDefault(_) | Subject::Declared(_) => None,
    }
}

fn member_at(document: &Stylesheet, members: &Members, offset: u32) -> Option<MemberQuery> {
    let listed = |(number, load): (usize, &Load)| {
        let LoadKind::Forward(forward) = &load.kind else { return None };
        let (name, is_variable, _) =
            forward.listed.iter().find(|(_, _, span)| Span::from(span.clone()).touches(offset as usize))?;
        let own = name.strip_prefix(forward.prefix.as_str())?;
        let kinds: &[MemberKind] =
            if *is_variable { &[MemberKind::Variable] } else { &[MemberKind::Mixin, MemberKind::Function] };
        let mut all = kinds.iter().map(|kind| Member::new(*kind, own));
        let found =
            all.clone().find(|member| matches!(find_origin(&document.path, load, member), OriginLookup::Found(_)));
        found.or_else(|| all.next()).map(|member| MemberQuery::Loaded(number as u32, member))
    };
    if let Some(found) = members.loads.iter().enumerate().find_map(listed) {
        return Some(found);
    }
    let place = members.occurrence_at(offset)?;
    Some(match place.owner {
        Owner::Local(number) => MemberQuery::Local(number),
        Owner::Global => MemberQuery::Here(place.member()),
        Owner::Module(load) | Owner::Clause(load) => MemberQuery::Loaded(load, place.member()),
    })
}

fn member_at_address(document: &Stylesheet, members: &Members, address: &str) -> Option<MemberQuery> {
    let tree = &document.tree;
    if let Some(member) = Member::parse(address, tree.dialect)
        && members.global_occurrences(&member).next().is_some()
    {
        return Some(MemberQuery::Here(member));
    }
    let items = super::address::items_at(document, address).ok()?;
    let named = |index: &u32| {
        let item = tree.item(*index);
        // In LESS, a mixin is a class, which other operations handle.
        let is_named = match item.kind {
            ItemKind::Mixin | ItemKind::Function => tree.dialect == Dialect::Scss,
            kind => kind == ItemKind::Variable,
        };
        let own = |place: &&MemberOccurrence| item.head_range().contains(&(place.span.start as usize)) && is_named;
        let place = members
            .occurrences
            .iter()
            .find(own)
            .filter(|place| matches!(place.usage, Usage::Declaration | Usage::Write))?;
        member_at(document, members, place.span.start)
    };
    let mut found: Vec<MemberQuery> = items.iter().filter_map(named).collect();
    found.dedup();
    (found.len() == 1).then(|| found.remove(0))
}

// --- exports and imports ---

pub(super) fn exports(tree: &Tree, members: &Members) -> Vec<ExportedName> {
    let export = |(member, place): (Member, &MemberOccurrence)| ExportedName {
        name: member.display_name(tree.dialect),
        local: Some(place.span.slice(&tree.text).to_owned()),
        span: place.span,
        kind: member.kind_name().to_owned(),
        type_only: false,
    };
    members.exported_members().into_iter().map(export).collect()
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

pub(super) fn resolve(document: &Stylesheet, members: &Members, query: &MemberQuery) -> Result<Resolution> {
    let share = FileMembers { document, members }.find_uses(query)?;
    let mut occurrences: Vec<Occurrence> = share.occurrences.iter().map(|place| place.occurrence(true)).collect();
    occurrences.extend(share.uncertain.iter().map(|place| place.occurrence(false)));
    occurrences.sort_by_key(|occurrence| occurrence.span.start);
    let declared = share.occurrences.iter().find(|place| place.usage == Usage::Declaration);
    let doubts = share.uncertain.len() + share.external_loads.len();
    Ok(Resolution {
        kind: share.kind_name.to_owned(),
        address: declared.and_then(|place| super::address::enclosing_address(document, place.span)),
        exported_as: share
            .exported_names
            .iter()
            .map(|(member, _)| member.display_name(document.tree.dialect))
            .collect(),
        incomplete: (doubts > 0).then(|| format!("number of other places that may refer to this name: {doubts}")),
        elsewhere: share.elsewhere,
        occurrences,
        ..shared::empty_resolution(&share.name)
    })
}

pub(super) fn rename(
    document: &Stylesheet,
    members: &Members,
    query: &MemberQuery,
    new_name: &str,
) -> Result<RenameResult> {
    let known = FileMembers { document, members };
    let dialect = document.tree.dialect;
    let share = known.find_uses(query)?;
    let own = checked_name(new_name, share.kind_name, dialect)?;
    if let Some(place) = &share.elsewhere {
        if !share.prefix.is_empty() {
            let message = format!("`{}` has the prefix `{}`, which a `@forward` adds", share.name, share.prefix);
            let declared = share.name.replacen(share.prefix.as_str(), "", 1);
            let hint = format!("rename `{declared}` in `{}`, without the prefix; this file is updated too", place.path);
            return Err(fail(FailureKind::RefactorFailed, message).hint(hint).candidates([declared]));
        }
        return Ok(RenameResult { elsewhere: share.elsewhere, ..shared::empty_renaming(&share.name) });
    }
    if own.starts_with(['-', '_']) && share.is_from_module {
        let message = format!("`{own}` would be private to the file that declares it, but this file uses it");
        return Err(fail(FailureKind::RefactorFailed, message).hint("choose a name that starts with a letter"));
    }
    let mut edits: Vec<Edit> =
        share.occurrences.iter().map(|place| Edit::new(place.span, format!("{}{own}", place.prefix))).collect();
    edits.sort_by_key(|edit| edit.span.start);
    edits.retain(|edit| edit.span.slice(&document.tree.text) != edit.text);
    known.check_conflicts(&share, own, &edits)?;
    let exported = share.exported_names.iter().map(|(member, prefix)| RenamedExport {
        old: member.display_name(dialect),
        new: member.with_name(&format!("{prefix}{own}"), dialect).display_name(dialect),
    });
    let left = share.uncertain.iter().map(|place| place.span).chain(share.external_loads.iter().copied());
    Ok(RenameResult {
        exported: exported.collect(),
        unresolved: left.collect(),
        edits,
        ..shared::empty_renaming(&share.name)
    })
}

/// Checks a new name for a member of this kind. Returns it without its sigil or keyword.
fn checked_name<'n>(new_name: &'n str, word: &str, dialect: Dialect) -> Result<&'n str> {
    let signed = match word {
        "variable" | "parameter" => new_name.strip_prefix(variable_sigil(dialect)),
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

/// An occurrence of a member in the file. Its name here can have a prefix.
struct PrefixedOccurrence {
    span: Span,
    usage: Usage,
    /// Prefix that `@forward` has added to the declared name.
    prefix: String,
}

impl PrefixedOccurrence {
    fn occurrence(&self, certain: bool) -> Occurrence {
        Occurrence { span: self.span, usage: self.usage, certain }
    }
}

/// Occurrences of one member in the file.
#[derive(Default)]
struct MemberUses {
    name: String,
    kind_name: &'static str,
    occurrences: Vec<PrefixedOccurrence>,
    uncertain: Vec<PrefixedOccurrence>,
    /// Statements that load files outside of the workspace. These files may use the member.
    external_loads: Vec<Span>,
    /// Names under which the file exports the member, each with the prefix before the declared name.
    exported_names: Vec<(Member, String)>,
    elsewhere: Option<FilePlace>,
    /// If the declaration is in another file, the prefix that the name has in this file.
    prefix: String,
    /// The member, if this file uses it without a namespace and it is not local to a block.
    in_scope: Option<Member>,
    is_from_module: bool,
}

impl MemberUses {
    fn for_member(member: &Member, dialect: Dialect) -> MemberUses {
        MemberUses { name: member.display_name(dialect), kind_name: member.kind_name(), ..MemberUses::default() }
    }

    fn add_occurrences<'p>(&mut self, places: impl Iterator<Item = &'p MemberOccurrence>, prefix: &str) {
        for place in places {
            let part = PrefixedOccurrence { span: place.span, usage: place.usage, prefix: prefix.to_owned() };
            if place.certain { self.occurrences.push(part) } else { self.uncertain.push(part) }
        }
    }
}

/// A file and its members.
struct FileMembers<'d> {
    document: &'d Stylesheet,
    members: &'d Members,
}

impl FileMembers<'_> {
    fn find_uses(&self, query: &MemberQuery) -> Result<MemberUses> {
        match query {
            MemberQuery::Local(number) => self.local_uses(*number),
            MemberQuery::Global(member) => match self.parameter_declaration(member) {
                Some(number) => self.local_uses(number),
                None => Ok(self.global_uses(member)),
            },
            MemberQuery::Here(member) => match self.parameter_declaration(member) {
                Some(number) => self.local_uses(number),
                None => Ok(self.uses_through_loads(member).unwrap_or_else(|| self.global_uses(member))),
            },
            MemberQuery::Loaded(load, member) => self.loaded_uses(*load, member),
            MemberQuery::Imported(specifiers, member) => self.imported_uses(specifiers, member),
        }
    }

    fn dialect(&self) -> Dialect {
        self.document.tree.dialect
    }

    fn parameter_declaration(&self, member: &Member) -> Option<u32> {
        let number = self.members.locals.iter().position(|of| of.as_ref() == Some(member))?;
        Some(number as u32)
    }

    fn local_uses(&self, number: u32) -> Result<MemberUses> {
        let members = self.members;
        let own = || members.occurrences.iter().filter(move |place| place.owner == Owner::Local(number));
        let Some(first) = own().next() else {
            return Err(fail(FailureKind::TargetNotFound, "no name at this position can be renamed"));
        };
        let mut share = MemberUses::for_member(&first.member(), self.dialect());
        share.add_occurrences(own(), "");
        let Some(parameter) = &members.locals[number as usize] else { return Ok(share) };
        if members.locals.iter().flatten().filter(|other| *other == parameter).count() > 1 {
            let callee = parameter.name.split('(').next().unwrap_or_default();
            let message = format!("`{callee}` is declared more than once with the parameter `{}`", share.name);
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("calls with a named argument may refer to any of them: rename each by hand")
                .at(first.span));
        }
        share.kind_name = "parameter";
        share.add_occurrences(members.global_occurrences(parameter), "");
        share.exported_names.push((parameter.clone(), String::new()));
        Ok(share)
    }

    /// Returns the uses of a member in the scope of the file. The member is declared in this file, or in a file that
    /// shares the scope.
    fn global_uses(&self, member: &Member) -> MemberUses {
        let mut share = MemberUses::for_member(member, self.dialect());
        share.add_occurrences(self.members.global_occurrences(member), "");
        if self.dialect() == Dialect::Less {
            // The callers of a mixin can use its variables, so declarations in blocks may be meant, too.
            let of_blocks = self.members.occurrences.iter().filter(|place| {
                place.refers_to(member)
                    && place.usage == Usage::Declaration
                    && matches!(place.owner, Owner::Local(number) if self.members.locals[number as usize].is_none())
            });
            share.uncertain.extend(of_blocks.map(|place| PrefixedOccurrence {
                span: place.span,
                usage: place.usage,
                prefix: String::new(),
            }));
        }
        if !share.occurrences.is_empty() {
            share.exported_names.push((member.clone(), String::new()));
            share.external_loads = self.external_loads();
        }
        share.in_scope = Some(member.clone());
        share
    }

    /// Returns the positions of the imports of files outside of the workspace, which share the scope.
    fn external_loads(&self) -> Vec<Span> {
        let imports = self.members.loads.iter().filter(|load| load.kind == LoadKind::Import);
        let is_outside = |load: &&Load| {
            let request = crate::members::resolution_request(load);
            !matches!(crate::links::resolve::resolve_link(&self.document.path, &request), Destination::Inside(_))
        };
        imports.filter(is_outside).map(|load| load.span).collect()
    }

    /// Returns the uses if a loaded file declares the member: a module that is loaded without a namespace, or an
    /// imported file in which a `@forward` adds a prefix. `None` otherwise.
    fn uses_through_loads(&self, member: &Member) -> Option<MemberUses> {
        let is_declared = self.members.find_declaration(member).is_some();
        for load in &self.members.loads {
            let may_be = match load.kind {
                LoadKind::Use(None) => !is_declared || member.kind == MemberKind::Variable,
                LoadKind::Import => !is_declared,
                _ => false,
            };
            if !may_be {
                continue;
            }
            let OriginLookup::Found(origin) = find_origin(&self.document.path, load, member) else { continue };
            if load.kind == LoadKind::Import && origin.member == *member {
                return None;
            }
            return Some(self.uses_of_origin(member, origin));
        }
        None
    }

    fn uses_of_origin(&self, member: &Member, origin: Origin) -> MemberUses {
        let mut share = MemberUses::for_member(member, self.dialect());
        share.prefix = added_prefix(member, &origin.member);
        share.elsewhere = Some(FilePlace { path: origin.path, offset: origin.offset });
        share
    }

    fn loaded_uses(&self, number: u32, member: &Member) -> Result<MemberUses> {
        let load = &self.members.loads[number as usize];
        let shown = member.display_name(self.dialect());
        match find_origin(&self.document.path, load, member) {
            OriginLookup::Found(origin) => Ok(self.uses_of_origin(member, origin)),
            OriginLookup::NotFound => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{shown}` is not declared in `{}` or a file that it loads", load.specifier),
            )
            .hint("names that Sass or CSS defines cannot be renamed")),
            OriginLookup::Outside(specifier) => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{shown}` is declared outside the workspace, or in `{specifier}`, which does not exist"),
            )
            .hint("only names that are declared in the workspace can be renamed")),
        }
    }

    /// Returns the occurrences of an imported member, and the names under which it is re-exported.
    fn imported_uses(&self, specifiers: &[String], member: &Member) -> Result<MemberUses> {
        let mut share = MemberUses::for_member(member, self.dialect());
        let meant = |(_, load): &(usize, &Load)| specifiers.contains(&load.specifier);
        for (number, load) in self.members.loads.iter().enumerate().filter(meant) {
            let origin = match find_origin(&self.document.path, load, member) {
                OriginLookup::Found(origin) => Some(origin.member),
                _ => None,
            };
            let prefix = origin.map_or_else(String::new, |origin| added_prefix(member, &origin));
            let places = self.members.occurrences.iter().filter(|place| place.refers_to(member));
            let of_load = |place: &&MemberOccurrence| match place.owner {
                Owner::Module(of) | Owner::Clause(of) => of == number as u32,
                Owner::Global | Owner::Local(_) => false,
            };
            share.add_occurrences(places.filter(of_load), &prefix);
            match &load.kind {
                LoadKind::Use(namespace) => {
                    share.is_from_module = true;
                    let is_own = member.kind != MemberKind::Variable && self.members.find_declaration(member).is_some();
                    if namespace.is_none() && !is_own {
                        share.add_occurrences(self.members.global_occurrences(member), &prefix);
                        share.in_scope = Some(member.clone());
                    }
                }
                LoadKind::Forward(_) => self.add_forwarded(load, member, &prefix, &mut share)?,
                LoadKind::Import => {
                    share.add_occurrences(self.members.global_occurrences(member), &prefix);
                    share.exported_names.push((member.clone(), prefix));
                    share.in_scope = Some(member.clone());
                    share.external_loads = self.external_loads();
                }
            }
        }
        Ok(share)
    }

    fn add_forwarded(&self, load: &Load, member: &Member, prefix: &str, share: &mut MemberUses) -> Result<()> {
        let LoadKind::Forward(forward) = &load.kind else { return Ok(()) };
        share.is_from_module = true;
        let is_variable = member.kind == MemberKind::Variable;
        let passed = Member::new(member.kind, format!("{}{}", forward.prefix, member.name));
        let callee = passed.name.split('(').next().unwrap_or_default();
        let full = format!("{}{prefix}", forward.prefix);
        let is_named = matches!(member.kind, MemberKind::Variable | MemberKind::Mixin | MemberKind::Function);
        let listed = forward
            .listed
            .iter()
            .filter(|(name, variable, _)| is_named && *variable == is_variable && *name == passed.name);
        for (_, _, span) in listed {
            let other = match member.kind {
                MemberKind::Mixin => Some(MemberKind::Function),
                MemberKind::Function => Some(MemberKind::Mixin),
                _ => None,
            };
            let both = other.map(|kind| Member::new(kind, &*member.name));
            if both.is_some_and(|both| matches!(find_origin(&self.document.path, load, &both), OriginLookup::Found(_)))
            {
                let message = format!("`{}` refers to both a mixin and a function in this statement", passed.name);
                return Err(fail(FailureKind::RefactorFailed, message)
                    .hint("add the new name to the list first, next to the old one")
                    .at(Span::from(span.clone())));
            }
            share.occurrences.push(PrefixedOccurrence {
                span: span.clone().into(),
                usage: Usage::Exported,
                prefix: full.clone(),
            });
        }
        if forward.re_exports(callee, is_variable) {
            share.exported_names.push((passed, full));
        }
        Ok(())
    }
}

/// Returns the prefix that the name of a member in this file has before the declared name.
fn added_prefix(member: &Member, origin: &Member) -> String {
    member.name.strip_suffix(origin.name.as_str()).unwrap_or_default().to_owned()
}
