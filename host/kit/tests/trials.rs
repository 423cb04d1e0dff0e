//! Tests packs as their authors do: from their file, through the sandbox.

use std::{fs, time::Duration};

use marquetry_kit::{Report, Spec, Subject, TestPlan};
use marquetry_testkit::components;

const SPEC: &str = include_str!("../../../examples/packs/properties.spec.md");

fn subject(name: &str) -> Subject {
    let cache = components().join("../../test-cache");
    Subject::load(&components().join(format!("marquetry_{name}.wasm")), Some(cache)).expect("a pack")
}

fn tried(subject: &Subject, files: &[(&str, &str)], update: bool) -> Report {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    subject.run_tests(&TestPlan { files, random: Duration::from_millis(200), update }).expect("tried")
}

#[test]
fn correct_pack_passes() {
    let files = [("a.spec.md", SPEC), ("b/a.properties", "a = 1\n# b\nb = 2\n")];
    let report = tried(&subject("properties"), &files, false);
    assert!(report.has_passed(), "{report:?}");
    assert_eq!(
        report.figures.last().map(|figure| figure.bytes > 1 << 20),
        Some(true),
        "the last measured document must be the large one"
    );
    assert!(report.memory > 0);
}

#[test]
fn wrong_answer_is_shown_with_the_expected_one() {
    let page = SPEC.replacen("Shöp 😀\n```", "Shop\n```", 1);
    let failed = Spec::parse(&page).expect("a page").run(&subject("properties"));
    assert!(!failed.is_empty());
    let failed = failed.into_iter().find(|failed| failed.call == "read shop.name").expect("the call");
    assert_eq!((failed.expected.as_str(), failed.actual.as_str()), ("Shop\n", "Shöp 😀\n"));
    let line = page.lines().nth(failed.line - 1);
    assert_eq!(line, Some("read shop.name"), "the reported line must be that of the call");
}

#[test]
fn update_writes_answers_into_specs() {
    let page = "# One\n\n```ini file=a.ini\n[a]\nb = 1\n```\n\n```call\nread a.b\n```\n\n```call\nread a.c\n```\n\n```answer\nold\n```\n\nThe end.\n";
    let subject = subject("properties");
    assert!(!tried(&subject, &[("a.spec.md", page)], false).has_passed());
    let updated = tried(&subject, &[("a.spec.md", page)], true).updated;
    let [(name, after)] = &updated[..] else { panic!("one page: {updated:?}") };
    assert_eq!(name, "a.spec.md");
    let wanted = "# One\n\n```ini file=a.ini\n[a]\nb = 1\n```\n\n```call\nread a.b\n```\n\n```answer\n1\n```\n\n```call\nread a.c\n```\n\n\
                  ```answer\nTargetNotFound: no key `a.c`\n";
    assert!(after.starts_with(wanted), "{after}");
    assert!(after.ends_with("```\n\nThe end.\n") && !after.contains("old"), "{after}");
    assert!(tried(&subject, &[("a.spec.md", after)], false).has_passed());
}

#[test]
fn broken_law_is_shown_with_a_shrunk_text() {
    let report = tried(&subject("hostile"), &[("a.hostile", "outside")], false);
    assert!(!report.has_passed());
    let wrong = report.verdicts.iter().flat_map(|verdict| &verdict.failures).map(String::as_str).collect::<Vec<_>>();
    assert!(wrong.iter().any(|what| what.contains("PluginFailed")), "{wrong:?}");
}

#[test]
fn file_that_is_not_a_pack_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.wasm");
    fs::write(&path, "no component").expect("written");
    let error = Subject::load(&path, None).err().expect("refused");
    assert_eq!(error.content().message, "plugin `a` is not WebAssembly");
}
