//! Checks whether a new name for a member causes a conflict: it is already taken, or an occurrence would refer to
//! another declaration.

use marquetry_sdk::{Edit, FailureKind, Result, Span, fail, span};

use super::{FileMembers, MemberUses};
use crate::{
    members::{
        Load, LoadKind, Member, MemberOccurrence, Members,
        origin::{OriginLookup, find_origin},
    },
    tree::Tree,
};

impl FileMembers<'_> {
    pub(super) fn check_conflicts(&self, share: &MemberUses, own: &str, edits: &[Edit]) -> Result<()> {
        let dialect = self.dialect();
        let taken = |what: &str, at: Option<Span>| {
            let failure =
                fail(FailureKind::RefactorFailed, format!("the file already has a {} `{what}`", share.kind_name))
                    .hint("choose another name");
            Err(match at {
                Some(span) => failure.at(span),
                None => failure,
            })
        };
        if let Some(member) = &share.in_scope {
            let prefix = share.occurrences.first().map_or("", |part| &part.prefix);
            let new = member.with_name(&format!("{prefix}{own}"), dialect);
            if new != *member
                && let Some(place) = self.members.global_occurrences(&new).next()
            {
                return taken(&new.display_name(dialect), Some(place.span));
            }
        }
        for (member, prefix) in &share.exported_names {
            let new = member.with_name(&format!("{prefix}{own}"), dialect);
            if new == *member || !share.is_from_module {
                continue;
            }
            let forwards = self.members.loads.iter().filter(|load| matches!(load.kind, LoadKind::Forward(_)));
            let gives = |load: &&Load| {
                let LoadKind::Forward(forward) = &load.kind else { return false };
                let own = new.name.strip_prefix(forward.prefix.as_str()).map(|name| Member::new(new.kind, name));
                own.is_some_and(|own| matches!(find_origin(&self.document.path, load, &own), OriginLookup::Found(_)))
            };
            if let Some(load) = forwards.clone().find(gives) {
                return taken(&new.display_name(dialect), Some(load.span));
            }
            if let Some(place) = self.members.find_declaration(&new) {
                return taken(&new.display_name(dialect), Some(place.span));
            }
        }
        self.check_owners(share, own, edits)
    }

    /// Parses the edited file, and checks that each occurrence still refers to the same declaration.
    fn check_owners(&self, share: &MemberUses, own: &str, edits: &[Edit]) -> Result<()> {
        if edits.is_empty() {
            return Ok(());
        }
        let tree = &self.document.tree;
        let after = Tree::new(span::apply(&tree.text, edits), tree.dialect);
        let now = Members::from_tree(&after);
        let same = |(old, new): (&MemberOccurrence, &MemberOccurrence)| {
            (old.kind, old.owner, old.certain, old.usage) == (new.kind, new.owner, new.certain, new.usage)
        };
        let differs = self.members.occurrences.iter().zip(&now.occurrences).position(|pair| !same(pair));
        let first = differs.or_else(|| (now.occurrences.len() != self.members.occurrences.len()).then_some(0));
        let Some(first) = first else { return Ok(()) };
        let at = self.members.occurrences.get(first).map_or(share.occurrences[0].span, |place| place.span);
        Err(fail(
            FailureKind::RefactorFailed,
            format!("with the name `{own}`, this {} would refer to another declaration", share.kind_name),
        )
        .hint("choose another name")
        .at(at))
    }
}
