//! Templates create files without diagnostics for any name.

use heck::{ToPascalCase as _, ToSnakeCase as _};
use marquetry_sdk::{LanguagePack, testing};
use minijinja::{Environment, UndefinedBehavior, context, syntax::SyntaxConfig};

use crate::Go;

#[test]
fn templates_render_without_problems() {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the same template syntax as in the host"));
    environment.add_filter("snake", |name: String| name.to_snake_case());
    environment.add_filter("pascal", |name: String| name.to_pascal_case());
    let templates = Go::describe().templates;
    assert_eq!(templates.len(), 3);
    for template in templates {
        for (variables, package) in [
            (context! { name => "shop-cart" }, "shopcart"),
            (
                context! { name => "cart_test", package => "cart", description => "has carts", expression => "1 + 1" },
                "cart",
            ),
        ] {
            let text = environment
                .render_str(&template.body, variables)
                .unwrap_or_else(|error| panic!("{}: {error}", template.name));
            let bench = testing::open::<Go>("a.go", &text);
            assert_eq!(bench.diagnostics(), [""; 0], "{}:\n{text}", template.name);
            let package = if template.name == "main" { "main" } else { package };
            assert!(
                text.contains(&format!("package {package}\n")) && text.ends_with('\n'),
                "{}:\n{text}",
                template.name
            );
        }
    }
}
