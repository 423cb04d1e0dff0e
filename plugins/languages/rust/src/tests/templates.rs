//! Templates create files without diagnostics for any name.

use heck::ToSnakeCase as _;
use marquetry_sdk::{LanguagePack, testing};
use minijinja::{Environment, UndefinedBehavior, context, syntax::SyntaxConfig};

use crate::Rust;

#[test]
fn templates_render_without_problems() {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.expect("the same template syntax as in the host"));
    environment.add_filter("snake", |name: String| name.to_snake_case());
    let templates = Rust::describe().templates;
    assert_eq!(templates.len(), 2);
    for template in templates {
        for variables in [
            context! { name => "shop-cart" },
            context! { name => "test_cart", description => "Carts.", module => "shop.cart", expression => "1 + 1 == 2" },
        ] {
            let text = environment
                .render_str(&template.body, variables)
                .unwrap_or_else(|error| panic!("{}: {error}", template.name));
            let bench = testing::open::<Rust>("a.rs", &text);
            assert_eq!(bench.diagnostics(), [""; 0], "{}:\n{text}", template.name);
            assert!(text.ends_with('\n') && text.starts_with("//!"), "{}:\n{text}", template.name);
        }
    }
}
