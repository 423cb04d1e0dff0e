//! Imports of names that a module of the workspace does not have.
//!
//! An import is reported only if no file that may be the module can have the name. Code that handles a failure of the
//! import is not reported.

use std::{collections::HashMap, rc::Rc};

use marquetry_code::{CodeDocument, scopes::FILE_SCOPE};
use marquetry_sdk::{Area, Diagnostic, SemanticDiagnostic, Severity, workspace};

use crate::{
    classes::has_kind,
    imports::{self, Import},
    lower::K,
    modules::{self, Found, certain_files, has_entry},
    table,
    undeclared::may_add_names,
};

/// Maximum number of modules that are read to find a name.
const MAX_MODULES: usize = 32;
/// Words of code that changes its module, or how modules are found.
const CHANGES_MODULE: [&str; 4] = ["sys.modules", "sys.meta_path", "__path__", "__dict__"];

/// The diagnostics of a document. Empty if the document has syntax errors.
pub(crate) fn diagnostics(document: &CodeDocument) -> Vec<SemanticDiagnostic> {
    if !document.arena().errors.is_empty() {
        return Vec::new();
    }
    let mut modules = Modules::default();
    let imports = imports::imports(document).into_iter();
    let missing = imports.filter(|import| !is_handled(document, import) && modules.lack(document.path(), import));
    let problem = |import: Import| {
        let name = import.name.as_deref().unwrap_or_default();
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            span: import.name_span,
            message: format!("`{}` has no name `{name}`", import.module),
            code: Some("not-exported".to_owned()),
        };
        SemanticDiagnostic::certain(Area::Links, diagnostic)
    };
    missing.map(problem).collect()
}

/// Returns whether the code around an import may handle its failure: `try`, `with suppress(ImportError)`.
fn is_handled(document: &CodeDocument, import: &Import) -> bool {
    let arena = document.arena();
    let mut around = arena.ancestors(import.statement);
    around.any(|above| [K::Try, K::With].into_iter().any(|kind| has_kind(arena, above, kind)))
}

/// The modules that a document imports, by path. `None` for files that cannot be read.
#[derive(Default)]
struct Modules(HashMap<String, Option<Rc<CodeDocument>>>);

impl Modules {
    /// Returns whether no module that an import may refer to can have the imported name.
    fn lack(&mut self, from: &str, import: &Import) -> bool {
        let Some(name) = import.name.as_deref().filter(|name| *name != "*" && !name.starts_with("__")) else {
            return false;
        };
        let files = certain_files(from, &import.module);
        let is_module = || matches!(modules::resolve(from, &import.submodule()), Found::Inside(_));
        !files.is_empty()
            && !is_module()
            && !files.iter().any(|file| has_entry(file, name) || self.may_have(file, name, &mut Vec::new()))
    }

    /// Returns whether a module may have a name. `visited` are modules that import each other with `*`.
    fn may_have(&mut self, path: &str, name: &str, visited: &mut Vec<String>) -> bool {
        if visited.iter().any(|known| known == path) {
            return false;
        }
        visited.push(path.to_owned());
        let Some(document) = self.open(path).filter(|_| visited.len() <= MAX_MODULES) else { return true };
        let names = document.names();
        let changes_module = || CHANGES_MODULE.iter().any(|word| document.text_str().contains(word));
        if [name, "__getattr__"].iter().any(|name| names.binds(FILE_SCOPE, name))
            || may_add_names(&document)
            || changes_module()
        {
            return true;
        }
        let all = imports::imports(&document).into_iter().filter(|import| import.name.as_deref() == Some("*"));
        all.map(|import| certain_files(path, &import.module))
            .any(|files| files.is_empty() || files.iter().any(|file| self.may_have(file, name, visited)))
    }

    fn open(&mut self, path: &str) -> Option<Rc<CodeDocument>> {
        let read = || {
            let text = workspace::read(path).ok()?;
            Some(Rc::new(CodeDocument::open(&table::PYTHON, path, text)))
        };
        self.0.entry(path.to_owned()).or_insert_with(read).clone()
    }
}
