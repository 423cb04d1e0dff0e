//! The same calls through every front end: the crate `marquetry`, JSON-RPC, MCP, the command line, and the typed clients
//! of TypeScript and Python. Their answers must be equal, apart from documented differences.

mod calls;
mod front_ends;
mod normal;

use std::{collections::BTreeMap, fs, time::Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use self::{
    calls::Call,
    front_ends::{FrontEnd, Programs},
    normal::{Normalizer, first_difference, with_latest_id},
};
use super::{Run, setup};
use crate::{
    demo::copy,
    measure::table::{Table, number, text},
    shell::{begin_step, end_step, top},
};

/// The list from which calls are drawn.
const LIST: &str = "xtask/conformance/calls.txt";
/// The schemas of the tools, by file name.
const SCHEMAS: &str = "host/catalog/schemas";
/// Number of calls of a complete run.
const CALLS: usize = 200;
/// Maximum number of printed differences of a front end.
const MAX_SHOWN: usize = 5;

/// The result of a front end.
enum Outcome {
    Answered(Answers),
    /// This interpreter is missing.
    NotRun(&'static str),
}

/// The answers of a front end.
struct Answers {
    values: Vec<Value>,
    seconds: f64,
}

/// Makes the calls through all front ends that can run, and compares the answers.
pub(super) fn run(run: &Run) -> Result<()> {
    let list = calls::parse(&fs::read_to_string(top().join(LIST))?)?;
    let calls = calls::draw(&list, &schemas()?, run.seed(), run.sample().unwrap_or(CALLS).min(CALLS));
    let programs = Programs::new(run.program().to_owned(), run.tool("conformance")?)?;
    let mut outcomes = Vec::new();
    for front_end in FrontEnd::ALL {
        let outcome = match front_end.missing() {
            Some(missing) => Outcome::NotRun(missing),
            None => {
                begin_step(&format!("{} calls: {}", calls.len(), front_end.name()));
                Outcome::Answered(answers_of(front_end, &programs, &calls)?)
            }
        };
        outcomes.push((front_end, outcome));
    }
    end_step();
    let unequal = print_tables(&calls, &outcomes);
    ensure!(unequal == 0, "{unequal} answers are not equal to those of the crate");
    Ok(())
}

/// Makes the calls in a fresh copy of the sample workspace. All copies have the same path, which answers may contain.
fn answers_of(front_end: FrontEnd, programs: &Programs, calls: &[Call]) -> Result<Answers> {
    let root = setup::empty_folder("conformance")?;
    copy(&top().join("examples/shop"), &root)?;
    let root = root.canonicalize()?;
    let started = Instant::now();
    let mut session = front_end.start(programs, &root)?;
    let mut normalizer = Normalizer::new();
    let mut values = Vec::new();
    for call in calls {
        let arguments = with_latest_id(&call.arguments, normalizer.latest_id());
        let answer = session.call(&Call { tool: call.tool.clone(), arguments })?;
        values.push(normalizer.normalize(answer));
    }
    Ok(Answers { values, seconds: started.elapsed().as_secs_f64() })
}

/// Describes how an answer differs from that of the crate. Both have the `text` of an error for models, which is all that
/// MCP has.
fn difference(expected: &Value, actual: &Value) -> Option<String> {
    let mut expected = expected.clone();
    if let Some(object) = expected.as_object_mut() {
        // The crate has both forms of an error; the other front end has one of them.
        if object.contains_key("error") {
            object.retain(|form, _| actual.get(form).is_some() || actual.get("result").is_some());
        }
    }
    first_difference(&expected, actual)
}

/// Prints the tables and the differences. Returns the number of unequal answers.
fn print_tables(calls: &[Call], outcomes: &[(FrontEnd, Outcome)]) -> usize {
    let Some((_, Outcome::Answered(reference))) = outcomes.first() else { return 0 };
    println!();
    print_tools(calls, reference);
    println!();
    let figures = ["calls", "answers", "errors", "unequal", "seconds"].map(number);
    let table = Table::start(&[&[text("front end", 18)], &figures[..]].concat());
    let mut all = Vec::new();
    for (front_end, outcome) in outcomes {
        let differences = differences(calls, reference, outcome);
        let cells = cells(*front_end, outcome, differences.len());
        table.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
        all.push((front_end, differences));
    }
    for (front_end, differences) in &all {
        for difference in differences.iter().take(MAX_SHOWN) {
            println!("{}: {difference}", front_end.name());
        }
    }
    all.iter().map(|(_, differences)| differences.len()).sum()
}

/// Describes the calls whose answers are not those of the crate.
fn differences(calls: &[Call], reference: &Answers, outcome: &Outcome) -> Vec<String> {
    let Outcome::Answered(answers) = outcome else { return Vec::new() };
    let pairs = calls.iter().zip(reference.values.iter().zip(&answers.values)).enumerate();
    pairs
        .filter_map(|(place, (Call { tool, arguments }, (expected, actual)))| {
            let difference = difference(expected, actual)?;
            Some(format!("call {place}, {tool} {arguments}\n    {difference}"))
        })
        .collect()
}

/// The cells of a front end's row.
fn cells(front_end: FrontEnd, outcome: &Outcome, unequal: usize) -> Vec<String> {
    let name = front_end.name().to_owned();
    match outcome {
        Outcome::NotRun(missing) => vec![name, format!("not run: needs {missing}")],
        Outcome::Answered(Answers { values, seconds }) => {
            let succeeded = values.iter().filter(|answer| answer.get("result").is_some()).count();
            let counts = [values.len(), succeeded, values.len() - succeeded, unequal].map(|count| count.to_string());
            [vec![name], counts.to_vec(), vec![format!("{seconds:.1}")]].concat()
        }
    }
}

/// Prints how many calls each tool had, and how many of them failed.
fn print_tools(calls: &[Call], reference: &Answers) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (call, answer) in calls.iter().zip(&reference.values) {
        let count = counts.entry(&call.tool).or_default();
        count.0 += 1;
        count.1 += usize::from(answer.get("error").is_some());
    }
    let table = Table::start(&[text("tool", 18), number("calls"), number("errors")]);
    for (tool, (made, failed)) in counts {
        table.row(&[tool, &made.to_string(), &failed.to_string()]);
    }
}

/// The schemas of the arguments of all tools.
fn schemas() -> Result<BTreeMap<String, Value>> {
    let mut schemas = BTreeMap::new();
    for entry in fs::read_dir(top().join(SCHEMAS))? {
        let path = entry?.path();
        let name = path.file_stem().context("a file without a name")?.to_string_lossy().into_owned();
        let mut both: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        schemas.insert(name, both["arguments"].take());
    }
    Ok(schemas)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_compared_in_the_form_that_the_front_end_has() {
        let expected = json!({ "error": { "kind": "Stale" }, "text": "Stale: it changed" });
        assert_eq!(difference(&expected, &expected), None, "the crate is equal to itself");
        assert_eq!(difference(&expected, &json!({ "error": { "kind": "Stale" } })), None);
        assert_eq!(difference(&expected, &json!({ "text": "Stale: it changed" })), None);
        for wrong in
            [json!({ "error": { "kind": "Internal" } }), json!({ "text": "Stale: other" }), json!({ "result": {} })]
        {
            assert!(difference(&expected, &wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn rows_count_answers_and_errors_or_name_what_is_missing() {
        let values = vec![json!({ "result": 1 }), json!({ "error": {}, "text": "" }), json!({ "text": "" })];
        let outcome = Outcome::Answered(Answers { values, seconds: 1.5 });
        assert_eq!(cells(FrontEnd::Mcp, &outcome, 2), ["MCP", "3", "1", "2", "2", "1.5"]);
        let missing = cells(FrontEnd::Python, &Outcome::NotRun("python3 3.11"), 0);
        assert_eq!(missing, ["Python client", "not run: needs python3 3.11"]);
    }

    #[test]
    fn different_answers_fail_with_their_call() {
        let calls = calls::parse("open {}\nopen {\"type\": \"file\"}").expect("calls");
        let answers =
            |last: u64| Answers { values: vec![json!({ "result": 1 }), json!({ "result": last })], seconds: 0.0 };
        let outcomes = [
            (FrontEnd::Library, Outcome::Answered(answers(2))),
            (FrontEnd::JsonRpc, Outcome::Answered(answers(2))),
            (FrontEnd::Mcp, Outcome::Answered(answers(3))),
            (FrontEnd::Python, Outcome::NotRun("python3 3.11")),
        ];
        assert_eq!(print_tables(&calls, &outcomes), 1);
        let shown = differences(&calls, &answers(2), &outcomes[2].1);
        assert_eq!(shown, ["call 1, open {\"type\":\"file\"}\n    $.result: 3 instead of 2"]);
    }

    #[test]
    fn results_are_compared() {
        let result = json!({ "result": { "text": "a" } });
        assert_eq!(difference(&result, &result), None);
        assert!(difference(&result, &json!({ "result": { "text": "b" } })).is_some());
        assert!(difference(&result, &json!({ "error": { "kind": "Stale" } })).is_some());
    }
}
