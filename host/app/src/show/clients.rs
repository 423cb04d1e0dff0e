//! Output of `marq init`.

use std::io::Write as _;

use marquetry_catalog::text;
use marquetry_model::escape::{escape_line, escape_text};
use serde_json::Value;

use super::{Output, escape_one_line, json};

/// Prints the diffs of changes that are not written yet.
pub(crate) fn client_diffs(diffs: &[&str], Output { json: as_json, style, terminal }: Output) {
    if as_json {
        return;
    }
    for diff in diffs {
        let shown = if terminal { escape_text(diff) } else { (*diff).into() };
        let _ = write!(std::io::stdout(), "{}", text::diff(&shown, style));
    }
}

/// Prints the result for each client, and the results of the tests of the servers.
pub(crate) fn clients(answer: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(answer);
    }
    let answer = &escape_one_line(answer);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let list = |name: &str| answer[name].as_array().map_or(&[][..], Vec::as_slice);
    let is_dry = answer["dryRun"] == true;
    for row in list("files") {
        let would = if is_dry { "would be " } else { "" };
        let outcome = match row["outcome"].as_str() {
            Some("added") => format!("{would}added to"),
            Some("updated") => format!("{would}updated in"),
            Some("removed") => format!("{would}removed from"),
            Some("absent") => "is not in".to_owned(),
            Some("kept") => format!("kept ({}):", text(&row["reason"])),
            _ => "is already in".to_owned(),
        };
        say!("{} {outcome} {}", style.strong(&format!("{:<18}", text(&row["name"]))), text(&row["shown"]));
    }
    for row in list("skipped") {
        say!("{} skipped: {}", style.strong(&format!("{:<18}", text(&row["name"]))), text(&row["reason"]));
    }
    for change in list("changes") {
        say!("{} {}", style.faint("undo with:"), text(&change["undo"]));
        for warning in change["warnings"].as_array().into_iter().flatten() {
            say!("{} {}", style.bad("warning:"), text(warning));
        }
    }
    for check in list("checks") {
        let mark = if check["success"] == true { style.good("ok  ") } else { style.bad("FAIL") };
        say!("{mark} {}: {}", text(&check["name"]), text(&check["detail"]));
    }
    for next in list("next") {
        say!("{} {}: {}", style.faint("next:"), text(&next["name"]), escape_line(&text(&next["what"])));
    }
    if is_dry {
        say!("dry run: nothing was written");
    }
}
