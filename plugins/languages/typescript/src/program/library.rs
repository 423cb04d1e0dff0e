//! The declarations of the language and of frameworks that are part of the pack.

use oxc_ast::ast::Statement;
use oxc_semantic::NodeId;

use crate::program::source_file::SourceFile;

/// Path of the module with these declarations. No file of a workspace has it.
pub(crate) const LIBRARY: &str = "\0library.d.ts";

/// The declarations.
pub(crate) const TEXT: &str = include_str!("library.d.ts");

/// Returns the block that declares a package, or a package with the same functions.
pub(crate) fn block_of_package(library: &SourceFile<'_>, package: &str) -> Option<NodeId> {
    let package = match package {
        "preact/hooks" | "preact/compat" | "preact" => "react",
        "@vue/reactivity" | "@vue/runtime-core" | "@vue/runtime-dom" | "vue-demi" => "vue",
        "zod/v3" | "zod/v4" => "zod",
        "zustand/vanilla" => "zustand",
        other => other,
    };
    ambient_block(library, package)
}

/// Returns the block `declare module "specifier"` of a file.
pub(crate) fn ambient_block(file: &SourceFile<'_>, specifier: &str) -> Option<NodeId> {
    file.program.body.iter().find_map(|statement| match statement {
        Statement::TSExternalModuleDeclaration(declared) if declared.id.value.as_str() == Some(specifier) => {
            Some(declared.node_id.get())
        }
        _ => None,
    })
}
