//! Maximum numbers of items in a guest's answer. They depend on the document: an outline has at most as many nodes as
//! the text has bytes, and a file at most as many links. In addition, each kind has a fixed maximum.

use marquetry_model::limits;

/// Kind of item in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Nodes of an outline.
    Nodes,
    Edits,
    Problems,
    Links,
    /// Resolved or written links, one for each link in the request.
    Asked(usize),
    Names,
    Occurrences,
    Embedded,
    Dependencies,
    Relations,
    Findings,
    Matches(usize),
    /// New files and questions of a refactor.
    Steps,
    Offers,
    Places,
}

impl Of {
    /// Returns the name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Of::Nodes => "nodes",
            Of::Edits => "edits",
            Of::Problems => "problems",
            Of::Links => "links",
            Of::Asked(_) => "answers",
            Of::Names => "names",
            Of::Occurrences => "occurrences",
            Of::Embedded => "embedded parts",
            Of::Dependencies => "dependencies",
            Of::Relations => "relations",
            Of::Findings => "findings",
            Of::Matches(_) => "matches",
            Of::Steps => "questions and files",
            Of::Offers => "offers",
            Of::Places => "places",
        }
    }

    /// Returns the maximum for a document of this many bytes.
    pub(super) fn most(self, bytes: usize) -> usize {
        let within = |most: usize| most.min(bytes.saturating_add(limits::ANSWER_ITEMS));
        match self {
            Of::Nodes => within(limits::MOST_NODES),
            Of::Edits | Of::Occurrences | Of::Names => within(limits::MOST_OCCURRENCES),
            Of::Links | Of::Embedded | Of::Problems | Of::Findings => within(limits::MOST_LINKS),
            Of::Dependencies | Of::Relations => within(limits::MOST_RELATIONS),
            Of::Steps => limits::MOST_RELATIONS,
            Of::Offers | Of::Places => limits::ANSWER_ITEMS,
            Of::Asked(count) | Of::Matches(count) => count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Of; 13] = [
        Of::Nodes,
        Of::Edits,
        Of::Problems,
        Of::Links,
        Of::Names,
        Of::Occurrences,
        Of::Embedded,
        Of::Dependencies,
        Of::Relations,
        Of::Findings,
        Of::Steps,
        Of::Offers,
        Of::Places,
    ];

    #[test]
    fn every_item_kind_has_a_limit_above_valid_answers() {
        for of in ALL {
            let (small, large) = (of.most(0), of.most(usize::MAX));
            assert!(small >= limits::ANSWER_ITEMS, "{of:?}");
            assert!(small <= large && large <= limits::MOST_NODES, "{of:?}");
            assert!(!of.name().is_empty());
        }
        assert_eq!(Of::Nodes.most(1 << 20), (1 << 20) + limits::ANSWER_ITEMS);
        assert_eq!((Of::Asked(7).most(0), Of::Matches(3).most(1 << 30)), (7, 3));
    }
}
