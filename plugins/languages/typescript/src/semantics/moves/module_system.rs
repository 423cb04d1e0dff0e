//! Module systems of the files of a move. Both files must have the same one.

use marquetry_sdk::{FailureKind, Result, fail};

use crate::imports::compiler_settings::is_esm;
use crate::infer::checker::Checker;
use crate::program::commonjs;
use crate::program::module::Module;
use crate::program::resolution::code_extension;

/// Module system, which decides how imports and exports are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleSystem {
    /// `import` and `export`, which TypeScript files use in any case.
    Es,
    /// `require` and `module.exports`.
    CommonJs,
}

impl ModuleSystem {
    fn of_module(module: &Module<'_>) -> Option<ModuleSystem> {
        if commonjs::is_commonjs(module) {
            return Some(ModuleSystem::CommonJs);
        }
        let is_es = module.program.body.iter().any(|statement| statement.is_module_declaration());
        is_es.then_some(ModuleSystem::Es)
    }

    /// Returns the module system of the open document for a move to another file. Fails if the other file has a
    /// different one.
    pub(crate) fn for_move(checker: &Checker<'_>, to: &str) -> Result<ModuleSystem> {
        let here = checker.open_module();
        let own = ModuleSystem::of_module(&here).unwrap_or(ModuleSystem::Es);
        let there = checker.load(to).and_then(|module| ModuleSystem::of_module(&checker.module(module)));
        let by_name = match code_extension(to) {
            Some(".cjs") => Some(ModuleSystem::CommonJs),
            Some(".mjs") => Some(ModuleSystem::Es),
            // TypeScript does not export what is assigned to `module.exports`.
            Some(".ts" | ".tsx" | ".mts" | ".cts") => Some(ModuleSystem::Es),
            _ if own == ModuleSystem::CommonJs && is_esm(checker.workspace, to) => Some(ModuleSystem::Es),
            _ => None,
        };
        match there.or(by_name).filter(|there| *there != own) {
            None => Ok(own),
            Some(ModuleSystem::CommonJs) => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{to}` is a CommonJS module and cannot use `import` and `export`"),
            )
            .hint("choose an ES module as the destination")),
            Some(ModuleSystem::Es) => Err(fail(
                FailureKind::RefactorFailed,
                format!("`{to}` is an ES module and cannot use `require` and `module.exports`"),
            )
            .hint("choose a CommonJS module as the destination, such as a file with the extension `.cjs`")),
        }
    }
}
