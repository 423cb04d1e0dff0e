//! Renames of members that other files name in strings, or whose classes they import in unknown ways.

use marquetry_sdk::{DeclaredKey, Subject, Symbols, testing, workspace::set_files};

use super::members::{check, check_refused};
use crate::Python;

const USER: &str =
    "class User:\n    def ‹send›(self): ...\n\nclass Admin(User): ...\n\nclass Other:\n    def send(self): ...\n";

#[test]
fn strings_with_dots_are_unresolved() {
    check(
        &[
            ("pkg/models.py", USER),
            ("pkg/__init__.py", ""),
            ("pkg/tools.py", "def send(): ...\n\nclass Dynamic(make()): ...\n"),
            (
                "test.py",
                "from operator import attrgetter\nfrom mock import patch\n\n@patch(\"pkg.models.User.send\")  # ?\n@patch(\"pkg.models.Admin.send\", 1)  # ?\n@patch(\"pkg.models.Other.send\")\n@patch(\"far.things.Some.send\")\n@patch(\"pkg.tools.send\")\n@patch(\"pkg.tools.Dynamic.send\")  # ?\n@patch(\"far.send\")\n@patch(\"pkg.models.send\")\n@patch(\"pkg.models.admin.send\")  # ?\ndef test(monkeypatch):\n    attrgetter(\"a.send\")  # ?\n    attrgetter(\"send.x\")  # ?\n    log(\"a.send\")\n    log(\"User.send\")  # ?\n    log(\"pkg.models:User.send\")  # ?\n    log(\"User.send!\")\n    log(\"see User.send for more\")\n    monkeypatch.setattr(\"pkg.models.Admin.send\", None)  # ?\n",
            ),
        ],
        "User.send",
        "post",
    );
}

#[test]
fn classes_that_imports_do_not_find_are_unresolved() {
    let app = "from shared.models import User\nimport shared.models as models\nimport requests\n\nclass Admin(User):\n    def send(self):  # ?\n        return super().send()  # ?\n    def own(self): return User.send(self)  # ?\n\nclass Own(models.User):\n    send = 1  # ?\n\nclass Session(requests.Session):\n    def send(self): return self.send()\n";
    check(
        &[("libs/shared/models.py", USER), ("libs/shared/__init__.py", ""), ("services/api/app.py", app)],
        "User.send",
        "post",
    );
    // The module is not found by its path, but it is not known to be a library.
    check(
        &[
            ("a.py", USER),
            (
                "use.py",
                "import shared\nimport acme.models\nfrom acme.models import User\nimport requests\n\nclass Admin(User):\n    def send(self): ...  # ?\n\nUser.send  # ?\nacme.models.User.send  # ?\nrequests.send\n",
            ),
            ("own/shared.py", "class User: ...\n"),
            ("module.py", "import shared\n\nshared.User.send  # ?\nshared.make().send  # ?\n"),
            ("lib/pyproject.toml", "dependencies = [\"acme\"]\n"),
            ("lib/use.py", "from acme.models import User\nclass Admin(User):\n    def send(self): ...\nUser.send\n"),
        ],
        "User.send",
        "post",
    );
    // A module in a package is not a module that an absolute import finds.
    check(
        &[
            ("a.py", USER),
            ("own/__init__.py", ""),
            ("own/requests.py", "class Session: ...\n"),
            ("use.py", "import requests\n\nclass S(requests.Session):\n    def send(self): ...\n"),
        ],
        "User.send",
        "post",
    );
    check_refused(
        &[
            ("services/api/app.py", "from shared.models import User\nclass Admin(User):\n    def send(self): ...\n"),
            ("libs/shared/models.py", "class User: ...\n"),
        ],
        "Admin.send",
        "post",
        "inherits from",
    );
}

#[test]
fn files_without_a_relation_to_the_class_list_its_calls() {
    let models = "from dataclasses import dataclass\n\n@dataclass\nclass User:\n    mail: str\n";
    let app = "import other\nfrom shared.models import User\n\nUser(mail=1)\nf(mail=1)\nsome(User, mail=1)\nother.User(mail=1)\n";
    let other = "class User:\n    def __init__(self, mail): ...\n";
    set_files(
        [("libs/shared/models.py", models), ("services/app.py", app), ("other.py", other)]
            .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    let bench = testing::open::<Python>("services/app.py", app);
    let forms = ["mail", "User"].map(str::to_owned).to_vec();
    let key = DeclaredKey { name: "mail".to_owned(), locations: Vec::new(), forms };
    let result = Python::rename(bench.document(), Subject::Declared(key), "email").expect("an answer");
    assert!(result.edits.is_empty());
    let listed: Vec<usize> = result.unresolved.iter().map(|span| span.range().start).collect();
    assert_eq!(listed, [app.find("mail").expect("a call")]);
}

#[test]
fn fields_of_format_strings_are_unresolved() {
    check(
        &[
            ("a.py", USER),
            (
                "use.py",
                "a = \"{u.send} {x}\".format(u=u)  # ?\nb = '{0.send!r}'  # ?\nc = \"\"\"\n {u[0].send.x:>3}  # ?\n\"\"\"\nd = \"{send} u.send {u.sends} {u send.send}\"\ne = \"{}.send\"\n",
            ),
        ],
        "User.send",
        "post",
    );
}

#[test]
fn arguments_of_mocks_are_unresolved() {
    check(
        &[
            ("a.py", USER),
            (
                "use.py",
                "from unittest import mock\nfrom a import User\n\nmock.patch.multiple(User, send=1)  # ?\nmock.Mock(spec=User, send=1)  # ?\nprint(User, send=1)\n",
            ),
        ],
        "User.send",
        "post",
    );
}

#[test]
fn lists_of_names_are_renamed_or_listed() {
    check(
        &[(
            "a.py",
            "class A:\n    __slots__: tuple = (\"‹x›\", \"y\")\n    __match_args__ = \"x y\".split()  # ?\n    __slots__ += (\"‹x›\",)\n    def __init__(self): self.‹x› = \"x\"\n\nclass B:\n    __slots__ = (\"x\", \"y\")\n    def f(self): self.x = 1\n",
        )],
        "A.x",
        "z",
    );
    check(
        &[(
            "a.py",
            "from enum import Enum\n\nclass A(Enum):\n    ‹x› = 1\n\nA.__members__[\"x\"]  # ?\nB.__members__[\"x\"]\n",
        )],
        "A.x",
        "z",
    );
}

#[test]
fn names_in_methods_of_object_are_unresolved() {
    check(
        &[(
            "a.py",
            "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Pt:\n    ‹label›: str\n    def __post_init__(self):\n        object.__setattr__(self, \"label\", 1)  # ?\n        super().__setattr__(\"label\", 1)  # ?\n        self.__setattr__('label', 1)  # ?\n        object.__getattribute__(self, \"label\")  # ?\n        self.__getattr__(\"label\")  # ?\n        object.__delattr__(self, \"label\")  # ?\n        object.__setattr__(self, \"other\", \"labels\")\n",
        )],
        "Pt.label",
        "title",
    );
}

#[test]
fn keys_of_dictionaries_of_attributes_are_unresolved() {
    let class = "from typing import NamedTuple\nfrom dataclasses import asdict, dataclass\n\n@dataclass\nclass Pt:\n    ‹label›: str\n    def f(self):\n        self.__dict__[\"label\"]  # ?\n        self.__dict__[\"other\"]\n        self.__dict__[label]\n        return self.__dict__.get('label', 1)  # ?\n\nclass No:\n    label = 1\n    def f(self): return self.__dict__[\"label\"]\n";
    let user = "from dataclasses import asdict\nimport dataclasses\nfrom a import Pt, No\n\ndef f(x, y):\n    vars(x)[\"label\"]  # ?\n    vars(No())[\"label\"]\n    dataclasses.asdict(Pt(1))[\"label\"]  # ?\n    x._asdict()[\"label\"]  # ?\n    x.model_dump()[\"label\"]  # ?\n    y[\"label\"]\n    x.other()[\"label\"]\n    x.data[\"label\"]\n    kept = asdict(x)\n    kept[\"label\"]  # ?\n    \"label\" in vars(x)  # ?\n    \"label\" in y\n    x[\"label\"].__dict__\n    \"label\"[0]\n    Pt.__dict__[\"label\"]  # ?\n    No.__dict__[\"label\"]\n    vars(x).update(label=1)  # ?\n    x.__dict__.update({\"label\": 1})  # ?\n    y.update({\"label\": 1})\n";
    check(&[("a.py", class), ("use.py", user)], "Pt.label", "title");
}

#[test]
fn computed_keys_of_enums_are_unresolved() {
    let class = "import enum\n\nclass Base(enum.Enum):\n    @classmethod\n    def read(cls, s): return cls[s]  # ?\n\nclass Col(Base):\n    ‹RED› = 1\n    BLUE = 2\n    @classmethod\n    def parse(cls, s):\n        cls[\"RED\"]  # ?\n        cls[\"BLUE\"]\n        return cls[s.upper()]  # ?\n    def show(self): return 1\n\nclass Other(enum.Enum):\n    RED = 1\n    @classmethod\n    def parse(cls, s): return cls[s]\n";
    let user = "from a import Col, Other\n\ndef f(s):\n    Col[s]  # ?\n    Col.__members__[s]  # ?\n    Col[f\"{s}\"]  # ?\n    Other[s]\n    s[Col]\n";
    check(&[("a.py", class), ("use.py", user)], "Col.RED", "GREEN");
    let show = class.replace("  # ?", "").replace(['‹', '›'], "").replace("show", "‹show›");
    check(&[("a.py", &show), ("use.py", &user.replace("  # ?", ""))], "Col.show", "text");
}
