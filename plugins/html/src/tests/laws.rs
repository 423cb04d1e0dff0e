//! The laws of every pack, on what pages are made of and on what they are not.

use marquetry_sdk::testing::laws_on_random;

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

const PAGE: &str = include_str!("page.html");
const XHTML: &str = include_str!("page.xhtml");

#[test]
fn laws_of_html() {
    laws_on_random::<Html>("page.html", PIECES, &[PAGE, XHTML]);
}

#[test]
fn laws_of_xhtml() {
    laws_on_random::<Html>("page.xhtml", PIECES, &[XHTML, PAGE]);
}
