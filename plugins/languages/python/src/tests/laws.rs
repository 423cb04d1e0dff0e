//! Checks the laws of `marquetry_sdk::testing`: the properties that every pack must have.

use marquetry_code::testing::check_document_laws;
use marquetry_sdk::testing;

use crate::Python;

const PIECES: &[&str] = &[
    "def f(x):\n",
    "    ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "class A:\n",
    "class B: ",
    "pass",
    "...",
    "x = 1",
    "y: int = 2",
    "a, b = 1, 2",
    "import os\n",
    "from . import a\n",
    "from a.b import (c,\n  d)\n",
    "\"\"\"",
    "'''",
    "\"",
    "f\"{",
    "}\"",
    "if x:\n",
    "else:\n",
    "elif y: ",
    "try:\n",
    "except E as e:\n",
    "é",
    ";",
    "; ",
    "@d\n",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    "# c\n",
    "#",
    "\\\n",
    "lambda q: ",
    "return ",
    "if TYPE_CHECKING:\n",
    "match x:\n",
    "case 1:\n",
    "async ",
    "await ",
    "[i for i in x]",
    "=",
    "*",
    "def ",
    "class ",
    "k = {\"a\": ",
    "{",
    "}",
    "'b c': 2,\n",
    "**",
    "with a as b:\n",
    "global x\n",
    "type T = int\n",
    "__all__ = ['a']\n",
    "0",
    "_",
];

const DOCUMENTS: &[&str] = &[
    "\"\"\"Doc.\"\"\"\nimport os\nfrom a import b as c\n\nLIMIT = 3\n\n\n@decorated\nclass Cart(Base):\n    \"\"\"A cart.\"\"\"\n\n    size: int = 0\n\n    # Adds.\n    def add(self, x, *, y=1):\n        self.x = x  # it\n        return f\"\"\"\n{x}\n\"\"\"\n\n    @property\n    def total(self): return sum(i for i in self)\n\n\ndef main(): return Cart()\n",
    "if TYPE_CHECKING:\n    from a import B\ntry:\n    import fast\nexcept ImportError:\n    fast = None\n    # end\n\nx = 1; y = 2\na = b = (c, d) = 1\nclass A: z = 1; w = 2\nmatch x:\n    case [1, *rest]:\n        def f():\n            pass\n",
    "class A:\r\n    def f(self):\r\n        pass\r\n\r\n    def f(self, x):\r\n        '''a\r\n  b'''\r\n",
];

#[test]
fn laws_hold_for_random_texts() {
    testing::check_laws_on_random::<Python>("a.py", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_documents() {
    check_document_laws::<Python>(&["a.py", "a.pyi"], DOCUMENTS, "import re");
}
