//! Templates create files without diagnostics for any name.

use heck::{ToPascalCase as _, ToSnakeCase as _};
use marquetry_sdk::{LanguagePack, testing};
use minijinja::{Environment, UndefinedBehavior, context, syntax::SyntaxConfig};

use crate::Java;

#[test]
fn templates_render_without_problems() {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the same template syntax as in the host"));
    environment.add_filter("snake", |name: String| name.to_snake_case());
    environment.add_filter("pascal", |name: String| name.to_pascal_case());
    let templates = Java::describe().templates;
    assert_eq!(templates.len(), 5);
    for template in templates {
        for (variables, class, start) in [
            (context! { name => "shop-cart" }, "ShopCart", ""),
            (context! { name => "Cart", package => "a.b", description => "It has carts" }, "Cart", "package a.b;\n\n"),
        ] {
            let text = environment
                .render_str(&template.body, variables)
                .unwrap_or_else(|error| panic!("{}: {error}", template.name));
            let bench = testing::open::<Java>("A.java", &text);
            assert_eq!(bench.diagnostics(), [""; 0], "{}:\n{text}", template.name);
            assert!(text.starts_with(start) && text.ends_with("}\n"), "{}:\n{text}", template.name);
            assert!(bench.outline().contains(&format!(" {class} @{class}\n")), "{}:\n{text}", template.name);
        }
    }
}
