//! What the pack says of itself.

use marquetry_sdk::{Description, RegionHelp, TargetHelp, TargetKind};

/// The description, asked for once.
pub(crate) fn describe() -> Description {
    let examples = ["UserService", "UserService.findById", "config.routes.home", "\"suite\" > \"case\"", "default"];
    Description {
        id: "typescript".to_owned(),
        name: "TypeScript and JavaScript".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files: ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"]
            .map(|extension| format!("*.{extension}"))
            .to_vec(),
        targets: vec![
            TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "names from the outside in, joined by `.`; `name[2]` is the second of several".to_owned(),
                examples: examples.map(str::to_owned).to_vec(),
            },
            TargetHelp {
                kind: TargetKind::Region,
                syntax: "the name of a region".to_owned(),
                examples: vec!["imports".to_owned(), "exports".to_owned()],
            },
        ],
        regions: vec![
            RegionHelp { name: "imports".to_owned(), summary: "from the first import to the last".to_owned() },
            RegionHelp { name: "exports".to_owned(), summary: "every statement that exports".to_owned() },
        ],
        templates: Vec::new(),
        settings_schema: "{}".to_owned(),
        help: String::new(),
    }
}
