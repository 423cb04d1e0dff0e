//! Tests of names: ids, references to them, and links from other files.

use marquetry_sdk::{FailureKind, ImportKey, RenameResult, Result, Subject, Symbols, span, testing::open, workspace};

use crate::Xml;

fn renaming(path: &str, text: &str, subject: Subject, new: &str) -> Result<RenameResult> {
    Xml::rename(open::<Xml>(path, text).document(), subject, new)
}

#[track_caller]
fn check(path: &str, text: &str, address: &str, new: &str, after: &str) {
    let renamed = renaming(path, text, Subject::Address(address.to_owned()), new).expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), after);
    assert_eq!(renamed.exported.len(), 1);
    for edit in &renamed.edits {
        let at = renaming(path, text, Subject::At(edit.span.start), new).expect("renamed at each occurrence");
        assert_eq!(at.edits, renamed.edits, "{:?}", edit.span);
    }
}

#[test]
fn renames_id_with_its_references() {
    check("a.xml", "<a xml:id=' b '><c id='b' ref='b'/></a>", "/a", "d", "<a xml:id=' d '><c id='b' ref='b'/></a>");
    check(
        "a.xml",
        "<!DOCTYPE a [<!ATTLIST a k ID #IMPLIED r IDREF #IMPLIED s IDREFS #IMPLIED t NMTOKENS #IMPLIED>]><a k='b' r='b' s='c b' t='b'/>",
        "/a/@k",
        "d",
        "<!DOCTYPE a [<!ATTLIST a k ID #IMPLIED r IDREF #IMPLIED s IDREFS #IMPLIED t NMTOKENS #IMPLIED>]><a k='d' r='d' s='c d' t='b'/>",
    );
    check(
        "a.svg",
        "<svg xmlns='http://www.w3.org/2000/svg'><style>#g, .g { fill: url(\"#g\") }</style><g id=\"g\" class='g' begin='2s; g.click'/><use href='#g' style='mask: url(#g)'/></svg>",
        "#g",
        "h",
        "<svg xmlns='http://www.w3.org/2000/svg'><style>#h, .g { fill: url(\"#h\") }</style><g id=\"h\" class='g' begin='2s; h.click'/><use href='#h' style='mask: url(#h)'/></svg>",
    );
}

#[test]
fn rename_refuses_invalid_or_taken_id() {
    let refused = |text: &str, address: &str, new: &str| {
        let failure = renaming("a.xml", text, Subject::Address(address.to_owned()), new).expect_err("refused");
        (failure.kind, failure.message)
    };
    let text = "<a><b xml:id='x'/><c xml:id='y'/><d id='z'/></a>";
    assert_eq!(refused(text, "#x", "y").1, "the file already has the id `y`");
    assert_eq!(refused(text, "//b", "1").0, FailureKind::InvalidArgument);
    assert_eq!(refused(text, "//d", "w").1, "`//d` has no id");
    assert_eq!(refused(text, "#z", "w").0, FailureKind::TargetNotFound);
}

#[test]
fn renames_links_to_ids_in_other_files() {
    workspace::set_files([("i.svg".to_owned(), "<svg><g id='x'/></svg>".to_owned())]);
    let text = "<svg><use href='i.svg#x'/><use href='#x'/><image href='i.svg#xy'/></svg>";
    let found = renaming("a.svg", text, Subject::At(22), "z").expect("found");
    assert_eq!(found.elsewhere.map(|place| (place.path, place.offset)), Some(("i.svg".to_owned(), 12)));
    let key = ImportKey { specifiers: vec!["i.svg#x".to_owned(), "i.svg#xy".to_owned()], name: "x".to_owned() };
    let renamed = renaming("a.svg", text, Subject::Imported(key), "z").expect("renamed");
    assert_eq!(span::apply(text, &renamed.edits), text.replace("i.svg#x'", "i.svg#z'"));
}
