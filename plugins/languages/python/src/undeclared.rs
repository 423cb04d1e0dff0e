//! Checks of names. A name is undeclared if neither the file nor Python itself declares it.
//!
//! A name is reported only if it cannot be defined in other ways: by `import *`, or by code that the file executes or
//! adds to its module. A name that any scope of the file binds is not reported, even if that scope is not visible.

use std::collections::HashSet;

use marquetry_code::{CodeDocument, scopes::NamePlace};
use marquetry_sdk::{Area, Diagnostic, Hover, RelatedSymbol, SemanticDiagnostic, SemanticDiagnostics, Severity};

use crate::{Python, hierarchy, imports, memo, missing_names, table};

/// Names with which a file can add names to its module or to all modules.
const DYNAMIC: [&str; 8] = ["exec", "eval", "globals", "locals", "vars", "setattr", "get_ipython", "NameError"];

/// Names that tools add to the files that they run, and names of Python 2 in code that supports both versions.
const INJECTED: &[&str] =
    &["_", "ngettext", "gettext", "get_config", "basestring", "long", "raw_input", "unichr", "unicode", "xrange"];

/// The built-in names of Python.
const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "WindowsError",
    "ZeroDivisionError",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reveal_locals",
    "reveal_type",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

impl Hover for Python {
    fn calls(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        hierarchy::calls(document, address)
    }

    fn supertypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
        hierarchy::supertypes(document, address)
    }

    fn check(document: &CodeDocument) -> SemanticDiagnostics {
        let names = undeclared(document);
        let missing = memo::call(|| missing_names::diagnostics(document));
        let checked = names.is_some().then_some(Area::Names).into_iter().collect();
        let problem = |place: &NamePlace| {
            let diagnostic = Diagnostic {
                severity: Severity::Warning,
                span: place.span,
                message: format!("`{}` is not declared", place.name),
                code: Some("undeclared".to_owned()),
            };
            SemanticDiagnostic::certain(Area::Names, diagnostic)
        };
        let undeclared = names.unwrap_or_default().into_iter().map(problem);
        SemanticDiagnostics { checked, diagnostics: missing.into_iter().chain(undeclared).collect() }
    }
}

/// Returns whether every module has a name without an import.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Returns whether a file may define names in ways that the text does not show, apart from `import *`.
pub(crate) fn may_add_names(document: &CodeDocument) -> bool {
    let is_dynamic = |place: &NamePlace| DYNAMIC.contains(&place.name.as_str());
    // `IntEnum._convert_` adds the members to the module.
    !document.arena().errors.is_empty()
        || document.text_str().contains("._convert_(")
        || document.names().places.iter().any(is_dynamic)
}

/// The occurrences of undeclared names. `None` if the file may define names in ways that the text does not show.
fn undeclared(document: &CodeDocument) -> Option<Vec<&NamePlace>> {
    let places = &document.names().places;
    let has_wildcard = imports::imports(document).iter().any(|import| import.name.as_deref() == Some("*"));
    let sets_builtins = |place: &NamePlace| matches!(place.name.as_str(), "builtins" | "__builtins__");
    if has_wildcard || may_add_names(document) || places.iter().any(sets_builtins) {
        return None;
    }
    let bound: HashSet<&str> =
        places.iter().filter(|place| place.binding.is_some()).map(|place| place.name.as_str()).collect();
    let is_known = |name: &str| {
        let is_special = name.starts_with("__") && name.ends_with("__");
        bound.contains(name) || is_special || BUILTINS.contains(&name) || INJECTED.contains(&name)
    };
    // Only words that can be declared are names.
    let is_name = |name: &str| table::check_name(name).is_ok();
    // A string in an annotation may be something else than a type.
    let is_reported = |place: &&NamePlace| !place.is_late && is_name(&place.name) && !is_known(&place.name);
    Some(places.iter().filter(is_reported).collect())
}
