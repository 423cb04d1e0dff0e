//! Test helpers: refactorings of texts with a `«selection»` or a caret `‸`.

use marquetry_sdk::refactor::{self, Refactors};
use marquetry_sdk::span::apply;
use marquetry_sdk::{Argument, Audience, Document as _, Failure, Rewrite, Selection, Span, workspace};

use crate::{TypeScript, TypeScriptDocument};

/// Returns the text without its marks, and the selection.
fn parse_markers(marked: &str) -> (String, Selection) {
    if let Some(at) = marked.find('‸') {
        return (marked.replace('‸', ""), Selection::caret(at as u32));
    }
    let Some(start) = marked.find('«') else { return (marked.to_owned(), Selection::caret(0)) };
    let end = marked.find('»').expect("»") - '«'.len_utf8();
    (marked.replace(['«', '»'], ""), Selection::from_span(Span::new(start, end)))
}

/// Returns the result of a refactoring in a file with a mark.
pub(crate) fn run_refactoring(
    id: &str,
    path: &str,
    marked: &str,
    arguments: &[(&str, &str)],
) -> (String, Result<Rewrite, Failure>) {
    let (text, at) = parse_markers(marked);
    let document = TypeScriptDocument::open(path, text.clone());
    let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
    (text, refactor::apply::<TypeScript>(&document, id, at, arguments.iter().map(argument).collect()))
}

/// Asserts the text after a refactoring.
#[track_caller]
pub(crate) fn assert_rewrite(id: &str, arguments: &[(&str, &str)], marked: &str, after: &str) {
    let (text, rewritten) = run_refactoring(id, "a.tsx", marked, arguments);
    match rewritten {
        Ok(rewrite) => assert_eq!(apply(&text, &rewrite.edits), after, "{marked}"),
        Err(failure) => panic!("{marked}\n{failure:?}"),
    }
}

/// Asserts the text of one file of a workspace after a refactoring.
#[track_caller]
pub(crate) fn assert_rewrite_in(files: &[(&str, &str)], id: &str, arguments: &[(&str, &str)], path: &str, after: &str) {
    let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    marquetry_sdk::workspace::set_files(texts);
    let before = files.iter().find(|(known, _)| *known == path).expect("the file is in `files`").1;
    let (text, rewritten) = run_refactoring(id, path, before, arguments);
    match rewritten {
        Ok(rewrite) => assert_eq!(apply(&text, &rewrite.edits), after, "{arguments:?}\n{before}"),
        Err(failure) => panic!("{arguments:?}\n{before}\n{failure:?}"),
    }
}

/// Asserts that a refactoring is refused with this message.
#[track_caller]
pub(crate) fn assert_refused(id: &str, arguments: &[(&str, &str)], marked: &str, message: &str) {
    let (text, rewritten) = run_refactoring(id, "a.tsx", marked, arguments);
    match rewritten {
        Ok(rewrite) => panic!("{marked}\nis not refused, but is\n{}", apply(&text, &rewrite.edits)),
        Err(failure) => assert_eq!(failure.message, message, "{marked}"),
    }
}

/// Asserts for every place in a text that the refactoring either is refused or returns edits that are in order and do
/// not cause new problems.
#[track_caller]
pub(crate) fn assert_valid_at_every_offset(id: &str, path: &str, text: &str, arguments: &[(&str, &str)]) -> usize {
    let document = TypeScriptDocument::open(path, text.to_owned());
    let mut places: Vec<Span> = document.tree.with(|parsed| {
        let nodes = parsed.semantic().nodes().iter();
        let spans = nodes.map(|node| crate::syntax::spans::span_in(oxc_span::GetSpan::span(&node.kind()), text));
        spans.flat_map(|span| [span, Span::at(span.range().start)]).collect()
    });
    places.sort_unstable_by_key(|span| (span.start, span.end));
    places.dedup();
    let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
    let arguments: Vec<Argument> = arguments.iter().map(argument).collect();
    let before = document.diagnostics().len();
    let mut done = 0;
    for place in places {
        let Ok(rewrite) = refactor::apply::<TypeScript>(&document, id, Selection::from_span(place), arguments.clone())
        else {
            continue;
        };
        let ordered = rewrite.edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
        let inside = rewrite.edits.iter().all(|edit| text.get(edit.span.range()).is_some());
        assert!(ordered && inside, "{id} at {place:?} of\n{text}\n{:?}", rewrite.edits);
        let after = apply(text, &rewrite.edits);
        let problems = TypeScriptDocument::open(path, after.clone()).diagnostics();
        assert!(problems.len() <= before, "{id} at `{}` of\n{text}\nbecomes\n{after}\n{problems:?}", place.slice(text));
        done += 1;
    }
    done
}

/// Texts with most constructs of functions, classes and modules; some are broken.
pub(crate) const SAMPLES: &[&str] = &[
    "import a, { b as c } from './b';\nexport default function f(x = 1, { y, z: [w] }, ...rest) {\n  var v = x + y;\n  \
     return a(c => { return c.then(d => d).catch(() => {}); }, function g() { return g; }, v, w, rest);\n}\n\
     export const h = function () { return { a: 1 }; }, i = (x) => x;\nexport { h as j };\n",
    "abstract class A<T> extends (() => B)() implements I {\n  @dec() static #p = function (this: A) { return this; };\n  \
     constructor(private x: number) { super(); }\n  get y() { return this.#q(); }\n  async *z() { yield* 1; }\n  \
     f(): Promise<T> { return fetch('a').then(r => r.json()).finally(() => { done(); }); }\n  static { f(); }\n}\n",
    "function f(a: string): void;\nfunction f(a: any) { switch (a) { case 1: return p.then(x => { if (x) return 1; }); } }\n\
     namespace N { export function g<T>(t: T): t is T { return new.target || arguments[0]; } }\n\
     label: for (const k in o) { if (k) continue label; else return0(function () { return k }) }\n\
     enum E { A = 1 }\ntype F = (a: E) => typeof f;\ndeclare function d(): void;\n",
    "const el = <div onClick={function () { go(el); }} {...p}>{list.map(function (x) { return <b key={x}>{x}</b>; })}</div>\n\
     const t = `a${function () { return `b${1}` }}`\n;(async () => { await p.then(console.log) })()\n\
     if (a) function g() {}\nvar o = { m() { return super.m(); }, get p() { return 1 }, [k]: function* () {}, async q() {} }\n",
    "export default class {\n  m = function () {\n",
    "function f( { return fetch('x').then(y => ",
];

/// Result of a refactoring in all files.
#[derive(Debug)]
pub(crate) struct WorkspaceResult {
    pub(crate) texts: std::collections::BTreeMap<String, String>,
    /// Unresolved places, as `path: text`.
    pub(crate) unresolved: Vec<String>,
    /// Reason why the result may be incomplete.
    pub(crate) incomplete: Option<String>,
}

/// Runs a refactoring at the marker in the first file. Passes its questions (`Rewrite::ask`) to the files that they are
/// addressed to, and collects the changes of all files.
pub(crate) fn run_in_workspace(
    id: &str,
    arguments: &[(&str, &str)],
    files: &[(&str, &str)],
) -> Result<WorkspaceResult, Failure> {
    let (first, marked) = files[0];
    let (text, at) = parse_markers(marked);
    let mut texts: std::collections::BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    texts.insert(first.to_owned(), text);
    workspace::set_files(texts.clone());
    let open = |path: &str| TypeScriptDocument::open(path, texts[path].clone());
    let argument = |(name, value): &(&str, &str)| Argument { name: (*name).to_owned(), value: (*value).to_owned() };
    let rewrite = refactor::apply::<TypeScript>(&open(first), id, at, arguments.iter().map(argument).collect())?;
    let mut after = WorkspaceResult { texts: texts.clone(), unresolved: Vec::new(), incomplete: None };
    let mut open_questions = vec![(first.to_owned(), rewrite)];
    let mut sent = std::collections::BTreeSet::new();
    while let Some((path, rewrite)) = open_questions.pop() {
        let text = texts[&path].clone();
        after.unresolved.extend(rewrite.unresolved.iter().map(|span| format!("{path}: {}", span.slice(&text))));
        after.incomplete = after.incomplete.take().or(rewrite.incomplete);
        if !rewrite.edits.is_empty() {
            assert_eq!(after.texts[&path], text, "{path} is edited twice");
            after.texts.insert(path.clone(), apply(&text, &rewrite.edits));
        }
        for file in rewrite.create {
            after.texts.insert(file.path, file.text);
        }
        for question in rewrite.ask {
            let asked: Vec<String> = match question.audience {
                Audience::File(path) => vec![path],
                Audience::Containing(wanted) => {
                    let has_any = |text: &String| wanted.iter().any(|wanted| text.contains(wanted.as_str()));
                    let found = texts.iter().filter(|(other, text)| **other != path && has_any(text));
                    found.map(|(other, _)| other.clone()).collect()
                }
                Audience::Importers(_) => {
                    texts.keys().filter(|other| **other != path && !other.ends_with(".json")).cloned().collect()
                }
            };
            for other in asked {
                if sent.insert((other.clone(), path.clone(), question.payload.clone())) {
                    let answer = <TypeScript as Refactors>::answer(&open(&other), &path, &question.payload)?;
                    open_questions.push((other, answer));
                }
            }
        }
    }
    Ok(after)
}
