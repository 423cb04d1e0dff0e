//! Rules for prose: constructions that are not plain technical English, in comments, messages, documents, names and
//! commit subjects.
//!
//! The counts may only go down: `xtask/english.txt` has the allowed number for each folder and category.

use std::{collections::BTreeMap, fmt::Write as _, fs, process::Command};

use anyhow::Result;
use regex::Regex;

use super::Tree;

/// File with the allowed counts: lines of `folder category count`.
const ALLOWED: &str = "xtask/english.txt";

/// Number of commits whose subjects are checked.
const CHECKED_COMMITS: &str = "40";

/// A construction, the allowed uses of it, and a better wording.
struct Construction {
    found: Regex,
    fine: Option<Regex>,
    advice: &'static str,
}

/// Patterns, exceptions and advice. A match of an exception at the same start is not counted.
#[rustfmt::skip]
const CONSTRUCTIONS: [(&str, &str, &str); 17] = [
    (r"\b(stands?|stood|standing)\b", r"(stands?|stood|standing) (alone|for|in for)\b", "`is`, `is located`"),
    (r"\b([Nn]othing|[Nn]one) (where|when|if|for|unless)\b", "", "`None` if …"),
    (r"\b(is|are|was|were) (no|none)\b", r"(is|are|was|were) (no|none) (longer|more|such|need|way|other)", "`is not a`"),
    (r"\bbehind\b", r"behind the scenes", "`after`"),
    (r"\b[Ss]o (many|long|often|much)\b", r"[Ss]o (many|long|often|much) (as|that)", "`at most N`, `this many`"),
    (r"\b(tells?|told|telling)\b", "", "`reports`, `returns`"),
    (r"\b(what (came|comes|becomes|became) of|(come|came|comes) to nothing)\b", "", "`the result of`, `fails`"),
    (r"\b(in|takes?|took) the place of\b", "", "`instead of`, `replaces`"),
    (r"\b(of its own|own accord|its like|its kind|its kin|the like)\b", "", "name the thing"),
    (r"\b(is|are) to (be|become|have|come|go|get|take)\b", "", "`will`, `must`"),
    (r"\b(leads?|led) (to|there|where|here)\b", "", "`resolves to`"),
    (r"\banew\b", "", "`again`"),
    (r"\b(nobody|somebody|whoever|everybody)\b", "", "name who: the caller, another process"),
    (r"\b(spell(s|ed|ing)?|spelt)\b", "", "`written`, `printed`"),
    (r"\b(let in|let somebody in|a word of its own|its word|the word of)\b", "", "`authenticated`, `approval`"),
    (r"\bas far as\b", "", "say how much"),
    (r"^What (to|a|an|the|is|was|every|each|it|they)\b", "", "start with the noun or the verb"),
];

/// Names of functions that have no meaning on their own.
const EMPTY_NAMES: &str = r"\bfn (told|one|of|all|given|is)\b";

/// First words of doc comments that are clauses without a subject.
const HEADLESS: &str = r"^\s*//[/!] (What|Who|Whether|Which|Why|How|None|Nothing|Where)\b";

/// Number of matches by folder and category, each with an example.
type Counts = BTreeMap<(String, &'static str), (usize, String)>;

/// Checks that no folder has more of these constructions than `xtask/english.txt` allows.
pub(super) fn check_english(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    let counts = count(tree)?;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut text = String::new();
        for ((folder, category), (count, _)) in &counts {
            writeln!(text, "{folder} {category} {count}")?;
        }
        fs::write(tree.top.join(ALLOWED), text)?;
        return Ok(());
    }
    let allowed = tree.read(ALLOWED);
    let allowed: BTreeMap<&str, usize> = allowed
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(key, count)| (key, count.parse().unwrap_or(0)))
        .collect();
    for ((folder, category), (count, example)) in &counts {
        let most = allowed.get(format!("{folder} {category}").as_str()).copied().unwrap_or(0);
        if *count > most {
            breaches
                .push(format!("{folder}: {count} {category} that are not plain English, {most} allowed: {example}"));
        }
    }
    Ok(())
}

/// Checks the subjects of the latest commits, if the tree has a git history.
pub(super) fn check_subjects(tree: &Tree, breaches: &mut Vec<String>) -> Result<()> {
    // If the folder is inside another repository, the history describes that repository.
    if !tree.top.join(".git").exists() {
        return Ok(());
    }
    let log = Command::new("git")
        .args(["log", "--no-merges", "--format=%s", "-n", CHECKED_COMMITS])
        .current_dir(&tree.top)
        .output();
    let Ok(log) = log else { return Ok(()) };
    let form = Regex::new(r"^[a-z0-9][a-z0-9 ,.-]*: [a-z`0-9]")?;
    let constructions = constructions()?;
    for subject in String::from_utf8_lossy(&log.stdout).lines() {
        if !form.is_match(subject) {
            breaches.push(format!("commit subject `{subject}`: write `area: what changed`"));
        } else if let Some(found) = first_construction(&constructions, subject) {
            breaches.push(format!("commit subject `{subject}`: {found}"));
        }
    }
    Ok(())
}

fn constructions() -> Result<Vec<Construction>> {
    let compile = |(found, fine, advice): (&str, &str, &'static str)| {
        let fine = (!fine.is_empty()).then(|| Regex::new(&format!("^(?:{fine})"))).transpose()?;
        Ok(Construction { found: Regex::new(found)?, fine, advice })
    };
    CONSTRUCTIONS.into_iter().map(compile).collect()
}

/// Returns the first construction in a text, with the advice.
fn first_construction(constructions: &[Construction], text: &str) -> Option<String> {
    constructions.iter().find_map(|construction| {
        let is_counted = |at: usize| !construction.fine.as_ref().is_some_and(|fine| fine.is_match(&text[at..]));
        let found = construction.found.find_iter(text).find(|found| is_counted(found.start()))?;
        Some(format!("`{}`, better {}", found.as_str(), construction.advice))
    })
}

/// Counts the lines with a construction.
fn count(tree: &Tree) -> Result<Counts> {
    let (constructions, empty_names, headless) = (constructions()?, Regex::new(EMPTY_NAMES)?, Regex::new(HEADLESS)?);
    let mut counts = Counts::new();
    for suffix in [".rs", ".wit", ".ts", ".js", ".mjs", ".py", ".lua", ".md"] {
        for name in tree.files(suffix)? {
            if is_excluded(&name) {
                continue;
            }
            let folder = folder_of(&name);
            let mut add = |category, line: usize, example: String| {
                let (count, first) = counts.entry((folder.clone(), category)).or_default();
                if *count == 0 {
                    *first = format!("{name}:{line}: {example}");
                }
                *count += 1;
            };
            let text = tree.read(&name);
            for (number, category, prose) in prose(&text, suffix) {
                if let Some(found) = first_construction(&constructions, &prose) {
                    add(category, number, found);
                }
            }
            if suffix == ".rs" {
                for (index, line) in text.lines().enumerate() {
                    if let Some(found) = empty_names.find(line) {
                        add("names", index + 1, format!("`{}` does not say what it does", found.as_str()));
                    }
                    if headless.is_match(line) {
                        add("comments", index + 1, "start with the noun or the verb".to_owned());
                    }
                }
            }
        }
    }
    Ok(counts)
}

/// Files that are not checked: those with text of other authors, generated text, and this list of constructions itself.
fn is_excluded(name: &str) -> bool {
    name.ends_with("tidy/english.rs")
        || name.starts_with("examples/shop/")
        || ["/built/", "/testdata/", "/corpora/", "CHANGELOG.md"].iter().any(|part| name.contains(part))
}

/// Returns the crate of a file, or its top folder.
fn folder_of(name: &str) -> String {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        ["plugins", kind, crate_name, ..] => format!("plugins/{kind}/{crate_name}"),
        [top @ ("host" | "sdk"), crate_name, _, ..] => format!("{top}/{crate_name}"),
        [top, _, ..] => (*top).to_owned(),
        _ => "top".to_owned(),
    }
}

/// Returns the lines of prose in a file, from 1, with their category.
fn prose<'t>(text: &'t str, suffix: &str) -> Vec<(usize, &'static str, std::borrow::Cow<'t, str>)> {
    let mut lines = Vec::new();
    let mut in_fence = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let trimmed = line.trim_start();
        if suffix == ".md" {
            let is_fence = trimmed.starts_with("```");
            in_fence ^= is_fence;
            if !in_fence && !is_fence {
                lines.push((number, "documents", without_code(line).into()));
            }
            continue;
        }
        let markers: &[&str] = match suffix {
            ".py" => &["#"],
            ".lua" => &["--"],
            ".rs" | ".wit" => &["///", "//!", "//"],
            _ => &["//", "/**", "*"],
        };
        if let Some(comment) = markers.iter().find_map(|marker| trimmed.strip_prefix(marker)) {
            lines.push((number, "comments", without_code(comment.trim_start()).into()));
        } else if suffix == ".rs" {
            for message in string_literals(line) {
                lines.push((number, "messages", message.into()));
            }
        }
    }
    lines
}

/// Replaces inline code by a blank: names in backticks are not prose.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns the string literals of a line that read like prose: at least four words.
fn string_literals(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut parts = line.split('"');
    // Escaped quotes only split a literal further, which is good enough for counting.
    while let (Some(_), Some(literal)) = (parts.next(), parts.next()) {
        if literal.split(' ').filter(|word| word.chars().all(char::is_alphabetic)).count() > 3 {
            found.push(literal);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        first_construction(&constructions().expect("patterns"), text)
    }

    #[test]
    fn plain_sentences_have_no_construction() {
        for text in [
            "Returns the nodes that a target matches.",
            "`None` if the file does not exist.",
            "The letter stands for a list.",
            "It is no longer needed.",
            "at most 50 matches, so long as they fit",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn constructions_are_found_with_advice() {
        assert_eq!(found("Where a value stands.").as_deref(), Some("`stands`, better `is`, `is located`"));
        assert_eq!(found("`a` is no JSONPath").as_deref(), Some("`is no`, better `is not a`"));
        assert_eq!(found("None where the file is gone").as_deref(), Some("`None where`, better `None` if …"));
        assert!(found("What a server offers").is_some());
    }

    #[test]
    fn doc_comments_start_with_a_noun_or_a_verb() {
        let headless = Regex::new(HEADLESS).expect("pattern");
        for line in ["/// Why a call failed.", "    /// Which files it reads.", "//! How modules are found."] {
            assert!(headless.is_match(line), "{line}");
        }
        for line in ["/// The reason of a failure.", "// Why: the order matters.", "/// Whichever is shorter."] {
            assert!(!headless.is_match(line), "{line}");
        }
    }

    #[test]
    fn prose_is_comments_messages_and_text_outside_of_code() {
        let rust = "/// Returns `told`.\nfn a() { fail(\"this is one message\"); b(\"x y\") }\n";
        let lines: Vec<_> =
            prose(rust, ".rs").into_iter().map(|(_, category, text)| (category, text.into_owned())).collect();
        assert_eq!(lines, [("comments", "Returns  .".to_owned()), ("messages", "this is one message".to_owned())]);
        let markdown = "One `told` two\n```\nnobody\n```\nthree\n";
        let lines: Vec<_> =
            prose(markdown, ".md").into_iter().map(|(line, _, text)| (line, text.into_owned())).collect();
        assert_eq!(lines, [(1, "One   two".to_owned()), (5, "three".to_owned())]);
    }

    #[test]
    fn folders_are_crates() {
        assert_eq!(folder_of("host/tools/src/lib.rs"), "host/tools");
        assert_eq!(folder_of("plugins/languages/css/src/lib.rs"), "plugins/languages/css");
        assert_eq!(folder_of("docs/limits.md"), "docs");
        assert_eq!(folder_of("README.md"), "top");
    }
}
