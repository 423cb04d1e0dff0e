//! Tests which settings of a project need approval, and when an approval becomes invalid.

use super::*;

const ALL: ApprovalChange<'_> = ApprovalChange { allow: true, names: &[] };
const DEFAULT: &str = "marquetry = 1\n[plugins.a]\ngrants = [\"workspace\"]\n[plugins.b]\n";

fn demands(project: &str, root: &Path, trust: &TrustPolicy) -> RequestedPermissions {
    let defaults = Registry::parse(DEFAULT, root, "the default registry").expect("valid");
    let mut registry = defaults.clone();
    registry.extend(&format!("marquetry = 1\n{project}"), root, "registry.toml").expect("valid");
    RequestedPermissions::compare(&defaults, &registry, root, trust)
}

#[track_caller]
fn check(project: &str, wanted: &[&str]) {
    let found = demands(project, Path::new("/p"), &TrustPolicy::Nothing);
    let shown: Vec<String> = found.list.iter().map(|demand| format!("{}: {}", demand.plugin, demand.what)).collect();
    assert_eq!(shown, wanted, "{project}");
    assert_eq!(found.approval == Approval::Refused, !wanted.is_empty());
}

#[test]
fn allowed_choices_of_a_project_need_no_approval() {
    check("[plugins.a]\nenabled = false\n", &[]);
    check("[plugins.a]\nfiles = [\"*.x\"]\nsettings = { a = 1 }\nversion = \"^1\"\n", &[]);
    check("[plugins.a]\nlimits = { seconds = 1, memory-mib = 16 }\n", &[]);
    check("[plugins.a]\ngrants = []\n[plugins.b]\ngrants = []\n", &[]);
}

#[test]
fn additional_permissions_need_approval() {
    check("[plugins.c]\nsource = \"path:t/c.wasm\"\n", &["c: runs t/c.wasm"]);
    check("[plugins.c]\nsource = \"path:/x/c.wasm\"\n", &["c: runs /x/c.wasm"]);
    check("[plugins.b]\ngrants = [\"workspace\"]\n", &["b: grants workspace"]);
    check("[plugins.a]\nlimits = { seconds = 60 }\n", &["a: lets it run 60 s, not 10"]);
}

#[test]
fn every_language_server_needs_approval() {
    check(
        "[servers.s]\ncommand = [\"s\", \"--stdio\"]\nfiles = [\"*.s\"]\n",
        &["servers.s: starts `s --stdio` for *.s (at most 2048 MiB, 30 s a call)"],
    );
    check(
        "[servers.s]\ncommand = [\"bin/s\"]\nfiles = [\"*.s\"]\nsettings = { a = 1 }\n",
        &["servers.s: starts `bin/s` for *.s with {\"a\":1} (at most 2048 MiB, 30 s a call)"],
    );
}

#[test]
fn changed_program_bytes_need_new_approval() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = "[servers.s]\ncommand = [\"./s\"]\nfiles = [\"*.s\"]\n";
    let digest = || demands(project, folder.path(), &TrustPolicy::Nothing).approvals["servers.s"].0.clone();
    fs::write(folder.path().join("s"), "one").expect("written");
    let one = digest();
    fs::write(folder.path().join("s"), "two").expect("written");
    assert_ne!(one, digest());
}

#[test]
fn replacing_plugin_does_not_inherit_grants() {
    check("[plugins.a]\nsource = \"path:a.wasm\"\n", &["a: runs a.wasm"]);
    check(
        "[plugins.a]\nsource = \"path:a.wasm\"\ngrants = [\"workspace\"]\n",
        &["a: runs a.wasm", "a: grants workspace"],
    );
}

#[test]
fn approval_is_for_one_root_and_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::write(root.join("c.wasm"), "one").expect("written");
    let (trust, project) = (TrustPolicy::Allowed(state.clone()), "[plugins.c]\nsource = \"path:c.wasm\"\n");
    let found = demands(project, &root, &trust);
    assert_eq!(found.approval, Approval::Unasked);
    assert!(found.is_withheld("c") && !found.is_withheld("a"));
    store_approvals(&state, &root, &found, ALL).expect("remembered");
    assert_eq!(demands(project, &root, &trust).approval, Approval::Allowed);
    assert_eq!(demands(project, folder.path(), &trust).approval, Approval::Unasked, "another root");
    let more = format!("{project}grants = [\"workspace\"]\n");
    assert_eq!(demands(&more, &root, &trust).approval, Approval::Unasked, "another demand");
    fs::write(root.join("c.wasm"), "two").expect("written");
    assert_eq!(demands(project, &root, &trust).approval, Approval::Unasked, "other bytes");
    fs::write(root.join("c.wasm"), "one").expect("written");
    for _ in 0..2 {
        store_approvals(&state, &root, &found, ApprovalChange { allow: false, names: &[] }).expect("forgotten");
        assert_eq!(demands(project, &root, &trust).approval, Approval::Unasked);
    }
}

#[test]
fn approval_can_be_given_for_some_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::write(root.join("c.wasm"), "one").expect("written");
    let project = "[plugins.c]\nsource = \"path:c.wasm\"\n[plugins.b]\ngrants = [\"workspace\"]\n[servers.s]\ncommand = [\"s\"]\nfiles = [\"*.s\"]\n";
    let trust = TrustPolicy::Allowed(state.clone());
    let found = || demands(project, &root, &trust);
    let waiting = || ["b", "c", "servers.s"].into_iter().filter(|name| found().is_withheld(name)).collect::<Vec<_>>();
    let say = |allow, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        store_approvals(&state, &root, &found(), ApprovalChange { allow, names: &names })
    };
    assert_eq!(waiting(), ["b", "c", "servers.s"]);
    say(true, &["c"]).expect("decision stored");
    assert_eq!((waiting(), found().approval), (vec!["b", "servers.s"], Approval::Unasked));
    say(true, &["servers.s"]).expect("decision stored");
    assert_eq!(waiting(), ["b"], "decisions about other requests must not change");
    say(false, &["c"]).expect("decision stored");
    assert_eq!(waiting(), ["b", "c"]);
    fs::write(root.join("c.wasm"), "two").expect("written");
    say(true, &["b"]).expect("decision stored");
    assert_eq!(waiting(), ["c"], "approving another name must not approve the changed plugin");
    say(true, &[]).expect("decision stored");
    assert_eq!((waiting(), found().approval), (vec![], Approval::Allowed));
    let error = say(true, &["server.s"]).expect_err("refused");
    assert_eq!(error.kind(), Kind::InvalidArgument);
    assert!(error.content().candidates.iter().any(|name| name == "servers.s"), "{error:?}");
    say(false, &[]).expect("decision stored");
    assert_eq!(waiting(), ["b", "c", "servers.s"]);
}

#[test]
fn approval_of_an_older_version_is_requested_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    let project = "[plugins.c]\nsource = \"path:c.wasm\"\n";
    let trust = TrustPolicy::Allowed(state.clone());
    store_approvals(&state, &root, &demands(project, &root, &trust), ALL).expect("remembered");
    let older = format!("{{\"root\":\"{}\",\"digest\":\"0\",\"demands\":[],\"found\":{{}}}}", root.display());
    fs::write(approval_file(&state, &root), older).expect("written");
    assert_eq!(demands(project, &root, &trust).approval, Approval::Unasked);
}

#[test]
fn approvals_of_missing_roots_are_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, state) = (folder.path().join("root"), folder.path().join("state"));
    fs::create_dir(&root).expect("made");
    let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &TrustPolicy::Allowed(state.clone()));
    store_approvals(&state, &root, &found, ALL).expect("remembered");
    fs::write(state.join("other.json"), "{}").expect("written");
    assert_eq!(stale_approvals(&state), []);
    fs::remove_dir(&root).expect("removed");
    let [word] = &stale_approvals(&state)[..] else { panic!("exactly one stale approval is expected") };
    assert_eq!(word.path, approval_file(&state, &root));
    assert_eq!(word.reason, format!("approval of {}, which no longer exists", root.display()));
}

#[test]
fn approvals_inside_the_project_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let trust = TrustPolicy::Allowed(folder.path().join("state"));
    let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", folder.path(), &trust);
    let error = store_approvals(&folder.path().join("state"), folder.path(), &found, ALL).expect_err("refused");
    assert_eq!(error.kind(), Kind::PermissionDenied);
    // Approvals that are stored inside the project do not count.
    let root = folder.path().join("root");
    fs::create_dir(&root).expect("made");
    let outside = folder.path().join("words");
    let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &TrustPolicy::Allowed(outside.clone()));
    store_approvals(&outside, &root, &found, ALL).expect("remembered");
    fs::rename(&outside, root.join("words")).expect("moved in");
    let trust = TrustPolicy::Allowed(root.join("words"));
    assert_eq!(demands("[plugins.c]\nsource = \"path:c.wasm\"\n", &root, &trust).approval, Approval::Unasked);
}

#[test]
fn refusal_names_the_request_and_how_to_approve_it() {
    let found = demands("[plugins.c]\nsource = \"path:c.wasm\"\n", Path::new("/p"), &TrustPolicy::Allowed("/s".into()));
    let error = found.refusal("c");
    assert_eq!(error.content().message, "the project's registry.toml runs c.wasm as plugin `c`, which is not approved");
    assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("marq trust --allow")));
}
