//! Maximum numbers of items in a guest's answer. They depend on the document: an outline has at most as many nodes as
//! the text has bytes, and a file at most as many links. In addition, each kind has a fixed maximum. Relations and steps
//! depend on other files, too: they have only this maximum.

use marquetry_model::limits;

/// Kind of item in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// Nodes of an outline.
    Nodes,
    Edits,
    Problems,
    Links,
    /// Resolved or written links, one for each link in the request.
    Requested(usize),
    Names,
    Occurrences,
    Embedded,
    Dependencies,
    Relations,
    Findings,
    Matches(usize),
    /// New files and questions in the answer of a refactor.
    Steps,
    Offers,
    Places,
    Moves,
}

impl ItemKind {
    /// Returns the name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            ItemKind::Nodes => "nodes",
            ItemKind::Edits => "edits",
            ItemKind::Problems => "problems",
            ItemKind::Links => "links",
            ItemKind::Requested(_) => "answers",
            ItemKind::Names => "names",
            ItemKind::Occurrences => "occurrences",
            ItemKind::Embedded => "embedded parts",
            ItemKind::Dependencies => "dependencies",
            ItemKind::Relations => "relations",
            ItemKind::Findings => "findings",
            ItemKind::Matches(_) => "matches",
            ItemKind::Steps => "questions and files",
            ItemKind::Offers => "offers",
            ItemKind::Places => "places",
            ItemKind::Moves => "moves",
        }
    }

    /// Returns the maximum for a document of this many bytes.
    pub(super) fn max_items(self, bytes: usize) -> usize {
        let within = |most: usize| most.min(bytes.saturating_add(limits::ANSWER_ITEMS));
        match self {
            ItemKind::Nodes => within(limits::MAX_NODES),
            ItemKind::Edits | ItemKind::Occurrences | ItemKind::Names => within(limits::MAX_OCCURRENCES),
            ItemKind::Links | ItemKind::Embedded | ItemKind::Problems | ItemKind::Findings => within(limits::MAX_LINKS),
            ItemKind::Dependencies => within(limits::MAX_RELATIONS),
            // They name declarations in other files: a small interface may have many implementations.
            ItemKind::Relations | ItemKind::Steps => limits::MAX_RELATIONS,
            ItemKind::Offers | ItemKind::Places | ItemKind::Moves => limits::ANSWER_ITEMS,
            ItemKind::Requested(count) | ItemKind::Matches(count) => count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ItemKind; 14] = [
        ItemKind::Nodes,
        ItemKind::Edits,
        ItemKind::Problems,
        ItemKind::Links,
        ItemKind::Names,
        ItemKind::Occurrences,
        ItemKind::Embedded,
        ItemKind::Dependencies,
        ItemKind::Relations,
        ItemKind::Findings,
        ItemKind::Steps,
        ItemKind::Offers,
        ItemKind::Places,
        ItemKind::Moves,
    ];

    #[test]
    fn every_item_kind_has_a_limit_above_valid_answers() {
        for of in ALL {
            let (small, large) = (of.max_items(0), of.max_items(usize::MAX));
            assert!(small >= limits::ANSWER_ITEMS, "{of:?}");
            assert!(small <= large && large <= limits::MAX_NODES, "{of:?}");
            assert!(!of.name().is_empty());
        }
        assert_eq!(ItemKind::Nodes.max_items(1 << 20), (1 << 20) + limits::ANSWER_ITEMS);
        assert_eq!(ItemKind::Relations.max_items(30), limits::MAX_RELATIONS);
        assert_eq!((ItemKind::Requested(7).max_items(0), ItemKind::Matches(3).max_items(1 << 30)), (7, 3));
    }
}
