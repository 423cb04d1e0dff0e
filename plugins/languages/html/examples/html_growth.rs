//! Measures how run time grows on worst-case inputs: `cargo run --package marquetry-html --example html_growth [NAME]`.

use marquetry_html::Html;
use marquetry_sdk::{
    Linking,
    testing::growth::{Step, Text, growth, nested, numbered, repeat},
};

const TEXTS: [Text; 20] = [
    ("nested elements", |bytes| nested("<div>", "x", "</div>", bytes)),
    ("elements not closed", |bytes| repeat("<div>", bytes)),
    ("elements closed too often", |bytes| repeat("</div>", bytes)),
    ("formatting not closed", |bytes| repeat("<b><p>", bytes)),
    ("formatting crossed", |bytes| repeat("<b><i></b></i>", bytes)),
    ("links in links", |bytes| repeat("<a href=b>", bytes)),
    ("nested tables", |bytes| nested("<table><tr><td>", "x", "</table>", bytes)),
    ("text in a table", |bytes| format!("<table>{}", repeat("x<b>", bytes))),
    ("nested lists", |bytes| nested("<ul><li>", "x", "</ul>", bytes)),
    ("tags not closed", |bytes| repeat("<a ", bytes)),
    ("attributes", |bytes| format!("<a {}>", numbered(|number| format!("b{number}=c "), bytes))),
    ("equal attributes", |bytes| format!("<a {}>", repeat("b=c ", bytes))),
    ("classes", |bytes| format!("<a class=\"{}\">", numbered(|number| format!("b{number} "), bytes))),
    ("comments not closed", |bytes| repeat("<!--", bytes)),
    ("siblings", |bytes| repeat("<p>x</p>\n", bytes)),
    ("siblings with ids", |bytes| numbered(|number| format!("<p id=a{number}>x</p>\n"), bytes)),
    ("siblings with one id", |bytes| repeat("<p id=a>x</p>\n", bytes)),
    ("scripts", |bytes| repeat("<script>x</script>", bytes)),
    ("sources", |bytes| format!("<img srcset=\"{}\">", repeat("a 1x, ", bytes))),
    ("a long text", |bytes| repeat("x &amp; ", bytes)),
];

const COMPONENTS: [Text; 12] = [
    ("nested elements", |bytes| nested("<p>", "x", "</p>", bytes)),
    ("siblings in a template", |bytes| format!("<template>{}</template>", repeat("<p :a=\"b\">{{ c }}</p>\n", bytes))),
    ("nested code", |bytes| nested("{a && <p>", "x", "</p>}", bytes)),
    ("nested attributes", |bytes| nested("<p a={", "x", "} />", bytes)),
    ("code not closed", |bytes| repeat("{", bytes)),
    ("interpolations not closed", |bytes| format!("<template>{}", repeat("{{ a", bytes))),
    ("blocks", |bytes| nested("{#if a}", "x", "{/if}", bytes)),
    ("blocks not closed", |bytes| repeat("{#if a}", bytes)),
    ("ends of blocks", |bytes| repeat("{/if}", bytes)),
    ("fragments", |bytes| nested("<>", "x", "</>", bytes)),
    ("slashes", |bytes| format!("{{() => {{ {} }}}}", repeat("(a) / b;", bytes))),
    ("template literals", |bytes| format!("{{{}}}", nested("`${", "x", "}`", bytes))),
];

fn main() -> std::io::Result<()> {
    let steps: [Step<Html>; 1] = [("links", |document| drop(Html::links(document)))];
    growth::<Html>(&mut std::io::stdout(), "a.html", (&TEXTS, &steps), 1 << 20)?;
    for path in ["a.vue.component-html", "a.svelte.component-html", "a.astro.component-html"] {
        growth::<Html>(&mut std::io::stdout(), path, (&COMPONENTS, &steps), 1 << 20)?;
    }
    Ok(())
}
