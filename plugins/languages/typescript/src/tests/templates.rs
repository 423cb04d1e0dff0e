//! Templates create files without diagnostics, for any name.

use heck::{ToKebabCase, ToLowerCamelCase, ToSnakeCase, ToUpperCamelCase};
use marquetry_sdk::LanguagePack;
use minijinja::{Environment, UndefinedBehavior, context, syntax::SyntaxConfig};

use super::open;
use crate::TypeScript;

#[test]
fn templates_render_without_problems() {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the same template syntax as in the host"));
    environment.add_filter("pascal", |name: String| name.to_upper_camel_case());
    environment.add_filter("camel", |name: String| name.to_lower_camel_case());
    environment.add_filter("kebab", |name: String| name.to_kebab_case());
    environment.add_filter("snake", |name: String| name.to_snake_case());
    let templates = TypeScript::describe().templates;
    assert_eq!(templates.len(), 11);
    for template in templates {
        for vars in [
            context! { name => "user-profile" },
            context! { name => "UseThing", description => "Does it.", extends => "Base", implements => "A, B", r#async => true, parameters => "a: string" },
        ] {
            let text = environment
                .render_str(&template.body, vars)
                .unwrap_or_else(|error| panic!("{}: {error}", template.name));
            let bench = open(&format!("a.{}", template.extension), &text);
            assert_eq!(bench.diagnostics(), [""; 0], "{}:\n{text}", template.name);
            assert!(!text.contains("\n\n\n") && text.ends_with("\n"), "{}:\n{text}", template.name);
            assert!(!bench.outline().is_empty(), "{}", template.name);
        }
    }
}
