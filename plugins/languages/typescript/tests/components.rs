//! Renames in the components of Vue, Svelte and Astro. `¦` marks the renamed place, `§` unresolved ones.

use super::host::check_marked;

#[test]
fn props_of_types_are_renamed_in_all_files() {
    check_marked(
        "// Card.vue\n<script setup lang=\"ts\">\nimport type { Props } from './props';\nconst props = withDefaults(defineProps<Props>(), { ¦size: 1 });\n</script>\n<template>{{ size }} {{ props.size }}</template>\n// Page.vue\n<script setup lang=\"ts\">\nimport Card from './Card.vue';\n</script>\n<template><Card :size=\"1\" /></template>\n// props.ts\nexport interface Props { size?: number }\n",
        "// Card.vue\n<script setup lang=\"ts\">\nimport type { Props } from './props';\nconst props = withDefaults(defineProps<Props>(), { New: 1 });\n</script>\n<template>{{ New }} {{ props.New }}</template>\n// Page.vue\n<script setup lang=\"ts\">\nimport Card from './Card.vue';\n</script>\n<template><Card :new=\"1\" /></template>\n// props.ts\nexport interface Props { New?: number }\n"
            .replace(":new=", ":New=")
            .as_str(),
    );
}

#[test]
fn members_of_props_have_their_types() {
    let declared = [
        "defineProps<{ user: User }>()",
        "defineProps({ user: Object as PropType<User> })",
        "defineProps({ user: { type: Object as PropType<User>, required: true } })",
        "defineProps({ user: { type: Object as () => User, default: null } })",
        "withDefaults(defineProps<{ user?: User }>(), {})",
    ];
    for props in declared {
        let text = |name: &str, mark: &str| {
            format!(
                "// a.vue\n<script setup lang=\"ts\">\ninterface User {{ {mark}{name}: string }}\nconst props = {props};\nprops.user.{name};\n</script>\n<template>{{{{ user.{name} }}}} {{{{ other.old }}}}</template>\n"
            )
        };
        check_marked(&text("old", "¦"), &text("New", "").replace("other.old", "other.§old"));
    }
}

#[test]
fn values_of_loops_have_the_types_of_elements() {
    let templates = [
        "<p v-for=\"it in list\">{{ it.old }}</p>",
        "<p v-for=\"(it, index) of list\" :key=\"it.old\" />",
        "<p v-for=\"{ old: a } in list\">{{ a }}</p>",
        "<p v-if=\"list.length\" v-for=\"it in list\" :a=\"it.old\" />",
        "<p v-for=\"it in list.filter((one) => one.old)\">{{ it.old }}</p>",
    ];
    for template in templates {
        let text = format!(
            "// a.vue\n<script setup lang=\"ts\">\ninterface Item {{ ¦old: string }}\nconst list: Item[] = [];\n</script>\n<template>{template}</template>\n"
        );
        check_marked(&text, &text.replace("old", "New").replace('¦', ""));
    }
    let each = "// a.svelte\n<script lang=\"ts\">\n  interface Item { ¦old: string }\n  let list: Item[] = [];\n</script>\n{#each list as it, i (it.old)}{it.old}{@const a = it.old}{a}{/each}\n{#snippet row(it: Item)}{it.old}{/snippet}\n";
    check_marked(each, &each.replace("old", "New").replace('¦', ""));
}

#[test]
fn conditions_narrow_types() {
    let text = "// a.vue\n<script setup lang=\"ts\">\ntype Shape = { kind: 'a'; ¦size: number } | { kind: 'b'; size: string };\nconst shape = {} as Shape;\n</script>\n<template><p v-if=\"shape.kind === 'a'\">{{ shape.size }}</p><p v-else>{{ shape.size }}</p></template>\n";
    let after = text.replace('¦', "").replacen("size: number", "New: number", 1);
    check_marked(text, &after.replacen("{{ shape.size }}", "{{ shape.New }}", 1));
}

#[test]
fn local_names_of_templates_shadow_those_of_the_script() {
    let templates = [
        "<p v-for=\"old in 3\">{{ old }}</p>",
        "<p v-for=\"(a, old) in 3\" :key=\"old\" />",
        "<Card v-slot=\"{ old }\">{{ old }}</Card>",
        "<Card><template #a=\"old\">{{ old.b }}</template></Card>",
        "<p @click=\"(old) => old\" />",
        "<p :a=\"[1].map((old) => old + 1)\" />",
    ];
    for template in templates {
        let text = |name: &str| {
            format!(
                "// a.vue\n<script setup>\nimport Card from './Card.vue';\nconst ¦{name} = 1;\n</script>\n<template>{template}{{{{ {name} }}}}</template>\n"
            )
        };
        check_marked(&text("old"), &text("New").replace('¦', ""));
    }
}

#[test]
fn names_of_a_template_are_renamed_from_the_template() {
    let cases = [
        ("<p v-for=\"¦old in 3\">{{ old }}</p>{{ old }}", "<p v-for=\"New in 3\">{{ New }}</p>{{ old }}"),
        ("<A v-slot=\"{ ¦old }\">{{ old }}</A>", "<A v-slot=\"{ old: New }\">{{ New }}</A>"),
        ("<A #a=\"{ b: ¦old }\">{{ old }}</A>", "<A #a=\"{ b: New }\">{{ New }}</A>"),
        ("<p @click=\"(¦old) => old\" />", "<p @click=\"(New) => New\" />"),
        ("{{ ¦old }}", "{{ New }}"),
    ];
    for (before, after) in cases {
        let text = |script: &str, template: &str| {
            format!(
                "// a.vue\n<script setup>\nconst A = 1, {script} = 1;\n</script>\n<template>{template}</template>\n"
            )
        };
        let script = if after == "{{ New }}" { "New" } else { "old" };
        check_marked(&text("old", before), &text(script, after));
    }
}

#[test]
fn names_in_text_are_not_references() {
    let text = "// a.vue\n<script setup>\nconst ¦old = 1;\n</script>\n<template><p class=\"old\" id='old'>old {{ old }} <!-- old --></p></template>\n<style>.old { color: red }</style>\n";
    check_marked(text, &text.replace('¦', "").replace("const old", "const New").replace("{{ old }}", "{{ New }}"));
}

#[test]
fn parts_that_are_not_read_are_listed() {
    let cases = [
        ("{{ old b }}", "{{ §old b }}"),
        ("<p :a=\"old +\" />", "<p :a=\"§old +\" />"),
        ("<p v-for=\"a b old\" />", "<p v-for=\"a b §old\" />"),
    ];
    for (before, after) in cases {
        let text = |name: &str, template: &str| {
            format!("// a.vue\n<script setup>\nconst {name} = 1;\n</script>\n<template>{template}</template>\n")
        };
        check_marked(&text("¦old", before), &text("New", after));
    }
    let pug =
        "// a.vue\n<script setup>\nconst ¦old = 1;\n</script>\n<template lang=\"pug\">\np {{ old }}\n</template>\n";
    check_marked(pug, &pug.replace('¦', "").replace("const old", "const New").replace("{{ old", "{{ §old"));
}

#[test]
fn objects_that_are_spread_into_a_component_are_listed() {
    let card = "// Card.svelte\n<script>\n  export let ¦old = 1;\n</script>\n";
    let page = |spread: &str| {
        format!(
            "// Page.svelte\n<script>\n  import Card from './Card.svelte';\n  const rest = {{ old: 1 }}, other = {{ a: 1 }};\n</script>\n<Card {spread} {{...other}} />\n"
        )
    };
    check_marked(
        &format!("{card}{}", page("{...rest}")),
        &format!("{}{}", card.replace("¦old", "New"), page("{...§rest}")),
    );
}

#[test]
fn astro_expressions_have_scopes() {
    let text = "// a.astro\n---\ninterface Item { ¦old: string }\nconst list: Item[] = [];\n---\n<ul>{list.map((it) => <li class={it.old}>{it.old} it's</li>)}</ul>\n";
    check_marked(text, &text.replace("old", "New").replace('¦', ""));
}
