//! The laws of lists: an operation changes its target, and all other items keep their order.

use marquetry_sdk::{
    TargetKind::Symbol,
    testing::{Count, List, check_list_laws, check_reach_laws, random_lines},
};

use crate::Python;

const MODULE: List = List {
    path: "a.py",
    open: "x1 = 1\n\n",
    close: "\nx2 = 2\n",
    item: "k§ = v§",
    content: None,
    value: None,
    separator: "",
    indent: "",
    comment: "# c§",
    trailing: true,
    leading: true,
    kind: Symbol,
    address: "k§",
    container: None,
    empty: None,
};

const CLASS: List = List {
    open: "x1 = 1\n\n\nclass A:  # x2\n",
    close: "\n\nx3 = 2\n",
    indent: "    ",
    address: "A.k§",
    container: Some("A"),
    empty: Some("x1 = 1\n\n\nclass A:  # x2\n    pass\n\n\nx3 = 2\n"),
    ..MODULE
};

const METHODS: List = List {
    item: "def k§(self):\n        return v§",
    content: Some("def k§(self):\n    return v§"),
    trailing: false,
    ..CLASS
};

const ENTRIES: List = List {
    open: "x1 = 1\nX = {  # x2\n",
    close: "}\nx3 = 2\n",
    item: "\"k§\": v§",
    separator: ",",
    indent: "    ",
    address: "X.k§",
    container: Some("X"),
    empty: Some("x1 = 1\nX = {  # x2\n}\nx3 = 2\n"),
    ..MODULE
};

#[track_caller]
fn check(list: &List) {
    let Count { documents, edits, refused } = check_list_laws::<Python>(list);
    assert!(documents > 100 && edits > 500 && refused == 0, "{documents} documents, {edits} edits, {refused} refused");
}

#[test]
fn statements_are_kept() {
    check(&MODULE);
}

#[test]
fn attributes_are_kept() {
    check(&CLASS);
}

#[test]
fn methods_are_kept() {
    check(&METHODS);
}

#[test]
fn entries_of_dictionaries_are_kept() {
    let Count { documents, edits, refused } = check_list_laws::<Python>(&ENTRIES);
    // `replace_body` of the container takes a whole dictionary, so it refuses an entry.
    assert!(documents > 100 && edits > 500 && refused < documents, "{edits} edits, {refused} of {documents} refused");
}

const PIECES: &[&str] = &[
    "x = 1\n",
    "y = 2  # c\n",
    "\n",
    "\n\n",
    "# note\n",
    "def f():\n    pass\n",
    "def g(): return 1\n",
    "class A:\n    \"\"\"Doc.\"\"\"\n\n    a = 1\n\n    def m(self):\n        pass\n        # end\n",
    "class B: b = 1; c = 2\n",
    "import os\n",
    "from a import b\n",
    "if x:\n    z = 1\n",
    "try:\n    w = 1\nexcept E:\n    pass\n",
    "p = 1; q = 2\n",
    "if TYPE_CHECKING:\n    from t import T\n",
    "@d\ndef h():\n    '''a\nb'''\n",
];

#[test]
fn edits_stay_near_their_targets() {
    let contents = ["x = 1", "def f():\n    return 1", "# note"];
    let count = check_reach_laws::<Python>("a.py", random_lines(PIECES, 12, 150), &contents);
    assert!(count.documents > 50 && count.edits > 1000, "{count:?}");
}
