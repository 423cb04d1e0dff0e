//! Parses cases: files, calls, and the expected answer of each, in one text.
//!
//! ```text
//! ==== replace changes the value with the given path
//! //- /a.json
//! {"a": 1}
//! ---- file_edit {"file": "a.json", "path": "$.a", "operation": "replace", "content": "2"} => summary
//! --- a/a.json
//! +++ b/a.json
//! @@ -1 +1 @@
//! -{"a": 1}
//! +{"a": 2}
//! summary: Replaced $.a
//! ```
//!
//! Files before the first `====` are shared by all cases of the text.
//!
//! After `=>`, the case lists the fields of the answer to show: `*` shows all, `- name` omits one, and `for models` and
//! `for people` show the answer as text for these readers. For an error, `kind` shows only its kind.
//!
//! Placeholders in the arguments: `$file`, `$line`, `$column`, `$lines` and `$selection` refer to the position that
//! `$0` marks in a file of the case, `$hash(path)` is the hash of a file, `$root` the folder of the project, `$id` the
//! id of the latest change.
//!
//! `---- !write PATH`, followed by lines, writes a file like another program would; `---- !remove PATH` removes one;
//! `---- !show PATH` shows one.

use serde_json::{Value, de::Deserializer};

/// A case.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) title: String,
    /// The shared files and those of the case, as text.
    pub(crate) files: String,
    pub(crate) steps: Vec<Step>,
}

/// A call, or an action between calls.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The lines from `----` up to the expected answer, without it.
    pub(crate) head: String,
    pub(crate) name: String,
    /// Arguments as JSON text, with placeholders; for a step with `!`, the path.
    pub(crate) arguments: String,
    pub(crate) fields: Vec<String>,
    /// The expected answer; for `!write`, the text.
    pub(crate) expected: String,
}

/// Parses a text. Returns the preamble before the first case, and the cases.
pub(crate) fn parse(text: &str) -> (String, Vec<Case>) {
    let (mut preamble, mut blocks) = (String::new(), Vec::<(String, String)>::new());
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("==== "), blocks.last_mut()) {
            (Some(title), _) => blocks.push((title.trim().to_owned(), String::new())),
            (None, Some((_, body))) => body.push_str(line),
            (None, None) => preamble.push_str(line),
        }
    }
    let shared = preamble.find("//- ").map_or("", |at| &preamble[at..]).to_owned();
    let cases = blocks.into_iter().map(|(title, body)| parse_case(title, &shared, &body)).collect();
    (preamble, cases)
}

fn is_head(line: &str) -> bool {
    line.strip_prefix("---- ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '!'))
}

fn parse_case(title: String, shared: &str, body: &str) -> Case {
    let mut files = String::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = body.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if is_head(line) {
            let mut head = line.to_owned();
            // Arguments may span several lines.
            while !is_complete(&head) {
                head.push_str(lines.next().unwrap_or_else(|| panic!("arguments without an end in `{title}`")));
            }
            steps.push(parse_step(head));
        } else if let Some(step) = steps.last_mut() {
            step.expected.push_str(line);
        } else {
            files.push_str(line);
        }
    }
    // Ignore blank lines between steps.
    for step in &mut steps {
        step.expected.truncate(step.expected.trim_end().len());
        if !step.expected.is_empty() {
            step.expected.push('\n');
        }
    }
    files.truncate(files.trim_end_matches('\n').len());
    files.push_str(if files.is_empty() { "" } else { "\n" });
    Case { title, files: format!("{shared}{files}"), steps }
}

fn is_complete(head: &str) -> bool {
    let Some(at) = head.find('{') else { return true };
    let blank = replace_placeholders(&head[at..]);
    let mut values = Deserializer::from_str(&blank).into_iter::<Value>();
    !matches!(values.next(), Some(Err(error)) if error.is_eof())
}

/// Replaces placeholders outside of strings with numbers, so that the text is valid JSON.
fn replace_placeholders(text: &str) -> String {
    let mut result = text.to_owned();
    for name in ["$line", "$column", "$selection"] {
        result = result.replace(&format!(": {name}"), &format!(": {:>1$}", 0, name.len()));
        result = result.replace(&format!(":{name}"), &format!(":{:>1$}", 0, name.len()));
    }
    result
}

fn parse_step(head: String) -> Step {
    let rest = head.strip_prefix("---- ").unwrap_or_default();
    let (name, rest) = rest.split_once([' ', '\n']).unwrap_or((rest, ""));
    let (arguments, shown) = if name.starts_with('!') || !rest.contains('{') {
        (rest.trim().to_owned(), "")
    } else {
        let blank = replace_placeholders(rest);
        let mut values = Deserializer::from_str(&blank).into_iter::<Value>();
        let end = match values.next() {
            Some(Ok(_)) => values.byte_offset(),
            other => panic!("the arguments of `{}` are not JSON: {other:?}", head.trim()),
        };
        (rest[..end].to_owned(), rest[end..].trim())
    };
    let fields = shown.strip_prefix("=>").unwrap_or_default();
    let fields = fields.split(',').map(|field| field.trim().to_owned()).filter(|field| !field.is_empty()).collect();
    Step { name: name.trim().to_owned(), arguments, fields, expected: String::new(), head }
}
