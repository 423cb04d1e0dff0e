//! Build script: lists the plugins that are part of the program, and sets linker options. With the feature `bundle`,
//! `MARQ_BUNDLE` names a folder with the parts of the plugins, which `cargo xtask install` and `cargo xtask dist` make.

use std::{env, fs, path::PathBuf, process::Command};

/// The first version of glibc that reads packed relocations.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-env-changed=MARQ_BUNDLE");
    if reads_packed_relocations() {
        // Every start reads all relocations. Packing reduces them from two megabytes to a few kilobytes.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
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
    assert!(!names.is_empty(), "{} does not contain the prepared plugins", folder.display());
    let plugins: String = names.iter().map(|name| plugin(&folder.join(name).to_string_lossy(), name)).collect();
    let code = format!(
        "/// The plugins that are part of the program.\npub(crate) static BUNDLED: &[BundledPlugin] = &[{plugins}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("bundle.rs"), code).expect("OUT_DIR is writable");
}

/// Returns whether the program is built for this machine, and its C library reads packed relocations.
fn reads_packed_relocations() -> bool {
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|library| library == "gnu");
    is_linux
        && is_gnu
        && env::var("HOST") == env::var("TARGET")
        && glibc().is_some_and(|version| version >= PACKED_SINCE)
}

/// Returns the version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the Rust expression that creates one plugin.
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
