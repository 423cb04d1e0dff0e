//! Description of the pack.

use marquetry_sdk::{Description, LanguagePack, RegionHelp, TargetHelp, TargetKind, Template};

/// Name, summary, extension and body of each template.
const TEMPLATES: [(&str, &str, &str, &str); 11] = [
    ("typescript-module", "a module with options and a factory", "ts", include_str!("templates/module.jinja")),
    ("typescript-class", "a class; takes `extends`, `implements`", "ts", include_str!("templates/class.jinja")),
    ("typescript-interface", "an interface; takes `extends`", "ts", include_str!("templates/interface.jinja")),
    ("typescript-function", "a function; takes `parameters`, `async`", "ts", include_str!("templates/function.jinja")),
    (
        "typescript-test",
        "a test suite; takes `framework`, `module`, `subject`",
        "ts",
        include_str!("templates/test.jinja"),
    ),
    ("react-component", "a function component with props", "tsx", include_str!("templates/react-component.jinja")),
    ("react-hook", "a hook", "ts", include_str!("templates/react-hook.jinja")),
    ("react-context", "a context with provider and hook", "tsx", include_str!("templates/react-context.jinja")),
    ("express-controller", "a controller with its router", "ts", include_str!("templates/express-controller.jinja")),
    ("express-middleware", "a configurable middleware", "ts", include_str!("templates/express-middleware.jinja")),
    ("node-cli", "a command line program", "ts", include_str!("templates/node-cli.jinja")),
];

/// Returns the description. The host asks for it once.
pub(crate) fn describe() -> Description {
    let examples = ["UserService", "UserService.findById", "config.routes.home", "\"suite\" > \"case\"", "default"];
    Description {
        id: "typescript".to_owned(),
        name: "TypeScript and JavaScript".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files: crate::TypeScript::files(),
        targets: vec![
            TargetHelp {
                kind: TargetKind::Symbol,
                syntax: "names, outermost first, joined by `.`; `name[2]` is the second with that name".to_owned(),
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
            RegionHelp { name: "exports".to_owned(), summary: "all export statements".to_owned() },
        ],
        templates: TEMPLATES.iter().map(template).collect(),
        settings_schema: "{}".to_owned(),
        relinks: false,
        help: include_str!("../help.md").to_owned(),
    }
}

fn template(&(name, summary, extension, body): &(&str, &str, &str, &str)) -> Template {
    Template {
        name: name.to_owned(),
        summary: summary.to_owned(),
        extension: extension.to_owned(),
        body: body.to_owned(),
    }
}
