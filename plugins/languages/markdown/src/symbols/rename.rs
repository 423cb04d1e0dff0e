//! Renames a heading or an anchor and updates every link to it.

use marquetry_sdk::{
    Edit, Failure, FailureKind, ImportKey, RenameResult, RenamedExport, Result, Span, fail, shared, span::apply,
};

use super::anchors::{Anchor, Reference, split_explicit_anchor, without_explicit_anchor};
use super::components::OtherNames;
use crate::anchor::{anchor_of_source, slug};
use crate::document::MarkdownDocument;
use crate::find::rendered_heading;
use crate::links::url::percent_encode;

/// Changes the text of a heading.
pub(super) fn rename_heading(document: &MarkdownDocument, index: u32, new_name: &str) -> Result<RenameResult> {
    check_text(new_name)?;
    let tree = document.tree();
    let heading = &tree.headings[index as usize];
    let inner = document.block(heading.block).inner;
    let source = inner.slice(&document.text);
    let text = split_explicit_anchor(source).map_or(source, |(text, _)| text);
    if text.trim().is_empty() {
        return Err(fail(FailureKind::RefactorFailed, "the heading has no text").at(inner));
    }
    let span = Span::new(inner.range().start, inner.range().start + text.len());
    let edit = Edit::new(span, new_name);
    let after = document.with_text(apply(&document.text, std::slice::from_ref(&edit)));
    check_reparsed(document, &after, index, new_name)?;
    let (old, new) = check_anchors(document, &after, index)?;
    let mut edits = vec![edit];
    let mut exported = Vec::new();
    if old != new {
        let links = document.same_page_links(&old).filter(|link| !span.contains(link.span));
        edits.extend(links.map(|link| retarget_link(document, &link, &new)));
        exported.push(RenamedExport { old, new });
    }
    edits.sort_by_key(|edit| edit.span.start);
    Ok(RenameResult { edits, exported, ..shared::empty_renaming(&without_explicit_anchor(tree.name(heading))) })
}

/// Renames an explicit anchor.
pub(super) fn rename_anchor(document: &MarkdownDocument, place: &Anchor, new_name: &str) -> Result<RenameResult> {
    check_text(new_name)?;
    let plain = generated_anchor(new_name);
    if plain != new_name {
        return Err(fail(FailureKind::InvalidArgument, format!("`{new_name}` is not a valid anchor of a heading"))
            .hint("use lower-case letters, digits, hyphens and underscores")
            .candidates([plain].into_iter().filter(|plain| !plain.is_empty())));
    }
    if place.name == new_name {
        return Ok(shared::empty_renaming(&place.name));
    }
    if let Some(taken) = document.all_anchors().iter().find(|other| other.name == new_name) {
        return Err(taken_anchor_error(document, taken));
    }
    // Some pages write the same anchor twice, as `id` and as `name`.
    let twins = document.all_anchors().into_iter().filter(|other| other.name == place.name && !other.is_generated);
    let mut edits: Vec<Edit> = twins.map(|twin| Edit::new(twin.span, new_name)).collect();
    edits.extend(document.same_page_links(&place.name).map(|link| retarget_link(document, &link, new_name)));
    edits.sort_by_key(|edit| edit.span.start);
    let exported = vec![RenamedExport { old: place.name.clone(), new: new_name.to_owned() }];
    Ok(RenameResult { edits, exported, ..shared::empty_renaming(&place.name) })
}

/// Updates links of this file after their target in another file was renamed.
pub(super) fn rename_incoming_links(
    document: &MarkdownDocument,
    key: &ImportKey,
    new_name: &str,
) -> Result<RenameResult> {
    let new =
        if document.other_names(key) == OtherNames::Ids { new_name.to_owned() } else { generated_anchor(new_name) };
    let edits = document.links_to_import(key).map(|link| retarget_link(document, &link, &new)).collect();
    Ok(RenameResult { edits, ..shared::empty_renaming(&key.name) })
}

/// Returns the anchor of a heading with this text.
fn generated_anchor(text: &str) -> String {
    anchor_of_source(text.trim())
}

fn retarget_link(document: &MarkdownDocument, link: &Reference, anchor: &str) -> Edit {
    Edit::new(link.span, percent_encode(anchor, link.span.slice(&document.text)))
}

fn check_text(text: &str) -> Result<()> {
    let wrong = |why: &str| fail(FailureKind::InvalidArgument, format!("`{text}` is not the text of a heading: {why}"));
    if text.trim().is_empty() {
        return Err(wrong("it is empty"));
    }
    if text.contains(['\n', '\r']) {
        return Err(wrong("it has more than one line").hint("give one line of text"));
    }
    if text.trim() != text || text.starts_with('#') {
        let bare = text.trim().trim_start_matches('#').trim_start();
        return Err(wrong("`#` and surrounding white space are not part of the text")
            .hint("give the text alone")
            .candidates([bare.to_owned()].into_iter().filter(|bare| !bare.is_empty())));
    }
    Ok(())
}

/// Checks that the heading has the new text and that all other headings are unchanged.
fn check_reparsed(document: &MarkdownDocument, after: &MarkdownDocument, index: u32, new_name: &str) -> Result<()> {
    let names = |document: &MarkdownDocument| -> Vec<(u8, String)> {
        let tree = document.tree();
        tree.headings
            .iter()
            .map(|heading| (heading.level, without_explicit_anchor(tree.name(heading)).into_owned()))
            .collect()
    };
    let mut expected = names(document);
    expected[index as usize].1 = rendered_heading(new_name);
    let kinds = |document: &MarkdownDocument| -> Vec<_> { document.tree().blocks.iter().map(|b| b.kind).collect() };
    let own =
        after.tree().headings.get(index as usize).map(|heading| after.block(heading.block).inner.slice(&after.text));
    let is_text = own.is_some_and(|own| split_explicit_anchor(own).map_or(own, |(text, _)| text) == new_name);
    if is_text && names(after) == expected && kinds(after) == kinds(document) {
        return Ok(());
    }
    Err(fail(FailureKind::InvalidArgument, format!("`{new_name}` would not parse as the text of this heading"))
        .hint("escape Markdown syntax with a backslash"))
}

/// Returns the anchor of the heading before and after the edit; fails if the anchor of another heading changes.
fn check_anchors(document: &MarkdownDocument, after: &MarkdownDocument, index: u32) -> Result<(String, String)> {
    let of_headings = |document: &MarkdownDocument| -> Vec<Anchor> {
        let mut places = document.all_anchors();
        places.retain(|place| place.heading.is_some());
        places
    };
    let (before, now) = (of_headings(document), of_headings(after));
    let own = |places: &[Anchor]| places.iter().find(|place| place.heading == Some(index)).cloned();
    let (Some(old), Some(new)) = (own(&before), own(&now)) else {
        return Err(fail(FailureKind::RefactorFailed, "the heading has no anchor"));
    };
    if !old.is_generated || old.name == new.name {
        return Ok((old.name.clone(), old.name));
    }
    let tree = after.tree();
    let plain = slug(tree.anchor_text(&tree.headings[index as usize]));
    if plain.is_empty() {
        return Err(fail(FailureKind::InvalidArgument, "the anchor of the new text would be empty")
            .hint("use letters or digits, or add an explicit anchor: `{#name}`"));
    }
    let others = document.all_anchors();
    if let Some(taken) = others.iter().find(|place| place.name == plain && place.heading != Some(index)) {
        return Err(taken_anchor_error(document, taken));
    }
    for (old, new) in before.iter().zip(&now).filter(|(old, _)| old.heading != Some(index)) {
        if old.name != new.name {
            let message = format!("the anchor `{}` of another heading would become `{}`", old.name, new.name);
            return Err(fail(FailureKind::RefactorFailed, message)
                .hint("headings with the same text have numbered anchors: rename the last of them first")
                .at(old.span));
        }
    }
    Ok((old.name, new.name))
}

fn taken_anchor_error(document: &MarkdownDocument, taken: &Anchor) -> Failure {
    let failure = fail(FailureKind::RefactorFailed, format!("the anchor `{}` already exists", taken.name));
    let failure = failure.at(taken.span).hint("choose a text with another anchor");
    match taken.heading {
        Some(index) => failure.candidates([document.address(document.tree().headings[index as usize].block)]),
        None => failure,
    }
}
