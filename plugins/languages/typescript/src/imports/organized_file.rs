//! Organizing all imports and exports of a file: which statements belong together, and their sort orders.

use marquetry_sdk::{Edit, Span, lines};
use oxc_ast::ast::Statement;
use oxc_span::GetSpan as _;

use crate::editor::indentation;
use crate::imports::insertion;
use crate::imports::order::{self, ListEntry, ListOrder};
use crate::imports::organize::{OrganizeOptions, Organizer};
use crate::imports::organized_statements::{self, OrganizedStatement};
use crate::imports::preferences::{Preferences, TypeOrder};
use crate::imports::removal::NameRemoval;
use crate::imports::statement::{Item, ListFormatting};
use crate::imports::unused_requires::require_statements;
use crate::imports::usage::Usage;
use crate::syntax::tree::Parsed;

/// Returns the edits that organize a file. With `sorts`, statements are sorted; with `removes`, unused names are
/// removed.
pub(crate) fn organize_edits(
    parsed: &Parsed<'_>,
    path: &str,
    text: &str,
    preferences: &Preferences,
    sorts: bool,
    removes: bool,
) -> Vec<Edit> {
    let taking_part = |body: &[Statement<'_>], wanted: fn(&Statement<'_>) -> bool| {
        // If the text was repaired for parsing, a statement may differ from the source.
        let written = |it: &Statement<'_>| {
            let range = it.span().start as usize..it.span().end as usize;
            !parsed.repaired || text.get(range.clone()) == parsed.program.source_text.get(range)
        };
        organized_statements::organized_statements(body, &parsed.program.comments, text, |it| wanted(it) && written(it))
    };
    let imports = taking_part(&parsed.program.body, is_import);
    let import_groups = match preferences.modules.has_groups() {
        true => organized_statements::split_runs(&imports, text),
        false => organized_statements::split_groups(imports.iter().map(|(_, member)| member)),
    };
    let (orders, export_lists) = detect_orders(&import_groups, preferences, sorts);
    let usage = removes.then(|| Usage::collect(parsed, path));
    let is_used = |local: Span, name: &str| usage.as_ref().is_none_or(|usage| usage.is_used(local, name));
    let is_augmented = |specifier: &str| usage.as_ref().is_some_and(|usage| usage.is_augmented(specifier));
    let unit = indentation::unit_of(path, text);
    let end = if insertion::uses_semicolons(parsed, text) { ";" } else { "" };
    let organizer = |orders| Organizer {
        text,
        form: ListFormatting { unit: &unit, line_break: lines::line_break(text), end },
        orders,
        is_used: if removes { Some(&is_used) } else { None },
        is_augmented: &is_augmented,
        declares: parsed.program.source_type.is_typescript_definition(),
    };
    let imports = organizer(orders);
    let exports = organizer(OrganizeOptions { lists: export_lists, ..orders });
    let mut edits = Vec::new();
    import_groups.iter().for_each(|group| imports.organize_imports(group, &mut edits));
    if sorts {
        let all = taking_part(&parsed.program.body, is_export);
        export_groups(&all).iter().for_each(|group| exports.organize_exports(group, &mut edits));
    }
    if removes && !parsed.repaired {
        remove_unused_requires(parsed, text, &unit, &is_used, &mut edits);
    }
    for statement in &parsed.program.body {
        let Statement::TSExternalModuleDeclaration(module) = statement else { continue };
        let Some(body) = &module.body else { continue };
        let inner = taking_part(&body.body, is_import);
        let groups = organized_statements::split_groups(inner.iter().map(|(_, member)| member));
        groups.iter().for_each(|group| imports.organize_imports(group, &mut edits));
        if sorts {
            let inner = taking_part(&body.body, is_export);
            let group: Vec<&OrganizedStatement<'_>> = inner.iter().map(|(_, member)| member).collect();
            exports.organize_exports(&group, &mut edits);
        }
    }
    edits
}

/// Removes unused names of `require` statements. They keep their order, because each runs its module.
fn remove_unused_requires(
    parsed: &Parsed<'_>,
    text: &str,
    unit: &str,
    is_used: &dyn Fn(Span, &str) -> bool,
    edits: &mut Vec<Edit>,
) {
    let removal = NameRemoval { text, comments: &parsed.program.comments, unit };
    let statements = require_statements(parsed.program, text).into_iter();
    let free = statements.filter(|it| !organized_statements::is_kept(&parsed.program.comments, text, it.span));
    free.for_each(|statement| statement.remove_names(&removal, &|name, local| !is_used(local, name), edits));
}

fn is_import(statement: &Statement<'_>) -> bool {
    matches!(statement, Statement::ImportDeclaration(_))
}

fn is_export(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::ExportNamedDeclaration(_) | Statement::ExportFromDeclaration(_) | Statement::ExportAllDeclaration(_)
    )
}

/// Groups the exports at the top level of a file. A group ends with the first export of local names and the exports
/// that directly follow it. Other statements do not end a group.
fn export_groups<'m, 't>(members: &'m [(usize, OrganizedStatement<'t>)]) -> Vec<Vec<&'m OrganizedStatement<'t>>> {
    let mut together: Vec<Vec<&OrganizedStatement<'t>>> = vec![Vec::new()];
    let mut run_ends_at = None;
    for (index, member) in members {
        let continues = run_ends_at == Some(*index);
        if run_ends_at.is_some() && !continues {
            together.push(Vec::new());
            run_ends_at = None;
        }
        if continues || member.statement.specifier.is_none() {
            run_ends_at = Some(index + 1);
        }
        if let Some(group) = together.last_mut() {
            group.push(member);
        }
    }
    together.into_iter().flat_map(organized_statements::split_groups).collect()
}

/// Returns the sort orders of imports and of exported names.
fn detect_orders(
    groups: &[Vec<&OrganizedStatement<'_>>],
    preferences: &Preferences,
    sorts: bool,
) -> (OrganizeOptions, ListOrder) {
    let modules = order::detect_modules(&organized_statements::group_specifiers(groups), preferences).order;
    let lists: Vec<Vec<ListEntry<'_>>> =
        groups.iter().flatten().map(|member| member.statement.items().iter().map(Item::list_entry).collect()).collect();
    let detected = order::detect_lists(&lists, preferences).map(|detected| detected.order);
    let first = order::comparers(preferences)[0];
    let types = preferences.type_order.unwrap_or(TypeOrder::Last);
    let lists = detected.unwrap_or(ListOrder { comparer: first, types });
    let exported = detected.map_or_else(|| order::default_comparer(preferences), |order| order.comparer);
    let comparer = if preferences.ignore_case.is_some() { first } else { exported };
    (OrganizeOptions { modules, lists, sorts, sorts_statements: true }, ListOrder { comparer, types })
}
