//! Writes the methods of the Python client, at the end of `_tools.py`.

use std::fmt::Write as _;

use crate::{
    names,
    python::docstring,
    types::{Catalog, Tool, Variants},
};

/// Parameter of all methods.
const PROGRESS: &str = "        on_progress: Callable[[Progress], None] | None = None,\n";

/// Returns the class with all methods.
pub(crate) fn class(catalog: &Catalog) -> String {
    let mut out = format!(
        "\n\nclass Tools(ABC):\n    \"\"\"A method for each tool.\"\"\"\n\n    @abstractmethod\n    async def call(\n        \
         self,\n        tool: str,\n        arguments: Mapping[str, Any] | None = None,\n        *,\n{PROGRESS}    ) -> Any:\n        \
         \"\"\"Calls a tool by its name, with the arguments as JSON.\"\"\"\n"
    );
    for tool in &catalog.tools {
        out += "\n";
        match &tool.variants {
            None => out += &method(tool),
            Some(variants) => out += &variant_methods(catalog, tool, variants),
        }
    }
    out
}

fn method(tool: &Tool) -> String {
    let Tool { name, arguments, result, .. } = tool;
    let doc = documentation(tool);
    format!(
        "    async def {name}(\n        self,\n        *,\n{PROGRESS}        **arguments: Unpack[{arguments}],\n    ) -> {result}:\n{doc}        \
         answer = await self.call(\"{name}\", cast(Mapping[str, Any], arguments), on_progress=on_progress)\n        return cast({result}, answer)\n"
    )
}

fn documentation(tool: &Tool) -> String {
    docstring(&format!("{}: {}", tool.title, tool.description), "        ")
}

/// Returns an overload for each type of the answer, one for all, and the method.
fn variant_methods(catalog: &Catalog, tool: &Tool, variants: &Variants) -> String {
    let (base, argument) = (names::pascal(&tool.name), variants.argument);
    let alias = format!("{base}{}", names::pascal(argument));
    let Tool { name, result, .. } = tool;
    let signature = |values: &str, data: &str| {
        format!(
            "    async def {name}(\n        self,\n        *,\n        {argument}: {values},\n{PROGRESS}        \
             **arguments: Unpack[{base}Options],\n    ) -> {result}[{data}]:"
        )
    };
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (value, data) in &variants.types {
        let value = format!("\"{value}\"");
        match groups.iter_mut().find(|(known, _)| known == data) {
            Some((_, values)) => values.push(value),
            None => groups.push((data, vec![value])),
        }
    }
    let mut out = String::new();
    for (data, values) in groups {
        let _ = write!(out, "    @overload\n{} ...\n\n", signature(&format!("Literal[{}]", values.join(", ")), data));
    }
    let all = catalog.fields(result).iter().find(|field| field.name == variants.property);
    let all = all.map(|field| crate::python::print(&field.value)).unwrap_or_default();
    let _ = write!(out, "    @overload\n{} ...\n\n", signature(&alias, &all));
    let _ = write!(
        out,
        "{}\n{}        given = {{\"{argument}\": {argument}, **arguments}}\n        \
         return cast({result}[Any], await self.call(\"{name}\", given, on_progress=on_progress))\n",
        signature(&alias, "Any"),
        documentation(tool)
    );
    out
}
