//! `openDiff`: proposes a change for the user to decide. The call is answered after the decision, with the text as
//! the user may have edited it. The client writes the file, not this server.

use std::sync::Arc;

use marquetry_model::{
    Result,
    editor::{Decision, Diff, DiffId, DiffSide, EditorCall, Proposal, Rejection},
    ports::EntryKind,
};
use serde_json::Value;

use super::{
    answers,
    arguments::{self, OpenDiff},
    paths::Located,
    session::{PendingCall, Session},
};

/// Withdraws the proposal of a cancelled call.
pub(super) fn withdraw(session: &Session, id: &str) {
    let Some(tab) = session.diffs.remove(id) else { return };
    let (editors, owner) = (Arc::clone(session.editors()), session.owner);
    tokio::task::spawn_blocking(move || editors.close(owner, &tab));
}

/// Shows a diff. The call is answered when it is decided.
pub(super) fn propose(session: &Arc<Session>, given: Value, call: PendingCall) {
    let id = call.id.clone();
    if let Err(error) = try_propose(session, given, call) {
        session.diffs.remove(&id);
        session.send(answers::error_response(&id, &error));
    }
}

fn try_propose(session: &Arc<Session>, given: Value, asked: PendingCall) -> Result<()> {
    let OpenDiff { old_file_path, new_file_path, new_file_contents, tab_name } = arguments::parse("openDiff", given)?;
    let (old, new) = (session.resolve_path(&old_file_path)?, session.resolve_path(&new_file_path)?);
    let files = session.catalog().bench().files(Some(&old.root))?;
    let is_there = files.stat(&old.name) == Some(EntryKind::File);
    // A file that does not exist is shown as empty: the proposal creates it.
    let left = DiffSide { text: (!is_there).then(|| "".into()), ..diff_side(&old) };
    let right = DiffSide { text: Some(normalize_line_endings(&new_file_contents).into()), ..diff_side(&new) };
    let call = EditorCall::for_root(&new.root, &asked.call.work);
    // The port assigns the ID and sets `decide`.
    let diff = Diff { id: DiffId(0), title: tab_name.clone(), left, right, decide: true, focus: true };
    let proposal = Proposal { owner: session.owner, tab: tab_name.clone(), diff };
    session.diffs.add(&asked.id, &tab_name);
    let (client, tab) = (Arc::clone(session), tab_name.clone());
    let decided =
        move |decision| answer_call(&client, &asked, &decision_result(decision, &tab_name, &new_file_contents));
    session.editors().propose(&call, proposal, Box::new(decided))?;
    if session.diffs.is_disconnected() {
        session.editors().close(session.owner, &tab);
    }
    Ok(())
}

/// Answers a call, which ends it.
fn answer_call(session: &Session, call: &PendingCall, result: &Value) {
    session.diffs.remove(&call.id);
    session.send(answers::response(&call.id, result));
}

/// The tool result for a decision.
fn decision_result(decision: Decision, tab: &str, proposed: &str) -> Value {
    match decision {
        Decision::Accepted(text) => answers::text_result(&["FILE_SAVED", &restore_line_endings(proposed, &text)]),
        Decision::Rejected(why) => {
            if why == Rejection::EditorDisconnected {
                tracing::info!("the editor disconnected before `{tab}` was accepted or rejected");
            }
            answers::text_result(&["DIFF_REJECTED", tab])
        }
    }
}

fn diff_side(file: &Located) -> DiffSide {
    DiffSide { path: Some(file.path.clone()), text: None, label: file.name.clone() }
}

/// Normalizes line endings, as editors expect.
fn normalize_line_endings(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Restores the line endings of the proposed text, byte for byte if the user changed nothing.
fn restore_line_endings(proposed: &str, accepted: &str) -> String {
    let accepted = normalize_line_endings(accepted);
    if normalize_line_endings(proposed) == accepted {
        return proposed.to_owned();
    }
    let windows = proposed.matches("\r\n").count();
    if windows * 2 > proposed.matches('\n').count() { accepted.replace('\n', "\r\n") } else { accepted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_text_keeps_line_endings_of_proposal() {
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
            assert_eq!(restore_line_endings(proposed, accepted), expected, "{proposed:?} {accepted:?}");
        }
    }
}
