//! Measures how run time grows on worst-case inputs: `cargo run --package marquetry-css --example css_growth [NAME
//! [PATH]]`.

use marquetry_css::Css;
use marquetry_sdk::{
    Linking, Selection,
    refactor::{self, Refactors},
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};

const TEXTS: [Text; 20] = [
    ("nested rules", |bytes| nested("a{", "b:c", "}", bytes)),
    ("nested rules of 200", |bytes| repeat(&nested("a{", "b:c", "}", 600), bytes)),
    ("nested lists", |bytes| repeat(&nested(".a,.b{", "c:d", "}", 200), bytes)),
    ("nested rules with &", |bytes| repeat(&nested("&-a &,b{", "c:d;", "}", 400), bytes)),
    ("rules not closed", |bytes| repeat("a{", bytes)),
    ("blocks closed too often", |bytes| repeat("}", bytes)),
    ("brackets", |bytes| format!("a{{b:{}}}", nested("(", "c", ")", bytes))),
    ("brackets in a selector", |bytes| format!("a{}{{b:c}}", nested(":not(", "c", ")", bytes))),
    ("brackets not closed", |bytes| format!("a{{b:{}", repeat("f(", bytes))),
    ("strings not closed", |bytes| format!("a{{b:{}", repeat("'x\"", bytes))),
    ("addresses not closed", |bytes| format!("a{{b:{}", repeat("url(", bytes))),
    ("addresses", |bytes| format!("a{{b:{}}}", repeat("url(x)", bytes))),
    ("interpolations", |bytes| format!("$a:{};", nested("#{", "$b", "}", bytes))),
    ("comments not closed", |bytes| repeat("a{b:c}/*", bytes)),
    ("siblings", |bytes| numbered(|number| format!(".a{number}{{b:c}}\n"), bytes)),
    ("equal siblings", |bytes| repeat(".a{b:c}\n", bytes)),
    ("declarations", |bytes| format!("a{{{}}}", numbered(|number| format!("b{}:c;", number % 100), bytes))),
    ("a long list", |bytes| format!("{}z{{a:b}}", numbered(|number| format!(".a{number},"), bytes))),
    ("a map", |bytes| format!("$a: ({});", numbered(|number| format!("b{number}: c,"), bytes))),
    ("variables", |bytes| numbered(|number| format!("$a{number}: $a{};\n", number / 2), bytes)),
];

fn refactors(document: &marquetry_css::Stylesheet) {
    for known in Css::table() {
        let all = marquetry_sdk::Argument { name: "all".to_owned(), value: "true".to_owned() };
        let given = if known.arguments.iter().any(|argument| argument.name == "all") { vec![all] } else { Vec::new() };
        drop(refactor::apply::<Css>(document, known.id, Selection::caret(4), given));
    }
}

fn main() -> std::io::Result<()> {
    let steps: [Step<Css>; 2] = [("links", |document| drop(Css::links(document))), ("refactors", refactors)];
    for path in ["a.css", "a.scss", "a.less"] {
        growth::<Css>(&mut std::io::stdout(), path, (&TEXTS, &steps), 1 << 20)?;
    }
    Ok(())
}
