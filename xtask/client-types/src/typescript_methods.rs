//! Writes the methods of the TypeScript client: their declarations in `tools.d.ts`, and `tools.js`.

use std::fmt::Write as _;

use crate::{
    NOTICE, names,
    types::{Catalog, Tool},
    typescript::comment,
};

/// Returns the declaration of the class with all methods.
pub(crate) fn class(catalog: &Catalog) -> String {
    let mut out = String::from("\n/** A method for each tool. */\nexport declare abstract class Tools {\n");
    out += "  /** Calls a tool by its name. */\n";
    out += "  abstract call<N extends keyof ToolTypes>(\n    tool: N,\n    args: ToolTypes[N]['arguments'],\n    \
            options?: CallOptions,\n  ): Promise<ToolTypes[N]['result']>\n";
    out += "  abstract call(tool: string, args?: object, options?: CallOptions): Promise<unknown>\n";
    for tool in &catalog.tools {
        let _ =
            write!(out, "\n{}  {}\n", comment(&format!("{}: {}", tool.title, tool.description), "  "), method(tool));
    }
    out + "}\n"
}

/// Returns the signature of a tool's method.
fn method(tool: &Tool) -> String {
    let name = names::camel(&tool.name);
    let optional = if tool.is_callable_without_arguments { "?" } else { "" };
    let Tool { arguments, result, .. } = tool;
    match &tool.variants {
        None => format!("{name}(args{optional}: {arguments}, options?: CallOptions): Promise<{result}>"),
        Some(variants) => {
            let (base, argument) = (names::pascal(&tool.name), variants.argument);
            format!(
                "{name}<T extends {base}{}>(args: {arguments} & {{ {argument}: T }}, options?: CallOptions): \
                 Promise<{result}<T>>",
                names::pascal(argument)
            )
        }
    }
}

/// Returns the module with the methods.
pub(crate) fn module(catalog: &Catalog) -> String {
    let mut out =
        format!("// {NOTICE}\n\n/** A method for each tool; a subclass has `call`. */\nexport class Tools {{\n");
    for (place, tool) in catalog.tools.iter().enumerate() {
        let separator = if place == 0 { "" } else { "\n" };
        let (method, name) = (names::camel(&tool.name), &tool.name);
        let default = if tool.is_callable_without_arguments { " = {}" } else { "" };
        let _ = write!(
            out,
            "{separator}  {method}(args{default}, options = undefined) {{\n    return this.call('{name}', args, options)\n  }}\n"
        );
    }
    out + "}\n"
}
