//! Tests of the markup of components: reading, and edits of elements.

use marquetry_sdk::TargetKind::Selector;
use marquetry_sdk::testing::{
    self, after, before, body, check_edit, check_insert_missing, check_refusal, first, last, replace, wrap,
};
use marquetry_sdk::{FailureKind, Operation};

use crate::Html;

/// Checks the texts that a selector finds.
#[track_caller]
fn finds(path: &str, text: &str, selector: &str, expected: &[&str]) {
    let found = testing::open::<Html>(path, text).read(Selector, selector);
    assert_eq!(found.unwrap_or_else(|error| panic!("{selector}: {error:?}")), expected, "{selector}");
}

#[track_caller]
fn is_missing(path: &str, text: &str, selector: &str) {
    let failure = testing::open::<Html>(path, text).read(Selector, selector).expect_err("no element");
    assert_eq!(failure.kind, FailureKind::TargetNotFound, "{}", failure.message);
}

/// Checks that markup is not read, and the reason.
#[track_caller]
fn unreadable(path: &str, text: &str, message: &str) {
    let failure = testing::open::<Html>(path, text).read(Selector, "*").expect_err("not balanced");
    assert_eq!(failure.kind, FailureKind::ParseError, "{text}");
    assert!(failure.message.ends_with(message), "{text}: {}", failure.message);
}

#[track_caller]
fn edits(file: (&str, &str), selector: &str, operation: Operation, expected: &str) {
    check_edit::<Html>(file, (Selector, selector), operation, expected);
}

#[track_caller]
fn refuses(file: (&str, &str), selector: &str, operation: Operation, message: &str) {
    let failure = check_refusal::<Html>(file, (Selector, selector), operation);
    assert!(failure.message.contains(message), "{}", failure.message);
}

const VUE: &str = "a.vue.component-html";
const SVELTE: &str = "a.svelte.component-html";
const ASTRO: &str = "a.astro.component-html";

const LIST: &str = r#"<script setup lang="ts">
const a = "<p class='no'>" as Foo<Bar>
</script>

<template>
  <ul class="list">
    <li v-for="item in items" :key="item.id" @click.prevent="a > b && pick(item)">
      <slot name="item" :item="item" />
      {{ a < b ? "<p>" : c }}
    </li>
  </ul>
  <MyCard #default="{ row }" v-slot:[name].x="y">x</MyCard>
  <footer>end<br>line</footer>
</template>

<style>
a > b { content: "<p>" }
</style>
<i18n lang="yaml">
en: <p>it's {{ x
</i18n>
"#;

#[test]
fn elements_of_vue_are_found() {
    finds(VUE, LIST, "ul.list > li > slot", &[r#"<slot name="item" :item="item" />"#]);
    finds(VUE, LIST, "template > footer", &["<footer>end<br>line</footer>"]);
    finds(VUE, LIST, "li@@click.prevent", &[r#"@click.prevent="a > b && pick(item)""#]);
    finds(VUE, LIST, "MyCard@#default", &[r##"#default="{ row }""##]);
    finds(VUE, LIST, "MyCard@v-slot:[name].x", &[r#"v-slot:[name].x="y""#]);
    finds(VUE, LIST, "script@lang", &[r#"lang="ts""#]);
    finds(VUE, LIST, r"[\:key]@:key", &[r#":key="item.id""#]);
    is_missing(VUE, LIST, "mycard");
    is_missing(VUE, LIST, "p");
    is_missing(VUE, LIST, "html");
}

#[test]
fn only_html_templates_of_vue_are_read() {
    let text = "<template lang=\"pug\">\np.a it's\n  <b>\n</template>\n<docs>\n<p>\n</docs>\n";
    is_missing(VUE, text, "b");
    finds(VUE, text, "docs", &["<docs>\n<p>\n</docs>"]);
    finds(VUE, "<template lang=\"html\"><p/></template>", "p", &["<p/>"]);
    finds(VUE, "<template><p v-pre>{{ <b>x</b></p>{{ y }}</template>\nit's {{ text", "b", &["<b>x</b>"]);
}

#[test]
fn nested_templates_of_vue_are_elements() {
    let text = "<template>\n  <template v-if=\"a\"><p/></template>\n  <template #b><i/></template>\n</template>\n";
    finds(VUE, text, "template > template > i", &["<i/>"]);
    finds(VUE, text, "template template:first-child", &["<template v-if=\"a\"><p/></template>"]);
}

const BLOCKS: &str = r#"<script>
  export let ok = 1 < 2;
</script>

<svelte:head><title>{ok ? "<b>" : 'it'}</title></svelte:head>
{#if ok && a < b}
  <p class="old" class:big={count > 5} on:click={() => { a = "}"; }} {...rest} {ok}>{count} > it's</p>
{:else if /[}"]/.test(x)}
  <p title="a {b ? "x" : '>'} c" use:act={{ a: 1 }}>{@html "<em>"}</p>
{/if}
{#each items as { id, name }, i (id)}
  <Item.Row {id} bind:value={name}/>
{/each}
{#snippet row(a, b = "}")}<td>{a / 2} / {b}</td>{/snippet}
{@render row(`}${"`"}`)}
<input bind:value>
"#;

#[test]
fn elements_of_svelte_are_found() {
    finds(SVELTE, BLOCKS, "p.old@class:big", &["class:big={count > 5}"]);
    finds(SVELTE, BLOCKS, "p.old@on:click", &["on:click={() => { a = \"}\"; }}"]);
    finds(SVELTE, BLOCKS, "p.old@ok", &["{ok}"]);
    finds(SVELTE, BLOCKS, "p[ok]@{...rest}", &["{...rest}"]);
    finds(SVELTE, BLOCKS, "p + p@title", &[r#"title="a {b ? "x" : '>'} c""#]);
    finds(SVELTE, BLOCKS, r"Item\.Row", &["<Item.Row {id} bind:value={name}/>"]);
    finds(SVELTE, BLOCKS, "td", &["<td>{a / 2} / {b}</td>"]);
    finds(SVELTE, BLOCKS, r"svelte\:head > title", &["<title>{ok ? \"<b>\" : 'it'}</title>"]);
    finds(SVELTE, "<a href=/x/{id}?q={a > b}/>", "a@href", &["href=/x/{id}?q={a > b}"]);
    is_missing(SVELTE, BLOCKS, "em");
}

const PAGE: &str = r#"---
import Layout from "./L.astro";
const a: Array<string> = "</p>{";
---
<!DOCTYPE html>
<Layout title={`a ${x > 1}`} {...props} {a} text=`b ${c}` icon={<Icon name="it's" />} set:html={x}>
  <h1>{x > 0 ? <b>yes</b> : "no <i>"}</h1>
  {items.map((item) => <li class:list={["a", { b: c }]}>{item} it's }</li>)}
  {items.map((item) => { const n = item.a / 2; return (
    <Row {item}>
      {ok && <em>deep {`<u>${n}</u>`}</em>}
    </Row>
  ); })}
  {/* <p>it's</p> */}
  {cond ? (<><s/><s/></>) : null}
  {a < b && c > d}
  <slot name="after" />
  <code is:raw>{ <b></code>
</Layout>
<script>
  if (a < b) { document.write("<p>{"); }
</script>
<style>a { b: c }</style>
"#;

#[test]
fn elements_of_astro_are_found() {
    finds(ASTRO, PAGE, "h1 > b", &["<b>yes</b>"]);
    finds(ASTRO, PAGE, "Layout > li", &[r#"<li class:list={["a", { b: c }]}>{item} it's }</li>"#]);
    finds(ASTRO, PAGE, "Layout > Row > em", &["<em>deep {`<u>${n}</u>`}</em>"]);
    finds(ASTRO, PAGE, "Layout > s", &["<s/>", "<s/>"]);
    finds(ASTRO, PAGE, "Layout@icon", &[r#"icon={<Icon name="it's" />}"#]);
    finds(ASTRO, PAGE, "Layout@text", &["text=`b ${c}`"]);
    finds(ASTRO, PAGE, "Row@item", &["{item}"]);
    finds(ASTRO, PAGE, "code", &["<code is:raw>{ <b></code>"]);
    finds(ASTRO, "<p>---</p>\n", "p", &["<p>---</p>"]);
    for selector in ["p", "i", "u", "Icon"] {
        is_missing(ASTRO, PAGE, selector);
    }
}

#[test]
fn unbalanced_markup_is_not_read() {
    let vue = |markup: &str| format!("<template>\n{markup}\n</template>\n");
    unreadable(VUE, &vue("<li>a<li>b"), "line 2: `<li>` is not closed");
    unreadable(VUE, &vue("<p>a</p></div>"), "line 2: the end tag `</div>` has no start tag");
    unreadable(VUE, &vue("<Card></card>"), "line 2: `<Card>` is not closed");
    unreadable(VUE, &vue("<p>{{ a</p>"), "line 2: this code is not closed, or cannot be read");
    unreadable(VUE, &vue("<p class=\"a>b</p>"), "line 2: this tag is not closed");
    unreadable(VUE, &vue("<!-- a"), "line 2: this comment is not closed");
    unreadable(VUE, &vue("<input></input>"), "line 2: the end tag `</input>` has no start tag");
    unreadable(SVELTE, "{#if a}\n<p>{/if}</p>", "line 2: `<p>` is not closed");
    unreadable(
        SVELTE,
        "<p>\n{#if a}</p>{/if}",
        "line 2: this block is not closed, or contains only one tag of an element",
    );
    unreadable(SVELTE, "{#if a}\n{/each}", "line 2: this part of a block has no start");
    unreadable(SVELTE, "<p>\n{:else}</p>", "line 2: this part of a block has no start");
    unreadable(SVELTE, "<p>{a</p>", "this code is not closed, or cannot be read");
    unreadable(SVELTE, "<p>{it's}</p>", "this code is not closed, or cannot be read");
    unreadable(SVELTE, "<p on:a={() => { if (b) /'/.test(c) }}/>", "this code is not closed, or cannot be read");
    unreadable(SVELTE, "<script>a", "`<script>` is not closed");
    unreadable(ASTRO, "---\nconst a = 1;\n<p/>", "line 1: the front matter is not closed by `---`");
    unreadable(ASTRO, "{a && <p>}", "`<p>` is not closed");
    unreadable(ASTRO, "{a && (<><p/>)}", "this fragment is not closed");
    unreadable(ASTRO, "<p></>", "this end of a fragment has no start");
    unreadable(ASTRO, "<Card a={<p>it's</b>} />", "this code is not closed, or cannot be read");
}

#[test]
fn untidy_markup_is_read() {
    let cases = [
        (VUE, "<template><p a=b :c='d\"e' f = \"g\"h>a < b & c { d }</p></template>", "p"),
        (VUE, "<template>\r\n\t<P\r\n\t:a=\"`\r\n<b>`\"\r\n/></template>", "P"),
        (VUE, "<template><svg><path d=\"\"/><title>a</title></svg></template>", "path"),
        (VUE, "<script>a</script><template functional><p/></template><template/>", "p"),
        (SVELTE, "<p a = {b} c=\"\" d='{e}' --x={1}>{ #if a } x { /if }</p>", "p"),
        (SVELTE, "{#await p}<p/>{:then v}<b>{v}</b>{:catch}<i/>{/await}", "i"),
        (SVELTE, "{#key a++ / 2}{a-- / 2}<p/>{/key}{/* } */ a}{// }\n b}", "p"),
        (SVELTE, "<!-- {#if} <p> -->\n<p style:--a={b}>a > b</p>", "p"),
        (ASTRO, "<html><head><meta a></head><body>{a ? <p/> : <b/>}</body></html>", "p"),
        (ASTRO, "{a.b<c && d}{[<p/>, <b/>]}{x as Foo<string>}", "p"),
        (ASTRO, "{a && <p/><b/>}{(() => { switch (a) { case 1: return <i/>; default: return <u/>; } })()}", "u"),
        (ASTRO, "\u{feff}---\n---\n<p>{\n// it's }\n/a'/.test(b)}</p>", "p"),
        (ASTRO, "{a && (<!-- it's } --> <p/>)}", "p"),
    ];
    for (path, text, selector) in cases {
        let found = testing::open::<Html>(path, text).read(Selector, selector);
        assert!(found.as_ref().is_ok_and(|found| found.len() == 1), "{text}: {found:?}");
        testing::check_laws::<Html>(path, text);
    }
}

#[test]
fn elements_are_inserted() {
    let nav = "<template>\n  <nav>\n    <A to=\"/\">Home</A>\n    <A :to=\"{ name: 'b' }\">About</A>\n  </nav>\n</template>\n";
    edits((VUE, nav), "nav", last("<A>x</A>"), &nav.replace("  </nav>", "    <A>x</A>\n  </nav>"));
    edits((VUE, nav), "A:first-child", before("<b/>"), &nav.replace("<A to", "<b/>\n    <A to"));
    edits((VUE, nav), "nav", first("<b/>"), &nav.replace("<A to", "<b/>\n    <A to"));
    let block = "<ul>\n  {#each a as b}\n    <li>{b}</li>\n  {/each}\n</ul>\n";
    edits((SVELTE, block), "ul", last("<li/>"), &block.replace("</ul>", "  <li/>\n</ul>"));
    edits(
        (SVELTE, block),
        "li",
        after("{#if b}\n  <p/>\n{/if}"),
        &block.replace("</li>", "</li>\n    {#if b}\n      <p/>\n    {/if}"),
    );
    let page = "<main>\n  <h1>{x > 0 ? <b>yes</b> : \"no\"}</h1>\n</main>\n";
    let card = "<Card client:load>\n  <p slot=\"body\">hi</p>\n</Card>";
    let expected = page.replace("</main>", "  <Card client:load>\n    <p slot=\"body\">hi</p>\n  </Card>\n</main>");
    edits((ASTRO, page), "main", last(card), &expected);
    edits((ASTRO, page), "b", last("{`\n`}"), &page.replace("yes", "yes{`\n`}"));
}

#[test]
fn elements_are_replaced_wrapped_and_deleted() {
    let fade = "<template>\n  <p v-if=\"a\" class=\"note\">\n    {{ text }}\n  </p>\n</template>\n";
    let wrapped = "<template>\n  <Transition name=\"fade\">\n    <p v-if=\"a\" class=\"note\">\n      {{ text }}\n    </p>\n  </Transition>\n</template>\n";
    edits((VUE, fade), "p.note", wrap("<Transition name=\"fade\">", "</Transition>"), wrapped);
    edits((VUE, fade), "p", replace("<b>\n  x\n</b>"), "<template>\n  <b>\n    x\n  </b>\n</template>\n");
    edits((VUE, fade), "p", body("{{ other }}"), &fade.replace("text", "other"));
    edits((VUE, fade), "p", Operation::Delete, "<template>\n</template>\n");
    let block = "<section>\n  {#if ok}\n    <p class=\"old\">old</p>\n\n    <p>new</p>\n  {/if}\n</section>\n";
    edits((SVELTE, block), ".old", Operation::Delete, &block.replace("    <p class=\"old\">old</p>\n\n", ""));
    edits(
        (SVELTE, block),
        ".old",
        wrap("{#key a}", "{/key}"),
        &block.replace("    <p class=\"old\">old</p>", "    {#key a}\n      <p class=\"old\">old</p>\n    {/key}"),
    );
    let page = "<ul>\n  {a.map((b) => (\n    <li>{b}</li>\n  ))}\n</ul>\n";
    edits((ASTRO, page), "li", replace("<li><b>{b}</b></li>"), &page.replace("<li>{b}</li>", "<li><b>{b}</b></li>"));
    edits((ASTRO, page), "li", after("<hr>"), &page.replace("</li>", "</li>\n    <hr>"));
    edits(
        (ASTRO, page),
        "li",
        wrap("<>", "</>"),
        &page.replace("    <li>{b}</li>", "    <>\n      <li>{b}</li>\n    </>"),
    );
    edits(
        (ASTRO, page),
        "ul",
        wrap("{ok && (", ")}"),
        "{ok && (\n  <ul>\n    {a.map((b) => (\n      <li>{b}</li>\n    ))}\n  </ul>\n)}\n",
    );
}

#[test]
fn code_in_attributes_is_indented() {
    let wrapped = |path: &str, element: &str, expected: &str| {
        let (text, expected) = (
            format!("<template>\n{element}\n</template>\n"),
            format!("<template>\n<b>\n{expected}\n</b>\n</template>\n"),
        );
        edits((path, &text), "p", wrap("<b>", "</b>"), &expected);
    };
    let values =
        [(VUE, ":a=\"", "\""), (VUE, "v-on:a='", "'"), (SVELTE, "a={", "}"), (ASTRO, "a={", "}"), (ASTRO, "{...", "}")];
    for (path, open, close) in values {
        let lines =
            |indent: &str| format!("{indent}<p\n{indent}  {open}{{\n{indent}    b: c\n{indent}  }}{close}\n{indent}/>");
        wrapped(path, &lines(""), &lines("  "));
        let literal = |indent: &str| format!("{indent}<p\n{indent}  {open}b(`\n x\n`)\n{indent}  {close}\n{indent}/>");
        wrapped(path, &literal(""), &literal("  "));
    }
    for path in [VUE, SVELTE, ASTRO] {
        let title = |indent: &str| format!("{indent}<p\n{indent}  title=\"\nx\n\"\n{indent}>\n{indent}</p>");
        wrapped(path, &title(""), &title("  "));
    }
}

#[test]
fn edits_that_would_break_a_component_are_refused() {
    let vue =
        "<template>\n  <p v-if=\"a\">a</p>\n  <!-- c -->\n  <p v-else>b {{ c }}</p>\n  <i>{{ d }}</i>\n</template>\n";
    refuses((VUE, vue), "p:first-child", Operation::Delete, "`v-else` would no longer follow its `v-if`");
    refuses((VUE, vue), "p:first-child", after("<b/>"), "`v-else` would no longer follow its `v-if`");
    refuses((VUE, vue), "p:first-child", wrap("<div>", "</div>"), "`v-else` would no longer follow its `v-if`");
    refuses((VUE, vue), "i", replace("<b>"), "`<b>` is not closed");
    refuses((VUE, vue), "i", before("<p>{{ x</p>"), "`<p>` is not closed");
    refuses((VUE, vue), "i", last("</i><i>"), "");
    refuses((VUE, vue), "i", wrap("<b>", "</B>"), "`<b>` is not closed");
    let svelte = "{#if a}\n  <p>x</p>\n{/if}\n";
    refuses((SVELTE, svelte), "p", replace("<b/>{/if}"), "this part of a block has no start");
    refuses((SVELTE, svelte), "p", replace("{it's}"), "this code is not closed, or cannot be read");
    let astro = "{ok && <p>x</p>}\n{a.map((b) => <li>{b}</li>)}\n<ul></ul>\n";
    refuses((ASTRO, astro), "p", Operation::Delete, "the code in braces around the element");
    refuses((ASTRO, astro), "li", Operation::Delete, "the code in braces around the element");
    refuses((ASTRO, astro), "p", after("text"), "the code in braces around the element");
    refuses((ASTRO, astro), "p", replace("{x}"), "the code in braces around the element");
    refuses((ASTRO, astro), "ul", replace("<b>{</b>"), "this code is not closed, or cannot be read");
    edits((ASTRO, astro), "p", replace("<b/><i/>"), &astro.replace("<p>x</p>", "<b/><i/>"));
}

#[test]
fn attributes_of_vue_are_edited() {
    let text = "<template>\n  <Card\n    :items=\"list\"\n    @pick=\"go\"\n    #default=\"{ row }\"\n    class=\"a\"\n  />\n</template>\n";
    edits((VUE, text), "Card@:items", replace("rows"), &text.replace("\"list\"", "\"rows\""));
    edits(
        (VUE, text),
        "Card@@pick",
        replace("@pick.once=\"stop\""),
        &text.replace("@pick=\"go\"", "@pick.once=\"stop\""),
    );
    edits((VUE, text), "Card@#default", Operation::Delete, &text.replace("\n    #default=\"{ row }\"", ""));
    edits((VUE, text), "Card@class", last("b"), &text.replace("\"a\"", "\"a b\""));
    edits((VUE, text), "Card@@pick", body("a = \"x\""), &text.replace("\"go\"", "'a = \"x\"'"));
    let added = text.replace("class=\"a\"", "class=\"a\"\n    :key=\"row.id\"");
    check_insert_missing::<Html>((VUE, text), (Selector, "Card@:key"), "row.id", &added);
}

#[test]
fn attributes_in_braces_are_edited() {
    let text = "<Card items={list} {open} title=\"a\" class=\"b {c}\" {...rest} checked n=1 />\n";
    let with = |old: &str, new: &str| text.replace(old, new);
    for path in [SVELTE, ASTRO] {
        edits((path, text), "Card@items", replace("rows"), &with("{list}", "{rows}"));
        edits((path, text), "Card@items", replace("{rows}"), &with("{list}", "{rows}"));
        edits((path, text), "Card@items", replace("{ a: 1 }"), &with("{list}", "{{ a: 1 }}"));
        edits((path, text), "Card@items", replace("{a ? b : c}"), &with("{list}", "{a ? b : c}"));
        edits((path, text), "Card@items", replace("items=\"x\""), &with("items={list}", "items=\"x\""));
        edits((path, text), "Card@items", body("{ a }"), &with("{list}", "{{ a }}"));
        edits((path, text), "Card@open", replace("!closed"), &with("{open}", "open={!closed}"));
        edits((path, text), "Card@open", Operation::Delete, &with(" {open}", ""));
        edits((path, text), "Card@title", replace("{name}"), &with("title=\"a\"", "title={name}"));
        edits((path, text), "Card@title", body("it's"), &with("\"a\"", "\"it's\""));
        edits((path, text), "Card@checked", body("{yes}"), &with("checked", "checked={yes}"));
        edits((path, text), "Card@checked", replace("{yes}"), &with("checked", "checked={yes}"));
        edits((path, text), "Card@checked", replace("{checked}"), &with("checked", "{checked}"));
        edits((path, text), "Card@checked", replace("{...all}"), &with("checked", "{...all}"));
        edits((path, text), "Card@checked", replace("active"), &with("checked", "active"));
        edits((path, text), "Card@n", replace("{2}"), &with("n=1", "n={2}"));
        edits((path, text), "Card@{...rest}", replace("{...other}"), &with("{...rest}", "{...other}"));
        edits((path, text), "Card@class", last("d"), &with("b {c}", "b {c} d"));
        refuses((path, text), "Card@items", replace("a} b={c"), "not a value of an attribute");
        refuses((path, text), "Card@items", replace("it's"), "not a value of an attribute");
        let added = |attribute: &str| with("n=1", &format!("n=1 {attribute}"));
        check_insert_missing::<Html>(
            (path, text),
            (Selector, "Card@on:go"),
            "{() => a > b}",
            &added("on:go={() => a > b}"),
        );
        check_insert_missing::<Html>((path, text), (Selector, "Card@alt"), "a \"b\"", &added("alt='a \"b\"'"));
    }
    refuses((SVELTE, "<p class={a} />"), "p@class", last("b"), "words cannot be inserted into code");
    edits((ASTRO, "<p a=`b` />"), "p@a", replace("${c}"), "<p a=`${c}` />");
}

#[test]
fn elements_do_not_get_an_attribute_twice() {
    let twice = "twice";
    let vue = "<template><p id=\"x\" :id=\"a\" @click=\"b\" class=\"c\">x</p></template>\n";
    for (target, content) in [
        ("p@class", "class=\"b\""),
        ("p@class", ":id=\"d\""),
        ("p@id", "@click=\"e\""),
        ("p@:id", "title=\"a\" id=\"y\""),
    ] {
        refuses((VUE, vue), target, after(content), twice);
        refuses((VUE, vue), target, before(content), twice);
    }
    refuses((VUE, vue), "p", replace("<p id=\"x\" id=\"y\">x</p>"), twice);
    edits((VUE, vue), "p@class", after("v-bind:class=\"d\""), &vue.replace("\"c\"", "\"c\" v-bind:class=\"d\""));
    let svelte = "<input {id} bind:value={v} on:click={a} use:b {...c} bind:this={d} />\n";
    for content in ["id={e}", "value=\"e\"", "{value}", "bind:id={e}", "bind:value", "{ id }", "bind:this={e}"] {
        refuses((SVELTE, svelte), "input@use:b", after(content), twice);
    }
    for content in ["on:click={e}", "use:b", "{...c}", "this={e}", "{@attach e}", "class:id={e}"] {
        edits((SVELTE, svelte), "input@use:b", after(content), &svelte.replace("use:b", &format!("use:b {content}")));
    }
    let astro = "<A {id} title=`a` {...c} />\n";
    refuses((ASTRO, astro), "A@title", after("id=\"b\""), twice);
    refuses((ASTRO, astro), "A@id", after("title"), twice);
    edits((ASTRO, astro), "A@title", after("{...c}"), "<A {id} title=`a` {...c} {...c} />\n");
    // An attribute that is there twice does not prevent other edits.
    let untidy = "<template><p a=\"1\" a=\"2\"><b/></p></template>\n";
    edits((VUE, untidy), "b", replace("<i/>"), &untidy.replace("<b/>", "<i/>"));
    refuses((VUE, untidy), "b", replace("<b c d c />"), "the attribute `c` twice");
    refuses((VUE, untidy), "p", replace("<p b=\"1\" b=\"2\"/>"), "the attribute `b` twice");
}

#[test]
fn directives_of_svelte_get_code() {
    let text = "<a href=\"/\">x</a>\n";
    for (name, content, written) in [
        ("on:click", "go", "on:click={go}"),
        ("on:click", "() => go(\"a\")", "on:click={() => go(\"a\")}"),
        ("on:click", "", "on:click"),
        ("bind:value", "text", "bind:value={text}"),
        ("bind:value", "{text}", "bind:value={text}"),
        ("class:on", "a > b", "class:on={a > b}"),
        ("use:tip", "{ text: t }", "use:tip={{ text: t }}"),
        ("transition:fade", "options", "transition:fade={options}"),
        ("onclick", "go", "onclick={go}"),
        ("icon", "go", "icon=\"go\""),
        ("style:color", "red", "style:color=\"red\""),
        ("title", "go", "title=\"go\""),
    ] {
        let target = format!("a@{name}");
        let expected = text.replace("\"/\"", &format!("\"/\" {written}"));
        check_insert_missing::<Html>((SVELTE, text), (Selector, &target), content, &expected);
    }
    edits((SVELTE, "<a on:click />"), "a@on:click", body("go"), "<a on:click={go} />");
    let component = "<Tabs on:a={b} />";
    let expected = component.replace(" />", " only=\"x\" />");
    check_insert_missing::<Html>((SVELTE, component), (Selector, "Tabs@only"), "x", &expected);
}
