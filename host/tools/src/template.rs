//! Templates for new files, from packs and from the project.

use std::collections::BTreeSet;

use heck::{ToKebabCase, ToLowerCamelCase, ToSnakeCase, ToUpperCamelCase};
use marquetry_model::{Error, Kind, Result, Work, limits, nearest::nearest_names, ports::Templates};
use minijinja::{Environment, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde};

use crate::{session::Session, words::whole_word_offsets};

/// Folder for templates of a project: `NAME.j2`, or `NAME.EXT.j2`.
pub const TEMPLATE_FOLDER: &str = ".marquetry/templates";
/// Variables that every template has.
const BUILT_IN_VARIABLES: [&str; 2] = ["name", "file"];
/// Execution limit, which is sufficient for any reasonable file and prevents endless templates.
const FUEL: u64 = 1_000_000;
/// Maximum size of a template in bytes.
const MAX_TEMPLATE: usize = limits::TEMPLATE;
/// Stack size. The engine is recursive; this is enough for any nesting in a template of the maximum size.
const STACK_SIZE: usize = 512 << 20;

/// Returns a template for a file by name. Templates of the project take precedence over those of packs. If a pack has
/// templates for the extension of the path, those for other extensions are not used.
pub(crate) fn find_template(session: &Session, name: &str, path: &str) -> Result<String> {
    let files = &session.files;
    let own = files.entries(TEMPLATE_FOLDER).into_iter().map(|(file, _)| file).filter(|file| file.ends_with(".j2"));
    let own: Vec<String> = own.collect();
    let stem = |file: &str| file.trim_end_matches(".j2").split('.').next().unwrap_or_default().to_owned();
    if let Some(file) = own.iter().find(|file| stem(file) == name || file.trim_end_matches(".j2") == name) {
        return Ok(files.read(&format!("{TEMPLATE_FOLDER}/{file}"))?.text.to_string());
    }
    let descriptions = session.packs.descriptions(files);
    let known = descriptions.iter().flat_map(|description| &description.templates);
    let has_extension = |extension: &str| path.strip_suffix(extension).is_some_and(|rest| rest.ends_with('.'));
    let is_known_extension = known.clone().any(|template| has_extension(&template.extension));
    let suitable = known.filter(|template| !is_known_extension || has_extension(&template.extension));
    if let Some(template) = suitable.clone().find(|template| template.name == name) {
        return Ok(template.body.clone());
    }
    let own = own.iter().map(|file| stem(file)).chain(["empty".to_owned()]);
    let names: BTreeSet<String> = suitable.map(|template| template.name.clone()).chain(own).collect();
    // `class` may mean the template of a language, such as `LANGUAGE-class`.
    let longer = names.iter().filter(|known| known.split('-').any(|word| word == name)).cloned();
    let mut candidates: Vec<String> = longer.collect();
    candidates.extend(nearest_names(name, names.iter().filter(|known| !candidates.contains(known)).cloned()));
    if candidates.is_empty() {
        candidates = names.into_iter().collect();
    }
    Err(Error::argument(format!("no template `{name}`"))
        .hint(format!("use one of the candidates, or put `{name}.j2` into {TEMPLATE_FOLDER}"))
        .candidates(candidates))
}

/// Variables of a template as JSON; `name` defaults to the stem of the file name.
fn template_values(path: &str, vars: Option<&serde_json::Map<String, serde_json::Value>>) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut values = vars.cloned().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or(file).to_owned();
    values.entry("name").or_insert_with(|| stem.into());
    values.entry("file").or_insert_with(|| file.into());
    serde_json::Value::from(values).to_string()
}

impl Session {
    /// Renders a template for a file.
    pub(crate) fn render_template(
        &self,
        name: &str,
        path: &str,
        vars: Option<&serde_json::Map<String, serde_json::Value>>,
    ) -> Result<String> {
        let template = find_template(self, name, path)?;
        if template.len() > MAX_TEMPLATE {
            return Err(limit_exceeded(format!("the template is larger than {} KiB", MAX_TEMPLATE >> 10)));
        }
        check_variable_names(name, &template, vars)?;
        self.templates.render(&template, &template_values(path, vars), &self.work)
    }
}

/// Refuses a variable that the template does not use, because a misspelled variable would be ignored silently.
fn check_variable_names(
    name: &str,
    template: &str,
    vars: Option<&serde_json::Map<String, serde_json::Value>>,
) -> Result<()> {
    let given =
        vars.into_iter().flat_map(serde_json::Map::keys).filter(|given| !BUILT_IN_VARIABLES.contains(&given.as_str()));
    let Some(unknown) = given.into_iter().find(|given| whole_word_offsets(template, given).is_empty()) else {
        return Ok(());
    };
    let mut known = template_variables(template);
    known.extend(BUILT_IN_VARIABLES.map(str::to_owned));
    known.sort();
    known.dedup();
    let near = nearest_names(unknown, known.clone());
    Err(Error::argument(format!("the template `{name}` has no variable `{unknown}`"))
        .hint("use one of the candidates in `templateVars`")
        .candidates(if near.is_empty() { known } else { near }))
}

/// Variables of a template: the first names in its tags.
fn template_variables(template: &str) -> Vec<String> {
    let tags = template.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    let first = |tag: &str| tag.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
    tags.filter_map(first).filter(|name| !name.is_empty()).collect()
}

fn limit_exceeded(message: String) -> Error {
    Error::new(Kind::LimitExceeded, message).hint("give `content` instead")
}

/// The template engine in this process. Memory use while rendering is not limited.
#[derive(Debug, Clone, Copy, Default)]
pub struct Engine;

impl Templates for Engine {
    fn render(&self, template: &str, values: &str, _work: &Work) -> Result<String> {
        let values: serde_json::Map<String, serde_json::Value> = serde_json::from_str(values)
            .map_err(|error| Error::internal(format!("cannot parse the template variables: {error}")))?;
        render(template, values)
    }
}

fn environment() -> Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| Error::internal(error.to_string()))?);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("pascal", |name: String| name.to_upper_camel_case());
    environment.add_filter("camel", |name: String| name.to_lower_camel_case());
    environment.add_filter("kebab", |name: String| name.to_kebab_case());
    environment.add_filter("snake", |name: String| name.to_snake_case());
    // The built-in filter escapes quotes and angle brackets for pages.
    environment.add_filter("tojson", |value: Serde<serde_json::Value>| value.0.to_string());
    Ok(environment)
}

fn render(template: &str, values: serde_json::Map<String, serde_json::Value>) -> Result<String> {
    let (environment, mut made) = (environment()?, LimitedOutput::default());
    let rendered = std::thread::scope(|scope| {
        let render = || {
            let template = environment.template_from_str(template)?;
            template.render_captured_to(Value::from(Serde(values)), &mut made).map(|_| ())
        };
        let thread = std::thread::Builder::new().name("template".to_owned()).stack_size(STACK_SIZE);
        thread.spawn_scoped(scope, render).map(|running| running.join())
    });
    let rendered = rendered.map_err(|error| Error::internal(format!("cannot start a template thread: {error}")))?;
    let rendered = rendered.map_err(|_| Error::internal("the template engine panicked"))?;
    if made.is_over_limit {
        return Err(limit_exceeded(format!("the output of the template exceeds {} MiB", limits::TEMPLATE_TEXT >> 20)));
    }
    rendered.map_err(|error| {
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        let line = error.line().map(|line| format!(" on line {line}")).unwrap_or_default();
        Error::argument(format!("the template fails{line}: {}{detail}", error.kind()))
            .hint("give the missing variables in `templateVars`")
    })?;
    String::from_utf8(made.bytes).map_err(|_| Error::internal("the output of the template is not UTF-8"))
}

/// Output of a template, with a size limit.
#[derive(Default)]
struct LimitedOutput {
    bytes: Vec<u8>,
    is_over_limit: bool,
}

impl std::io::Write for LimitedOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > limits::TEMPLATE_TEXT {
            self.is_over_limit = true;
            return Err(std::io::Error::other("too much"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(template: &str, path: &str, vars: Option<&serde_json::Map<String, serde_json::Value>>) -> Result<String> {
        Engine.render(template, &template_values(path, vars), &Work::default())
    }

    #[test]
    fn template_keeps_final_line_break() {
        let render = |template: &str| render(template, "src/my-file.json", None).expect("rendered");
        assert_eq!(render("{{ name | pascal }}\n"), "MyFile\n");
        assert_eq!(render("a"), "a");
        assert_eq!(render("{% if name %}\na\n{% endif %}\n"), "a\n");
        assert_eq!(render("{% if name %}a{% endif %}\n\n"), "a\n");
    }

    #[test]
    fn template_that_exceeds_limits_is_refused() {
        let refused = |template: &str| render(template, "a.txt", None).expect_err("refused");
        let loops = "{% for a in range(1000) %}{% for b in range(1000) %}xxxxxxxxxxxxxxxxxxxx{% endfor %}{% endfor %}";
        for template in [
            format!("{{{{ {} }}}}", "-".repeat(60_000)),
            format!("{{{{ {} }}}}", "(".repeat(60_000)),
            format!("{{{{ {}1{} }}}}", "[".repeat(30_000), "]".repeat(30_000)),
            "{% if 1 %}".repeat(6_000),
            loops.to_owned(),
        ] {
            let kind = refused(&template).kind();
            assert!(matches!(kind, Kind::LimitExceeded | Kind::InvalidArgument), "{kind:?}: {}", &template[..20]);
        }
    }

    #[test]
    fn tojson_filter_writes_plain_json() {
        let vars = serde_json::json!({ "who": "it's <\"you\">", "list": [1, null] });
        let text = render("{{ who | tojson }} {{ list | tojson }}\n", "a.json", vars.as_object());
        assert_eq!(text.expect("rendered"), "\"it's <\\\"you\\\">\" [1,null]\n");
    }
}
