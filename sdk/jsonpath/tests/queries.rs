//! Queries over `serde_json` values: handwritten examples, and the compliance suite if `MARQ_SUITES` is set.

use std::borrow::Cow;

use marquetry_jsonpath::{
    Kind, NewStep, Query, Tree, find_missing, json_text, normalized_index, normalized_name, push_index, push_name,
    shape, similar_nodes,
};
use marquetry_sdk::{Target, TargetKind};
use serde_json::{Value, json as value};

struct Document(Value);

#[derive(Debug, Clone, Copy)]
struct Ref<'d>(&'d Value);

impl PartialEq for Ref<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

struct View<'d>(&'d Value);

impl<'d> Tree for View<'d> {
    type Node = Ref<'d>;

    fn root(&self) -> Ref<'d> {
        Ref(self.0)
    }
    fn kind(&self, node: Ref<'d>) -> Kind {
        match node.0 {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }
    fn children(&self, node: Ref<'d>) -> impl Iterator<Item = Ref<'d>> {
        let elements = node.0.as_array().into_iter().flatten();
        elements.chain(node.0.as_object().into_iter().flat_map(|object| object.values())).map(Ref)
    }
    fn members(&self, node: Ref<'d>) -> impl Iterator<Item = (Cow<'_, str>, Ref<'d>)> {
        node.0.as_object().into_iter().flatten().map(|(name, value)| (Cow::Owned(name.clone()), Ref(value)))
    }
    fn member(&self, node: Ref<'d>, name: &str) -> Option<Ref<'d>> {
        node.0.as_object()?.get(name).map(Ref)
    }
    fn element(&self, node: Ref<'d>, index: usize) -> Option<Ref<'d>> {
        node.0.as_array()?.get(index).map(Ref)
    }
    fn count(&self, node: Ref<'d>) -> usize {
        self.children(node).count()
    }
    fn text(&self, node: Ref<'d>) -> Cow<'_, str> {
        match node.0 {
            Value::String(text) => Cow::Owned(text.clone()),
            other => Cow::Owned(other.to_string()),
        }
    }
}

impl Document {
    fn tree(&self) -> View<'_> {
        View(&self.0)
    }

    fn select(&self, query: &str) -> Vec<Ref<'_>> {
        Query::parse(query).expect(query).select(&self.tree()).expect(query)
    }

    fn values(&self, query: &str) -> Value {
        self.select(query).into_iter().map(|node| node.0.clone()).collect()
    }

    /// The normalized path of a node.
    fn path(&self, wanted: Ref<'_>) -> String {
        let mut waiting = vec![(Ref(&self.0), "$".to_owned())];
        while let Some((node, path)) = waiting.pop() {
            if node == wanted {
                return path;
            }
            let below = |write: &dyn Fn(&mut String)| {
                let mut path = path.clone();
                write(&mut path);
                path
            };
            match node.0 {
                Value::Object(members) => waiting.extend(
                    members.iter().map(|(name, value)| (Ref(value), below(&|path| normalized_name(path, name)))),
                ),
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    waiting
                        .extend(items.map(|(index, value)| (Ref(value), below(&|path| normalized_index(path, index)))));
                }
                _ => {}
            }
        }
        unreachable!("the node is in the document")
    }
}

/// A small version of the bookshop example in RFC 9535.
fn shop() -> Document {
    Document(value!({
        "shop": {
            "books": [
                { "title": "Sayings", "price": 8.95, "tags": ["old"] },
                { "title": "Sword", "price": 12.99, "isbn": "0-553-21311-3" },
                { "title": "Moby", "price": 8.99, "tags": [] },
            ],
            "bike": { "price": 399, "colour": "red" },
        },
        "limit": 10,
        "odd key": null,
    }))
}

#[track_caller]
fn check(query: &str, expected: Value) {
    assert_eq!(shop().values(query), expected, "{query}");
}

#[test]
fn select_returns_values_in_order() {
    check("$.limit", value!([10]));
    check("$['odd key']", value!([null]));
    check("$.shop.books[-1].title", value!(["Moby"]));
    check("$.shop.books[::-2].title", value!(["Moby", "Sayings"]));
    check("$.shop.books[5:0:-1].title", value!(["Moby", "Sword"]));
    check("$.shop.books[0,0]['title','price']", value!(["Sayings", 8.95, "Sayings", 8.95]));
    check("$..price", value!([8.95, 12.99, 8.99, 399]));
    check("$.shop.*.price", value!([399]));
    check("$.nothing..x", value!([]));
}

#[test]
fn filter_expressions_select() {
    check("$.shop.books[?@.price < $.limit && !@.isbn].title", value!(["Sayings", "Moby"]));
    check("$.shop.books[?@.isbn].title", value!(["Sword"]));
    check("$.shop.books[?length(@.tags) == 0].title", value!(["Moby"]));
    check("$.shop.books[?match(@.title, 'S[aw].*') && search(@.title, 'ord')].title", value!(["Sword"]));
    check("$.shop[?count(@.*) == 2].colour", value!(["red"]));
    check("$.shop.books[?value(@..price) == 8.99].title", value!(["Moby"]));
    check("$.shop.books[?@ == $.shop.books[1]].title", value!(["Sword"]));
    check("$.shop.books[?@.none == @.nothing].title", value!(["Sayings", "Sword", "Moby"]));
    check("$[?!(@ == 10 || @ == null)].bike.colour", value!(["red"]));
}

#[test]
fn parse_errors_have_an_offset() {
    let wrong = |query: &str| Query::parse(query).expect_err(query).to_string();
    assert_eq!(wrong("limit"), "expected `$` at offset 0");
    assert_eq!(wrong("$.a b"), "expected `.`, `..` or `[` at offset 3");
    assert_eq!(wrong("$[?@.a == 'x"), "unclosed string at offset 10");
    assert_eq!(wrong("$[?@.* == 1]"), "a query that can select several nodes cannot be compared at offset 3");
    assert_eq!(wrong("$[?!@.a == 1]"), "a negated comparison needs parentheses, `!(a == b)`, at offset 4");
    assert!(wrong("$[?size(@) == 1]").starts_with("unknown function `size` (known: `length`"));
    assert!(wrong("$[?match(@, '(')]").starts_with("`(` is not an I-Regexp"));
    assert!(wrong(&format!("$[?{}", "(".repeat(100_000))).starts_with("filters are nested deeper"));
    assert!(wrong(&format!("$[?{}", "@[?".repeat(100_000))).starts_with("filters are nested deeper"));
}

#[test]
fn select_stops_at_the_node_limit() {
    let deep = (0..300).fold(value!(1), |inner, _| value!([inner, 1]));
    let document = Document(deep);
    let query = Query::parse("$..*..*..*..*").expect("a query");
    assert!(query.select(&document.tree()).is_err());
}

#[test]
fn near_returns_similar_paths() {
    let document = shop();
    let offered = |query: &str| -> Vec<String> {
        let query = Query::parse(query).expect("a query");
        similar_nodes(&document.tree(), &query).into_iter().map(|node| document.path(node)).collect()
    };
    assert_eq!(
        offered("$.shop.bikes.colour"),
        ["$['shop']['bike']['colour']", "$['shop']['books']", "$['shop']['bike']"]
    );
    assert_eq!(offered("$.limit[0]"), ["$['limit']"]);
}

#[test]
fn addresses_are_escaped() {
    let mut path = "$".to_owned();
    push_name(&mut path, "a_1");
    push_index(&mut path, 0);
    push_name(&mut path, "odd key");
    push_name(&mut path, "it's\n\u{1}");
    push_name(&mut path, "1");
    push_name(&mut path, "größe");
    assert_eq!(path, "$.a_1[0]['odd key']['it\\'s\\n\\u0001']['1'].größe");
    assert!(Query::parse(&path).is_ok());
}

#[test]
fn json_and_shape_of_values() {
    let document = shop();
    let written: Value = serde_json::from_str(&json_text(&document.tree(), document.tree().root())).expect("JSON");
    assert_eq!(written, document.0);
    let books = document.select("$.shop.books")[0];
    let expected = "[ 3 elements, first: {\n    \"title\": string\n    \"price\": number\n    \"tags\": [ 1 element, first: string ]\n  } ]";
    assert_eq!(shape(&document.tree(), books), expected);
}

/// Runs every case of the compliance suite, if `MARQ_SUITES` is set.
#[test]
fn compliance_suite_passes() {
    let mut failed = Vec::new();
    for case in marquetry_sdk::testing::suite("jsonpath-cts") {
        let case: Value = serde_json::from_str(&case).expect("a case");
        if !complies_with(&case) {
            failed.push(format!("{} {}", case["id"], case["args"]["path"]));
        }
    }
    assert!(failed.is_empty(), "{} cases: {failed:#?}", failed.len());
}

fn complies_with(case: &Value) -> bool {
    let parsed = Query::parse(case["args"]["path"].as_str().expect("a query"));
    let expected = &case["expect"];
    let Ok(query) = parsed else { return expected["invalidTarget"] == true };
    let text = case["files"]["doc.json"].as_str().expect("a document");
    let document = Document(serde_json::from_str(text).expect("JSON"));
    let nodes = query.select(&document.tree()).expect("within the node limit");
    let values: Value = nodes.iter().map(|node| node.0.clone()).collect();
    let paths: Value = nodes.iter().map(|node| Value::from(document.path(*node))).collect();
    match expected["anyOfNodes"].as_array() {
        Some(any) => {
            any.iter().zip(expected["anyOfPaths"].as_array().expect("paths")).any(|(v, p)| *v == values && *p == paths)
        }
        None => expected["nodes"] == values && expected["paths"] == paths,
    }
}

#[test]
fn missing_starts_at_deepest_existing_value() {
    let document = Document(value!({"a": {"b": [1, {"c": null}]}}));
    let view = View(&document.0);
    let ask = |path: &str| find_missing(&view, &Target { kind: TargetKind::Path, value: path.to_owned() });
    let check = |path: &str, address: &str, steps: &[NewStep]| {
        let missing = ask(path).expect(path);
        assert_eq!((missing.address.as_str(), missing.steps.as_slice()), (address, steps), "{path}");
    };
    let member = |name: &str| NewStep::Member(name.to_owned());
    check("$.x", "$", &[member("x")]);
    check("$.a['b'][2]", "$.a.b", &[NewStep::Element]);
    check("$.a.b[-1].c.d", "$.a.b[1].c", &[member("d")]);
    check("$.a.x.y[0].z", "$.a", &[member("x"), member("y"), NewStep::Element, member("z")]);
    for path in ["$", "$.a.b[0]", "$.a.*", "$.a.b[3]", "$.a.b[-3]", "$.a.b[0].x", "$.a[0]", "$.x[1]", "$.a.b.c", "x"] {
        ask(path).expect_err(path);
    }
}
