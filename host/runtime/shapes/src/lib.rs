//! A derive for types that are generated from WIT: their JSON has the names of the contract, with `_` for `-`.
//!
//! The generator of bindings adds derives to its types, and no attributes, so serde's own derive would call a case
//! `TargetNotFound` and a field `type_`. This one derives for a copy of the type that has the attributes, and answers for
//! the type itself with it. It knows no type of the contract.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// `serde::Serialize` and `serde::Deserialize`, with names in `snake_case`.
#[proc_macro_derive(Json)]
pub fn json(item: TokenStream) -> TokenStream {
    let mut tokens = plain(item).into_iter().skip_while(|token| !is(token, &["struct", "enum"]));
    let (Some(kind), Some(name)) = (tokens.next(), tokens.next()) else { return TokenStream::new() };
    let body: TokenStream = tokens.collect();
    let code = format!(
        r#"const _: () = {{
            #[allow(dead_code)]
            #[derive(::serde::Serialize, ::serde::Deserialize)]
            #[serde(remote = "{name}", rename_all = "snake_case")]
            {kind} Shape {body}

            impl ::serde::Serialize for {name} {{
                fn serialize<S: ::serde::Serializer>(&self, to: S) -> ::core::result::Result<S::Ok, S::Error> {{
                    Shape::serialize(self, to)
                }}
            }}

            impl<'de> ::serde::Deserialize<'de> for {name} {{
                fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> ::core::result::Result<{name}, D::Error> {{
                    Shape::deserialize(from)
                }}
            }}
        }};"#
    );
    code.parse().unwrap_or_default()
}

fn is(token: &TokenTree, words: &[&str]) -> bool {
    matches!(token, TokenTree::Ident(word) if words.contains(&word.to_string().as_str()))
}

/// The tokens without attributes, which are other derives'. A field whose name is a word of Rust has an underscore more than
/// in the contract.
fn plain(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens
                    .next_if(|next| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket));
            }
            TokenTree::Group(group) => kept.push(Group::new(group.delimiter(), plain(group.stream())).into()),
            TokenTree::Ident(word) => {
                let next = tokens.peek().filter(|_| word.to_string() == "pub").map(ToString::to_string);
                if let Some(name) = next.as_deref().and_then(|next| next.strip_suffix('_')) {
                    let attribute =
                        format!("#[serde(rename = {name:?})]").parse().unwrap_or_else(|_| TokenStream::new());
                    kept.extend(attribute);
                }
                kept.push(word.into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}
