//! Parses goals, which are written as text:
//!
//! ```text
//! //- /src/a.ts                       a file of every goal of this text
//! export const a = 1;
//!
//! ==== rename the constant            a goal; its own files follow, if it has any
//! ---- file_edit {"file": "src/a.ts", …}     the first call
//! ---- file_edit {…}                  optional: the call after an error
//! file src/a.ts                       the file is exactly these lines
//! | export const b = 1;
//! has src/b.ts: from "./a"            the file contains this text
//! lacks src/b.ts: old                 the file does not contain it
//! gone src/c.ts                       the file does not exist
//! shows 3 matches                     the answer contains this text
//! hides secret                        the answer does not contain it
//! refused TargetNotFound              the right answer is an error that contains this text
//! open the reason                     the goal is not reached yet: it counts as wrong or failed, and must not be right
//! ```

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::client::Answer;

/// One goal of an agent.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    pub kind: String,
    pub title: String,
    files: Vec<(String, String)>,
    pub calls: Vec<Call>,
    /// The reason, if it is known that the goal is not reached yet.
    pub known_failure: Option<String>,
    expectations: Vec<Expectation>,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub tool: String,
    pub arguments: Value,
}

/// A condition that must hold after the call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Expectation {
    /// The file has exactly this text.
    Equals {
        file: String,
        text: String,
    },
    Contains {
        file: String,
        text: String,
    },
    Lacks {
        file: String,
        text: String,
    },
    Deleted(String),
    AnswerContains(String),
    AnswerLacks(String),
    Refused(String),
}

impl Goal {
    /// Writes the files of the goal into a new folder.
    pub(super) fn write(&self, project: &Path) -> Result<()> {
        fs::create_dir_all(project)?;
        for (path, text) in &self.files {
            let path = project.join(path);
            fs::create_dir_all(path.parent().context("a file without a folder")?)?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Returns the first expectation that does not hold; `None` if the goal is reached.
    pub(super) fn first_unmet(&self, project: &Path, answer: &Answer) -> Result<Option<String>> {
        let is_refusal = self.expectations.iter().any(|it| matches!(it, Expectation::Refused(_)));
        if answer.is_error != is_refusal {
            return Ok(Some(if is_refusal { "it has to be refused" } else { "it is refused" }.to_owned()));
        }
        for expectation in &self.expectations {
            if let Some(why) = expectation.reason_unmet(project, answer)? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }
}

impl Expectation {
    fn reason_unmet(&self, project: &Path, answer: &Answer) -> Result<Option<String>> {
        let read = |file: &str| fs::read_to_string(project.join(file)).unwrap_or_default();
        let why = match self {
            Expectation::Equals { file, text } => {
                let is = read(file);
                (is != *text).then(|| format!("{file} is {is:?} instead of {text:?}"))
            }
            Expectation::Contains { file, text } => {
                let is = read(file);
                (!is.contains(text)).then(|| format!("{file} lacks {text:?}: {is:?}"))
            }
            Expectation::Lacks { file, text } => {
                let is = read(file);
                is.contains(text).then(|| format!("{file} still contains {text:?}"))
            }
            Expectation::Deleted(file) => project.join(file).exists().then(|| format!("{file} still exists")),
            Expectation::AnswerContains(text) | Expectation::Refused(text) => {
                (!answer.text.contains(text)).then(|| format!("the answer lacks {text:?}: {}", answer.text))
            }
            Expectation::AnswerLacks(text) => {
                answer.text.contains(text).then(|| format!("the answer contains {text:?}: {}", answer.text))
            }
        };
        Ok(why)
    }
}

/// Parses the goals of one text.
pub(super) fn parse(kind: &str, text: &str) -> Result<Vec<Goal>> {
    let mut parts = text.split("\n==== ");
    let shared = parse_files(parts.next().unwrap_or_default())?;
    parts.map(|part| parse_goal(kind, &shared, part).with_context(|| first_line(part))).collect()
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn parse_goal(kind: &str, shared: &[(String, String)], text: &str) -> Result<Goal> {
    let (head, rest) = text.split_once("\n---- ").context("a goal without a call")?;
    let (title, own) = head.split_once('\n').unwrap_or((head, ""));
    let mut files_of_goal = shared.to_vec();
    for (path, text) in parse_files(own)? {
        files_of_goal.retain(|(known, _)| *known != path);
        files_of_goal.push((path, text));
    }
    let mut goal = Goal {
        kind: kind.to_owned(),
        title: title.to_owned(),
        files: files_of_goal,
        calls: Vec::new(),
        known_failure: None,
        expectations: Vec::new(),
    };
    for line in format!("---- {rest}").lines() {
        if let Some(call) = line.strip_prefix("---- ") {
            let (tool, arguments) = call.split_once(' ').context("a call without arguments")?;
            let arguments = serde_json::from_str(arguments).with_context(|| line.to_owned())?;
            goal.calls.push(Call { tool: tool.to_owned(), arguments });
        } else if let Some(text) = line.strip_prefix('|') {
            let Some(Expectation::Equals { text: all, .. }) = goal.expectations.last_mut() else {
                bail!("`{line}` does not follow `file PATH`");
            };
            all.push_str(text.strip_prefix(' ').unwrap_or(text));
            all.push('\n');
        } else if let Some(reason) = line.strip_prefix("open ") {
            goal.known_failure = Some(reason.to_owned());
        } else if !line.trim().is_empty() {
            goal.expectations.push(parse_expectation(line)?);
        }
    }
    ensure!(!goal.expectations.is_empty(), "a goal without expectations");
    Ok(goal)
}

fn parse_expectation(line: &str) -> Result<Expectation> {
    let (word, rest) = line.split_once(' ').with_context(|| format!("`{line}` expects nothing"))?;
    let rest = rest.to_owned();
    let in_file = || -> Result<(String, String)> {
        let (file, text) = rest.split_once(": ").with_context(|| format!("`{line}` is not `{word} FILE: TEXT`"))?;
        Ok((file.to_owned(), text.to_owned()))
    };
    Ok(match word {
        "file" => Expectation::Equals { file: rest, text: String::new() },
        "has" => in_file().map(|(file, text)| Expectation::Contains { file, text })?,
        "lacks" => in_file().map(|(file, text)| Expectation::Lacks { file, text })?,
        "gone" => Expectation::Deleted(rest),
        "shows" => Expectation::AnswerContains(rest),
        "hides" => Expectation::AnswerLacks(rest),
        "refused" => Expectation::Refused(rest),
        _ => bail!("`{word}` is not `file`, `has`, `lacks`, `gone`, `shows`, `hides` or `refused`"),
    })
}

/// Parses the files of a text: `//- /PATH` and the lines after it, without blank lines at the end.
fn parse_files(text: &str) -> Result<Vec<(String, String)>> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("//- /") {
            files.push((path.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        } else {
            ensure!(line.trim().is_empty() || line.starts_with('#'), "`{line}` belongs to no file");
        }
    }
    for (_, text) in &mut files {
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//- /a.ts
export const a = 1;

//- /b.ts
old

==== rename the constant
//- /b.ts
new
---- file_edit {\"file\": \"a.ts\"}
---- file_edit {\"file\": \"b.ts\"}
file a.ts
| export const b = 1;
has b.ts: new
shows 1 file

==== refuse a missing symbol
---- file_read {}
refused TargetNotFound
open nothing reads it yet
";

    fn goals() -> Vec<Goal> {
        parse("renames", TEXT).expect("goals")
    }

    #[test]
    fn files_of_a_goal_replace_shared_ones() {
        let goals = goals();
        assert_eq!(goals[0].files, [("a.ts", "export const a = 1;\n"), ("b.ts", "new\n")].map(owned));
        assert_eq!(goals[1].files[1], owned(("b.ts", "old\n")));
        assert_eq!((goals[0].calls.len(), goals[1].calls.len()), (2, 1));
        assert_eq!(
            (goals[0].known_failure.as_deref(), goals[1].known_failure.as_deref()),
            (None, Some("nothing reads it yet"))
        );
    }

    fn owned((path, text): (&str, &str)) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn expectations_are_checked_against_files_and_the_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let goal = &goals()[0];
        goal.write(folder.path()).expect("written");
        let answer = |text: &str| Answer { text: text.to_owned(), is_error: false };
        let unmet = |text: &str| goal.first_unmet(folder.path(), &answer(text)).expect("checked");
        assert!(unmet("1 file").expect("a difference").starts_with("a.ts is "));
        fs::write(folder.path().join("a.ts"), "export const b = 1;\n").expect("written");
        assert_eq!(unmet("1 file"), None);
        assert!(unmet("2 files").expect("a difference").contains("lacks \"1 file\""));
        fs::write(folder.path().join("b.ts"), "").expect("written");
        assert!(unmet("1 file").expect("a difference").starts_with("b.ts lacks"));
    }

    #[test]
    fn an_expected_refusal_has_to_be_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let goal = &goals()[1];
        let unmet = |text: &str, is_error| {
            goal.first_unmet(folder.path(), &Answer { text: text.to_owned(), is_error }).expect("checked")
        };
        assert_eq!(unmet("TargetNotFound: no such symbol", true), None);
        assert!(unmet("TargetNotFound", false).is_some());
        assert!(unmet("FileNotFound", true).is_some());
    }

    #[test]
    fn malformed_goals_are_refused() {
        for text in
            ["\n==== t\nno call", "\n==== t\n---- x {}\n", "\n==== t\n---- x {}\nwants a", "\n==== t\n---- x {}\n| a"]
        {
            assert!(parse("", text).is_err(), "{text}");
        }
    }
}
