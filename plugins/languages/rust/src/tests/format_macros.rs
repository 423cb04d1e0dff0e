//! Renames of names in the arguments of macros that take format strings.

use marquetry_sdk::{Subject, Symbols, span::apply, testing, workspace::set_files};

use crate::Rust;

const MANIFEST: &str = "[package]\nname = \"app\"\nedition = \"2021\"\n\n[dependencies]\nlog = \"0.4\"\ntracing = \"0.1\"\nanyhow = \"1\"\neyre = \"0.6\"\ndefmt = \"0.3\"\n";

/// Renames the variable at the mark to `id`, and checks the text and the number of listed places.
#[track_caller]
fn check_in(manifest: &str, text: &str, expected: &str, listed: usize) {
    let at = text.find('‸').expect("a mark");
    let text = text.replace('‸', "");
    set_files([("Cargo.toml".to_owned(), manifest.to_owned()), ("src/lib.rs".to_owned(), text.clone())]);
    let bench = testing::open::<Rust>("src/lib.rs", &text);
    let result = Rust::rename(bench.document(), Subject::At(at as u32), "id");
    let result = result.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(&text, &result.edits), expected, "{text}");
    assert_eq!(result.unresolved.len(), listed, "{text}: {:?}", result.unresolved);
}

#[track_caller]
fn check(code: &str, expected: &str, listed: usize) {
    check_in(
        MANIFEST,
        &format!("use anyhow::{{self as other, bail}};\nfn f(‸x: u8) {{ {code} }}\n"),
        &format!("use anyhow::{{self as other, bail}};\nfn f(id: u8) {{ {expected} }}\n"),
        listed,
    );
}

#[test]
fn variables_in_format_strings_are_renamed() {
    check("log::info!(\"{x:?} {x:>5} {{x}} {:x$}\", 1);", "log::info!(\"{id:?} {id:>5} {{x}} {:id$}\", 1);", 0);
    check(
        "log::log!(Level::Info, \"{x}\"); ::log::warn![\"{x}\"];",
        "log::log!(Level::Info, \"{id}\"); ::log::warn![\"{id}\"];",
        0,
    );
    check("log::error!(target: \"{x}\", \"{x}\");", "log::error!(target: \"{x}\", \"{id}\");", 0);
    check(
        "log::error!(x = 1, key:? = x; \"{x} {}\", \"{x}\");",
        "log::error!(x = 1, key:? = id; \"{id} {}\", \"{x}\");",
        0,
    );
    check("bail!(\"{x}\")", "bail!(\"{id}\")", 0);
    check("anyhow::ensure!(x > 1, \"no {x}\")", "anyhow::ensure!(id > 1, \"no {id}\")", 0);
    check("return Err(eyre::eyre!(\"no {x}\"))", "return Err(eyre::eyre!(\"no {id}\"))", 0);
    check("tracing::info! { \"{x}\" }", "tracing::info! { \"{id}\" }", 0);
}

#[test]
fn variables_in_arguments_are_renamed() {
    check(
        "log::info!(\"{} {n}\", x, n = x.x(y.x, &x[..x]) + (x));",
        "log::info!(\"{} {n}\", id, n = id.x(y.x, &id[..id]) + (id));",
        0,
    );
    check("log::info!(\"{}\", x == 1 && x <= 2 && x != x);", "log::info!(\"{}\", id == 1 && id <= 2 && id != id);", 0);
    check("anyhow::anyhow!(x)", "anyhow::anyhow!(id)", 0);
    check("log::info!(\"{}\", x::x);", "log::info!(\"{}\", x::x);", 2);
    // Expressions that may declare names or contain types are listed.
    check("log::info!(\"{} {}\", x, |x| x);", "log::info!(\"{} {}\", id, |x| x);", 2);
    check("log::info!(\"{}\", { let x = 1; x });", "log::info!(\"{}\", { let x = 1; x });", 2);
    check("log::info!(\"{}\", x as x);", "log::info!(\"{}\", x as x);", 2);
    check("log::info!(\"{}\", other!(x));", "log::info!(\"{}\", other!(x));", 1);
    check("log::info!(\"{}\", g::<x>(1));", "log::info!(\"{}\", g::<x>(1));", 1);
}

#[test]
fn fields_of_tracing_keep_their_names() {
    check("tracing::info!(x, ?x, %x, \"{x} {}\", x);", "tracing::info!(x = id, x = ?id, x = %id, \"{id} {}\", id);", 0);
    check(
        "tracing::info!(x = 1, y = x, z.x = %x, \"a x\" = ?x);",
        "tracing::info!(x = 1, y = id, z.x = %id, \"a x\" = ?id);",
        0,
    );
    check("tracing::info!(y = \"{x}\", \"{x}\");", "tracing::info!(y = \"{x}\", \"{id}\");", 0);
    check(
        "tracing::event!(target: \"a\", x, ?x, \"{x}\");",
        "tracing::event!(target: \"a\", id, x = ?id, \"{id}\");",
        0,
    );
    // The name of a span is not a format string.
    check("tracing::info_span!(\"{x}\");", "tracing::info_span!(\"{x}\");", 1);
    // The name of the field is a path.
    check("tracing::info!(%x.y);", "tracing::info!(%x.y);", 1);
}

#[test]
fn macros_of_other_crates_are_listed() {
    check("info!(\"{x}\");", "info!(\"{x}\");", 1);
    check("defmt::info!(\"{x}\");", "defmt::info!(\"{x}\");", 1);
    check("other::bail!(\"{x}\");", "other::bail!(\"{x}\");", 1);
    check("log::other!(\"{x}\");", "log::other!(\"{x}\");", 1);
    // A local macro, module or import with the name.
    let text = |head: &str, name: &str, code: &str| format!("{head}\nfn f({name}: u8) {{ {code} }}\n");
    for (head, code) in [
        ("macro_rules! bail { () => {} }", "bail!(\"{x}\");"),
        ("mod log { pub use crate::x as info; }", "log::info!(\"{x}\");"),
        ("use crate::other as log;", "log::info!(\"{x}\");"),
        ("use crate::log::info;\nmod log {}", "info!(\"{x}\");"),
        ("use log::warn as info;", "info!(\"{x}\");"),
    ] {
        check_in(MANIFEST, &text(head, "‸x", code), &text(head, "id", code), 1);
    }
}

#[test]
fn the_manifest_shows_which_crate_a_name_is() {
    let (before, after) = ("fn f(‸x: u8) { log::info!(\"{x}\"); }\n", "fn f(id: u8) { log::info!(\"{id}\"); }\n");
    let same = "fn f(id: u8) { log::info!(\"{x}\"); }\n";
    let manifest = |lines: &str| format!("[package]\nname = \"app\"\nedition = \"2021\"\n{lines}");
    check_in(&manifest("[dependencies]\nlog = { version = \"0.4\", features = [\"std\"] }\n"), before, after, 0);
    check_in(&manifest("[dependencies]\nlog = { package = \"log\", version = \"0.4\" }\n"), before, after, 0);
    check_in(&manifest("[dependencies]\nlog = { package = \"my-log\", version = \"1\" }\n"), before, same, 1);
    check_in(&manifest("[dependencies]\nlog = { path = \"log\" }\n"), before, same, 1);
    // Without a dependency, only a crate can have the name, unless a glob import may provide a module.
    check_in(&manifest(""), before, after, 0);
    check_in(&manifest(""), &format!("use other::*;\n{before}"), &format!("use other::*;\n{same}"), 1);
}
