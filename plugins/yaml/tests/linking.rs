//! What YAML files name, and how it is spelled.

use marquetry_sdk::{Destination, Linking, Request, Respelling, testing, workspace};
use marquetry_yaml::Yaml;

const API: &str = "openapi: 3.1.0\npaths:\n  /users:\n    $ref: ./paths/users.yaml#/all\ncomponents:\n  schemas:\n    User: {$ref: \"../schemas/user.yaml\"}\n    Own:\n      $ref: '#/components/schemas/User'\n    Same: &same\n      $ref: 'it''s.yaml'\n    Again: *same\n";

#[test]
fn finds_references() {
    let bench = testing::open::<Yaml>("api/openapi.yaml", API);
    let links = Yaml::links(bench.document());
    let found: Vec<(&str, &str)> = links.iter().map(|link| (link.span.of(API), link.statement.of(API))).collect();
    assert_eq!(
        found,
        [
            ("./paths/users.yaml#/all", "$ref: ./paths/users.yaml#/all"),
            ("../schemas/user.yaml", "$ref: \"../schemas/user.yaml\""),
        ]
    );
}

#[test]
fn follows_and_spells_them() {
    workspace::set_files([("api/paths/users.yaml".to_owned(), String::new())]);
    let (from, kind, specifier) = ("api/openapi.yaml", "ref".to_owned(), "./paths/users.yaml#/all".to_owned());
    let request = Request { kind: kind.clone(), specifier: specifier.clone() };
    let Destination::Inside(was) = Yaml::resolve(from, &[request]).remove(0) else { panic!("it is there") };
    let spelled = |to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        Yaml::spell(&[Respelling { from, to, was: was.path.clone(), kind: kind.clone(), specifier: specifier.clone() }])
            .remove(0)
    };
    assert_eq!(spelled("api/people.yaml").expect("spelled"), "./people.yaml#/all");
    assert!(spelled("api/it's.yaml").is_err());
}

#[test]
fn removes_what_can_go() {
    let text = "extends: ./base.yml\nrules: {}\n";
    let bench = testing::open::<Yaml>(".eslintrc.yml", text);
    let edits = Yaml::unlink(bench.document(), &[0]).expect("removed");
    assert_eq!(marquetry_sdk::span::apply(text, &edits), "rules: {}\n");
    let api = testing::open::<Yaml>("a.yaml", API);
    assert!(Yaml::unlink(api.document(), &[0]).is_err());
}
