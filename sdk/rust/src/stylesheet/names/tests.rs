//! Tests that compare the collected names of a text.

use super::*;

/// Every name as `space name`, with `!` before names that the text defines and `?` before uncertain ones.
#[track_caller]
fn check(css: &str, expected: &[&str]) {
    let mut names = Names::new(css, Dialect::Css);
    names.stylesheet(0..css.len());
    compare(css, names, expected);
}

#[track_caller]
fn compare(text: &str, names: Names<'_>, expected: &[&str]) {
    let mut found = names.found;
    found.sort_by_key(|mention| mention.span.start);
    let shown = |mention: &Mention| {
        let short = match mention.namespace {
            CSS_CLASS => "class",
            CSS_ID => "id",
            CUSTOM_PROPERTY => "property",
            KEYFRAMES => "animation",
            own => own,
        };
        let sign = match &mention.certainty {
            Certainty::Certain if mention.declares => "!",
            Certainty::Certain => "",
            _ => "?",
        };
        let written = mention.span.slice(text);
        if mention.certainty == Certainty::Certain {
            let old = unescape(written);
            assert!(written == mention.name || old == mention.name || crate::urls::decode(written) == mention.name);
        }
        format!("{sign}{short} {}", mention.name)
    };
    let found: Vec<String> = found.iter().map(shown).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn selectors_define_classes_and_ids() {
    check(
        ".a.b-c > #d:not(.e), p:is(.f, :nth-child(2n + 1 of .g))::after { color: #fff; margin: .5em }",
        &["!class a", "!class b-c", "!id d", "!class e", "!class f", "!class g"],
    );
    check(r".md\:w-1\/2 { } .\31 0 .x { } .été {}", &["!class md:w-1/2", "!class 10", "!class x", "!class été"]);
    check("@media (width > 1px) { .a { & .b { c: d } &:hover {} } }", &["!class a", "!class b"]);
    check("@layer a.b { .c { } } @import url(x.css) layer(d.e); 12.5% {}", &["!class c"]);
    check(
        "@scope (.a) to (.b) { .c {} } @supports selector(.d > .e) { }",
        &["!class a", "!class b", "!class c", "!class d", "!class e"],
    );
}

#[test]
fn attribute_selectors_mention_classes_and_ids() {
    check(
        "[class~=a] [class~='b'] [class=\"c d\" i] [id=e] [for='f'] [aria-controls~=g] [href='#h'] [href=x] [title=y] {}",
        &["class a", "class b", "class c", "class d", "id e", "id f", "id g", "id h"],
    );
    check("[class^='btn-'] [class$=x] [class*=\"y\"] [id|=z] {}", &["?class btn-", "?class x", "?class y", "?id z"]);
}

#[test]
fn custom_properties_are_defined_and_used() {
    check(
        ":root { --a: { b: c; d: e }; --f: var(--a, var( --g )) } @property --h { syntax: '*' } .i { transition: --a 1s, color; k: --dashed; l: calc(1px + var(--a)) }",
        &[
            "!property --a",
            "!property --f",
            "property --a",
            "property --g",
            "!property --h",
            "!class i",
            "property --a",
            "property --a",
        ],
    );
    check(
        "@container x style(--a: 1) and (width > 1px) { } a { b: if(style((--c: 1) or (--d)): 1) }",
        &["property --a", "property --c", "property --d"],
    );
    check("a { b: '--c'; --d:; --e }", &["?property --c", "!property --d"]);
}

#[test]
fn animations_are_defined_and_used() {
    check(
        "@keyframes spin { 0% { top: 0 } 50.5% { } } @-webkit-keyframes \"turn\" {} a { animation: spin 1s ease-in-out infinite, 'turn' steps(4, jump-end); -webkit-animation-name: spin, none; b: spin }",
        &["!animation spin", "!animation turn", "animation spin", "animation turn", "animation spin"],
    );
}

#[test]
fn url_fragments_mention_ids() {
    check(
        "a { fill: url(#b); mask: url( \"#c\" ); d: url(e.svg#f) url(#g%20h); i: url('data:x;{') }",
        &["id b", "id c", "id g h"],
    );
}

#[test]
fn computed_names_are_uncertain() {
    let text = ".btn-#{$size}, .#{$x}-end, .#{$y} #a-#{$b}-c";
    let mut names = Names::new(text, Dialect::Scss);
    names.selectors(0..text.len(), &[]);
    compare(text, names, &["?class btn-", "?class -end", "?id a-"]);
}

#[test]
fn nested_rules_continue_names() {
    let text = ".a, .b .c|&-d, &.e, & f, &_#{$g}";
    let (outer, _) = text.split_once('|').expect("two parts");
    let mut names = Names::new(text, Dialect::Scss);
    let ends = names.selectors(0..outer.len(), &[]);
    names.found.clear();
    let inner = names.selectors(outer.len() + 1..text.len(), &ends);
    let of = |ends: &[SelectorEnd]| ends.iter().map(|end| end.name.clone()).collect::<Vec<_>>();
    assert_eq!((of(&ends), of(&inner)), (vec!["a".into(), "c".into()], vec!["a-d".into(), "c-d".into(), "e".into()]));
    compare(text, names, &["?class a-d", "?class c-d", "!class e", "?class a_", "?class c_"]);
}

#[test]
fn css_module_names_are_local() {
    let text = ".a :global(.b) .c, :global .d .e, .f:local(#g)";
    let mut names = Names { private_namespace: Some("own"), ..Names::new(text, Dialect::Css) };
    names.selectors(0..text.len(), &[]);
    compare(text, names, &["!own a", "!class b", "!own c", "!class d", "!class e", "!own f", "!own g"]);
}

#[test]
fn broken_text_is_parsed_partially() {
    for text in [
        "",
        ".",
        "#",
        "[",
        "[class~=",
        "[class='a",
        "a { b: url(",
        "a { b: url(#",
        "@keyframes",
        "@",
        ".a\\",
        "{{{",
        "}}}",
        ":not(.a",
        "a { --",
        "@apply",
        "url('",
        "a{b:url('#x",
    ] {
        check_spans(text);
    }
    let deep = ".a(".repeat(20_000);
    check_spans(&deep);
    check_spans(&"a{b:var(--c".repeat(5_000));
    check_spans(&"@supports selector(".repeat(300));
}

fn check_spans(text: &str) {
    for dialect in [Dialect::Css, Dialect::Scss, Dialect::Less] {
        let mut names = Names::new(text, dialect);
        names.stylesheet(0..text.len());
        names.value("animation", 0..text.len());
        assert!(
            names
                .found
                .iter()
                .all(|mention| !mention.span.is_empty() && text.is_char_boundary(mention.span.end as usize))
        );
    }
}

#[test]
fn applied_classes_are_used() {
    check(".a { @apply b c:d !important; } @utility e { }", &["!class a", "class b", "?class d", "!class e"]);
}
