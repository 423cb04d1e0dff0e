//! Tests of the outline: headings, blocks, components, and embedded languages.

use marquetry_sdk::{TargetKind, testing::open};

use super::GUIDE;
use crate::Markdown;

#[test]
fn outline_has_headings_and_blocks() {
    let outline = open::<Markdown>("a.md", GUIDE).outline();
    let expected = "\
front-matter front-matter @front-matter
heading Guide @Guide[1]
  heading Install @Guide[1] > Install[1]
    code sh @Guide[1] > Install[1] > code[sh]
    heading Linux @Linux
  heading Using foo @Using foo
    list one @Using foo > list[1]
    heading Install @Using foo > Install
      table a | b @Using foo > Install > table[1]
heading Guide @Guide[2]
  heading Quoted @Quoted
";
    assert_eq!(outline, expected);
}

#[test]
fn outline_of_mdx_has_components_and_modules() {
    let text = "import {Tab as T} from './tabs.jsx'\nimport x from 'y'\n\nexport const meta = {}\n\n<T a={1}>\n  ## In\n\n  text\n</T>\n\n<T>one</T>\n\n{x}\n";
    let doc = open::<Markdown>("a.mdx", text);
    let expected = "\
import ./tabs.jsx @import[./tabs.jsx]
import y @import[y]
export meta @export[meta]
component T @component[T][1]
  heading In @In
component T @component[T][2]
";
    assert_eq!(doc.outline(), expected);
    assert_eq!(doc.diagnostics(), [""; 0]);
    let read = |target: &str| doc.read(TargetKind::Heading, target).expect("found");
    assert_eq!(read("In"), ["## In\n\n  text"]);
    assert_eq!(read("component[T][2]"), ["<T>one</T>"]);
    assert_eq!(doc.read(TargetKind::Region, "imports").expect("found"), [&text[..53]]);
    let node = doc.nodes(TargetKind::Heading, "component[T][1]").expect("found").remove(0);
    let used = marquetry_sdk::Document::dependencies(doc.document(), node.id);
    assert_eq!(
        used.iter().map(|used| (used.symbol.as_str(), used.from.as_str())).collect::<Vec<_>>(),
        [("Tab", "./tabs.jsx")]
    );
}

#[test]
fn finds_embedded_languages() {
    let text = "---\na: 1\n---\n\n```ts title=x\nlet a\n```\n\n- ```js\n  b\n  ```\n\n> ```js\n> c\n> ```\n\n```\nd\n```\n\n```JSON\n{}\n```\n";
    let doc = open::<Markdown>("a.md", text);
    let parts = marquetry_sdk::Document::embedded(doc.document());
    let parts: Vec<_> = parts.iter().map(|part| (part.language.as_str(), part.span.slice(text))).collect();
    assert_eq!(parts, [("yaml", "a: 1"), ("ts", "let a"), ("json", "{}")]);
}
