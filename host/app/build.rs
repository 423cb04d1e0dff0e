//! Lists the plugins that are part of the program. With the feature `bundle`, `MARQ_BUNDLE` names a folder with their
//! parts, which `cargo xtask install` and `cargo xtask dist` make.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=MARQ_BUNDLE");
    if env::var_os("CARGO_FEATURE_BUNDLE").is_none() {
        return;
    }
    let folder = PathBuf::from(env::var_os("MARQ_BUNDLE").expect("MARQ_BUNDLE: the folder with the parts of plugins"));
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".sha256").map(str::to_owned))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{} has no parts of plugins", folder.display());
    let plugins: String = names.iter().map(|name| plugin(&folder.join(name).to_string_lossy(), name)).collect();
    let code = format!(
        "/// The plugins that are part of the program.\npub(crate) static BUNDLED: &[BundledPlugin] = &[{plugins}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("bundle.rs"), code).expect("OUT_DIR is writable");
}

/// Returns the expression of one plugin.
fn plugin(place: &str, name: &str) -> String {
    let sha256 = fs::read_to_string(format!("{place}.sha256")).expect("it is listed");
    let part = |extension: &str| format!("include_bytes!({:?})", format!("{place}.{extension}"));
    format!(
        "// SAFETY: `xtask/bundle` made the parts with the same version of the runtime.\n\
         unsafe {{ BundledPlugin::new({name:?}, {sha256:?}, {}, {}, {}, decompress) }},\n",
        part("info"),
        part("wasm.zst"),
        part("code.zst")
    )
}
