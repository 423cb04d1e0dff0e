//! Sorts the imports of each group by path, as `gofmt` does. Sections that blank lines separate are sorted separately.

use marquetry_code::{CodeDocument, NodeIndex, sorting::sort_lines};
use marquetry_sdk::{
    Edit, Result, Rewrite,
    refactor::{Place, RefactorInput, Refactoring},
};

use crate::{
    kinds::{F, K, children},
    table::unquoted,
};

pub(super) const ORGANIZE_IMPORTS: Refactoring<crate::GoDocument> = Refactoring {
    id: "organize_imports",
    title: "Sort imports",
    place: Place::Document,
    arguments: &[],
    asks_exporters: false,
    apply: |document, input| apply(document, input),
};

fn apply(document: &CodeDocument, _input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let arena = document.arena();
    let groups = arena.nodes().filter(|(_, node)| node.kind == K::ImportSpecs.into());
    let key = |node: NodeIndex| {
        let path = arena.child(node, F::Path.into()).map(|path| unquoted(arena.slice(path))).unwrap_or_default();
        (path, arena.child(node, F::Name.into()).map(|name| arena.slice(name)).unwrap_or_default())
    };
    // The compiler rejects duplicate imports, so duplicates are removed.
    let edits = groups.flat_map(|(group, _)| sort_lines(document, children(arena, group, K::Import), key));
    Ok(edits.collect::<Vec<Edit>>().into())
}
