//! Proposals: diffs that wait for the user's decision. A proposal ends when it is decided, replaced or withdrawn, or
//! when its editor disconnects. Its callback is called exactly once.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use marquetry_model::editor::{Decision, DiffId, ProposalOwner, Rejection};

/// Callback that receives the decision.
pub(crate) type DecisionCallback = Box<dyn FnOnce(Decision) + Send>;

/// A proposal that has not been closed.
struct Pending {
    diff: DiffId,
    /// ID of the editor that shows it.
    editor: u64,
    /// `None` once decided.
    decided: Option<DecisionCallback>,
}

/// Proposals that have not been closed.
#[derive(Default)]
pub(crate) struct Proposals(BTreeMap<(ProposalOwner, String), Pending>);

/// A decision and the callback to call with it. Deliver it while holding no lock.
pub(crate) struct PendingDecision(Option<DecisionCallback>, Decision);

impl PendingDecision {
    pub(crate) fn deliver(self) {
        if let Some(decided) = self.0 {
            decided(self.1);
        }
    }
}

/// Returns a diff ID that is unique within this process.
pub(crate) fn new_id() -> DiffId {
    static LATEST: AtomicU32 = AtomicU32::new(1);
    DiffId(LATEST.fetch_add(1, Ordering::Relaxed))
}

impl Proposals {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn add(
        &mut self,
        owner: ProposalOwner,
        tab: &str,
        diff: DiffId,
        editor: u64,
        decided: DecisionCallback,
    ) {
        self.0.insert((owner, tab.to_owned()), Pending { diff, editor, decided: Some(decided) });
    }

    /// Removes a proposal. Returns its diff, its editor, and the decision for the caller that still waits.
    pub(crate) fn remove(
        &mut self,
        owner: ProposalOwner,
        tab: &str,
        why: Rejection,
    ) -> Option<(DiffId, u64, PendingDecision)> {
        let pending = self.0.remove(&(owner, tab.to_owned()))?;
        Some((pending.diff, pending.editor, PendingDecision(pending.decided, Decision::Rejected(why))))
    }

    /// Removes a proposal that was never shown, without calling its callback.
    pub(crate) fn discard(&mut self, owner: ProposalOwner, tab: &str, diff: DiffId) {
        if self.0.get(&(owner, tab.to_owned())).is_some_and(|pending| pending.diff == diff) {
            self.0.remove(&(owner, tab.to_owned()));
        }
    }

    /// The tabs of an owner.
    pub(crate) fn tabs_of(&self, owner: ProposalOwner) -> Vec<String> {
        self.0.keys().filter(|(known, _)| *known == owner).map(|(_, tab)| tab.clone()).collect()
    }

    /// The owners and tabs of all proposals.
    pub(crate) fn open_proposals(&self) -> Vec<(ProposalOwner, String)> {
        self.0.keys().cloned().collect()
    }

    /// Records the user's decision. `None` if the editor does not show this diff or it is already decided.
    pub(crate) fn decide(&mut self, editor: u64, diff: DiffId, decision: Decision) -> Option<PendingDecision> {
        let pending = self.0.values_mut().find(|pending| pending.editor == editor && pending.diff == diff)?;
        Some(PendingDecision(Some(pending.decided.take()?), decision))
    }

    /// Removes the proposals of an editor that has disconnected.
    pub(crate) fn remove_editor(&mut self, editor: u64) -> Vec<PendingDecision> {
        let lost = self.0.extract_if(.., |_, pending| pending.editor == editor);
        lost.map(|(_, pending)| PendingDecision(pending.decided, Decision::Rejected(Rejection::EditorDisconnected)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn each_proposal_ends_once() {
        let received: Arc<Mutex<Vec<String>>> = Arc::default();
        let listen = |name: &str| -> DecisionCallback {
            let (received, name) = (Arc::clone(&received), name.to_owned());
            Box::new(move |decision| received.lock().expect("no panic").push(format!("{name}: {decision:?}")))
        };
        let (one, other) = (ProposalOwner::new(), ProposalOwner::new());
        let mut proposals = Proposals::default();
        let [a, b, c] = [new_id(), new_id(), new_id()];
        proposals.add(one, "t", a, 7, listen("a"));
        proposals.add(other, "t", b, 7, listen("b"));
        proposals.add(one, "u", c, 8, listen("c"));
        assert!(
            proposals.decide(8, a, Decision::Rejected(Rejection::Refused)).is_none(),
            "another editor must not decide the proposal"
        );
        proposals.decide(7, a, Decision::Accepted("x".into())).expect("waits").deliver();
        assert!(
            proposals.decide(7, a, Decision::Rejected(Rejection::Closed)).is_none(),
            "a proposal is decided only once"
        );
        for verdict in proposals.remove_editor(7) {
            verdict.deliver();
        }
        let (diff, editor, verdict) = proposals.remove(one, "u", Rejection::Withdrawn).expect("there");
        assert_eq!((diff, editor), (c, 8));
        verdict.deliver();
        assert!(proposals.remove(one, "u", Rejection::Withdrawn).is_none());
        assert_eq!(
            *received.lock().expect("no panic"),
            ["a: Accepted(\"x\")", "b: Rejected(EditorDisconnected)", "c: Rejected(Withdrawn)"]
        );
    }
}
