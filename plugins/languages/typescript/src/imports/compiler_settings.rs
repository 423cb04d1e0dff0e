//! Compiler settings that affect how imports are added to a file.

use crate::program::resolution::code_extension;
use crate::program::resolution::json::Json;
use crate::program::resolution::monorepo;
use crate::program::resolution::workspace::Workspace;
use crate::program::resolution::{Resolver, paths};

/// Kind of modules in the compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleKind {
    CommonJs,
    /// AMD or UMD, which also support `import a = require()`.
    Other,
    System,
    Es,
    /// CommonJS or ES modules: Node decides this separately for each file.
    Node,
    Preserve,
}

/// Module resolution, as relevant for writing specifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    Classic,
    Node10,
    NodeNext,
    Bundler,
}

/// Settings that apply to one file.
#[derive(Clone, Debug)]
pub(crate) struct CompilerSettings {
    pub(crate) module: ModuleKind,
    /// True if `module` is set explicitly.
    pub(crate) has_explicit_module: bool,
    pub(crate) resolution: Resolution,
    /// With `NodeNext`: whether Node treats the file as an ES module.
    pub(crate) is_esm: bool,
    /// JavaScript that Node runs as an ES module, unless a bundler reads it first: specifiers of files need extensions.
    pub(crate) is_plain_es: bool,
    pub(crate) allows_ts_extensions: bool,
    pub(crate) allows_synthetic_default: bool,
    /// Imports that are erased must be marked with `type`.
    pub(crate) marks_types: bool,
    pub(crate) verbatim: bool,
    pub(crate) reads_imports_map: bool,
    pub(crate) conditions: Vec<String>,
}

impl CompilerSettings {
    /// Returns the settings of the file at a path.
    pub(crate) fn for_file(resolver: &Resolver<'_>, path: &str) -> CompilerSettings {
        let config = resolver.config.as_deref();
        let option = |name: &str| config.and_then(|config| config.option(name));
        let text = |name: &str| option(name).and_then(Json::as_text).map(str::to_lowercase);
        let flag = |name: &str| match option(name) {
            Some(Json::Bool(value)) => Some(*value),
            _ => None,
        };
        let is = |name: &str| flag(name) == Some(true);
        let said = text("module");
        let module = said.as_deref().and_then(module_kind);
        let resolution = match text("moduleResolution").as_deref() {
            Some("classic") => Resolution::Classic,
            Some("bundler") => Resolution::Bundler,
            Some("node16" | "nodenext") => Resolution::NodeNext,
            Some(_) => Resolution::Node10,
            None => match module {
                Some(ModuleKind::Node) => Resolution::NodeNext,
                Some(ModuleKind::Preserve) => Resolution::Bundler,
                _ => Resolution::Node10,
            },
        };
        let module = module.unwrap_or(match (resolution, text("target").as_deref()) {
            (Resolution::NodeNext, _) => ModuleKind::Node,
            (_, None | Some("es3" | "es5")) => ModuleKind::CommonJs,
            _ => ModuleKind::Es,
        });
        let interop = flag("esModuleInterop");
        let synthetic = flag("allowSyntheticDefaultImports").or(interop).unwrap_or_else(|| {
            matches!(module, ModuleKind::Node | ModuleKind::Preserve | ModuleKind::System)
                || resolution == Resolution::Bundler
        });
        let verbatim = is("verbatimModuleSyntax");
        let mut conditions: Vec<String> = option("customConditions")
            .map(|list| list.array_items().iter().filter_map(Json::as_text).map(str::to_owned).collect())
            .unwrap_or_default();
        let is_esm = resolution == Resolution::NodeNext && is_esm(resolver.workspace, path);
        conditions
            .extend(["types".to_owned(), if is_cjs(resolution, is_esm) { "require" } else { "import" }.to_owned()]);
        if resolution != Resolution::Bundler {
            conditions.push("node".to_owned());
        }
        CompilerSettings {
            module,
            has_explicit_module: said.is_some(),
            resolution,
            is_esm,
            is_plain_es: text("moduleResolution").is_none()
                && matches!(code_extension(path), Some(".js" | ".mjs"))
                && self::is_esm(resolver.workspace, path),
            allows_ts_extensions: is("allowImportingTsExtensions") || is("rewriteRelativeImportExtensions"),
            allows_synthetic_default: synthetic,
            marks_types: verbatim
                || is("isolatedModules") && is("preserveValueImports")
                || text("importsNotUsedAsValues").as_deref() == Some("error"),
            verbatim,
            reads_imports_map: flag("resolvePackageJsonImports")
                .unwrap_or(matches!(resolution, Resolution::NodeNext | Resolution::Bundler)),
            conditions,
        }
    }
}

fn is_cjs(resolution: Resolution, is_esm: bool) -> bool {
    resolution != Resolution::Bundler && !is_esm
}

fn module_kind(word: &str) -> Option<ModuleKind> {
    Some(match word {
        "commonjs" => ModuleKind::CommonJs,
        "amd" | "umd" => ModuleKind::Other,
        "system" => ModuleKind::System,
        "none" => return None,
        "preserve" => ModuleKind::Preserve,
        node if node.starts_with("node") => ModuleKind::Node,
        _ => ModuleKind::Es,
    })
}

/// Returns whether Node treats a file as an ES module.
pub(crate) fn is_esm(workspace: &Workspace, path: &str) -> bool {
    match code_extension(path) {
        Some(".mts" | ".mjs" | ".d.mts") => true,
        Some(".cts" | ".cjs" | ".d.cts") => false,
        _ => monorepo::enclosing_package(workspace, paths::parent(path))
            .is_some_and(|(_, json)| json.text_of("type") == Some("module")),
    }
}
