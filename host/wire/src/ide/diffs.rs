//! `openDiff`: a change that the person decides. The call is answered when it is decided, and the person may have changed the
//! text by then. Nothing is written here: the client does that, with the text it is answered.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use marquetry_model::{
    Result,
    editor::{Call, Decision, Diff, DiffId, Proposal, Rejection, Side},
    ports::EntryKind,
};
use serde_json::Value;

use super::{
    answers,
    arguments::{self, Located, OpenDiff},
    session::{Asked, Session},
};

/// The diffs of one client that are not decided.
#[derive(Default)]
pub(super) struct Diffs {
    /// Tabs, by the id of their call.
    pending: Mutex<HashMap<String, String>>,
    /// The client has gone.
    gone: AtomicBool,
}

impl Diffs {
    fn pending(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client has gone. A call of it that is still at work may propose something yet: that goes at once.
    pub(super) fn leave(&self) {
        self.gone.store(true, Ordering::SeqCst);
    }

    /// The client no longer waits for a decision.
    pub(super) fn withdraw(&self, session: &Session, id: &str) {
        let Some(tab) = self.pending().remove(id) else { return };
        let (editors, owner) = (Arc::clone(session.editors()), session.owner);
        tokio::task::spawn_blocking(move || editors.close(owner, &tab));
    }

    /// Show a diff; it is answered when it is decided.
    pub(super) fn propose(session: &Arc<Session>, given: Value, asked: Asked) {
        let id = asked.id.clone();
        if let Err(error) = Diffs::try_propose(session, given, asked) {
            session.diffs.pending().remove(&id);
            session.send(answers::failure(&id, &error));
        }
    }

    fn try_propose(session: &Arc<Session>, given: Value, asked: Asked) -> Result<()> {
        let OpenDiff { old_file_path, new_file_path, new_file_contents, tab_name } =
            arguments::read("openDiff", given)?;
        let (old, new) = (session.located(&old_file_path)?, session.located(&new_file_path)?);
        let files = session.catalog().bench().files(Some(&old.root))?;
        let is_there = files.stat(&old.name) == Some(EntryKind::File);
        // A file that is not there is an empty one: a proposal that makes it.
        let left = Side { text: (!is_there).then(|| "".into()), ..side(&old) };
        let right = Side { text: Some(lines_of(&new_file_contents).into()), ..side(&new) };
        let call = Call::about(&new.root, &asked.call.work);
        // The number and the question are the port's.
        let diff = Diff { id: DiffId(0), title: tab_name.clone(), left, right, decide: true, focus: true };
        let proposal = Proposal { owner: session.owner, tab: tab_name.clone(), diff };
        session.diffs.pending().insert(asked.id.clone(), tab_name.clone());
        let (told, tab) = (Arc::clone(session), tab_name.clone());
        let decided = move |decision| told.diffs.decided(&told, &asked, &tab_name, &new_file_contents, decision);
        session.editors().propose(&call, proposal, Box::new(decided))?;
        if session.diffs.gone.load(Ordering::SeqCst) {
            session.editors().close(session.owner, &tab);
        }
        Ok(())
    }

    fn decided(&self, session: &Session, asked: &Asked, tab: &str, proposed: &str, decision: Decision) {
        self.pending().remove(&asked.id);
        let result = match decision {
            Decision::Accepted(text) => answers::texts(&["FILE_SAVED", &as_proposed(proposed, &text)]),
            Decision::Rejected(why) => {
                if why == Rejection::EditorGone {
                    tracing::info!("the editor went away before `{tab}` was decided");
                }
                answers::texts(&["DIFF_REJECTED", tab])
            }
        };
        session.send(answers::answer(&asked.id, &result));
    }
}

fn side(file: &Located) -> Side {
    Side { path: Some(file.path.clone()), text: None, label: file.name.clone() }
}

/// A text as editors take it.
fn lines_of(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// What was accepted, with the line endings of what was proposed: byte for byte, where the person changed nothing.
fn as_proposed(proposed: &str, accepted: &str) -> String {
    let accepted = lines_of(accepted);
    if lines_of(proposed) == accepted {
        return proposed.to_owned();
    }
    let windows = proposed.matches("\r\n").count();
    if windows * 2 > proposed.matches('\n').count() { accepted.replace('\n', "\r\n") } else { accepted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_has_the_line_endings_of_what_was_proposed() {
        for (proposed, accepted, expected) in [
            ("a\nb\n", "a\nb\n", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n", "a\r\nb\r\n"),
            ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
            ("a\r\nb\n", "a\nb\n", "a\r\nb\n"),
            ("a\nb\r\nc\n", "a\nx\nc\n", "a\nx\nc\n"),
            ("", "", ""),
            ("a", "", ""),
            ("", "a\n", "a\n"),
            ("a\r\n", "b\r\n", "b\r\n"),
        ] {
            assert_eq!(as_proposed(proposed, accepted), expected, "{proposed:?} {accepted:?}");
        }
    }
}
