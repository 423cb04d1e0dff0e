//! Calls every tool with valid and invalid arguments generated from its schema. Nothing panics, failed calls and dry
//! runs write nothing, and undo restores every byte.
#![no_main]

use arbitrary::Unstructured;
use marquetry_fuzz::{arguments, with_project};
use marquetry_model::{Kind, Work};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Unstructured::new(bytes);
    with_project(|project| {
        let catalog = project.catalog();
        let Ok(tool) = input.choose(catalog.tools()) else { return };
        let Ok(mut given) = arguments(&mut input, tool.input_schema(), 3) else { return };
        // No editor is attached, so calls never wait.
        given.remove("timeoutMs");
        let before = project.snapshot();
        let dry = given.get("dryRun") == Some(&json!(true));
        let answer = catalog.call(tool, given.clone(), &Work::default()).and_then(|answer| answer.to_json());
        let after = project.snapshot();
        match answer {
            Err(error) => {
                assert_ne!(error.kind(), Kind::Internal, "{} {given:?}: {error}", tool.name);
                assert_eq!(before, after, "{} failed and wrote: {given:?}", tool.name);
            }
            Ok(answer) => {
                assert!(before == after || !(tool.read_only || dry), "{} wrote: {given:?} {answer}", tool.name);
                if before != after && tool.name != "file_undo" {
                    project.call("file_undo", "{}").expect("the change can be undone");
                    assert_eq!(project.snapshot(), before, "undo of {} {given:?}", tool.name);
                }
            }
        }
    });
});
