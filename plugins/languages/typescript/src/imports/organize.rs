//! Organizes import and export statements: merges those of a group with the same module, and sorts names and
//! statements. The caller decides which names are used.

use std::collections::{BTreeMap, HashSet};

use marquetry_sdk::{Edit, Span, lines};

use crate::imports::members::Member;
use crate::imports::order::{Comparer, ListOrder};
use crate::imports::statement::{self, Form, Item, List, Note, Part};
use crate::imports::tools;

/// Orders and steps of organizing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders {
    pub(crate) modules: Comparer,
    pub(crate) lists: ListOrder,
    /// Merge and sort statements.
    pub(crate) sorts: bool,
    /// Sort the statements, not only the names in them.
    pub(crate) sorts_statements: bool,
}

/// A resulting statement.
struct Output<'m, 't> {
    text: String,
    /// Its position among statements with the same module.
    rank: Rank,
    /// The member it is based on.
    from: &'m Member<'t>,
    taken: Vec<&'m Member<'t>>,
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

/// The rest of a member after unused names are removed.
#[derive(Clone)]
struct Rest<'m, 't> {
    member: &'m Member<'t>,
    default: Option<Part<'t>>,
    space: Option<Part<'t>>,
    items: Vec<Item<'t>>,
    /// Only the side effects remain.
    bare: bool,
}

impl<'t> Rest<'_, 't> {
    fn list(&self) -> Option<&List<'t>> {
        // Keep empty braces if they were empty before.
        let list = self.member.statement.list.as_ref()?;
        (list.items.is_empty() || !self.items.is_empty()).then_some(list)
    }

    fn is_whole(&self) -> bool {
        let statement = &self.member.statement;
        self.items.len() == statement.items().len()
            && self.default.is_some() == statement.default.is_some()
            && self.space.is_some() == statement.space.is_some()
            && !self.bare
    }
}

/// Returns whether the name declared at a span is used.
pub(crate) type IsUsed<'o> = dyn Fn(Span, &str) -> bool + 'o;

/// Organizes the statements of a module or script.
pub(crate) struct Organizer<'o, 't> {
    pub(crate) text: &'t str,
    pub(crate) form: Form<'o>,
    pub(crate) orders: Orders,
    /// Returns whether a name is used; `None` if unused names are kept.
    pub(crate) is_used: Option<&'o IsUsed<'o>>,
    pub(crate) is_augmented: &'o dyn Fn(&str) -> bool,
    /// The file is a declaration file.
    pub(crate) declares: bool,
}

impl<'t> Organizer<'_, 't> {
    /// Adds the edits that organize a group of imports.
    pub(crate) fn imports(&self, group: &[&Member<'t>], edits: &mut Vec<Edit>) {
        // Imports for side effects stay where they are, and other imports are not moved across them.
        let named = group.iter().filter(|member| !member.statement.is_bare);
        let named: HashSet<&Option<String>> = named.map(|member| &member.statement.specifier).collect();
        let is_fixed = |member: &Member<'t>| member.statement.is_bare && !named.contains(&member.statement.specifier);
        let mut outputs: Vec<Output<'_, 't>> = Vec::new();
        let mut seen: HashSet<&Option<String>> = HashSet::new();
        for part in group.chunk_by(|one, other| is_fixed(one) == is_fixed(other)) {
            if !is_fixed(part[0]) || !self.orders.sorts {
                outputs.extend(self.organized(part));
                continue;
            }
            for member in part {
                // A second import has no effect.
                if seen.insert(&member.statement.specifier) {
                    outputs.push(kept(member));
                }
            }
        }
        self.write(group, &outputs, edits);
    }

    /// Organizes imports that can be in any order.
    fn organized<'m>(&self, group: &[&'m Member<'t>]) -> Vec<Output<'m, 't>> {
        let rests: Vec<Rest<'m, 't>> = group.iter().filter_map(|member| self.rest(member)).collect();
        if !self.orders.sorts {
            return rests.iter().map(|rest| self.alone(rest)).collect();
        }
        let mut outputs = Vec::new();
        let all: Vec<&Rest<'m, 't>> = rests.iter().collect();
        for same in by(&all, |rest| rest.member.statement.specifier.as_deref()) {
            let mut made = Vec::new();
            let (opaque, others): (Vec<&Rest<'m, 't>>, Vec<&Rest<'m, 't>>) =
                same.into_iter().partition(|rest| rest.member.statement.is_opaque);
            made.extend(opaque.into_iter().map(|rest| kept(rest.member)));
            for alike in by(&others, |rest| rest.member.statement.attributes.as_str()) {
                self.merge(&alike, &mut made);
            }
            made.sort_by_key(|output: &Output<'_, '_>| output.rank);
            outputs.extend(made);
        }
        if self.orders.sorts_statements {
            let name = |output: &Output<'_, 't>| output.from.statement.specifier.clone().unwrap_or_default();
            outputs.sort_by(|one, other| self.orders.modules.compare_modules(&name(one), &name(other)));
        }
        outputs
    }

    /// Returns the used part of an import.
    fn rest<'m>(&self, member: &'m Member<'t>) -> Option<Rest<'m, 't>> {
        let statement = &member.statement;
        let whole = Rest {
            member,
            default: statement.default,
            space: statement.space,
            items: statement.items().to_vec(),
            bare: false,
        };
        let Some(is_used) = self.is_used.filter(|_| !statement.is_bare && !member.is_kept) else { return Some(whole) };
        let used = |part: &Part<'_>| is_used(part.local, part.name);
        if statement.is_opaque {
            let parts = [&statement.default, &statement.space].into_iter().flatten();
            let any = parts.into_iter().any(used) || statement.items().iter().any(|it| is_used(it.local, it.name));
            let augmented = statement.specifier.as_deref().is_some_and(self.is_augmented);
            return (any || augmented || statement.items().is_empty()).then_some(whole);
        }
        let rest = Rest {
            member,
            default: statement.default.filter(used),
            space: statement.space.filter(used),
            items: statement.items().iter().filter(|item| is_used(item.local, item.name)).cloned().collect(),
            bare: false,
        };
        if rest.default.is_some() || rest.space.is_some() || rest.list().is_some() {
            return Some(rest);
        }
        let augmented = statement.specifier.as_deref().is_some_and(self.is_augmented);
        match (augmented, self.declares) {
            (true, false) => Some(whole),
            (true, true) => Some(Rest { bare: true, ..rest }),
            _ => None,
        }
    }

    fn alone<'m>(&self, rest: &Rest<'m, 't>) -> Output<'m, 't> {
        let statement = &rest.member.statement;
        if rest.bare {
            return Output { text: statement.bare(), rank: Rank::Bare, from: rest.member, taken: Vec::new() };
        }
        if rest.is_whole() {
            return kept(rest.member);
        }
        let list = rest.list().map(|list| (list, rest.items.as_slice()));
        let clause = statement::clause(self.form, rest.default, rest.space, list);
        written(rest.member, &clause, rank(statement.type_only, rest.space.is_some(), rest.default.is_some()), false)
    }

    /// Merges imports of one module with the same attributes.
    fn merge<'m>(&self, rests: &[&Rest<'m, 't>], outputs: &mut Vec<Output<'m, 't>>) {
        let is_bare = |rest: &&&Rest<'m, 't>| rest.bare || rest.member.statement.is_bare;
        outputs.extend(rests.iter().find(is_bare).map(|rest| self.alone(rest)));
        for type_only in [false, true] {
            let of_kind = |rest: &&&Rest<'m, 't>| !is_bare(rest) && rest.member.statement.type_only == type_only;
            let rests: Vec<&Rest<'m, 't>> = rests.iter().filter(of_kind).copied().collect();
            self.merge_kind(&rests, type_only, outputs);
        }
    }

    /// Merges imports of one module that are all `import type`, or all not.
    fn merge_kind<'m>(&self, rests: &[&Rest<'m, 't>], type_only: bool, outputs: &mut Vec<Output<'m, 't>>) {
        let defaults: Vec<_> = rests.iter().filter(|rest| rest.default.is_some()).copied().collect();
        let mut spaces: Vec<_> = rests.iter().filter(|rest| rest.space.is_some()).copied().collect();
        let named: Vec<_> = rests.iter().filter(|rest| rest.list().is_some()).copied().collect();
        let rank = |space, default| rank(type_only, space, default);
        if let (false, [default], [space], []) = (type_only, &defaults[..], &spaces[..], &named[..]) {
            let taken = if std::ptr::eq(*default, *space) { Vec::new() } else { vec![space.member] };
            let whole = taken.is_empty() && default.is_whole();
            let clause = statement::clause(self.form, default.default, space.space, None);
            outputs.push(Output { taken, ..written(default.member, &clause, rank(true, true), whole) });
            return;
        }
        let name = |rest: &Rest<'m, 't>| rest.space.map_or("", |space| space.name);
        spaces.sort_by(|one, other| self.orders.modules.compare(name(one), name(other)));
        for space in spaces {
            let clause = statement::clause(self.form, None, space.space, None);
            let whole = space.default.is_none() && space.is_whole();
            outputs.push(written(space.member, &clause, rank(true, false), whole));
        }
        self.merge_names(&defaults, &named, type_only, outputs);
    }

    /// Merges default imports and names in braces. A statement has only one default import, so several become names.
    fn merge_names<'m>(
        &self,
        defaults: &[&Rest<'m, 't>],
        named: &[&Rest<'m, 't>],
        type_only: bool,
        outputs: &mut Vec<Output<'m, 't>>,
    ) {
        let Some(base) = defaults.first().or(named.first()) else { return };
        let default = if let [only] = defaults { only.default } else { None };
        let (items, is_sorted) = self.sorted_items(defaults, named);
        let list = named.first().and_then(|rest| rest.list());
        let rank = |default| rank(type_only, false, default);
        if let (true, Some(part), Some(list)) = (type_only, default, list) {
            // `import type` cannot have both a default import and names.
            let clause = statement::clause(self.form, Some(part), None, None);
            outputs.push(written(base.member, &clause, rank(true), base.is_whole() && base.items.is_empty()));
            let clause = statement::clause(self.form, None, None, Some((list, &items)));
            let whole = named.len() == 1 && named[0].is_whole() && is_sorted;
            let taken = named[1..].iter().map(|rest| rest.member).collect();
            outputs.push(Output { taken, ..written(named[0].member, &clause, rank(false), whole) });
            return;
        }
        let others = defaults.iter().chain(named).map(|rest| rest.member);
        let mut taken: Vec<&'m Member<'t>> = others.filter(|member| !std::ptr::eq(*member, base.member)).collect();
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
        outputs.push(Output { taken, ..written(base.member, &clause, rank(default.is_some()), whole) });
    }

    /// Returns all names in braces in order, and whether they were sorted before.
    fn sorted_items(&self, defaults: &[&Rest<'_, 't>], named: &[&Rest<'_, 't>]) -> (Vec<Item<'t>>, bool) {
        let mut items: Vec<Item<'t>> = Vec::new();
        if defaults.len() > 1 {
            items.extend(defaults.iter().filter_map(|rest| rest.default).map(named_default));
        }
        let mut known = HashSet::new();
        let listed = named.iter().flat_map(|rest| &rest.items);
        items.extend(listed.filter(|item| known.insert((item.text, item.is_type))).cloned());
        let before: Vec<Span> = items.iter().map(|item| item.span).collect();
        items.sort_by(|one, other| self.orders.lists.compare(one.listed(), other.listed()));
        let is_sorted = before.iter().eq(items.iter().map(|item| &item.span));
        (items, is_sorted)
    }

    /// Adds the edits that organize a group of exports.
    pub(crate) fn exports(&self, group: &[&Member<'t>], edits: &mut Vec<Edit>) {
        let mut outputs: Vec<Output<'_, 't>> = Vec::new();
        for same in by(group, |member| member.statement.specifier.as_deref()) {
            for alike in by(&same, |member| member.statement.attributes.as_str()) {
                self.merge_exports(&alike, &mut outputs);
            }
        }
        if self.orders.sorts_statements {
            outputs.sort_by(|one, other| match (&one.from.statement.specifier, &other.from.statement.specifier) {
                (Some(one), Some(other)) => self.orders.modules.compare_modules(one, other),
                (one, other) => one.is_none().cmp(&other.is_none()),
            });
        }
        self.write(group, &outputs, edits);
    }

    fn merge_exports<'m>(&self, members: &[&'m Member<'t>], outputs: &mut Vec<Output<'m, 't>>) {
        for type_only in [false, true] {
            let mut bare = members.iter().filter(|it| it.statement.is_bare && it.statement.type_only == type_only);
            outputs.extend(bare.next().map(|member| kept(member)));
        }
        outputs.extend(members.iter().filter(|it| it.statement.space.is_some()).map(|member| kept(member)));
        for type_only in [false, true] {
            let of_kind = |it: &&&'m Member<'t>| it.statement.list.is_some() && it.statement.type_only == type_only;
            let named: Vec<&'m Member<'t>> = members.iter().filter(of_kind).copied().collect();
            let Some(base) = named.first() else { continue };
            let Some(list) = &base.statement.list else { continue };
            let mut items: Vec<Item<'t>> = named.iter().flat_map(|it| it.statement.items()).cloned().collect();
            items.sort_by(|one, other| self.orders.lists.compare(one.listed(), other.listed()));
            let whole = named.len() == 1 && items == list.items;
            let clause = statement::braces(self.form, list, &items);
            outputs.push(Output { taken: named[1..].to_vec(), ..written(base, &clause, Rank::Named, whole) });
        }
    }

    /// Adds the edits that replace a group by the outputs.
    fn write(&self, group: &[&Member<'t>], outputs: &[Output<'_, 't>], edits: &mut Vec<Edit>) {
        let is_same = |(member, output): (&&Member<'t>, &Output<'_, 't>)| {
            std::ptr::eq(*member, output.from) && member.statement.written() == output.text && output.taken.is_empty()
        };
        if group.len() == outputs.len() && group.iter().zip(outputs).all(is_same) && self.has_its_blank_lines(group) {
            return;
        }
        let Some((first, others)) = group.split_first() else { return };
        let start = first.statement.span.range().start;
        if outputs.is_empty() {
            edits.push(Edit::remove(self.line(start, first)));
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
            let mut line = self.line(member.lead.range().start, member);
            if self.orders.modules.modules.has_groups() && lines::starts_line(self.text, line.range().start) {
                // The blank lines above it separated a statement that is removed.
                let above = self.text[..line.range().start].trim_end().len();
                line = Span::new(above + lines::break_len(self.text, above), line.range().end);
            }
            edits.push(Edit::remove(line));
        }
    }

    /// Returns whether a blank line belongs between two statements.
    fn starts_group(&self, above: &Member<'t>, below: &Member<'t>) -> bool {
        let group = |member: &Member<'t>| {
            let statement = &member.statement;
            tools::group(statement.specifier.as_deref().unwrap_or_default(), statement.is_bare)
        };
        self.orders.modules.modules.has_groups() && group(above) != group(below)
    }

    /// Returns whether the blank lines between statements match the order.
    fn has_its_blank_lines(&self, group: &[&Member<'t>]) -> bool {
        !self.orders.modules.modules.has_groups()
            || group.windows(2).all(|pair| {
                let between = &self.text[pair[0].tail.range().end..pair[1].lead.range().start];
                between.matches('\n').count() == 1 + usize::from(self.starts_group(pair[0], pair[1]))
            })
    }

    /// Returns a statement with its comments. Comments above the first statement of a group stay where they are.
    fn with_comments(&self, output: &Output<'_, 't>, first: &Member<'t>) -> String {
        let all = || std::iter::once(output.from).chain(output.taken.iter().copied());
        let leads = all().filter(|member| !std::ptr::eq(*member, first)).map(|member| member.lead.of(self.text));
        let leads: String = leads.collect();
        let mut tails = output.from.tail.of(self.text).to_owned();
        for member in &output.taken {
            for note in member.notes.iter().copied().chain([member.tail.of(self.text).trim()]) {
                tails += &if note.is_empty() { String::new() } else { format!(" {note}") };
            }
        }
        let is_new = output.text != output.from.statement.written();
        let end = if is_new && !output.text.ends_with(';') { self.form.end } else { "" };
        format!("{leads}{}{end}{tails}", output.text)
    }

    /// Returns the span from an offset to the end of the member's line, including the indentation before it.
    fn line(&self, from: usize, member: &Member<'t>) -> Span {
        let end = member.tail.range().end;
        if !lines::starts_line(self.text, from) {
            // Other code precedes it on the line, so the line break stays.
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

/// Creates an output with a new clause, or unchanged if `whole`.
fn written<'m, 't>(from: &'m Member<'t>, clause: &str, rank: Rank, whole: bool) -> Output<'m, 't> {
    let text = if whole { from.statement.written().to_owned() } else { from.statement.with_clause(clause) };
    Output { text, rank, from, taken: Vec::new() }
}

/// Creates an output for an unchanged member.
fn kept<'m, 't>(member: &'m Member<'t>) -> Output<'m, 't> {
    let statement = &member.statement;
    let rank = match statement.is_bare {
        true => Rank::Bare,
        false => rank(statement.type_only, statement.space.is_some(), statement.default.is_some()),
    };
    written(member, "", rank, true)
}

fn rank(type_only: bool, space: bool, default: bool) -> Rank {
    match (type_only, space, default) {
        (true, _, _) => Rank::Types,
        (_, true, _) => Rank::Space,
        (_, _, true) => Rank::Default,
        _ => Rank::Named,
    }
}

/// Converts a default import to a name in braces.
fn named_default(part: Part<'_>) -> Item<'_> {
    Item {
        name: part.name,
        is_type: false,
        text: part.name,
        // The text before the name in braces.
        before: vec![Note::beside("default as")],
        behind: Vec::new(),
        behind_comma: Vec::new(),
        below: Vec::new(),
        local: part.local,
        follows: None,
        span: part.local,
    }
}

/// Groups elements by key, in order of first occurrence.
fn by<R: Copy, K: Ord>(all: &[R], key: impl Fn(R) -> K) -> Vec<Vec<R>> {
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
