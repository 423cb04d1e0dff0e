//! Templates for new files: those of the packs, and the project's own, rendered by one engine.

use heck::{ToKebabCase, ToLowerCamelCase, ToSnakeCase, ToUpperCamelCase};
use marquetry_model::{Error, Result, nearest::nearest};
use minijinja::{Environment, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde};

use crate::session::Session;

/// Where a project keeps its own templates: `NAME.j2`, or `NAME.EXT.j2`.
pub const TEMPLATE_FOLDER: &str = ".marquetry/templates";
/// Work a template may do: enough for any file, not enough to hang.
const FUEL: u64 = 1_000_000;

/// The text of a template by its name: the project's own first, then those of the packs.
pub(crate) fn find(session: &Session, name: &str) -> Result<String> {
    let files = &session.files;
    let own = files.entries(TEMPLATE_FOLDER).into_iter().map(|(file, _)| file).filter(|file| file.ends_with(".j2"));
    let own: Vec<String> = own.collect();
    let stem = |file: &str| file.trim_end_matches(".j2").split('.').next().unwrap_or_default().to_owned();
    if let Some(file) = own.iter().find(|file| stem(file) == name || file.trim_end_matches(".j2") == name) {
        return Ok(files.read(&format!("{TEMPLATE_FOLDER}/{file}"))?.text.to_string());
    }
    let descriptions = session.packs.descriptions(files);
    let known = descriptions.iter().flat_map(|description| &description.templates);
    if let Some(template) = known.clone().find(|template| template.name == name) {
        return Ok(template.body.clone());
    }
    let names = known
        .map(|template| template.name.clone())
        .chain(own.iter().map(|file| stem(file)))
        .chain(["empty".to_owned()]);
    let names: Vec<String> = names.collect();
    let mut candidates = nearest(name, names.clone());
    if candidates.is_empty() {
        candidates = names;
    }
    Err(Error::argument(format!("no template `{name}`"))
        .hint(format!("use one of the candidates, or put `{name}.j2` into {TEMPLATE_FOLDER}"))
        .candidates(candidates))
}

/// A template with its variables; `name` is the file's stem unless given.
pub(crate) fn render(
    template: &str,
    path: &str,
    vars: Option<&serde_json::Map<String, serde_json::Value>>,
) -> Result<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut values = vars.cloned().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or(file).to_owned();
    values.entry("name").or_insert_with(|| stem.into());
    values.entry("file").or_insert_with(|| file.into());
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| Error::internal(error.to_string()))?);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("pascal", |name: String| name.to_upper_camel_case());
    environment.add_filter("camel", |name: String| name.to_lower_camel_case());
    environment.add_filter("kebab", |name: String| name.to_kebab_case());
    environment.add_filter("snake", |name: String| name.to_snake_case());
    // The engine's own one is for pages: it spells quotes and angle brackets as escapes.
    environment.add_filter("tojson", |value: Serde<serde_json::Value>| value.0.to_string());
    environment.render_str(template, Value::from(Serde(values))).map_err(|error| {
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        let line = error.line().map(|line| format!(" on line {line}")).unwrap_or_default();
        Error::argument(format!("the template fails{line}: {}{detail}", error.kind()))
            .hint("give the missing variables in `templateVars`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_keeps_its_last_line_break() {
        let render = |template: &str| render(template, "src/my-file.json", None).expect("rendered");
        assert_eq!(render("{{ name | pascal }}\n"), "MyFile\n");
        assert_eq!(render("a"), "a");
        assert_eq!(render("{% if name %}\na\n{% endif %}\n"), "a\n");
        assert_eq!(render("{% if name %}a{% endif %}\n\n"), "a\n");
    }

    #[test]
    fn json_is_written_as_it_is_in_files() {
        let vars = serde_json::json!({ "who": "it's <\"you\">", "list": [1, null] });
        let text = render("{{ who | tojson }} {{ list | tojson }}\n", "a.json", vars.as_object());
        assert_eq!(text.expect("rendered"), "\"it's <\\\"you\\\">\" [1,null]\n");
    }
}
