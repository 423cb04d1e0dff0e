//! Measures how run time grows on worst-case inputs: `cargo run --package marquetry-html --example html_growth [NAME]`.

use marquetry_html::Html;
use marquetry_sdk::{
    Linking,
    testing::growth::{Step, Text, again, growth, nested, numbered},
};

const TEXTS: [Text; 20] = [
    ("nested elements", |bytes| nested("<div>", "x", "</div>", bytes)),
    ("elements not closed", |bytes| again("<div>", bytes)),
    ("elements closed too often", |bytes| again("</div>", bytes)),
    ("formatting not closed", |bytes| again("<b><p>", bytes)),
    ("formatting crossed", |bytes| again("<b><i></b></i>", bytes)),
    ("links in links", |bytes| again("<a href=b>", bytes)),
    ("nested tables", |bytes| nested("<table><tr><td>", "x", "</table>", bytes)),
    ("text in a table", |bytes| format!("<table>{}", again("x<b>", bytes))),
    ("nested lists", |bytes| nested("<ul><li>", "x", "</ul>", bytes)),
    ("tags not closed", |bytes| again("<a ", bytes)),
    ("attributes", |bytes| format!("<a {}>", numbered(|number| format!("b{number}=c "), bytes))),
    ("equal attributes", |bytes| format!("<a {}>", again("b=c ", bytes))),
    ("classes", |bytes| format!("<a class=\"{}\">", numbered(|number| format!("b{number} "), bytes))),
    ("comments not closed", |bytes| again("<!--", bytes)),
    ("siblings", |bytes| again("<p>x</p>\n", bytes)),
    ("siblings with ids", |bytes| numbered(|number| format!("<p id=a{number}>x</p>\n"), bytes)),
    ("siblings with one id", |bytes| again("<p id=a>x</p>\n", bytes)),
    ("scripts", |bytes| again("<script>x</script>", bytes)),
    ("sources", |bytes| format!("<img srcset=\"{}\">", again("a 1x, ", bytes))),
    ("a long text", |bytes| again("x &amp; ", bytes)),
];

fn main() -> std::io::Result<()> {
    let steps: [Step<Html>; 1] = [("links", |document| drop(Html::links(document)))];
    growth::<Html>(&mut std::io::stdout(), "a.html", (&TEXTS, &steps), 1 << 20)
}
