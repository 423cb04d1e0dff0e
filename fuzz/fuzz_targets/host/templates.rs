//! Any text as a template: it is rendered or refused, never a panic, and what it makes is bounded.
#![no_main]

use marquetry_model::{Kind, Work, limits, ports::Templates};
use marquetry_tools::TemplateEngine;

/// Within this length a template cannot make much of anything: the memory that it may take is bounded by the process that the
/// program renders it in, and there is none here.
const LONGEST: usize = 160;

libfuzzer_sys::fuzz_target!(|text: &str| {
    // A loop over what a template has made doubles it without end.
    if text.len() > LONGEST || (text.contains("for") && text.contains("set")) || text.contains("macro") {
        return;
    }
    let values = r#"{"name":"my-file","file":"my-file.txt","list":[1,{"a":"b"}],"flag":true}"#;
    match TemplateEngine.render(text, values, &Work::default()) {
        Ok(made) => assert!(made.len() <= limits::TEMPLATE_TEXT),
        Err(error) => {
            let kind = error.kind();
            assert!(matches!(kind, Kind::InvalidArgument | Kind::LimitExceeded), "{text:?}: {error}");
        }
    }
});
