//! Names that components of Vue declare as strings. The notation is that of `completeness.rs`.

use crate::host::check_marked as check;

/// Checks a component after `save` is renamed; every `New` in it was `save`, and `¦` marks the place that was given.
#[track_caller]
fn check_save(after: &str) {
    let after = format!("// a.vue\n{after}");
    check(&after.replace('§', "").replace("New", "save"), &after.replace('¦', ""));
}

#[test]
fn strings_that_declare_names_of_components_are_renamed() {
    for text in [
        "<script setup>\nconst emit = defineEmits(['¦New', 'close']);\nemit('New'); emit('close');\n</script>",
        "<script setup>\nconst emit = defineEmits(['¦New', 'close']);\nfunction go(emit) { emit('§save'); }\n</script>\n<template><button @click=\"$emit('New')\" /></template>",
        "<script setup lang=\"ts\">\nconst model = defineModel('¦New');\n</script>\n<template><input v-model=\"model\" /></template>",
        "<script setup lang=\"ts\">\nconst model = defineModel<string>('¦New', { required: true });\n</script>",
        "<script setup>\nconst props = defineProps(['¦New', 'close']);\nprops.New;\n</script>\n<template><p>{{ New }}</p></template>",
        "<script>\nexport default { emits: ['¦New'], methods: { go() { this.$emit('New'); } } };\n</script>",
        "<script>\nimport { defineComponent } from 'vue';\nexport default defineComponent({ props: ['¦New'], setup(props) { return props.§save; } });\n</script>",
    ] {
        check_save(text);
    }
}
