//! Sets the version in `package.json` of this folder: `embed-minimal PACKS VERSION`, where `PACKS` is a folder with
//! language packs, such as `target/wasm32-wasip2/release`.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use marquetry::{Error, Host, Result};
use serde_json::json;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let (Some(packs), Some(version)) = (words.next(), words.next()) else {
        return Err(Error::argument("give a folder of packs and a version").hint("embed-minimal PACKS VERSION"));
    };
    let host = Host::builder().root(".").pack_folder(packs).client("embed-minimal 1.0").build()?;
    let edit = json!({
        "file": "package.json", "path": "$.version", "operation": "replace", "content": format!("\"{version}\""),
    });
    println!("{}", host.call("file_edit", edit)?["diff"].as_str().unwrap_or_default());
    Ok(())
}
