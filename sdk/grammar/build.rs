//! Links the C code in builds for WebAssembly: unpacks the archive of the runtime and the archives of the enabled
//! grammars.

use std::{
    env,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

/// The grammars in `archives`. Each has a feature with the same name.
const GRAMMARS: [&str; 1] = ["java"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=archives");
    println!("cargo::rustc-check-cfg=cfg(archives)");
    // For other targets, and without the archives, dependencies of this crate compile the C code.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") && Path::new("archives").exists() {
        let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
        let digests = fs::read_to_string("archives/SHA256SUMS")?;
        let is_enabled = |grammar: &&str| env::var_os(format!("CARGO_FEATURE_{}", grammar.to_uppercase())).is_some();
        for name in std::iter::once("runtime").chain(GRAMMARS.into_iter().filter(is_enabled)) {
            let packed = File::open(Path::new("archives").join(format!("{name}.a.gz")))?;
            let library = format!("marquetry-tree-sitter-{name}");
            let mut archive = Vec::new();
            io::copy(&mut flate2::read::GzDecoder::new(packed), &mut archive)?;
            let digest: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
            if !digests.contains(&format!("{digest}  {name}.a\n")) {
                return Err(io::Error::other(format!("`{name}` is not the archive that SHA256SUMS has")));
            }
            fs::write(out.join(format!("lib{library}.a")), archive)?;
            println!("cargo::rustc-link-lib=static={library}");
        }
        println!("cargo::rustc-cfg=archives");
        println!("cargo::rustc-link-search=native={}", out.display());
    }
    Ok(())
}
