//! Checks the laws with random and generated components.

use marquetry_sdk::{
    TargetKind::{self, Selector},
    testing::{self, List, check_laws_on_random},
};

use crate::Html;

/// Pieces from which random components are generated.
const PIECES: &[&str] = &[
    "<template>",
    "</template>",
    "<p>",
    "</p>",
    "<Card :a=\"b > c\" />",
    "<b {c}>",
    "</b>",
    "<br>",
    "<i d={e > \"}\"}>",
    "</i>",
    "<>",
    "</>",
    "{",
    "}",
    "{{",
    "}}",
    "{#if a}",
    "{:else}",
    "{/if}",
    "{@html `}`}",
    "{a && ",
    "{b.map((c) => (",
    "))}",
    "{/* } */}",
    "<!-- {",
    "-->",
    "<script>",
    "</script>",
    "<style>a{}</style>",
    "---\n",
    "\"",
    "'",
    "`",
    "text ",
    "é",
    "\n",
    "\r\n",
    "  ",
    "\t",
    "<",
    ">",
    "=",
    "/",
    "${",
    "\u{feff}",
    "<p v-pre>",
    "<p v-if=\"a\">",
    "<p v-else>",
    "<a is:raw>",
    "</a>",
    "<x y=`z ${1}` />",
    "<input {...f}>",
    "&amp;",
    "<svelte:head id=\"q\">",
    "</svelte:head>",
];

const VUE: &str = include_str!("components/Untidy.vue");
const SVELTE: &str = include_str!("components/Untidy.svelte");
const ASTRO: &str = include_str!("components/Untidy.astro");

const FILES: [(&str, &str); 3] =
    [("a.vue.component-html", VUE), ("a.svelte.component-html", SVELTE), ("a.astro.component-html", ASTRO)];

#[test]
fn laws_hold_for_vue() {
    check_laws_on_random::<Html>("a.vue.component-html", PIECES, &[VUE]);
}

#[test]
fn laws_hold_for_svelte() {
    check_laws_on_random::<Html>("a.svelte.component-html", PIECES, &[SVELTE]);
}

#[test]
fn laws_hold_for_astro() {
    check_laws_on_random::<Html>("a.astro.component-html", PIECES, &[ASTRO]);
}

#[test]
fn replacing_an_element_with_itself_changes_nothing() {
    for (path, text) in FILES {
        let document = testing::open::<Html>(path, text);
        let nodes = document.nodes(Selector, "*").expect("readable");
        assert!(nodes.len() >= 15, "{path}: {}", nodes.len());
        for node in nodes {
            let own = node.span.slice(text);
            let edited = document.edit(Selector, &node.address, testing::replace(own)).expect(&node.address);
            assert_eq!(edited, text, "{path}: {}", node.address);
        }
    }
}

#[test]
fn replacing_an_attribute_with_itself_changes_nothing() {
    for (path, text) in FILES {
        let document = testing::open::<Html>(path, text);
        let tree = &document.document().tree;
        let mut count = 0;
        for node in document.nodes(Selector, "*").expect("readable") {
            for attribute in tree.attributes(node.id) {
                let target = format!("{}@{}", node.address, attribute.name.slice(text));
                let found = document.nodes(Selector, &target).expect(&target);
                let [only] = &found[..] else { panic!("{target}: {}", found.len()) };
                let (own, inner) = (only.span.slice(text), only.body.map(|body| body.slice(text)));
                let edited = document.edit(Selector, &target, testing::replace(own)).expect(&target);
                assert_eq!(edited, text, "{path}: {target}");
                if let Some(inner) = inner {
                    let edited = document.edit(Selector, &target, testing::body(inner)).expect(&target);
                    assert_eq!(edited, text, "{path}: {target}");
                }
                count += 1;
            }
        }
        assert!(count >= 15, "{path}: {count}");
    }
}

const ITEMS: List = List {
    path: "a.vue.component-html",
    open: "<script setup>\n// x1\n</script>\n<template>\n  <!-- x2 -->\n  <ul class=\"x3\" id=\"a\">\n",
    close: "  </ul>\n  <p>{{ x4 }}</p>\n</template>\n",
    item: "<Item id=\"k§\" :a=\"v§ > 1\" />",
    content: None,
    value: None,
    separator: "",
    indent: "    ",
    comment: "<!-- c§ -->",
    trailing: false,
    leading: true,
    kind: TargetKind::Selector,
    address: "#k§",
    container: Some("#a"),
    empty: Some(
        "<script setup>\n// x1\n</script>\n<template>\n  <!-- x2 -->\n  <ul class=\"x3\" id=\"a\"></ul>\n  <p>{{ x4 }}</p>\n</template>\n",
    ),
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::check_list_laws::<Html>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn editing_elements_of_components_keeps_neighbours() {
    keeps(&ITEMS);
    keeps(&List { item: "<li id=\"k§\">\n      {{ v§ }}\n    </li>", ..ITEMS });
}

#[test]
fn editing_elements_in_blocks_and_code_keeps_neighbours() {
    keeps(&List {
        path: "a.svelte.component-html",
        open: "<main id=\"a\">\n",
        close: "</main>\n{#if x1}<p>{x2}</p>{/if}\n",
        item: "<p id=\"k§\" on:a={() => v§ > 1}>{v§}</p>",
        indent: "  ",
        empty: Some("<main id=\"a\"></main>\n{#if x1}<p>{x2}</p>{/if}\n"),
        ..ITEMS
    });
    keeps(&List {
        path: "a.astro.component-html",
        open: "---\nx1\n---\n{x2.map((x3) => (\n  <ul id=\"a\">\n",
        close: "  </ul>\n))}\n",
        item: "<li id=\"k§\">{v§ && <b>{x4}</b>}</li>",
        empty: Some("---\nx1\n---\n{x2.map((x3) => (\n  <ul id=\"a\"></ul>\n))}\n"),
        ..ITEMS
    });
}

/// Lines from which random components are generated.
const LINES: &[&str] = &[
    "<div>\n",
    "</div>\n",
    "<p id=a>x</p>\n",
    "<br>\n",
    "<!-- c -->\n",
    "\n",
    "{#if a}\n",
    "{/if}\n",
    "{a && <b/>}\n",
    "{b}\n",
    "text ",
];

#[test]
fn edits_of_components_stay_close_to_their_targets() {
    for path in ["a.svelte.component-html", "a.astro.component-html"] {
        let texts = testing::random_lines(LINES, 7, 500);
        let count = testing::check_reach_laws::<Html>(path, texts, &["<b>x</b>", "x", "<!-- note -->"]);
        println!("{count:?}");
        assert!(count.documents >= 20 && count.edits >= 500, "{count:?}");
    }
}
