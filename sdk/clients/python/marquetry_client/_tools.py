# Generated from the catalog of tools by `cargo xtask clients`. Do not edit.
"""Types of the arguments and answers of every tool, and a method for each tool."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar, Union, Unpack, cast, final, overload

from ._progress import Progress

ErrorKind = Literal[
    "FileNotFound",
    "TargetNotFound",
    "ParseError",
    "RefactorFailed",
    "OverwriteBlocked",
    "AmbiguousTarget",
    "InvalidTarget",
    "InvalidArgument",
    "Stale",
    "OutsideWorkspace",
    "Unsupported",
    "PluginFailed",
    "LimitExceeded",
    "PermissionDenied",
    "Cancelled",
    "Internal",
]
"""Kinds of errors of tools."""

Data = TypeVar("Data")


class FileReadArguments(TypedDict):
    """Arguments of `file_read`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    file: NotRequired[str]
    """File path, relative to the root or absolute."""

    files: NotRequired[list[str]]
    """Instead of `file`: paths and globs; `!` excludes."""

    target: NotRequired[str]
    """A symbol, JSONPath, selector, XPath or heading: the format's default kind."""

    symbol: NotRequired[str]
    """Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`."""

    path: NotRequired[str]
    """Data: a JSONPath, e.g. `$.scripts.build`."""

    selector: NotRequired[str]
    """Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
    `selector@property`.
    """

    xpath: NotRequired[str]
    """XML: an XPath with the document's prefixes."""

    heading: NotRequired[str]
    """Documents: a heading, or a path of headings `Guide > Install`."""

    region: NotRequired[str]
    """A named region: `imports`, `exports`, `front-matter`, `head` …"""

    lines: NotRequired[str]
    """Lines: `7` or `7-12`, from 1, inclusive."""

    symbols: NotRequired[list[str]]
    """Several symbols."""

    around: NotRequired["FileReadAround"]
    """Lines around a target or a text."""

    format: NotRequired[Literal["full", "signature", "body", "summary"]]
    """`full` (default), `signature`, `body`, or `summary`."""

    includeMetadata: NotRequired[bool]
    """Include kind, signature and dependencies (default true)."""

    includeDoc: NotRequired[bool]
    """Include the attached doc comment in the range."""

    maxLines: NotRequired[int]
    """Maximum lines per match."""

    limit: NotRequired[int]
    """Maximum number of matches (default 50) or `files`."""

    offset: NotRequired[int]
    """Skip this many matches or files."""

    maxBytes: NotRequired[int]
    """Maximum bytes of content."""

    values: NotRequired[bool]
    """Include parsed values (data formats)."""


class FileReadAround(TypedDict):
    """Lines around a target or a text."""

    target: str
    """A target, or a text in the file."""

    context: NotRequired[int]
    """Lines above and below (default 3)."""


@final
class FileReadResult(TypedDict):
    """The answer of `file_read`."""

    file: NotRequired[str]
    target: NotRequired["TargetEcho"]
    content: NotRequired[str]
    range: NotRequired["Range"]
    targetRange: NotRequired["Range"]
    kind: NotRequired[str]
    signature: NotRequired[str]
    dependencies: NotRequired["list[Dependency]"]
    documentation: NotRequired["Documentation"]
    value: NotRequired[Any]
    matches: NotRequired["list[FileReadMatch]"]
    matchCount: NotRequired[int]
    missing: NotRequired["list[Missing]"]
    truncated: NotRequired[str]
    format: NotRequired["ReadFormat"]
    problems: NotRequired[list[str]]
    hash: NotRequired[str]
    engine: NotRequired[str]
    results: NotRequired[list[dict[str, Any]]]
    fileCount: NotRequired[int]
    without: NotRequired[int]
    failed: NotRequired[int]
    warnings: NotRequired[list[str]]


@final
class TargetEcho(TypedDict):
    type: str
    value: str


@final
class Range(TypedDict):
    start: "Point"
    end: "Point"


@final
class Point(TypedDict):
    line: int
    column: int


Dependency = TypedDict(
    "Dependency",
    {
        "symbol": str,
        "from": str,
    },
)


@final
class Documentation(TypedDict):
    content: str
    range: "Range"


@final
class FileReadMatch(TypedDict):
    address: str
    kind: NotRequired[str]
    content: str
    range: "Range"
    targetRange: NotRequired["Range"]
    value: NotRequired[Any]
    documentation: NotRequired["Documentation"]


@final
class Missing(TypedDict):
    symbol: str
    message: str
    candidates: list[str]

ReadFormat = Literal["full", "signature", "body", "summary"]


class FileEditArguments(TypedDict):
    """Arguments of `file_edit`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    file: NotRequired[str]
    """File to edit."""

    files: NotRequired[list[str]]
    """Instead of `file`: paths and globs; `!` excludes."""

    changes: NotRequired["list[FileEditChange]"]
    """Edits of several files as one change."""

    target: NotRequired[str]
    """A symbol, JSONPath, selector, XPath or heading: the format's default kind."""

    symbol: NotRequired[str]
    """Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`."""

    path: NotRequired[str]
    """Data: a JSONPath, e.g. `$.scripts.build`."""

    selector: NotRequired[str]
    """Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
    `selector@property`.
    """

    xpath: NotRequired[str]
    """XML: an XPath with the document's prefixes."""

    heading: NotRequired[str]
    """Documents: a heading, or a path of headings `Guide > Install`."""

    region: NotRequired[str]
    """A named region: `imports`, `exports`, `front-matter`, `head` …"""

    lines: NotRequired[str]
    """Lines: `7` or `7-12`, from 1, inclusive."""

    operation: NotRequired[Literal[
    "replace",
    "replace_body",
    "insert_before",
    "insert_after",
    "insert_into",
    "wrap",
    "delete",
    "replace_text",
]]
    """The operation."""

    content: NotRequired[str]
    """The text to insert or to replace the target with."""

    wrapper: NotRequired["FileEditWrapper"]
    """`wrap`: the text around the target."""

    position: NotRequired[Literal["first", "last", "sorted"]]
    """`insert_into`: where (default `last`)."""

    old: NotRequired[str]
    """`replace_text`: the text in the target (or file) that `content` replaces."""

    regex: NotRequired[bool]
    """`old` is a regular expression; `content` may use `$1`, `${name}`."""

    wholeWord: NotRequired[bool]
    """Match `old` as a whole word only."""

    ignoreCase: NotRequired[bool]
    """Ignore the case of `old`."""

    pattern: NotRequired[str]
    """Code pattern as in ast-grep: `foo($A, $$$REST)`."""

    replacement: NotRequired[str]
    """`pattern`: the new code."""

    all: NotRequired[bool]
    """Edit every match of the target, `pattern` or `old`."""

    includeDoc: NotRequired[bool]
    """Include the attached doc comment in the target."""

    upsert: NotRequired[bool]
    """`replace`: create the target if it does not exist."""

    edits: NotRequired["list[FileEditEdit]"]
    """Several edits of the current text as one change."""

    expectedHash: NotRequired[str]
    """Refuse if the file no longer has this `hash`."""

    force: NotRequired[bool]
    """Write even if a check refuses the edit."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result (default above 20 files)."""

    preview: NotRequired[bool]
    """Include old and new content of each edit."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    refactor: NotRequired[str]
    """Instead of an edit: `rename_symbol`, `extract_function`, `move_to_file` …"""

    newName: NotRequired[str]
    """`rename_symbol`: the new name."""

    scope: NotRequired[str]
    """`rename_symbol`: `workspace` (default) or `file`; extractions: target scope."""

    exports: NotRequired[Literal["keep", "rename"]]
    """`rename_symbol`: names of re-exports (default `keep`)."""

    line: NotRequired[int]
    """Line of the symbol, from 1."""

    column: NotRequired[int]
    """Column of the symbol, from 0."""

    engine: NotRequired[Literal["plugin", "server"]]
    """`server`: use the language server."""

    selectionRange: NotRequired["FileEditSelectionRange"]
    """Code to extract."""

    extractedName: NotRequired[str]
    """Name of the extracted symbol."""

    arguments: NotRequired[dict[str, Any]]
    """Its other arguments."""

    why: NotRequired[str]
    """Why, for file_history."""


class FileEditChange(TypedDict):
    """An edit of one file."""

    file: str
    """File to edit."""

    target: NotRequired[str]
    """A symbol, JSONPath, selector, XPath or heading: the format's default kind."""

    symbol: NotRequired[str]
    """Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`."""

    path: NotRequired[str]
    """Data: a JSONPath, e.g. `$.scripts.build`."""

    selector: NotRequired[str]
    """Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
    `selector@property`.
    """

    xpath: NotRequired[str]
    """XML: an XPath with the document's prefixes."""

    heading: NotRequired[str]
    """Documents: a heading, or a path of headings `Guide > Install`."""

    region: NotRequired[str]
    """A named region: `imports`, `exports`, `front-matter`, `head` …"""

    lines: NotRequired[str]
    """Lines: `7` or `7-12`, from 1, inclusive."""

    operation: NotRequired[Literal[
    "replace",
    "replace_body",
    "insert_before",
    "insert_after",
    "insert_into",
    "wrap",
    "delete",
    "replace_text",
]]
    """The operation."""

    content: NotRequired[str]
    """The text to insert or to replace the target with."""

    wrapper: NotRequired["FileEditWrapper"]
    """`wrap`: the text around the target."""

    position: NotRequired[Literal["first", "last", "sorted"]]
    """`insert_into`: where (default `last`)."""

    old: NotRequired[str]
    """`replace_text`: the text in the target (or file) that `content` replaces."""

    regex: NotRequired[bool]
    """`old` is a regular expression; `content` may use `$1`, `${name}`."""

    wholeWord: NotRequired[bool]
    """Match `old` as a whole word only."""

    ignoreCase: NotRequired[bool]
    """Ignore the case of `old`."""

    pattern: NotRequired[str]
    """Code pattern as in ast-grep: `foo($A, $$$REST)`."""

    replacement: NotRequired[str]
    """`pattern`: the new code."""

    all: NotRequired[bool]
    """Edit every match of the target, `pattern` or `old`."""

    includeDoc: NotRequired[bool]
    """Include the attached doc comment in the target."""

    upsert: NotRequired[bool]
    """`replace`: create the target if it does not exist."""

    expectedHash: NotRequired[str]
    """Refuse if the file no longer has this `hash`."""


class FileEditWrapper(TypedDict):
    """`wrap`: the text around the target."""

    before: str
    """Text before."""

    after: str
    """Text after."""


class FileEditEdit(TypedDict):
    """One edit."""

    target: NotRequired[str]
    """A symbol, JSONPath, selector, XPath or heading: the format's default kind."""

    symbol: NotRequired[str]
    """Code: `UserService`, `UserService.findById`, `config.routes.home`, `"suite" > "case"`."""

    path: NotRequired[str]
    """Data: a JSONPath, e.g. `$.scripts.build`."""

    selector: NotRequired[str]
    """Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
    `selector@property`.
    """

    xpath: NotRequired[str]
    """XML: an XPath with the document's prefixes."""

    heading: NotRequired[str]
    """Documents: a heading, or a path of headings `Guide > Install`."""

    region: NotRequired[str]
    """A named region: `imports`, `exports`, `front-matter`, `head` …"""

    lines: NotRequired[str]
    """Lines: `7` or `7-12`, from 1, inclusive."""

    operation: NotRequired[Literal[
    "replace",
    "replace_body",
    "insert_before",
    "insert_after",
    "insert_into",
    "wrap",
    "delete",
    "replace_text",
]]
    """The operation."""

    content: NotRequired[str]
    """The text to insert or to replace the target with."""

    wrapper: NotRequired["FileEditWrapper"]
    """`wrap`: the text around the target."""

    position: NotRequired[Literal["first", "last", "sorted"]]
    """`insert_into`: where (default `last`)."""

    old: NotRequired[str]
    """`replace_text`: the text in the target (or file) that `content` replaces."""

    regex: NotRequired[bool]
    """`old` is a regular expression; `content` may use `$1`, `${name}`."""

    wholeWord: NotRequired[bool]
    """Match `old` as a whole word only."""

    ignoreCase: NotRequired[bool]
    """Ignore the case of `old`."""

    pattern: NotRequired[str]
    """Code pattern as in ast-grep: `foo($A, $$$REST)`."""

    replacement: NotRequired[str]
    """`pattern`: the new code."""

    all: NotRequired[bool]
    """Edit every match of the target, `pattern` or `old`."""

    includeDoc: NotRequired[bool]
    """Include the attached doc comment in the target."""

    upsert: NotRequired[bool]
    """`replace`: create the target if it does not exist."""


class FileEditSelectionRange(TypedDict):
    """Code to extract."""

    startLine: int
    """From 1."""

    startColumn: NotRequired[int]
    """From 0."""

    endLine: int
    """From 1."""

    endColumn: NotRequired[int]
    """From 0, exclusive."""


@final
class FileEditResult(TypedDict):
    """The answer of `file_edit`."""

    success: bool
    operation: NotRequired["OperationName"]
    refactor: NotRequired[str]
    file: NotRequired[str]
    target: NotRequired[str]
    symbol: NotRequired[str]
    newName: NotRequired[str]
    filesAffected: "Affected"
    totalEdits: int
    fileCount: NotRequired[int]
    without: NotRequired[int]
    changes: "list[FileChange]"
    range: NotRequired["Range"]
    hash: NotRequired[str]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: NotRequired[str]
    unresolved: NotRequired[list[str]]
    mentions: NotRequired[list[str]]
    kept: NotRequired[list[str]]
    nameAt: NotRequired["Point"]
    engine: str
    summary: str

OperationName = Literal[
    "replace",
    "replace_body",
    "insert_before",
    "insert_after",
    "insert_into",
    "wrap",
    "delete",
    "replace_text",
]

Affected = int | list[str]


@final
class FileChange(TypedDict):
    file: str
    edits: "list[TextEdit]"
    hash: NotRequired[str]


@final
class TextEdit(TypedDict):
    type: str
    range: "PositionPair"
    oldContent: NotRequired[str]
    newContent: NotRequired[str]


@final
class PositionPair(TypedDict):
    start: list[int]
    end: list[int]


class FileCreateArguments(TypedDict):
    """Arguments of `file_create`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    path: str
    """File to create."""

    content: NotRequired[str]
    """Content, instead of a template."""

    template: NotRequired[str]
    """Template of a pack or from `.marquetry/templates` (default `empty`)."""

    templateVars: NotRequired[dict[str, Any]]
    """Template variables; `name` defaults to the file's stem."""

    overwrite: NotRequired[bool]
    """Replace an existing file."""

    createDirectories: NotRequired[bool]
    """Create missing directories (default true)."""

    openInEditor: NotRequired[bool]
    """Open it in the editor."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    why: NotRequired[str]
    """Why, for file_history."""


@final
class FileCreateResult(TypedDict):
    """The answer of `file_create`."""

    success: bool
    path: str
    created: bool
    template: NotRequired[str]
    size: int
    directoriesCreated: list[str]
    hash: NotRequired[str]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: str
    engine: str
    summary: str


class FileDeleteArguments(TypedDict):
    """Arguments of `file_delete`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    path: NotRequired[str]
    """File or directory to delete."""

    paths: NotRequired[list[str]]
    """Several paths to delete."""

    recursive: NotRequired[bool]
    """Delete directories with their contents."""

    updateImports: NotRequired[bool]
    """Remove imports of deleted files (default true)."""

    safe: NotRequired[bool]
    """Refuse if anything still uses it."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    why: NotRequired[str]
    """Why, for file_history."""


@final
class FileDeleteResult(TypedDict):
    """The answer of `file_delete`."""

    success: bool
    deleted: list[str]
    updatedFiles: "list[UpdatedFile]"
    totalDeleted: int
    totalImportsRemoved: int
    dangling: NotRequired[list[str]]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: str
    engine: str
    summary: str


@final
class UpdatedFile(TypedDict):
    file: str
    removedImports: "list[RemovedImport]"


RemovedImport = TypedDict(
    "RemovedImport",
    {
        "symbol": str,
        "from": str,
    },
)


class FileMoveArguments(TypedDict):
    """Arguments of `file_move`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    source: NotRequired[str]
    """File or directory to move."""

    destination: NotRequired[str]
    """New path; a path ending with `/`, or an existing directory, keeps the name."""

    moves: NotRequired["list[FileMoveMove]"]
    """Several moves as one change."""

    updateImports: NotRequired[bool]
    """Update links and imports (default true)."""

    overwrite: NotRequired[bool]
    """Replace an existing file."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    why: NotRequired[str]
    """Why, for file_history."""


class FileMoveMove(TypedDict):
    """One of several moves."""

    source: str
    """Old path."""

    destination: str
    """New path."""


@final
class FileMoveResult(TypedDict):
    """The answer of `file_move`."""

    success: bool
    source: str
    destination: str
    moves: NotRequired["list[MovePair]"]
    moved: bool
    importsUpdated: "list[UpdatedLinks]"
    totalFilesUpdated: int
    unresolved: NotRequired[list[str]]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: str
    engine: str
    summary: str


@final
class MovePair(TypedDict):
    source: str
    destination: str


@final
class UpdatedLinks(TypedDict):
    file: str
    changes: "list[Replacement]"


@final
class Replacement(TypedDict):
    old: str
    new: str


class FileRenameArguments(TypedDict):
    """Arguments of `file_rename`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    path: str
    """File or directory to rename."""

    newName: str
    """New name, without folders."""

    updateImports: NotRequired[bool]
    """Update links and imports (default true)."""

    renameExports: NotRequired[bool]
    """Rename the main export to match the file name."""

    exportMapping: NotRequired[dict[str, str]]
    """Exports to rename: `{"Old": "New"}`."""

    overwrite: NotRequired[bool]
    """Replace an existing file."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    why: NotRequired[str]
    """Why, for file_history."""


@final
class FileRenameResult(TypedDict):
    """The answer of `file_rename`."""

    success: bool
    oldPath: str
    newPath: str
    renamed: bool
    importsUpdated: "list[UpdatedLinks]"
    exportsRenamed: "list[UpdatedLinks]"
    totalFilesUpdated: int
    unresolved: NotRequired[list[str]]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: str
    engine: str
    summary: str


class FileDuplicateArguments(TypedDict):
    """Arguments of `file_duplicate`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    source: str
    """File to copy."""

    destination: str
    """Path of the copy."""

    renameSymbols: NotRequired[bool]
    """Rename the copy's main export to match the file name."""

    symbolMapping: NotRequired[dict[str, str]]
    """Symbols to rename in the copy: `{"Old": "New"}`."""

    overwrite: NotRequired[bool]
    """Replace an existing file."""

    check: NotRequired[bool]
    """Report problems added and fixed; refuse new errors."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    maxBytes: NotRequired[int]
    """Maximum bytes of diff and lists."""

    why: NotRequired[str]
    """Why, for file_history."""


@final
class FileDuplicateResult(TypedDict):
    """The answer of `file_duplicate`."""

    success: bool
    source: str
    destination: str
    duplicated: bool
    size: int
    symbolsRenamed: "list[SymbolRenamed]"
    unresolved: NotRequired[list[str]]
    diff: str
    id: NotRequired[str]
    checked: NotRequired[dict[str, Any]]
    dryRun: bool
    warnings: NotRequired[list[str]]
    truncated: NotRequired[str]
    completeness: str
    engine: str
    summary: str


@final
class SymbolRenamed(TypedDict):
    old: str
    new: str
    occurrences: int

QueryType = Literal[
    "projectInfo",
    "symbolInfo",
    "hover",
    "typeDefinition",
    "documentSymbols",
    "diagnostics",
    "dependencies",
    "references",
    "workspaceSymbols",
    "implementations",
    "typeHierarchy",
    "callHierarchy",
    "codeActions",
    "gitStatus",
    "search",
    "files",
]
"""Values of `type`."""


class QueryOptions(TypedDict):
    """Arguments of `query` without `type`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    path: NotRequired[str]
    """File or folder; `search`: a JSONPath if it starts with `$`."""

    severity: NotRequired[Literal["error", "warning", "info", "hint"]]
    """`diagnostics`: minimum severity."""

    only: NotRequired[Literal["error", "warning", "info", "hint"]]
    """`diagnostics`: only this severity."""

    checks: NotRequired[list[Literal["syntax", "links", "names"]]]
    """`diagnostics`: checks to run (default: all)."""

    symbol: NotRequired[str]
    """Address of the symbol."""

    line: NotRequired[int]
    """Line of the symbol, from 1."""

    column: NotRequired[int]
    """Column of the symbol, from 0."""

    startLine: NotRequired[int]
    """`codeActions`: first line of the selection, from 1."""

    startColumn: NotRequired[int]
    """Its column, from 0."""

    endLine: NotRequired[int]
    """Last line of the selection."""

    endColumn: NotRequired[int]
    """Its column, exclusive."""

    includeDeclaration: NotRequired[bool]
    """`references`: include the declaration."""

    usage: NotRequired[Literal[
    "declaration",
    "call",
    "read",
    "write",
    "type",
    "import",
    "export",
    "string",
    "comment",
]]
    """`references`: only this kind of use."""

    direction: NotRequired[Literal[
    "imports",
    "importedBy",
    "incoming",
    "outgoing",
    "supertypes",
    "subtypes",
]]
    """Direction of `dependencies` and hierarchies."""

    query: NotRequired[str]
    """`workspaceSymbols`: name or part; wildcards `*`, `?`."""

    kind: NotRequired[str]
    """`workspaceSymbols`: only this kind."""

    files: NotRequired[list[str]]
    """`search`, `files`: paths and globs; `!` excludes."""

    text: NotRequired[str]
    """Text to find, taken literally."""

    regex: NotRequired[str]
    """Regular expression, matched per line."""

    pattern: NotRequired[str]
    """Structural pattern: `$A` is one node, `$$$REST` any number."""

    selector: NotRequired[str]
    """Pages: a CSS selector, or `selector@attribute`. Stylesheets: the selector of a rule, an at-rule, or
    `selector@property`.
    """

    xpath: NotRequired[str]
    """XML: an XPath with the document's prefixes."""

    heading: NotRequired[str]
    """Documents: a heading, or a path of headings `Guide > Install`."""

    region: NotRequired[str]
    """Search in this region only."""

    ignoreCase: NotRequired[bool]
    """Ignore case."""

    wholeWord: NotRequired[bool]
    """Match whole words only."""

    multiline: NotRequired[bool]
    """`regex`: match across lines."""

    context: NotRequired[int]
    """Lines around each match."""

    countOnly: NotRequired[bool]
    """Only count matches per file."""

    limit: NotRequired[int]
    """Maximum results."""

    offset: NotRequired[int]
    """Skip this many results."""

    depth: NotRequired[int]
    """Maximum levels (`callHierarchy`: default 1)."""

    maxBytes: NotRequired[int]
    """Maximum bytes of content."""

    engine: NotRequired[Literal["plugin", "server", "editor"]]
    """`server`: the language server; `editor`: editor diagnostics."""


class QueryArguments(QueryOptions):
    """Arguments of `query`."""

    type: "QueryType"
    """Query type."""


@final
class QueryResult(TypedDict, Generic[Data]):
    """The answer of `query`."""

    success: bool
    data: Data
    completeness: str
    engine: str
    warnings: NotRequired[list[str]]
    total: NotRequired[int]
    truncated: NotRequired[str]

QueryData = Union[
    "Symbols",
    "Diagnostics",
    "Dependencies",
    "References",
    "WorkspaceSymbols",
    "Relations",
    "Actions",
    "SymbolInfo",
    "ProjectInfo",
    "Hover",
    "TypeDefinition",
    "GitStatus",
    "Matches",
    "FileList",
]


@final
class Symbols(TypedDict):
    symbols: "list[DocumentSymbol]"


@final
class DocumentSymbol(TypedDict):
    name: str
    kind: str
    address: str
    range: "Range"
    selectionRange: "Range"
    level: NotRequired[int]
    children: "list[DocumentSymbol]"


@final
class Diagnostics(TypedDict):
    diagnostics: "list[Diagnostic]"
    reported: str
    checked: list[str]
    files: int
    skipped: NotRequired[list[str]]


@final
class Diagnostic(TypedDict):
    path: str
    line: int
    column: int
    severity: str
    message: str
    source: str
    code: NotRequired[str]
    fix: NotRequired[dict[str, Any]]


@final
class Dependencies(TypedDict):
    dependencies: "list[DependencyLink]"


@final
class DependencyLink(TypedDict):
    path: NotRequired[str]
    specifier: str
    kind: str
    names: list[str]
    typeOnly: bool
    line: int
    unresolved: NotRequired[str]


@final
class References(TypedDict):
    references: "list[Reference]"
    files: "list[FileCount]"
    usages: dict[str, int]


@final
class Reference(TypedDict):
    path: str
    line: int
    column: int
    preview: str
    usage: str
    certain: bool


@final
class FileCount(TypedDict):
    path: str
    count: int


@final
class WorkspaceSymbols(TypedDict):
    symbols: "list[WorkspaceSymbol]"


@final
class WorkspaceSymbol(TypedDict):
    name: str
    kind: str
    path: str
    address: str
    line: int
    column: int


@final
class Relations(TypedDict):
    symbol: str
    items: "list[Relation]"


Relation = TypedDict(
    "Relation",
    {
        "name": str,
        "kind": NotRequired[str],
        "path": str,
        "line": int,
        "column": int,
        "address": NotRequired[str],
        "range": NotRequired["Range"],
        "preview": str,
        "from": NotRequired[str],
        "depth": int,
        "via": NotRequired[str],
        "calls": NotRequired["list[CallSite]"],
    },
)


@final
class CallSite(TypedDict):
    line: int
    column: int
    preview: str


@final
class Actions(TypedDict):
    actions: "list[Action]"
    unavailable: "list[Unavailable]"


@final
class Action(TypedDict):
    title: str
    refactor: str
    call: dict[str, Any]
    arguments: NotRequired["list[Argument]"]
    fixes: NotRequired[str]


@final
class Argument(TypedDict):
    name: str
    summary: str
    values: NotRequired[list[str]]
    required: bool


@final
class Unavailable(TypedDict):
    refactor: str
    reason: str
    hint: NotRequired[str]


@final
class SymbolInfo(TypedDict):
    name: str
    kind: str
    type: NotRequired[str]
    code: NotRequired[str]
    documentation: NotRequired[str]
    references: NotRequired[int]
    location: "Location"
    address: NotRequired[str]
    range: NotRequired["Range"]
    notes: NotRequired["list[Remark]"]


@final
class Location(TypedDict):
    path: str
    line: int
    column: int


@final
class Remark(TypedDict):
    label: str
    text: str
    location: NotRequired["Location"]


@final
class ProjectInfo(TypedDict):
    root: str
    roots: list[str]
    workspaceFolders: list[str]
    activeFile: NotRequired[str]
    openEditors: list[str]
    editor: str
    files: int
    languages: "list[Language]"
    manifests: "list[ManifestInfo]"
    plugins: "list[Plugin]"
    servers: NotRequired["list[ServerInfo]"]
    trust: NotRequired[str]
    git: NotRequired[str]


@final
class Language(TypedDict):
    language: str
    plugin: NotRequired[str]
    files: int
    bytes: int


@final
class ManifestInfo(TypedDict):
    path: str
    name: NotRequired[str]
    version: NotRequired[str]
    manager: NotRequired[str]
    scripts: NotRequired[dict[str, str]]
    workspaces: NotRequired[list[str]]


@final
class Plugin(TypedDict):
    id: str
    version: NotRequired[str]
    source: str
    state: str
    interfaces: list[str]


@final
class ServerInfo(TypedDict):
    id: str
    command: str
    source: str
    state: str


@final
class Hover(TypedDict):
    contents: str
    range: "Range"


@final
class TypeDefinition(TypedDict):
    name: str
    type: NotRequired[str]
    definitions: "list[Definition]"


@final
class Definition(TypedDict):
    name: str
    kind: str
    path: str
    line: int
    column: int
    address: NotRequired[str]
    range: "Range"
    preview: str
    content: str


@final
class GitStatus(TypedDict):
    branch: NotRequired[str]
    commit: NotRequired[str]
    detached: NotRequired[bool]
    upstream: NotRequired[str]
    ahead: NotRequired[int]
    behind: NotRequired[int]
    operation: NotRequired[str]
    folder: NotRequired[str]
    staged: "list[GitChange]"
    unstaged: "list[GitChange]"
    untracked: "list[GitChange]"
    conflicts: "list[GitChange]"
    submodules: NotRequired[list[str]]
    worktrees: NotRequired["list[GitWorktree]"]


GitChange = TypedDict(
    "GitChange",
    {
        "path": str,
        "status": str,
        "from": NotRequired[str],
    },
)


@final
class GitWorktree(TypedDict):
    folder: str
    branch: NotRequired[str]


@final
class Matches(TypedDict):
    matches: NotRequired["list[QueryMatch]"]
    matchCount: int
    fileCount: int
    searched: int
    counts: NotRequired["list[FileCount]"]
    binary: NotRequired[int]
    skipped: NotRequired[list[str]]
    near: NotRequired[list[str]]


@final
class QueryMatch(TypedDict):
    path: str
    address: str
    target: str
    kind: NotRequired[str]
    range: "Range"
    preview: str
    before: NotRequired[list[str]]
    after: NotRequired[list[str]]
    captures: NotRequired[dict[str, str]]


@final
class FileList(TypedDict):
    files: "list[FileEntry]"
    folders: NotRequired["list[FolderEntry]"]
    fileCount: int
    languages: dict[str, int]
    ignored: NotRequired[list[str]]


@final
class FileEntry(TypedDict):
    path: str
    size: NotRequired[int]
    language: NotRequired[str]


@final
class FolderEntry(TypedDict):
    path: str
    files: int


OpenArguments = TypedDict(
    "OpenArguments",
    {
        # Project root (default: the server's).
        "root": NotRequired[str],
        # Several items to open.
        "items": NotRequired["list[OpenItem]"],
        # Kind of item to open.
        "type": NotRequired[Literal["file", "diff", "gitDiff", "symbol"]],
        # The file.
        "path": NotRequired[str],
        # First line to select, from 1.
        "startLine": NotRequired[int],
        # Last line to select.
        "endLine": NotRequired[int],
        # `diff`: the old file.
        "left": NotRequired[str],
        # `diff`: the new file.
        "right": NotRequired[str],
        # Title of the tab.
        "title": NotRequired[str],
        # Old revision, `staged` or `working` (default `HEAD`).
        "from": NotRequired[str],
        # New revision (default `working`).
        "to": NotRequired[str],
        # Lines around each change.
        "context": NotRequired[int],
        # Name or address of a symbol.
        "query": NotRequired[str],
        # The editor (default: last used).
        "editor": NotRequired[str],
    },
)
"""Arguments of `open`."""


OpenItem = TypedDict(
    "OpenItem",
    {
        # Kind of item to open.
        "type": NotRequired[Literal["file", "diff", "gitDiff", "symbol"]],
        # The file.
        "path": NotRequired[str],
        # First line to select, from 1.
        "startLine": NotRequired[int],
        # Last line to select.
        "endLine": NotRequired[int],
        # `diff`: the old file.
        "left": NotRequired[str],
        # `diff`: the new file.
        "right": NotRequired[str],
        # Title of the tab.
        "title": NotRequired[str],
        # Old revision, `staged` or `working` (default `HEAD`).
        "from": NotRequired[str],
        # New revision (default `working`).
        "to": NotRequired[str],
        # Lines around each change.
        "context": NotRequired[int],
        # Name or address of a symbol.
        "query": NotRequired[str],
    },
)
"""One item to open."""


@final
class OpenResult(TypedDict):
    """The answer of `open`."""

    success: bool
    error: NotRequired[str]
    results: "list[ItemResult]"
    warnings: NotRequired[list[str]]


@final
class ItemResult(TypedDict):
    success: bool
    error: NotRequired[str]
    kind: NotRequired[str]
    hint: NotRequired[str]
    candidates: NotRequired[list[str]]
    type: str
    path: NotRequired[str]
    range: NotRequired["Range"]
    address: NotRequired[str]
    change: NotRequired[str]
    note: NotRequired[str]


class FileUndoArguments(TypedDict):
    """Arguments of `file_undo`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    id: NotRequired[str]
    """Id of the change (default: the latest)."""

    dryRun: NotRequired[bool]
    """Write nothing, show the result."""

    why: NotRequired[str]
    """Why, for file_history."""


@final
class FileUndoResult(TypedDict):
    """The answer of `file_undo`."""

    success: bool
    undone: "Change"
    files: list[str]
    warnings: NotRequired[list[str]]
    dryRun: bool
    summary: str


@final
class Change(TypedDict):
    id: str
    title: str
    time: int
    files: list[str]
    undone: bool
    interrupted: NotRequired[str]
    client: NotRequired[str]
    tool: NotRequired[str]
    about: NotRequired[str]
    why: NotRequired[str]
    purged: NotRequired[list[str]]


class FileHistoryArguments(TypedDict):
    """Arguments of `file_history`."""

    root: NotRequired[str]
    """Project root (default: the server's)."""

    limit: NotRequired[int]
    """Maximum changes (default 20)."""


@final
class FileHistoryResult(TypedDict):
    """The answer of `file_history`."""

    changes: "list[Change]"
    warnings: NotRequired[list[str]]


class Tools(ABC):
    """A method for each tool."""

    @abstractmethod
    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Any:
        """Calls a tool by its name, with the arguments as JSON."""

    async def file_read(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileReadArguments],
    ) -> FileReadResult:
        """Read File Content: Read one thing of a file by name: a code symbol, JSONPath, CSS selector, XPath,
        heading, region or lines. The content returned is exactly what file_edit `replace` replaces.
        Without a target: the whole file, or its outline if it is large. Several matches are listed with
        addresses; an address, passed as `target`, finds that match alone. `format` returns less:
        `signature`, `body` or `summary`.
        """
        answer = await self.call("file_read", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileReadResult, answer)

    async def file_edit(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileEditArguments],
    ) -> FileEditResult:
        """Edit File Content: Change one thing of a file by name (see file_read). Operations: replace,
        replace_body, insert_before, insert_after, insert_into (`position`), wrap, delete, replace_text
        (`old` becomes `content` inside the target). Content is re-indented (except with `lines`) and gets
        the separators of its neighbours; all other bytes stay. An edit that adds syntax errors is refused
        unless `force`. `edits`, `files` and `changes` make several edits one change. Returns a diff and
        an id for file_undo. `refactor: "rename_symbol"` with `symbol` and `newName` renames in all files;
        query `codeActions` lists other refactors.
        """
        answer = await self.call("file_edit", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileEditResult, answer)

    async def file_create(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileCreateArguments],
    ) -> FileCreateResult:
        """Create File: Create a file with `content`, or from a `template`. An existing file is not replaced
        unless `overwrite`.
        """
        answer = await self.call("file_create", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileCreateResult, answer)

    async def file_delete(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileDeleteArguments],
    ) -> FileDeleteResult:
        """Delete File: Delete files or directories (`recursive`). Imports and re-exports of them are removed
        from other files; uses left without a definition are listed as `dangling`. With `safe`, nothing is
        deleted while something uses it.
        """
        answer = await self.call("file_delete", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileDeleteResult, answer)

    async def file_move(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileMoveArguments],
    ) -> FileMoveResult:
        """Move File: Move files or directories; links and imports follow, in every format. Links that could
        not be updated are listed as `unresolved`.
        """
        answer = await self.call("file_move", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileMoveResult, answer)

    async def file_rename(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileRenameArguments],
    ) -> FileRenameResult:
        """Rename File: Rename a file or directory in its folder; links and imports follow (see file_move).
        `renameExports` renames the main export to match the file name, `exportMapping` others.
        """
        answer = await self.call("file_rename", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileRenameResult, answer)

    async def file_duplicate(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileDuplicateArguments],
    ) -> FileDuplicateResult:
        """Duplicate File: Copy a file. Links in the copy keep their destinations."""
        answer = await self.call("file_duplicate", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileDuplicateResult, answer)

    @overload
    async def query(
        self,
        *,
        type: Literal["projectInfo"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[ProjectInfo]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["symbolInfo"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[SymbolInfo]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["hover"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Hover]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["typeDefinition"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[TypeDefinition]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["documentSymbols"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Symbols]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["diagnostics"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Diagnostics]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["dependencies"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Dependencies]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["references"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[References]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["workspaceSymbols"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[WorkspaceSymbols]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["implementations", "typeHierarchy", "callHierarchy"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Relations]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["codeActions"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Actions]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["gitStatus"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[GitStatus]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["search"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Matches]: ...

    @overload
    async def query(
        self,
        *,
        type: Literal["files"],
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[FileList]: ...

    @overload
    async def query(
        self,
        *,
        type: QueryType,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[QueryData]: ...

    async def query(
        self,
        *,
        type: QueryType,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[QueryOptions],
    ) -> QueryResult[Any]:
        """Query Code: Ask about the workspace. `symbolInfo`, `hover`, `typeDefinition`: of a `symbol`, or at
        `line` and `column`. `documentSymbols`: the outline of `path` with addresses. `diagnostics`:
        problems in a file, a glob or all files. `references`: uses of a `symbol`. `implementations`,
        `typeHierarchy`, `callHierarchy`: to any `depth`. `dependencies`: what `path` imports, or what
        imports it (`direction: "importedBy"`). `workspaceSymbols`: by name. `codeActions`: refactors
        available at a position. `search`: by `text`, `regex`, `pattern` or a target. `files`: list files.
        `projectInfo`. `gitStatus`.
        """
        given = {"type": type, **arguments}
        return cast(QueryResult[Any], await self.call("query", given, on_progress=on_progress))

    async def open(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[OpenArguments],
    ) -> OpenResult:
        """Open in Editor: Show a `file` at lines, a `diff` of two files, a `gitDiff` between revisions, or a
        `symbol` in the user's editor.
        """
        answer = await self.call("open", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(OpenResult, answer)

    async def file_undo(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileUndoArguments],
    ) -> FileUndoResult:
        """Undo Change: Undo a change by its id, or the latest one. Refused if a file changed since."""
        answer = await self.call("file_undo", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileUndoResult, answer)

    async def file_history(
        self,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        **arguments: Unpack[FileHistoryArguments],
    ) -> FileHistoryResult:
        """List Changes: List changes made here, latest first, with ids for file_undo."""
        answer = await self.call("file_history", cast(Mapping[str, Any], arguments), on_progress=on_progress)
        return cast(FileHistoryResult, answer)
