//! Organizes import and export statements: merges those of a group with the same module, and sorts names and
//! statements. The caller decides which names are used.

use std::collections::{BTreeMap, HashSet};

use marquetry_sdk::{Edit, Span, lines};

use crate::imports::module_order;
use crate::imports::order::{Comparer, ListOrder};
use crate::imports::organized_statements::OrganizedStatement;
use crate::imports::statement::{self, ImportPart, Item, ItemComment, List, ListFormatting};

/// Orders and steps of organizing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrganizeOptions {
    pub(crate) modules: Comparer,
    pub(crate) lists: ListOrder,
    /// Merge and sort statements.
    pub(crate) sorts: bool,
    /// Sort the statements, not only the names in them.
    pub(crate) sorts_statements: bool,
}

/// A resulting statement.
struct OutputStatement<'m, 't> {
    text: String,
    /// The position of the statement among statements with the same module.
    rank: Rank,
    /// The existing statement that the resulting statement is based on.
    from: &'m OrganizedStatement<'t>,
    merged: Vec<&'m OrganizedStatement<'t>>,
}

/// Position of an import among those of the same module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Bare,
    Types,
    Space,
    Default,
    Named,
}

/// The parts of a statement that remain after unused names are removed.
#[derive(Clone)]
struct UsedPart<'m, 't> {
    member: &'m OrganizedStatement<'t>,
    default: Option<ImportPart<'t>>,
    space: Option<ImportPart<'t>>,
    items: Vec<Item<'t>>,
    /// True if no names remain, but the module must still be imported for its side effects.
    bare: bool,
}

impl<'t> UsedPart<'_, 't> {
    fn list(&self) -> Option<&List<'t>> {
        // Keep empty braces if they were empty before.
        let list = self.member.statement.list.as_ref()?;
        (list.items.is_empty() || !self.items.is_empty()).then_some(list)
    }

    fn is_whole(&self) -> bool {
        let statement = &self.member.statement;
        self.items.len() == statement.items().len()
            && self.default.is_some() == statement.default.is_some()
            && self.space.is_some() == statement.namespace.is_some()
            && !self.bare
    }
}

/// Returns whether the name declared at a span is used.
pub(crate) type IsUsed<'o> = dyn Fn(Span, &str) -> bool + 'o;

/// Organizes the statements of a module or script.
pub(crate) struct Organizer<'o, 't> {
    pub(crate) text: &'t str,
    pub(crate) form: ListFormatting<'o>,
    pub(crate) orders: OrganizeOptions,
    /// Returns whether a name is used; `None` if unused names are kept.
    pub(crate) is_used: Option<&'o IsUsed<'o>>,
    pub(crate) is_augmented: &'o dyn Fn(&str) -> bool,
    /// The file is a declaration file.
    pub(crate) declares: bool,
}

impl<'t> Organizer<'_, 't> {
    /// Adds the edits that organize a group of imports.
    pub(crate) fn organize_imports(&self, group: &[&OrganizedStatement<'t>], edits: &mut Vec<Edit>) {
        // Imports for side effects stay where they are, and other imports are not moved across them.
        let named = group.iter().filter(|member| !member.statement.is_bare);
        let named: HashSet<&Option<String>> = named.map(|member| &member.statement.specifier).collect();
        let is_fixed =
            |member: &OrganizedStatement<'t>| member.statement.is_bare && !named.contains(&member.statement.specifier);
        let mut outputs: Vec<OutputStatement<'_, 't>> = Vec::new();
        let mut seen: HashSet<&Option<String>> = HashSet::new();
        for part in group.chunk_by(|one, other| is_fixed(one) == is_fixed(other)) {
            if !is_fixed(part[0]) || !self.orders.sorts {
                outputs.extend(self.merge_and_sort(part));
                continue;
            }
            for member in part {
                // A second import for side effects of the same module has no effect.
                if seen.insert(&member.statement.specifier) {
                    outputs.push(unchanged_output(member));
                }
            }
        }
        self.write_outputs(group, &outputs, edits);
    }

    /// Organizes imports that can be in any order.
    fn merge_and_sort<'m>(&self, group: &[&'m OrganizedStatement<'t>]) -> Vec<OutputStatement<'m, 't>> {
        let rests: Vec<UsedPart<'m, 't>> = group.iter().filter_map(|member| self.used_part(member)).collect();
        if !self.orders.sorts {
            return rests.iter().map(|rest| self.unmerged(rest)).collect();
        }
        let mut outputs = Vec::new();
        let all: Vec<&UsedPart<'m, 't>> = rests.iter().collect();
        for same in group_by_key(&all, |rest| rest.member.statement.specifier.as_deref()) {
            let mut made = Vec::new();
            let (opaque, others): (Vec<&UsedPart<'m, 't>>, Vec<&UsedPart<'m, 't>>) =
                same.into_iter().partition(|rest| rest.member.statement.is_opaque);
            made.extend(opaque.into_iter().map(|rest| unchanged_output(rest.member)));
            for alike in group_by_key(&others, |rest| rest.member.statement.attributes.as_str()) {
                self.merge(&alike, &mut made);
            }
            made.sort_by_key(|output: &OutputStatement<'_, '_>| output.rank);
            outputs.extend(made);
        }
        if self.orders.sorts_statements {
            let name = |output: &OutputStatement<'_, 't>| output.from.statement.specifier.clone().unwrap_or_default();
            outputs.sort_by(|one, other| self.orders.modules.compare_modules(&name(one), &name(other)));
        }
        outputs
    }

    /// Returns the used part of an import.
    fn used_part<'m>(&self, member: &'m OrganizedStatement<'t>) -> Option<UsedPart<'m, 't>> {
        let statement = &member.statement;
        let whole = UsedPart {
            member,
            default: statement.default,
            space: statement.namespace,
            items: statement.items().to_vec(),
            bare: false,
        };
        let Some(is_used) = self.is_used.filter(|_| !statement.is_bare && !member.is_kept) else { return Some(whole) };
        let used = |part: &ImportPart<'_>| is_used(part.local, part.name);
        if statement.is_opaque {
            let parts = [&statement.default, &statement.namespace].into_iter().flatten();
            let any = parts.into_iter().any(used) || statement.items().iter().any(|it| is_used(it.local, it.name));
            let augmented = statement.specifier.as_deref().is_some_and(self.is_augmented);
            return (any || augmented || statement.items().is_empty()).then_some(whole);
        }
        let rest = UsedPart {
            member,
            default: statement.default.filter(used),
            space: statement.namespace.filter(used),
            items: statement.items().iter().filter(|item| is_used(item.local, item.name)).cloned().collect(),
            bare: false,
        };
        if rest.default.is_some() || rest.space.is_some() || rest.list().is_some() {
            return Some(rest);
        }
        let augmented = statement.specifier.as_deref().is_some_and(self.is_augmented);
        match (augmented, self.declares) {
            (true, false) => Some(whole),
            (true, true) => Some(UsedPart { bare: true, ..rest }),
            _ => None,
        }
    }

    fn unmerged<'m>(&self, rest: &UsedPart<'m, 't>) -> OutputStatement<'m, 't> {
        let statement = &rest.member.statement;
        if rest.bare {
            return OutputStatement {
                text: statement.as_side_effect_import(),
                rank: Rank::Bare,
                from: rest.member,
                merged: Vec::new(),
            };
        }
        if rest.is_whole() {
            return unchanged_output(rest.member);
        }
        let list = rest.list().map(|list| (list, rest.items.as_slice()));
        let clause = statement::clause(self.form, rest.default, rest.space, list);
        output_with_clause(
            rest.member,
            &clause,
            import_rank(statement.type_only, rest.space.is_some(), rest.default.is_some()),
            false,
        )
    }

    /// Merges imports of one module with the same attributes.
    fn merge<'m>(&self, rests: &[&UsedPart<'m, 't>], outputs: &mut Vec<OutputStatement<'m, 't>>) {
        let is_bare = |rest: &&&UsedPart<'m, 't>| rest.bare || rest.member.statement.is_bare;
        outputs.extend(rests.iter().find(is_bare).map(|rest| self.unmerged(rest)));
        for type_only in [false, true] {
            let of_kind = |rest: &&&UsedPart<'m, 't>| !is_bare(rest) && rest.member.statement.type_only == type_only;
            let rests: Vec<&UsedPart<'m, 't>> = rests.iter().filter(of_kind).copied().collect();
            self.merge_kind(&rests, type_only, outputs);
        }
    }

    /// Merges imports of one module, which are either all `import type` or all imports of values.
    fn merge_kind<'m>(&self, rests: &[&UsedPart<'m, 't>], type_only: bool, outputs: &mut Vec<OutputStatement<'m, 't>>) {
        let defaults: Vec<_> = rests.iter().filter(|rest| rest.default.is_some()).copied().collect();
        let mut spaces: Vec<_> = rests.iter().filter(|rest| rest.space.is_some()).copied().collect();
        let named: Vec<_> = rests.iter().filter(|rest| rest.list().is_some()).copied().collect();
        let rank = |space, default| import_rank(type_only, space, default);
        if let (false, [default], [space], []) = (type_only, &defaults[..], &spaces[..], &named[..]) {
            let taken = if std::ptr::eq(*default, *space) { Vec::new() } else { vec![space.member] };
            let whole = taken.is_empty() && default.is_whole();
            let clause = statement::clause(self.form, default.default, space.space, None);
            outputs.push(OutputStatement {
                merged: taken,
                ..output_with_clause(default.member, &clause, rank(true, true), whole)
            });
            return;
        }
        let name = |rest: &UsedPart<'m, 't>| rest.space.map_or("", |space| space.name);
        spaces.sort_by(|one, other| self.orders.modules.compare(name(one), name(other)));
        for space in spaces {
            let clause = statement::clause(self.form, None, space.space, None);
            let whole = space.default.is_none() && space.is_whole();
            outputs.push(output_with_clause(space.member, &clause, rank(true, false), whole));
        }
        self.merge_names(&defaults, &named, type_only, outputs);
    }

    /// Merges default imports and names in braces. A statement has only one default import, so several become names.
    fn merge_names<'m>(
        &self,
        defaults: &[&UsedPart<'m, 't>],
        named: &[&UsedPart<'m, 't>],
        type_only: bool,
        outputs: &mut Vec<OutputStatement<'m, 't>>,
    ) {
        let Some(base) = defaults.first().or(named.first()) else { return };
        let default = if let [only] = defaults { only.default } else { None };
        let (items, is_sorted) = self.sorted_items(defaults, named);
        let list = named.first().and_then(|rest| rest.list());
        let rank = |default| import_rank(type_only, false, default);
        if let (true, Some(part), Some(list)) = (type_only, default, list) {
            // `import type` cannot have both a default import and names.
            let clause = statement::clause(self.form, Some(part), None, None);
            outputs.push(output_with_clause(
                base.member,
                &clause,
                rank(true),
                base.is_whole() && base.items.is_empty(),
            ));
            let clause = statement::clause(self.form, None, None, Some((list, &items)));
            let whole = named.len() == 1 && named[0].is_whole() && is_sorted;
            let taken = named[1..].iter().map(|rest| rest.member).collect();
            outputs.push(OutputStatement {
                merged: taken,
                ..output_with_clause(named[0].member, &clause, rank(false), whole)
            });
            return;
        }
        let others = defaults.iter().chain(named).map(|rest| rest.member);
        let mut taken: Vec<&'m OrganizedStatement<'t>> =
            others.filter(|member| !std::ptr::eq(*member, base.member)).collect();
        taken.sort_by_key(|member| member.statement.span.start);
        taken.dedup_by_key(|member| member.statement.span.start);
        let whole = taken.is_empty() && base.is_whole() && base.space.is_none() && is_sorted && defaults.len() < 2;
        let clause = match list {
            Some(list) => statement::clause(self.form, default, None, Some((list, &items))),
            None if default.is_some() => statement::clause(self.form, default, None, None),
            None => {
                let names: Vec<String> = items.iter().map(|item| format!("default as {}", item.name)).collect();
                format!("{{ {} }}", names.join(", "))
            }
        };
        outputs.push(OutputStatement {
            merged: taken,
            ..output_with_clause(base.member, &clause, rank(default.is_some()), whole)
        });
    }

    /// Returns all names in braces in order, and whether they were sorted before.
    fn sorted_items(&self, defaults: &[&UsedPart<'_, 't>], named: &[&UsedPart<'_, 't>]) -> (Vec<Item<'t>>, bool) {
        let mut items: Vec<Item<'t>> = Vec::new();
        if defaults.len() > 1 {
            items.extend(defaults.iter().filter_map(|rest| rest.default).map(default_as_named));
        }
        let mut known = HashSet::new();
        let listed = named.iter().flat_map(|rest| &rest.items);
        items.extend(listed.filter(|item| known.insert((item.text, item.is_type))).cloned());
        let before: Vec<Span> = items.iter().map(|item| item.span).collect();
        items.sort_by(|one, other| self.orders.lists.compare(one.list_entry(), other.list_entry()));
        let is_sorted = before.iter().eq(items.iter().map(|item| &item.span));
        (items, is_sorted)
    }

    /// Adds the edits that organize a group of exports.
    pub(crate) fn organize_exports(&self, group: &[&OrganizedStatement<'t>], edits: &mut Vec<Edit>) {
        let mut outputs: Vec<OutputStatement<'_, 't>> = Vec::new();
        for same in group_by_key(group, |member| member.statement.specifier.as_deref()) {
            for alike in group_by_key(&same, |member| member.statement.attributes.as_str()) {
                self.merge_exports(&alike, &mut outputs);
            }
        }
        if self.orders.sorts_statements {
            outputs.sort_by(|one, other| match (&one.from.statement.specifier, &other.from.statement.specifier) {
                (Some(one), Some(other)) => self.orders.modules.compare_modules(one, other),
                (one, other) => one.is_none().cmp(&other.is_none()),
            });
        }
        self.write_outputs(group, &outputs, edits);
    }

    fn merge_exports<'m>(&self, members: &[&'m OrganizedStatement<'t>], outputs: &mut Vec<OutputStatement<'m, 't>>) {
        for type_only in [false, true] {
            let mut bare = members.iter().filter(|it| it.statement.is_bare && it.statement.type_only == type_only);
            outputs.extend(bare.next().map(|member| unchanged_output(member)));
        }
        outputs.extend(
            members.iter().filter(|it| it.statement.namespace.is_some()).map(|member| unchanged_output(member)),
        );
        for type_only in [false, true] {
            let of_kind =
                |it: &&&'m OrganizedStatement<'t>| it.statement.list.is_some() && it.statement.type_only == type_only;
            let named: Vec<&'m OrganizedStatement<'t>> = members.iter().filter(of_kind).copied().collect();
            let Some(base) = named.first() else { continue };
            let Some(list) = &base.statement.list else { continue };
            let mut items: Vec<Item<'t>> = named.iter().flat_map(|it| it.statement.items()).cloned().collect();
            items.sort_by(|one, other| self.orders.lists.compare(one.list_entry(), other.list_entry()));
            let whole = named.len() == 1 && items == list.items;
            let clause = statement::print_braces(self.form, list, &items);
            outputs.push(OutputStatement {
                merged: named[1..].to_vec(),
                ..output_with_clause(base, &clause, Rank::Named, whole)
            });
        }
    }

    /// Adds the edits that replace a group by the outputs.
    fn write_outputs(
        &self,
        group: &[&OrganizedStatement<'t>],
        outputs: &[OutputStatement<'_, 't>],
        edits: &mut Vec<Edit>,
    ) {
        let is_same = |(member, output): (&&OrganizedStatement<'t>, &OutputStatement<'_, 't>)| {
            std::ptr::eq(*member, output.from)
                && member.statement.source_text() == output.text
                && output.merged.is_empty()
        };
        if group.len() == outputs.len() && group.iter().zip(outputs).all(is_same) && self.has_its_blank_lines(group) {
            return;
        }
        let Some((first, others)) = group.split_first() else { return };
        let start = first.statement.span.range().start;
        if outputs.is_empty() {
            edits.push(Edit::remove(self.line_span(start, first)));
        } else {
            let indent = match lines::starts_line(self.text, start) {
                true => lines::indent_at(self.text, start),
                false => "",
            };
            let mut written = String::new();
            for (index, output) in outputs.iter().enumerate() {
                let above = index.checked_sub(1).map(|above| outputs[above].from);
                let breaks = above.map_or(0, |above| 1 + usize::from(self.starts_group(above, output.from)));
                written += &self.form.line_break.repeat(breaks);
                written += if breaks > 0 { indent } else { "" };
                written += &self.with_comments(output, first);
            }
            edits.push(Edit::new(Span::new(start, first.tail.range().end), written));
        }
        for member in others {
            let mut line = self.line_span(member.lead.range().start, member);
            if self.orders.modules.modules.has_groups() && lines::starts_line(self.text, line.range().start) {
                // Also remove the blank lines above the removed statement.
                let above = self.text[..line.range().start].trim_end().len();
                line = Span::new(above + lines::break_len(self.text, above), line.range().end);
            }
            edits.push(Edit::remove(line));
        }
    }

    /// Returns whether a blank line belongs between two statements.
    fn starts_group(&self, above: &OrganizedStatement<'t>, below: &OrganizedStatement<'t>) -> bool {
        let group = |member: &OrganizedStatement<'t>| {
            let statement = &member.statement;
            module_order::module_group(statement.specifier.as_deref().unwrap_or_default(), statement.is_bare)
        };
        self.orders.modules.modules.has_groups() && group(above) != group(below)
    }

    /// Returns whether there are blank lines exactly where the order requires them.
    fn has_its_blank_lines(&self, group: &[&OrganizedStatement<'t>]) -> bool {
        !self.orders.modules.modules.has_groups()
            || group.windows(2).all(|pair| {
                let between = &self.text[pair[0].tail.range().end..pair[1].lead.range().start];
                between.matches('\n').count() == 1 + usize::from(self.starts_group(pair[0], pair[1]))
            })
    }

    /// Returns a statement with its comments. Comments above the first statement of a group stay where they are.
    fn with_comments(&self, output: &OutputStatement<'_, 't>, first: &OrganizedStatement<'t>) -> String {
        let all = || std::iter::once(output.from).chain(output.merged.iter().copied());
        let leads = all().filter(|member| !std::ptr::eq(*member, first)).map(|member| member.lead.slice(self.text));
        let leads: String = leads.collect();
        let mut tails = output.from.tail.slice(self.text).to_owned();
        for member in &output.merged {
            for note in member.notes.iter().copied().chain([member.tail.slice(self.text).trim()]) {
                tails += &if note.is_empty() { String::new() } else { format!(" {note}") };
            }
        }
        let is_new = output.text != output.from.statement.source_text();
        let end = if is_new && !output.text.ends_with(';') { self.form.end } else { "" };
        format!("{leads}{}{end}{tails}", output.text)
    }

    /// Returns the span from an offset to the end of the member's line, including the indentation before it.
    fn line_span(&self, from: usize, member: &OrganizedStatement<'t>) -> Span {
        let end = member.tail.range().end;
        if !lines::starts_line(self.text, from) {
            // Other code precedes the statement on its line, so the line break stays.
            return Span::new(self.text[..from].trim_end_matches([' ', '\t']).len(), end);
        }
        let from = lines::line_start(self.text, from);
        let blank = self.text[end..].len() - self.text[end..].trim_start_matches([' ', '\t']).len();
        let line_end = end + blank;
        let to = line_end + lines::break_len(self.text, line_end);
        let at_top = self.text[..from].trim_start_matches('\u{feff}').is_empty();
        let below = &self.text[to..];
        let blank_lines = below.len() - below.trim_start_matches(['\n', '\r']).len();
        Span::new(from, if at_top { to + blank_lines } else { to })
    }
}

/// Creates an output from a statement. It has the new clause or, if `whole`, the unchanged text.
fn output_with_clause<'m, 't>(
    from: &'m OrganizedStatement<'t>,
    clause: &str,
    rank: Rank,
    whole: bool,
) -> OutputStatement<'m, 't> {
    let text = if whole { from.statement.source_text().to_owned() } else { from.statement.with_clause(clause) };
    OutputStatement { text, rank, from, merged: Vec::new() }
}

/// Creates an output for a statement that does not change.
fn unchanged_output<'m, 't>(member: &'m OrganizedStatement<'t>) -> OutputStatement<'m, 't> {
    let statement = &member.statement;
    let rank = match statement.is_bare {
        true => Rank::Bare,
        false => import_rank(statement.type_only, statement.namespace.is_some(), statement.default.is_some()),
    };
    output_with_clause(member, "", rank, true)
}

fn import_rank(type_only: bool, space: bool, default: bool) -> Rank {
    match (type_only, space, default) {
        (true, _, _) => Rank::Types,
        (_, true, _) => Rank::Space,
        (_, _, true) => Rank::Default,
        _ => Rank::Named,
    }
}

/// Converts a default import to a name in braces.
fn default_as_named(part: ImportPart<'_>) -> Item<'_> {
    Item {
        name: part.name,
        is_type: false,
        text: part.name,
        // The text before the name in braces.
        before: vec![ItemComment::inline("default as")],
        comments_after: Vec::new(),
        comments_after_comma: Vec::new(),
        below: Vec::new(),
        local: part.local,
        previous_on_line: None,
        span: part.local,
    }
}

/// Groups elements by key, in order of first occurrence.
fn group_by_key<R: Copy, K: Ord>(all: &[R], key: impl Fn(R) -> K) -> Vec<Vec<R>> {
    let mut keys = BTreeMap::new();
    let mut groups: Vec<Vec<R>> = Vec::new();
    for it in all {
        let next = groups.len();
        let at = *keys.entry(key(*it)).or_insert(next);
        if at == next {
            groups.push(Vec::new());
        }
        groups[at].push(*it);
    }
    groups
}
