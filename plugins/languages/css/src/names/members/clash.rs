//! Conflict checks for renaming a member: the new name must not be taken or resolve to another
//! declaration.

use marquetry_sdk::{Edit, FailureKind, Result, Span, fail, span};

use super::{Known, Share};
use crate::{
    members::{
        Load, LoadKind, Member, Members, Place,
        origin::{Sought, seek},
    },
    tree::Tree,
};

impl Known<'_> {
    pub(super) fn check(&self, share: &Share, own: &str, edits: &[Edit]) -> Result<()> {
        let dialect = self.dialect();
        let taken = |what: &str, at: Option<Span>| {
            let failure = fail(FailureKind::RefactorFailed, format!("the file already has a {} `{what}`", share.word))
                .hint("choose another name");
            Err(match at {
                Some(span) => failure.at(span),
                None => failure,
            })
        };
        if let Some(member) = &share.in_scope {
            let prefix = share.places.first().map_or("", |part| &part.prefix);
            let new = member.called(&format!("{prefix}{own}"), dialect);
            if new != *member
                && let Some(place) = self.members.global(&new).next()
            {
                return taken(&new.shown(dialect), Some(place.span));
            }
        }
        for (member, prefix) in &share.leaves {
            let new = member.called(&format!("{prefix}{own}"), dialect);
            if new == *member || !share.is_from_module {
                continue;
            }
            let forwards = self.members.loads.iter().filter(|load| matches!(load.kind, LoadKind::Forward(_)));
            let gives = |load: &&Load| {
                let LoadKind::Forward(forward) = &load.kind else { return false };
                let own = new.name.strip_prefix(forward.prefix.as_str()).map(|name| Member::new(new.kind, name));
                own.is_some_and(|own| matches!(seek(&self.document.path, load, &own), Sought::Found(_)))
            };
            if let Some(load) = forwards.clone().find(gives) {
                return taken(&new.shown(dialect), Some(load.span));
            }
            if let Some(place) = self.members.declaration(&new) {
                return taken(&new.shown(dialect), Some(place.span));
            }
        }
        self.check_meaning(share, own, edits)
    }

    /// Reads the edited file and checks that every name still has the same owner.
    fn check_meaning(&self, share: &Share, own: &str, edits: &[Edit]) -> Result<()> {
        if edits.is_empty() {
            return Ok(());
        }
        let tree = &self.document.tree;
        let after = Tree::new(span::apply(&tree.text, edits), tree.dialect);
        let now = Members::of(&after);
        let same = |(old, new): (&Place, &Place)| {
            (old.kind, old.owner, old.certain, old.usage) == (new.kind, new.owner, new.certain, new.usage)
        };
        let differs = self.members.places.iter().zip(&now.places).position(|pair| !same(pair));
        let first = differs.or_else(|| (now.places.len() != self.members.places.len()).then_some(0));
        let Some(first) = first else { return Ok(()) };
        let at = self.members.places.get(first).map_or(share.places[0].span, |place| place.span);
        Err(fail(
            FailureKind::RefactorFailed,
            format!("with the name `{own}`, this {} would refer to another declaration", share.word),
        )
        .hint("choose another name")
        .at(at))
    }
}
