//! Compatibility of the contract (the WIT interface): packs that were built for an older version still run as before,
//! and a pack that was built for a newer version runs if it calls only functions that this host knows. The files in
//! `fixtures` are not rebuilt once the contract is frozen.

use std::{fs, path::PathBuf, sync::Arc};

use marquetry_model::{
    Kind, Span,
    pack::{EditOptions, FindResult, Form, Operation, Query, Target, TargetKind, View},
    ports::{Document, Pack, Packs},
};
use marquetry_testkit::{MemoryFiles, laws, packs};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Loads a pack from a file.
fn pack_of(id: &str, path: &std::path::Path) -> marquetry_model::Result<Arc<dyn Pack>> {
    let registry = format!("marquetry = 1\n[plugins.{id}]\nsource = \"path:{}\"\nfiles = [\"*\"]\n", path.display());
    packs(&registry).for_path(&MemoryFiles::from_files([]), "any")
}

const PROPERTIES: &str = "# where it listens\nport = 80\n\n[server]\nhost = local\nport = 8080\n";

fn open(pack: &Arc<dyn Pack>, path: &str, text: &str) -> Box<dyn Document> {
    Arc::clone(pack).open(path, &Arc::from(text)).expect("opening never fails")
}

/// Returns the text after an operation on a target.
fn edited(pack: &Arc<dyn Pack>, text: &str, target: &str, operation: Operation) -> String {
    let mut document = open(pack, "a.ini", text);
    let kind = pack.description().targets[0].kind;
    let query = Query { target: Target { kind, value: target.to_owned() }, limit: 10, values: true };
    let Ok(FindResult::Nodes(nodes, 1)) = document.find(&query) else { panic!("`{target}` names one node") };
    let edits = document.edit(&[nodes[0].id], &operation, EditOptions::default()).expect("edited");
    edits.apply(text)
}

/// Checks the behavior of the pack for `key = value` files, whatever contract version it was built at.
fn check_properties(pack: &Arc<dyn Pack>) {
    laws(pack, "a.ini", PROPERTIES).expect("the laws");
    let outline = open(pack, "a.ini", PROPERTIES).outline().expect("an outline");
    let addresses: Vec<&str> = outline.iter().map(|node| node.address.as_str()).collect();
    assert_eq!(addresses, ["port", "server", "server.host", "server.port"]);
    let after = edited(pack, PROPERTIES, "server.port", Operation::Replace("9090".to_owned()));
    assert_eq!(after, PROPERTIES.replace("8080", "9090"));
    let after = edited(pack, PROPERTIES, "server.host", Operation::Delete);
    assert_eq!(after, PROPERTIES.replace("host = local\n", ""));
}

#[test]
fn packs_built_at_0_1_0_run() {
    check_properties(&pack_of("properties", &fixture("0.1.0/properties.wasm")).expect("a pack"));
    let text = pack_of("text", &fixture("0.1.0/text.wasm")).expect("a pack");
    laws(&text, "a.txt", "one\ntwo\n").expect("the laws");
    assert_eq!(text.description().targets[0].kind, TargetKind::Lines, "every pack must have `lines` as a target");
}

/// Returns the fixture with some names replaced by names of the same length, as in another version of the contract.
fn changed(names: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let mut bytes = fs::read(fixture("0.1.0/properties.wasm")).expect("the fixture");
    for (from, to) in names {
        assert_eq!(from.len(), to.len());
        let mut found = 0;
        for at in 0..=bytes.len() - from.len() {
            if bytes[at..].starts_with(from.as_bytes()) {
                bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
                found += 1;
            }
        }
        assert!(found > 0, "{from}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.wasm");
    fs::write(&path, bytes).expect("written");
    (folder, path)
}

/// Names in the contract, and the same names in a later version.
const LATER: [(&str, &str); 3] = [
    ("marquetry:language/language@0.1.0", "marquetry:language/language@0.1.9"),
    ("marquetry:language/types@0.1.0", "marquetry:language/types@0.1.9"),
    ("marquetry:language/log@0.1.0", "marquetry:language/log@0.1.9"),
];

#[test]
fn newer_pack_runs_with_known_functions() {
    let known: Vec<_> = LATER.iter().filter(|(from, _)| has(from)).copied().collect();
    let (_folder, path) = changed(&known);
    check_properties(&pack_of("properties", &path).expect("a pack"));
    // Replaces a function that is present with one that this host does not know.
    let more = [known.as_slice(), &[("[method]document.embedded", "[method]document.inherits")]].concat();
    let (_folder, path) = changed(&more);
    check_properties(&pack_of("properties", &path).expect("a pack"));
}

fn has(name: &str) -> bool {
    let bytes = fs::read(fixture("0.1.0/properties.wasm")).expect("the fixture");
    bytes.windows(name.len()).any(|window| window == name.as_bytes())
}

#[test]
fn newer_pack_runs_until_it_calls_an_unknown_function() {
    let pack = pack_of("properties", &fixture("newer/properties.wasm")).expect("a pack");
    check_properties(&pack);
    for (value, called) in [
        ("progress", "log@0.1.1#progress"),
        ("rank", "words@0.1.1#rank"),
        ("dictionary", "words@0.1.1#[constructor]dictionary"),
    ] {
        let text = format!("known = 1\nasked = {value}\n");
        let mut document = open(&pack, "a.ini", &text);
        let ids: Vec<u32> = document.outline().expect("an outline").iter().map(|node| node.id).collect();
        let error = document.view(ids[1], Form::Full).expect_err("it calls a function that this host does not have");
        let expected = format!(
            "plugin `properties` failed while reading a.ini: `marquetry:language/{called}` belongs to a newer version \
             of the contract than this marq supports"
        );
        assert_eq!((error.kind(), error.content().message.as_str()), (Kind::PluginFailed, expected.as_str()));
        document.outline().expect("it is open again");
        let shown = document.view(ids[0], Form::Full).expect("the value of another one");
        assert_eq!(shown, View::Span(Span::new(8, 9)));
    }
}

#[test]
fn pack_of_a_later_version_line_is_refused() {
    let later = LATER.map(|(from, _)| (from, from.replace("@0.1.0", "@0.2.0")));
    let later: Vec<(&str, &str)> =
        later.iter().map(|(from, to)| (*from, to.as_str())).filter(|(from, _)| has(from)).collect();
    let (_folder, path) = changed(&later);
    let error = pack_of("properties", &path).map(|_| ()).expect_err("refused");
    let content = error.content();
    assert_eq!(error.kind(), Kind::PluginFailed);
    assert_eq!(
        content.message,
        "plugin `properties` is too new: it was built for marquetry:language 0.2.0, but this host supports 0.1.0"
    );
    assert_eq!(content.hint.as_deref(), Some("update marq, or install an older version of the plugin"));
}

#[test]
fn host_answers_for_functions_that_a_pack_lacks() {
    let (_folder, path) = changed(&[
        ("[method]document.stays-well-formed", "[method]document.stayed-well-forme"),
        ("[method]document.insert-missing", "[method]document.insert-earlier"),
        ("[method]document.dependencies", "[method]document.dependencier"),
        ("[method]document.embedded", "[method]document.embeddes"),
    ]);
    let pack = pack_of("properties", &path).expect("a pack");
    check_properties(&pack);
    let mut document = open(&pack, "a.ini", PROPERTIES);
    assert_eq!(document.stays_well_formed(&[]), Ok(false), "an old pack must not claim that edits are well-formed");
    assert_eq!(document.embedded().map(|parts| parts.len()), Ok(0));
    assert_eq!(document.dependencies(0).map(|list| list.len()), Ok(0));
    // This pack predates `parse_errors`, so all diagnostics are returned.
    let mut wrong = open(&pack, "a.ini", "[a\n");
    let problems = wrong.diagnostics().expect("what is wrong");
    assert_eq!((problems.len(), wrong.parse_errors()), (1, Ok(problems)));
    let kind = pack.description().targets[0].kind;
    let error = document
        .insert_missing(&Target { kind, value: "new".to_owned() }, "x")
        .expect_err("an old pack cannot create targets");
    assert_eq!(error.kind(), Kind::Unsupported);
}

#[test]
fn missing_required_function_is_refused_on_load() {
    let (_folder, path) = changed(&[("[method]document.outline", "[method]document.outlime")]);
    let error = pack_of("properties", &path).map(|_| ()).expect_err("refused");
    assert!(error.to_string().contains("has no function `[method]document.outline`"), "{error}");
}
