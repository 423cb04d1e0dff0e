//! The last check of an edit: what was asked for is what the text says afterwards.
//!
//! In YAML, a text can be read otherwise in another place. No edit is answered that would change its meaning.

use marquetry_jsonpath::{Query, json_within, places};
use marquetry_sdk::{Edit, FailureKind, Operation, Result, fail, span::apply};

use crate::{
    content::Content,
    edit::{Place, value_of},
    parse,
    source::Source,
    table::Kind,
};

/// Values beyond this size are not compared.
const LONGEST: usize = 1 << 22;

/// Check the edits of one operation on one value.
pub(crate) fn verify(source: Source<'_>, place: &Place<'_>, operation: &Operation, edits: &[Edit]) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let after = apply(source.text, edits);
    let (table, _) = parse::parse(&after);
    let after = Source { text: &after, table: &table };
    let good = match operation {
        Operation::Replace(content) => says(after, &place.address, content),
        Operation::InsertBefore(_) | Operation::InsertAfter(_) => {
            let parent = place.parent.map_or(0, |(parent, _)| parent);
            let found = places(&source, source.root_id(), &[parent]).pop();
            found.is_none_or(|found| grown(after, &found.address, source.table.inside(parent).count()))
        }
        Operation::InsertInto(_) if source.kind_of(place.id) != Kind::Stream => {
            grown(after, &place.address, source.table.inside(place.id).count())
        }
        _ => true,
    };
    if good {
        return Ok(());
    }
    Err(fail(FailureKind::InvalidArgument, "written there, the content would be read as something else")
        .hint("put texts with `: `, ` #` or brackets in quotes; write collections in the style of the place"))
}

/// Whether the address names one value now, and it is that of the content.
fn says(after: Source<'_>, address: &str, content: &str) -> bool {
    let Ok(content) = Content::parse(content, false) else { return true };
    let Some(expected) = value_of(&content) else { return true };
    let Ok(found) = Query::parse(address).map(|query| query.select(&after)) else { return true };
    match found.as_deref() {
        Ok([only]) => {
            expected.len() > LONGEST || json_within(&after, *only, LONGEST).is_none_or(|value| value == expected)
        }
        Ok(_) => content.kind() == Kind::Alias,
        Err(_) => true,
    }
}

/// Whether the collection at the address has more in it than before.
fn grown(after: Source<'_>, address: &str, before: usize) -> bool {
    let Ok(found) = Query::parse(address).map(|query| query.select(&after)) else { return true };
    match found.as_deref() {
        Ok([only]) => after.kind_of(only.id).is_collection() && after.table.inside(only.id).count() > before,
        Ok(_) => false,
        Err(_) => true,
    }
}
