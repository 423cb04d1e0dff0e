//! Sets of changes: edits that create missing files, new files and deletions, as one change.

use marquetry_model::{Error, Kind};
use marquetry_native::Project;
use marquetry_tools::{FileEdit, FileSetArgs, FileSetResult, OneEdit, OperationName, TargetArgs, UndoArgs};

fn set(file: &str, path: &str, content: &str) -> FileEdit {
    let edit = OneEdit {
        place: TargetArgs { path: Some(path.to_owned()), ..TargetArgs::default() },
        operation: Some(OperationName::Replace),
        content: Some(content.to_owned()),
        upsert: true,
        ..OneEdit::default()
    };
    FileEdit { file: file.to_owned(), edit, expected_hash: None }
}

fn apply(project: &Project, args: &FileSetArgs) -> Result<FileSetResult, Error> {
    project.catalog().bench().file_set(args)
}

fn pair(path: &str, text: &str) -> (String, String) {
    (path.to_owned(), text.to_owned())
}

#[test]
fn edits_create_missing_files_in_missing_folders() {
    let project = Project::new("");
    let edits =
        vec![set("a/b/c.json", "$.x.y", "1"), set("a/b/c.json", "$.x.z", "[\"q\"]"), set("d.toml", "$.t.k", "2")];
    let result = apply(&project, &FileSetArgs { edits, title: "Set up".to_owned(), ..FileSetArgs::default() });
    let result = result.expect("applied");
    assert_eq!(project.text("a/b/c.json"), "{\n  \"x\": {\n    \"y\": 1,\n    \"z\": [\"q\"]\n  }\n}\n");
    assert_eq!(project.text("d.toml"), "[t]\nk = 2\n");
    assert!(result.diff.contains("+++ b/a/b/c.json") && result.diff.contains("+k = 2"), "{}", result.diff);
    let history = project.call("file_history", "{}").expect("listed");
    assert_eq!(history["changes"][0]["title"], "Set up");
    assert_eq!(history["changes"].as_array().map(Vec::len), Some(1), "one change");
}

#[test]
fn everything_is_one_change_with_one_undo() {
    let project = Project::new("//- /a.json\n{\"a\": 1}\n//- /old.txt\nold\n//- /empty.md\n");
    let before = project.snapshot();
    let args = FileSetArgs {
        edits: vec![set("a.json", "$.a", "2"), set("new.json", "$.b", "3")],
        created: vec![pair("docs/new.md", "# New\n"), pair("empty.md", "# Full\n")],
        deleted: vec!["old.txt".to_owned()],
        ..FileSetArgs::default()
    };
    let dry = apply(&project, &FileSetArgs { dry_run: true, ..args.clone() }).expect("planned");
    assert_eq!((dry.id, project.snapshot()), (None, before.clone()), "a dry run writes nothing");
    let result = apply(&project, &args).expect("applied");
    assert_eq!(result.diff, dry.diff);
    let mut texts = result.texts;
    texts.sort();
    let expected = [
        pair("a.json", "{\"a\": 2}\n"),
        pair("docs/new.md", "# New\n"),
        pair("empty.md", "# Full\n"),
        pair("new.json", "{\n  \"b\": 3\n}\n"),
    ];
    assert_eq!(texts, expected);
    for (path, text) in &texts {
        assert_eq!(project.text(path), *text);
    }
    assert!(!project.root().join("old.txt").exists());
    let undo = UndoArgs { id: result.id, ..UndoArgs::default() };
    project.catalog().bench().undo(&undo).expect("undone");
    assert_eq!(project.snapshot(), before);
}

#[test]
fn set_without_effect_is_no_change() {
    let project = Project::new("//- /a.json\n{\"a\": 1}\n");
    let args = FileSetArgs { edits: vec![set("a.json", "$.a", "1")], ..FileSetArgs::default() };
    let result = apply(&project, &args).expect("applied");
    assert_eq!((result.diff.as_str(), result.id), ("", None));
    let nothing = apply(&project, &FileSetArgs::default()).expect("applied");
    assert_eq!((nothing.diff.as_str(), nothing.id), ("", None));
}

/// One file that cannot be changed stops all changes.
fn check_refused(args: &FileSetArgs, kind: Kind, message: &str) {
    let project = Project::new("//- /broken.json\n{\"a\": {,}\n//- /a.json\n{}\n//- /full.md\n# Full\n");
    let before = project.snapshot();
    let error = apply(&project, args).expect_err("refused");
    assert_eq!(error.kind(), kind, "{error:?}");
    assert!(error.content().message.starts_with(message), "{error:?}");
    assert_eq!(project.snapshot(), before);
}

#[test]
fn failure_leaves_everything_unchanged() {
    let edits = vec![set("new.json", "$.a", "1"), set("broken.json", "$.b", "1")];
    check_refused(&FileSetArgs { edits, ..FileSetArgs::default() }, Kind::ParseError, "broken.json: line 1, column ");
    let edits = vec![set("a.json", "$.a", "1")];
    let created = vec![pair("full.md", "x\n")];
    check_refused(&FileSetArgs { edits, created, ..FileSetArgs::default() }, Kind::OverwriteBlocked, "");
    let edits = vec![set("a.json", "$.a", "1")];
    let deleted = vec!["gone.md".to_owned()];
    check_refused(&FileSetArgs { edits, deleted, ..FileSetArgs::default() }, Kind::FileNotFound, "");
    let edits = vec![set("a.json", "$.a", "{")];
    check_refused(&FileSetArgs { edits, ..FileSetArgs::default() }, Kind::ParseError, "");
    let edits = vec![set("../outside.json", "$.a", "1")];
    check_refused(&FileSetArgs { edits, ..FileSetArgs::default() }, Kind::OutsideWorkspace, "");
}
