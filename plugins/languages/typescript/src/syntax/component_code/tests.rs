//! Tests of the code that is written for templates.

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

use super::names::ScriptNames;
use super::writer::Writer;
use super::{astro, parse, styles, svelte, vue};

/// Names that the scripts of these tests declare.
const SCRIPT: &str = "import Card from 'c'; let a, b, list, vFocus; const count = 0;";

/// Returns the code of a template, on one line.
fn code(kind: &str, template: &str, script: &str) -> String {
    let arena = Allocator::default();
    let program = Parser::new(&arena, arena.alloc_str(script), SourceType::mjs()).parse().program;
    let mut names = ScriptNames::collect(&program);
    names.has_members = !matches!(kind, "svelte" | "astro");
    names.is_options = kind == "options";
    names.has_stores = kind == "svelte";
    let mut writer = Writer::new(template, &names);
    let whole = 0..template.len();
    let parts = std::slice::from_ref(&whole);
    match kind {
        "astro" => astro::write(&mut writer, parts),
        "svelte" => svelte::write(&mut writer, parts),
        "style" => styles::write(&mut writer, 0..template.len()),
        _ => vue::write(&mut writer, parts),
    }
    let written = writer.finish();
    assert!(written.text.is_empty() || parse(&arena, &written, 0, &program).is_some(), "{}", written.text);
    // Copied parts of the code keep their positions in the template.
    for (at, _) in written.text.match_indices("list") {
        let place = written.place_of(Span::sized(at as u32, 4));
        assert_eq!(place.source_text(template), "list", "{}", written.text);
    }
    written.text.replace('\n', "")
}

#[track_caller]
fn vue(template: &str, expected: &str) {
    assert_eq!(code("vue", template, SCRIPT), expected);
}

#[track_caller]
fn svelte(template: &str, expected: &str) {
    assert_eq!(code("svelte", template, SCRIPT), expected);
}

#[test]
fn expressions_of_vue_refer_to_the_script_or_to_members() {
    vue("{{ a.b }} {{ f({ a, c }) }} a b", "( a.b );( this.f({ a, c: this.c }) );");
    vue(
        "<p :id=\"b\" @click=\"a++; go()\" title='a' v-html=\"c\"/>",
        "(b);(async ($event) => {a++; this.go()});(this.c);",
    );
    vue("{{ Math.max(a) }}{{ list.map((c) => c + d) }}", "( Math.max(a) );( list.map((c) => c + this.d) );");
    vue(
        "<p @x=\"$emit('y', $event)\" v-focus :class=\"{ a }\"/>",
        "(async ($event) => {this.$emit('y', $event)});vFocus;({ a });",
    );
}

#[test]
fn components_of_vue_are_elements() {
    vue("<Card user-name=\"x\" :is-open=\"a\">{{ b }}</Card>", "<Card userName=\"x\" isOpen={(a)}/>;( b );<Card/>;");
    vue("<card v-model=\"a\" v-model:open.trim=\"b\"/>", "<Card modelValue={(a)} open={(b)}/>;");
    vue("<Card :a @close=\"c\"/>", "<Card a={a}/>;<Card.$emits close/>;(async ($event) => {this.c});");
    vue(
        "<Card @a-b=\"c\" @update:open=\"d\"/>",
        "<Card open/>;<Card.$emits a-b aB/>;(async ($event) => {this.c});(async ($event) => {this.d});",
    );
    vue("<Card v-bind=\"a\" ref=\"b\" class=\"c\"/>", "<Card {...(a)}/>;b;");
    vue(
        "<component :is=\"Card\" :x=\"a\"/><my-card :y=\"a\"/>",
        "<this.$unknown is={(Card)} x={(a)}/>;<this.$unknown y={(a)}/>;",
    );
}

#[test]
fn arguments_of_vue_are_code() {
    vue("<Card :[a]=\"b\" :xlink:href=\"list\"/>", "(a);<Card data-value={(b)} data-value={(list)}/>;");
    vue(
        "<p @[a]=\"b\"/><Card><template #[list]=\"c\">{{ c }}</template></Card>",
        "(a);(async ($event) => {b});<Card/>;(list);{const c = this.$slotProps;( c );}<Card/>;",
    );
}

#[test]
fn blocks_of_vue_are_scopes() {
    vue(
        "<p v-for=\"(c, i) in list\" :key=\"c.id\">{{ c }}{{ d }}</p>{{ c }}",
        "{const $l1 = (list);for (const c of $l1) {const i = 0;(c.id);( c );( this.d );}}( this.c );",
    );
    vue(
        "<p v-if=\"a\">{{ b }}</p> <p v-else-if=\"b\"/><p v-else>{{ a }}</p>",
        "if (a){( b );}else if (b){}else {( a );}",
    );
    vue(
        "<Card v-slot=\"{ c }\">{{ c }}</Card>{{ c }}",
        "<Card/>;{const { c } = this.$slotProps;( c );<Card/>;}( this.c );",
    );
    vue("<p v-for=\"a of list\">{{ a }}", "{const $l1 = (list);for (const a of $l1) {( a );}}");
}

#[test]
fn invalid_code_of_vue_is_left_out() {
    vue("{{ a b }} {{ a // b }} {{ }} a < b <p :c=d><!-- {{ e }} --> {{ f", "(0);( a // b );(0);(this.d);");
    vue("</p><p", "");
    vue("<p v-for=\"a b\" #b=\"{ c\" />", "");
}

#[test]
fn templates_of_options_see_members_only() {
    let script = "import Card from 'c'; export default { components: { Card }, data() { return { a: 1 } } }";
    assert_eq!(code("options", "<Card :a=\"a\"/><other/>", script), "<this.Card a={(this.a)}/>;<this.$unknown/>;");
    let script = "export default defineComponent({ components: { BaseCard } })";
    assert_eq!(code("options", "<base-card></base-card>", script), "<this.BaseCard/>;<this.BaseCard/>;");
}

#[test]
fn styles_of_vue_have_values() {
    assert_eq!(code("style", "p { color: v-bind(a); width: v-bind('b.c(1)') }", SCRIPT), "(a);(b.c(1));");
}

#[test]
fn expressions_of_svelte_refer_to_the_script() {
    svelte(
        "<p on:click={go} {...rest} {a} title=\"b{c}\">{d.e}</p>",
        "go;rest;".replace("go;rest;", "(go);(rest);<i a={a}/>;(c);(d.e);").as_str(),
    );
    svelte("{$count} {f({ $count })}", "(count);(f({ $count: count }));");
    svelte("<p use:a={b} class:a bind:value={list} transition:b|local/>", "(a);(b);<i a={a}/>;(list);(b);");
}

#[test]
fn blocks_of_svelte_are_scopes() {
    svelte("{#if a > b}{a}{:else if b}{:else}{b}{/if}", "if (a > b){(a);} else if (b){} else {(b);}");
    svelte(
        "{#each list as c, i (c.id)}{c}{d}{:else}{c}{/each}",
        "{const $l1 = (list);for (const c of $l1) {const i = 0;(c.id);(c);(d);}{(c);}}",
    );
    svelte(
        "{#await a then b}{b}{:catch c}{c}{/await}",
        "{const $a = (a);{const b = await $a;(b);}{const c = $a as any;(c);}}",
    );
    svelte("{#key a}{@const c = b}{c}{/key}", "(a);{const c = (b);(c);}");
    svelte("<Card {@attach a} data-a={b}/>{#other a}", "<Card data-value={(a)} {...[(b),]}/>;");
    svelte("{#snippet row(c)}{c}{/snippet}{@render row(a)}", "function row(c) {(c);}(row(a));");
}

#[test]
fn components_of_svelte_are_elements() {
    svelte("<Card title=\"x\" {a} b={list} bind:c bind:d={a}/>", "<Card title=\"x\" a={a} b={(list)} c={c} d={(a)}/>;");
    svelte(
        "<Card on:close={a} on:open {...b}>{a}</Card>",
        "<Card {...(b)}/>;<Card.$emits close/>;(a);<this.$unknown open/>;(a);<Card/>;",
    );
    svelte("<Card let:item>{item}</Card>", "<Card/>;{const item = this.$slotProps;(item);}<Card/>;");
    svelte("<svelte:component this={Card} x={a}/>", "<this.$unknown x={(a)}/>;(Card);");
    svelte("<Card>{#snippet head()}{/snippet}</Card>", "<Card/>;<this.$unknown head/>;function head() {}<Card/>;");
}

#[test]
fn expressions_of_astro_contain_markup() {
    let astro = |template: &str| code("astro", template, SCRIPT);
    assert_eq!(
        astro("<p class={a} {b}>{list.map((c) => <li>{c.d}</li>)}</p>"),
        "(a);<i b={b}/>;(list.map((c) => (() => {(c.d);})()));"
    );
    assert_eq!(
        astro("<Card title=\"x\" {a} b={list} {...c} client:load>{d}</Card>"),
        "<Card title=\"x\" a={a} b={(list)} {...(c)}/>;(d);<Card/>;"
    );
    assert_eq!(astro("{a && <p>Don't</p>}{b b}<img src=`${a}.png`>"), "(a && (() => {})());0;(`${a}.png`);");
}

#[test]
fn hostile_templates_are_left_out() {
    let deep = format!("{{{{ {}a{} }}}}{{{{ b }}}}", "(".repeat(100_000), ")".repeat(100_000));
    vue(&deep, "(0);( b );");
    let arena = Allocator::default();
    let program = Parser::new(&arena, "let a;", SourceType::mjs()).parse().program;
    let names = ScriptNames::collect(&program);
    let many = "<p v-for=\"a in b\">".repeat(2_000);
    let mut writer = Writer::new(&many, &names);
    let whole = 0..many.len();
    vue::write(&mut writer, std::slice::from_ref(&whole));
    assert!(parse(&arena, &writer.finish(), 0, &program).is_none());
    assert_eq!(program.body[0].span().end, 6);
}
