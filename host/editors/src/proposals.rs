//! Diffs that wait for the person, from the proposal to its end: decided, replaced, withdrawn, or lost with its editor. Whoever
//! waits for a decision is told exactly once.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use marquetry_model::editor::{Decision, DiffId, Owner, Rejection};

/// Whoever waits for a decision.
pub(crate) type Decided = Box<dyn FnOnce(Decision) + Send>;

/// One proposal that was not closed.
struct Pending {
    diff: DiffId,
    /// The editor that shows it.
    editor: u64,
    /// None once it is decided.
    decided: Option<Decided>,
}

/// All that were not closed.
#[derive(Default)]
pub(crate) struct Proposals(BTreeMap<(Owner, String), Pending>);

/// A decision, and who is to hear it. Told where no lock is held.
pub(crate) struct Verdict(Option<Decided>, Decision);

impl Verdict {
    pub(crate) fn tell(self) {
        if let Some(decided) = self.0 {
            decided(self.1);
        }
    }
}

/// A number that no diff of this process had before.
pub(crate) fn new_id() -> DiffId {
    static LATEST: AtomicU32 = AtomicU32::new(1);
    DiffId(LATEST.fetch_add(1, Ordering::Relaxed))
}

impl Proposals {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(&mut self, owner: Owner, tab: &str, diff: DiffId, editor: u64, decided: Decided) {
        self.0.insert((owner, tab.to_owned()), Pending { diff, editor, decided: Some(decided) });
    }

    /// Forget one: what it was, in which editor, and what its end is to whoever still waits.
    pub(crate) fn remove(&mut self, owner: Owner, tab: &str, why: Rejection) -> Option<(DiffId, u64, Verdict)> {
        let pending = self.0.remove(&(owner, tab.to_owned()))?;
        Some((pending.diff, pending.editor, Verdict(pending.decided, Decision::Rejected(why))))
    }

    /// Forget one that never came into view: nobody is told.
    pub(crate) fn discard(&mut self, owner: Owner, tab: &str, diff: DiffId) {
        if self.0.get(&(owner, tab.to_owned())).is_some_and(|pending| pending.diff == diff) {
            self.0.remove(&(owner, tab.to_owned()));
        }
    }

    /// The tabs of an owner.
    pub(crate) fn of(&self, owner: Owner) -> Vec<String> {
        self.0.keys().filter(|(known, _)| *known == owner).map(|(_, tab)| tab.clone()).collect()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<(Owner, String)> {
        self.0.keys().cloned().collect()
    }

    /// The person decided in an editor. None where there is nothing to decide: the diff is another editor's, or decided.
    pub(crate) fn decide(&mut self, editor: u64, diff: DiffId, decision: Decision) -> Option<Verdict> {
        let pending = self.0.values_mut().find(|pending| pending.editor == editor && pending.diff == diff)?;
        Some(Verdict(Some(pending.decided.take()?), decision))
    }

    /// An editor is gone, and all that it showed.
    pub(crate) fn lose(&mut self, editor: u64) -> Vec<Verdict> {
        let lost = self.0.extract_if(.., |_, pending| pending.editor == editor);
        lost.map(|(_, pending)| Verdict(pending.decided, Decision::Rejected(Rejection::EditorGone))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn each_proposal_ends_once() {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let listen = |name: &str| -> Decided {
            let (heard, name) = (Arc::clone(&heard), name.to_owned());
            Box::new(move |decision| heard.lock().expect("no panic").push(format!("{name}: {decision:?}")))
        };
        let (one, other) = (Owner::new(), Owner::new());
        let mut proposals = Proposals::default();
        let [a, b, c] = [new_id(), new_id(), new_id()];
        proposals.add(one, "t", a, 7, listen("a"));
        proposals.add(other, "t", b, 7, listen("b"));
        proposals.add(one, "u", c, 8, listen("c"));
        assert!(
            proposals.decide(8, a, Decision::Rejected(Rejection::Refused)).is_none(),
            "another editor decides nothing"
        );
        proposals.decide(7, a, Decision::Accepted("x".into())).expect("waits").tell();
        assert!(proposals.decide(7, a, Decision::Rejected(Rejection::Closed)).is_none(), "once");
        for verdict in proposals.lose(7) {
            verdict.tell();
        }
        let (diff, editor, verdict) = proposals.remove(one, "u", Rejection::Withdrawn).expect("there");
        assert_eq!((diff, editor), (c, 8));
        verdict.tell();
        assert!(proposals.remove(one, "u", Rejection::Withdrawn).is_none());
        assert_eq!(
            *heard.lock().expect("no panic"),
            ["a: Accepted(\"x\")", "b: Rejected(EditorGone)", "c: Rejected(Withdrawn)"]
        );
    }
}
