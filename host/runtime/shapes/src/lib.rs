//! Derive macro for types generated from WIT. Their JSON uses the names of the contract, with `_` for `-`.
//!
//! The bindings generator adds derives to its types but no attributes, so serde's own derive would name a case
//! `TargetNotFound` and a field `type_`. This macro derives serde for a copy of the type that has the attributes, and
//! implements the traits of the type itself through the copy. It does not depend on any particular type of the
//! contract.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Derives `serde::Serialize` and `serde::Deserialize` with names in `snake_case`.
#[proc_macro_derive(Json)]
pub fn json(item: TokenStream) -> TokenStream {
    let mut tokens = without_attributes(item).into_iter().skip_while(|token| !is_keyword(token, &["struct", "enum"]));
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

fn is_keyword(token: &TokenTree, words: &[&str]) -> bool {
    matches!(token, TokenTree::Ident(word) if words.contains(&word.to_string().as_str()))
}

/// Removes attributes such as doc comments, because they belong to other derives.
fn without_attributes(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens
                    .next_if(|next| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket));
            }
            TokenTree::Group(group) => {
                kept.push(Group::new(group.delimiter(), without_attributes(group.stream())).into())
            }
            TokenTree::Ident(word) => {
                if word.to_string() == "pub" {
                    kept.extend(attributes(tokens.clone()));
                }
                kept.push(word.into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

/// Returns the serde attributes of the field at the start of these tokens. A field named like a Rust keyword ends in an
/// underscore that the contract does not have. An optional field also gets `default`, so that it may be missing at the
/// end of a JSON list; in JSON objects, serde already allows that.
fn attributes(mut field: impl Iterator<Item = TokenTree>) -> TokenStream {
    let name = field.next().map(|name| name.to_string()).unwrap_or_default();
    let of = field.nth(1);
    let renamed = name.strip_suffix('_').map(|name| format!("#[serde(rename = {name:?})]"));
    let optional = of.filter(|of| is_keyword(of, &["Option"])).map(|_| "#[serde(default)]".to_owned());
    let all: String = renamed.into_iter().chain(optional).collect();
    all.parse().unwrap_or_default()
}
