//! Checks the laws, which are properties that every language pack must have, with valid and invalid pages.

use marquetry_sdk::testing::{check_laws_on_random, check_name_laws_on_random};

use super::PAGE;
use crate::Html;

const PIECES: &[&str] = &[
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<i class=a>",
    "</i>",
    "<a href='x'>",
    "</a>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<ul>",
    "<li>",
    "</ul>",
    "<br>",
    "<img src=\"a\" alt>",
    "<script>",
    "</script>",
    "<pre>\n",
    "</pre>",
    "<textarea>",
    "</textarea>",
    "<select>",
    "<option>",
    "</select>",
    "<svg>",
    "<path/>",
    "</svg>",
    "<math><mi>",
    "<template>",
    "</template>",
    "<html lang=en>",
    "<head>",
    "<body id=b>",
    "</body>",
    "</html>",
    "<!DOCTYPE html>",
    "<!-- note -->",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?php ?>",
    "</",
    "<",
    ">",
    "\"",
    "'",
    "=",
    "&amp;",
    "&",
    "text ",
    "é",
    "\n",
    "\r\n",
    "  ",
    "\t",
    "\0",
    "<form>",
    "</form>",
    "<frameset>",
    "<h1>",
    "</h2>",
    "<x-own id=\"a b\">",
    "<button>",
    "<nobr>",
    "<plaintext>",
    "<style>a{}</style>",
    "<title>t</title>",
    "<caption>",
    "<col>",
    "<p id=b>",
    "<foreignObject>",
    "<DIV CLASS=B>",
];

const XHTML: &str = include_str!("page.xhtml");

#[test]
fn laws_hold_for_html() {
    check_laws_on_random::<Html>("page.html", PIECES, &[PAGE, XHTML]);
}

#[test]
fn laws_hold_for_xhtml() {
    check_laws_on_random::<Html>("page.xhtml", PIECES, &[XHTML, PAGE]);
}

/// Parts from which random texts with names are generated.
const NAMES: &[&str] = &[
    "<p ",
    "<a ",
    ">",
    "</p>",
    " ",
    "class=",
    "id=",
    "for=",
    "href=",
    "style=",
    "usemap=",
    "a",
    "b",
    "'",
    "\"",
    "#a",
    "#b",
    "a b",
    "&amp;",
    "&#32;",
    "%20",
    "{{x}}",
    "<%= y %>",
    "--a: b",
    "var(--a)",
    "url(#a)",
    "<style>",
    "</style>",
    ".a",
    "{",
    "}",
    "<script>",
    "</script>",
    "'a'",
    "<svg>",
    "page.html#a",
    "=",
    "é",
];

#[test]
fn laws_hold_for_names() {
    for path in ["page.html", "page.xhtml"] {
        check_name_laws_on_random::<Html>(path, NAMES, &[PAGE, XHTML]);
    }
}
