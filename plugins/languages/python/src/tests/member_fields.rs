//! Renames of fields, with the keyword arguments that set them.

use super::members::check;

const ITEM: &str =
    "from dataclasses import dataclass\n\n@dataclass\nclass Item:\n    ‹title›: str\n    note: str = \"\"\n";

/// Checks a rename of `Item.title`. The first file declares the class.
#[track_caller]
fn check_title(text: &str) {
    check(&[("item.py", ITEM), ("use.py", text)], "Item.title", "label");
}

#[test]
fn arguments_that_functions_pass_on_are_unresolved() {
    check_title(
        "from item import Item\n\ndef make(**values): return Item(**values)  # ?\ndef own(title, **values): ...\ndef other(note): ...\n@wrap\ndef wrapped(note): ...\n\nmake(title=\"x\")  # ?\nown(title=\"x\")\nother(title=\"x\")\nwrapped(title=\"x\")  # ?\nprint(1, title=\"x\")\n(lambda **v: v)(title=\"x\")  # ?\n",
    );
    check_title(
        "import asyncio\nfrom item import Item\n\nclass Proxy:\n    def __init__(self, **values): ...\nclass Plain:\n    def __init__(self, title): ...\n\nProxy(title=1)  # ?\nPlain(title=1)\nasyncio.to_thread(Item, title=1)  # ?\nasyncio.to_thread(Proxy, title=1)  # ?\nasyncio.to_thread(Plain, title=1)\nkind = Item\nasyncio.to_thread(kind, title=1)  # ?\n",
    );
}

#[test]
fn arguments_of_partial_calls_are_renamed() {
    check_title(
        "import functools\nfrom functools import partial\nfrom item import Item\n\nmake = functools.partial(Item, ‹title›=\"x\")\nmake(title=\"y\")  # ?\npartial(partial, Item, ‹title›=1)\npartial(print, title=1)\npartial(make, title=1)  # ?\n",
    );
}

#[test]
fn unpacked_arguments_are_unresolved() {
    check_title(
        "from dataclasses import replace\nfrom item import Item\n\nItem(**row)  # ?\nItem(**{\"note\": 1})\nItem(**{**row, \"note\": 1})  # ?\nItem(**{key: 1})  # ?\nItem(**{\n    \"note\": 1,\n    \"title\": 2,  # ?\n})\nItem(**dict(title=\"x\"))  # ?\nreplace(Item(), **row)  # ?\nprint(**row)\n",
    );
}

#[test]
fn constructors_of_subclasses_are_known() {
    check_title(
        "from dataclasses import dataclass\nfrom item import Item\n\nclass Wide(Item):\n    def __init__(self, **values): super().__init__(**values)\n\n@dataclass\nclass Again(Wide):\n    more: int = 0\n\nclass New(Item):\n    def __new__(cls, title): ...\n\nclass Set(Item):\n    __init__ = make()\n\nclass Twice(Item):\n    def __init__(self): ...\n    def __init__(self, note): ...\n\nclass Dynamic(make()): ...\n\nSet(title=1)  # ?\nTwice(title=1)  # ?\nDynamic(title=1)  # ?\nWide(title=1)  # ?\nAgain(‹title›=1)\nNew(title=1)  # ?\n",
    );
}

#[test]
fn classes_of_libraries_may_make_objects() {
    check_title(
        "import factory\nfrom item import Item\n\nclass ItemFactory(factory.Factory):\n    class Meta:\n        model = Item\n\n    title = factory.Faker(\"word\")  # ?\n\nclass Other(factory.Factory):\n    title = 1\n\nItemFactory(title=\"x\")  # ?\nOther(title=\"x\")\n",
    );
}

#[test]
fn fields_without_annotations_are_renamed() {
    let check_fields = |imports: &str, decorator: &str, value: &str| {
        let class = format!(
            "{imports}\n\n{decorator}\nclass P:\n    ‹x› = {value}\n\n    @‹x›.validator\n    def check(self, attribute, value): ...\n"
        );
        check(
            &[("p.py", &class), ("use.py", "from p import P\n\nP(‹x›=1).‹x›\nf(x=1)\n\ndef f(x): ...\n")],
            "P.x",
            "y",
        );
    };
    check_fields("import attr", "@attr.s", "attr.ib()");
    check_fields("import attr", "@attr.s(auto_attribs=False)", "attr.ib(default=1)");
    check_fields("from attrs import define, field", "@define", "field()");
    check_fields("from attr import attrs, attrib", "@attrs", "attrib()");
    check_fields("from own import model, field", "@model", "field()");
}

#[test]
fn constructors_that_base_classes_make_are_known() {
    check(
        &[(
            "p.py",
            "class Model:\n    def __init_subclass__(cls): ...\n\nclass P(Model):\n    ‹x›: int\n\nclass Plain:\n    x: int\n\nP(‹x›=1)\nf(x=1)\n\ndef f(x): ...\n",
        )],
        "P.x",
        "y",
    );
    // The class declares its constructor.
    check(
        &[(
            "p.py",
            "from own import model\n\n@model\nclass P:\n    ‹x›: int\n    def __init__(self, x): self.‹x› = x\n\nunknown(x=1)\n",
        )],
        "P.x",
        "y",
    );
    // The constructor has no argument for the field.
    check(
        &[(
            "p.py",
            "from dataclasses import dataclass, field\n\n@dataclass\nclass P:\n    ‹x›: int = field(init=False)\n\nunknown(x=1)\n",
        )],
        "P.x",
        "y",
    );
}

#[test]
fn constructors_of_the_own_class_are_known() {
    check(
        &[(
            "a.py",
            "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    ‹x›: int\n    def copy(self, x): return self.__class__(‹x›=x), type(self)(‹x›=x)\n    @classmethod\n    def make(cls, x): return cls(‹x›=x)\n",
        )],
        "A.x",
        "y",
    );
}

#[test]
fn classes_of_unknown_modules_are_listed() {
    check_title(
        "from acme import Item, Other\n\nItem(title=1)  # ?\nOther(title=1)\nmatch x:\n    case Item(title=1): ...  # ?\n    case Other(title=1): ...\n",
    );
}
