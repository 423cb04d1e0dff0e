//! Registries and locks with arbitrary text are accepted, or rejected with the name of the file, without a panic.
//! `PROPTEST_CASES` sets the number of cases.

use std::path::Path;

use marquetry_runtime::registry::{Registry, is_registry};
use proptest::{collection::vec, prelude::*, sample::select};

/// Valid and invalid lines of which registries are composed.
const LINES: &str = r#"marquetry = 1
marquetry = 2
[plugins.a]
[plugins.b]
[plugins."x y"]
[editors.a]
[editors.b]
[servers.a]
[servers.b]
source = "bundled"
source = "path:../../a.wasm"
source = "path:"
source = "http://a"
source = 1
version = "^0.1"
version = ""
version = ">=0, <99999999999999999999"
files = ["*.a", "["]
files = []
grants = ["workspace"]
grants = ["net"]
channels = ["socket"]
addresses = ["$A", ""]
settings = { a = 1, b = [nan, inf, 1979-05-27] }
limits = { memory-mib = 9223372036854775807 }
limits = { seconds = 0 }
limits = { memory-mib = -1 }
limits = { seconds = 1e9 }
limits = { idle-seconds = 9223372036854775807 }
enabled = false
enabled = true
enabled = 1
command = ["x", "--stdio"]
command = [""]
found-as = [["a/b", "--stdio"]]
found-as = [[]]
languages = { a = "b" }
# comment
sha256 = "00"
[[plugins.a]]
a.b.c = '''"#;

fn text() -> impl Strategy<Value = String> {
    let lines = vec(select(LINES.lines().collect::<Vec<_>>()), 0..12).prop_map(|lines| lines.join("\n"));
    let headed = lines.clone().prop_map(|lines| format!("marquetry = 1\n{lines}"));
    prop_oneof![1 => lines, 3 => headed, 1 => any::<String>()]
}

proptest! {
    #[test]
    fn random_registries_do_not_panic(bundled in text(), own in text(), lock in text()) {
        let _ = is_registry(&own);
        let mut registry = Registry::parse(&bundled, Path::new("/usr/share"), "bundled").unwrap_or_default();
        for (read, name) in [
            (registry.extend(&own, Path::new("/project"), "registry.toml"), "registry.toml: "),
            (registry.lock(&lock, Path::new("/project"), "registry.lock"), "registry.lock: "),
        ] {
            if let Err(error) = read {
                prop_assert!(error.to_string().starts_with(name), "{error}");
            }
        }
    }
}
