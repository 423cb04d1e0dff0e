//! Types in strings: `x: "Node"`.

use marquetry_sdk::{ImportKey, Linking, Subject, Symbols, span::apply, testing};

use crate::Python;

/// Renames `Node`, at its first occurrence, to `Leaf`. Returns the text, and the listed occurrences with their context.
fn renamed(text: &str) -> (String, usize) {
    let bench = testing::open::<Python>("a.py", text);
    let at = text.find("Node").expect("the name") as u32;
    let result = Python::rename(bench.document(), Subject::At(at), "Leaf").expect("renamed");
    (apply(text, &result.edits), result.unresolved.len())
}

/// Asserts that the name is renamed everywhere in a text after a class with the name.
#[track_caller]
fn check_type(code: &str) {
    let text = format!("class Node: ...\n{code}\n");
    assert_eq!(renamed(&text), (text.replace("Node", "Leaf"), 0), "{code}");
}

/// Asserts that the name is not renamed in a text after a class with the name.
#[track_caller]
fn check_other(code: &str, listed: usize) {
    let text = format!("class Node: ...\n{code}\n");
    assert_eq!(renamed(&text), (format!("class Leaf: ...\n{code}\n"), listed), "{code}");
}

#[test]
fn names_in_annotations_are_renamed() {
    check_type("def f(x: 'Node') -> \"Node\": ...");
    check_type("x: 'Node' = None");
    check_type("x: \"Optional[Node]\"");
    check_type("x: list['Node']");
    check_type("x: dict[str, 'Node'] | None");
    check_type("x: Callable[['Node'], 'Node | None']");
    check_type("def f(*args: 'Node', **kwargs: 'Node.Inner'): ...");
    check_type("async def f(x, /, *, y: Annotated['Node', 'doc'] = 1): ...");
    check_type("class A:\n    next: 'Node'\n    def f(self) -> 'list[Node]': ...");
    check_type("def f[T: 'Node'](x: T): ...");
    check_type("type Pair = tuple['Node', 'Node']");
}

#[test]
fn names_in_other_types_are_renamed() {
    check_type("x = cast('Node', y)");
    check_type("x = typing.cast('list[Node]', y)");
    check_type("T = TypeVar('T', bound='Node')");
    check_type("T = TypeVar('T', 'Node', int)");
    check_type("Id = NewType('Id', 'Node')");
    check_type("assert_type(x, 'Node')");
    check_type("Alias: TypeAlias = 'list[Node]'");
    check_type("Alias = Optional['Node']");
    check_type("class A(List['Node']): ...");
}

#[test]
fn names_in_other_strings_are_not_renamed() {
    check_other("x = 'Node'", 0);
    check_other("x = d['Node']", 0);
    check_other("x: Literal['Node']", 1);
    check_other("x: Annotated[int, 'Node']", 1);
    check_other("x: Annotated[int, Field(alias='Node')]", 1);
    check_other("x: int = 'Node'", 0);
    check_other("x = cast(int, 'Node')", 0);
    check_other("T = TypeVar('Node')", 0);
    check_other("def f(x='Node'): ...", 0);
    check_other("from typing import Literal as L\nx: L['Node']", 1);
    check_other("from jaxtyping import Float\nx: Float[A, 'Node']", 1);
    // Strings with several parts, prefixes or escapes.
    check_other("x: 'No' 'Node'", 1);
    check_other("x: r'Node'", 1);
    check_other("x: '\\x4eode | Node'", 1);
    check_other("x: 'Node['", 1);
    check_other("x: ' Node'", 1);
}

#[test]
fn names_in_strings_follow_scopes() {
    check_other("class A:\n    def f(self) -> 'Node': ...\n    class Node: ...", 0);
    check_other("def f():\n    class Node: ...\n    def g(x: 'Node'): ...", 0);
    check_other("x: 'other.Node'", 0);
    check_type("def f():\n    def g(x: 'Node'): ...");
    // The class itself is declared later.
    let text = "def f(x: 'Node'): ...\nclass Node: ...\n";
    assert_eq!(renamed(text), (text.replace("Node", "Leaf"), 0));
    let bench = testing::open::<Python>("a.py", "def f(x: 'Leaf'): ...\nclass Node: ...\n");
    let result = Python::rename(bench.document(), Subject::Address("Node".to_owned()), "Leaf");
    assert!(result.is_err_and(|failure| failure.message.contains("another meaning")));
}

#[track_caller]
fn check_import(text: &str, expected: &str) {
    let bench = testing::open::<Python>("a.py", text);
    let key = ImportKey { specifiers: vec!["m".to_owned()], name: "Node".to_owned() };
    let result = Python::rename(bench.document(), Subject::Imported(key.clone()), "Leaf").expect("renamed");
    assert_eq!((apply(text, &result.edits).as_str(), result.unresolved.len()), (expected, 0), "{text}");
    let found = Python::resolve_symbol(bench.document(), Subject::Imported(key)).expect("resolved");
    assert_eq!(found.occurrences.len(), expected.matches("Leaf").count(), "{text}");
}

#[test]
fn imported_names_are_renamed() {
    check_import(
        "if TYPE_CHECKING:\n    from m import Node\ndef f(x: 'Node | None'): ...\n",
        "if TYPE_CHECKING:\n    from m import Leaf\ndef f(x: 'Leaf | None'): ...\n",
    );
    check_import("import m\nx: 'm.Node'\n", "import m\nx: 'm.Leaf'\n");
    check_import(
        "def f():\n    from m import Node\n    x: 'Node' = 1\ny: 'Node'\n",
        "def f():\n    from m import Leaf\n    x: 'Leaf' = 1\ny: 'Node'\n",
    );
}

#[test]
fn parameters_of_a_class_in_an_annotation_are_known() {
    let text = "class Node:\n    def __init__(self, ‸x): ...\ny: 'Node' = Node(x=1)\nz = cast('Node', y)\n";
    let at = text.find('‸').expect("a mark") as u32;
    let text = text.replace('‸', "");
    let bench = testing::open::<Python>("a.py", &text);
    let result = Python::rename(bench.document(), Subject::At(at), "w").expect("renamed");
    assert_eq!((result.edits.len(), result.unresolved.len()), (2, 0));
}

#[test]
fn laws_hold_for_types_in_strings() {
    let text = "import m\nclass A(List['A']):\n    x: 'dict[str, m.B]' = cast(\"A\", 1)\n    def f[T: 'A'](self: 'A') -> \"T\": ...\n";
    testing::check_laws::<Python>("a.py", text);
    testing::check_name_laws::<Python>("a.py", text);
    let links = Python::links(testing::open::<Python>("a.py", text).document());
    assert_eq!(links.iter().map(|link| link.specifier.as_str()).collect::<Vec<_>>(), ["m", "m.B"]);
}
