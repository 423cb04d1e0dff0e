//! Tests of refactors. They compare the text before and after.

use marquetry_sdk::{
    TargetKind,
    testing::{check_refactor, check_refactor_laws, check_refactor_of, check_refused},
};

use crate::Yaml;

#[track_caller]
fn sorts(marked: &str, after: &str) {
    check_refactor::<Yaml>(("a.yaml", marked), "sort_keys", &[], after);
}

#[track_caller]
fn sorts_deep(marked: &str, after: &str) {
    check_refactor::<Yaml>(("a.yaml", marked), "sort_keys", &[("deep", "true")], after);
}

#[test]
fn sort_keys_sorts_mapping() {
    sorts("b: 1‸\na: 2\n", "a: 2\nb: 1\n");
    sorts("x:\r\n  b:\r\n    - 1\r\n  ‸a: 2\r\ny: 1\r\n", "x:\r\n  a: 2\r\n  b:\r\n    - 1\r\ny: 1\r\n");
    sorts("- b: |\n    text\n\n    more\n  a: 2‸", "- a: 2\n  b: |\n    text\n\n    more");
    sorts("b: |+\n  x\n\n\na: 1‸\n", "a: 1\nb: |+\n  x\n\n\n");
    sorts("x: {‸b: 1, a: [2, 3]}\n", "x: {a: [2, 3], b: 1}\n");
    sorts("---\nB: 1‸\n\n\"a\": 2\n...\n---\nd: 1\nc: 2\n", "---\n\"a\": 2\n\nB: 1\n...\n---\nd: 1\nc: 2\n");
    sorts_deep("b:\n  - d: 1 # d\n    c: {z: 1, y: 2}\na: 1‸\n", "a: 1\nb:\n  - c: {y: 2, z: 1}\n    d: 1 # d\n");
    check_refactor_of::<Yaml>(("a.yaml", "b: 1\na: 2\n"), (TargetKind::Path, "$.a"), "sort_keys", &[], "a: 2\nb: 1\n");
}

#[test]
fn sort_keys_moves_comments_with_keys() {
    sorts(
        "# of b\nb: 1 # behind b\n\n# apart\n\n# of a\na: 2‸ # behind a\n# at the end\n",
        "# apart\n\n# of a\na: 2 # behind a\n\n# of b\nb: 1 # behind b\n# at the end\n",
    );
    // A comment that is indented more belongs to the value above it.
    sorts("b:\n  x: 1\n  # y: 2\n\n  # z\na: 1‸\n", "a: 1\nb:\n  x: 1\n  # y: 2\n\n  # z\n");
    sorts("# yaml-language-server: $schema=x\nb: 1‸\na: 2\n", "# yaml-language-server: $schema=x\na: 2\nb: 1\n");
    sorts("- # first\n  b: 1‸\n  # a\n  a: 2\n", "- # first\n  # a\n  a: 2\n  b: 1\n");
    sorts("{ b: 1, # b‸\n  a: 2 # a\n}\n", "{ a: 2, # a\n  b: 1 # b\n}\n");
}

#[test]
fn sort_keys_keeps_anchors_before_aliases() {
    sorts("z: &z 1\nb: *z‸\na: 1\n", "a: 1\nz: &z 1\nb: *z\n");
    sorts("base: &x {k: 1}\na:\n  <<: *x\nc: 1\n‸b: 2\n", "b: 2\nbase: &x {k: 1}\na:\n  <<: *x\nc: 1\n");
    sorts_deep("z:\n  - &y 1\n  - {d: *y, c: 2}\nm: *y\na: 1‸\n", "a: 1\nz:\n  - &y 1\n  - {c: 2, d: *y}\nm: *y\n");
    // Entries do not move across a merge key, because parsers disagree about whether an entry before it takes
    // precedence.
    sorts(
        "x: &x {}\ny:\n  d: 1\n  c: 1\n  <<: *x\n  b: 1‸\n  a: 1\n",
        "x: &x {}\ny:\n  c: 1\n  d: 1\n  <<: *x\n  a: 1\n  b: 1\n",
    );
    check_refused::<Yaml>(("a.yaml", "a: &x 1\nd: *x\nb: &x 2\nc: *x‸\n"), "sort_keys", &[], "change the meaning");
}

#[test]
fn sort_keys_refuses_what_changes_meaning() {
    let refused = |marked: &str, message: &str| check_refused::<Yaml>(("a.yaml", marked), "sort_keys", &[], message);
    refused("- 1‸\n- 2\n", "not inside a mapping");
    refused("a:\n«- b: 1»\n", "sequence");
    refused("b: 1\na: [‸\n", "syntax errors");
}

const API: &str = "openapi: 3.0.0
paths:
  /pets:
    get:
      parameters:
        - name: tag
          schema:
            type: object
            # what it is
            properties:
              name: { type: string }
components:
  schemas:
    Pet:
      $ref: \"#/paths/~1pets/get/parameters/0/schema/properties/name\"
";

#[test]
fn extract_definition_moves_schema() {
    check_refactor_of::<Yaml>(
        ("a.yaml", API),
        (TargetKind::Path, "$.paths['/pets'].get.parameters[0].schema"),
        "extract_definition",
        &[("extractedName", "Tag")],
        "openapi: 3.0.0
paths:
  /pets:
    get:
      parameters:
        - name: tag
          schema:
            $ref: \"#/components/schemas/Tag\"
components:
  schemas:
    Pet:
      $ref: \"#/components/schemas/Tag/properties/name\"
    Tag:
      type: object
      # what it is
      properties:
        name: { type: string }
",
    );
    check_refactor::<Yaml>(
        (
            "a.yaml",
            "$schema: https://json-schema.org/draft-07/schema#\r\nproperties:\r\n  home:\r\n    type: ‸string\r\n",
        ),
        "extract_definition",
        &[],
        "$schema: https://json-schema.org/draft-07/schema#\r\nproperties:\r\n  home:\r\n    $ref: '#/definitions/home'\r\ndefinitions:\r\n  home:\r\n    type: string\r\n",
    );
}

#[test]
fn extract_definition_refuses_non_schemas() {
    let refused = |marked: &str, message: &str| {
        check_refused::<Yaml>(("a.yaml", marked), "extract_definition", &[], message);
    };
    refused("name: x‸\n", "not a JSON Schema");
    refused("items:\n  a: &x ‸1\n", "anchor");
    refused("$defs:\n  a:\n    type: ‸x\n", "already a definition");
}

#[test]
fn laws_hold_for_refactors() {
    let texts = [
        API,
        "b: 1\na: &x\n  d: [1, {z: 1, y: 2}]\n  c: |\n    text\n\n# end\nz: *x\n",
        "? b\n: 1\n? - a\n: 2\n--- \n!!map\n&k b: 1\n*k : 2\n\"\": 3\n",
        "\u{feff}b:\r\na:\r\n  - c: 1\r\n    b: 2\r\n  -\r\n",
    ];
    for text in texts {
        assert!(check_refactor_laws::<Yaml>(("a.yaml", text), &[("deep", "true")]) > 0, "{text}");
    }
    for text in ["", "a: [", "\tx", "a: *b\n", "- \n - a: 1\n  b: 2\n", "%YAML\n---\n{b: 1\na: 2"] {
        check_refactor_laws::<Yaml>(("a.yaml", text), &[("deep", "true")]);
    }
}
