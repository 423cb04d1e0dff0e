//! Many concurrent calls through the sandbox: data from one instance must never be used with another.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_load::{Counters, Limit};
use marquetry_native::Project;
use marquetry_testkit::default_packs;

#[test]
fn parallel_edits_change_their_own_targets() {
    let counters = Counters::new(4);
    let files = counters.files(&BTreeMap::new());
    let fixture: String = files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
    let project = Project::with_packs(&fixture, Arc::new(default_packs()));
    let call = |tool: &str, arguments: &str| project.call(tool, arguments).map_err(|error| error.to_string());
    // Compile every pack once before many calls need it at the same time.
    for path in files.keys().filter(|path| !path.ends_with(".txt")) {
        project.call("query", &format!("{{\"type\": \"documentSymbols\", \"path\": \"{path}\"}}")).expect("an outline");
    }
    let report = counters.run(16, Limit::Rounds(3), &call);
    let breaches = report.failures(&counters, |path| Some(project.text(path)));
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
    assert_eq!(report.edits.len(), counters.count() * 3, "every counter must be incremented once in each round");
}
