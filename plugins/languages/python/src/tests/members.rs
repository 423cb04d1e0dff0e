//! Renames of members: methods, attributes and fields, in small workspaces.

use std::collections::BTreeMap;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    DeclaredKey, FileLocation, RenameResult, Result, Subject, Symbols, span::apply, testing, workspace::set_files,
};

use crate::Python;

/// The texts of the files after a rename, and the unresolved places as `path: line`.
type Renamed = (BTreeMap<String, String>, Vec<String>);

fn answer(path: &str, text: &str, subject: &Subject, new: &str) -> Result<RenameResult> {
    let bench = testing::open::<Python>(path, text);
    let document: &CodeDocument = bench.document();
    Python::rename(document, subject.clone(), new)
}

/// Renames like the host: asks the first file, then all files that contain a form of the member, until no answer has new
/// declarations.
fn rename(files: &[(&str, &str)], address: &str, new: &str) -> Result<Renamed> {
    set_files(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let mut first = answer(files[0].0, files[0].1, &Subject::Address(address.to_owned()), new)?;
    let mut member: DeclaredKey = first.declared.take().expect("a member");
    let mut answers: BTreeMap<String, RenameResult> = BTreeMap::new();
    loop {
        let known = member.locations.len();
        for (path, text) in files.iter().filter(|(_, text)| member.forms.iter().any(|form| text.contains(form))) {
            let result = answer(path, text, &Subject::Declared(member.clone()), new)?;
            let found = result.declared.iter().flat_map(|declared| declared.locations.clone());
            let new: Vec<FileLocation> = found.filter(|location| !member.locations.contains(location)).collect();
            member.locations.extend(new);
            answers.insert((*path).to_owned(), result);
        }
        if member.locations.len() == known {
            break;
        }
    }
    let own = answers[files[0].0].clone();
    assert_eq!((own.edits, own.unresolved), (first.edits, first.unresolved), "both answers of the first file agree");
    let mut texts = BTreeMap::new();
    let mut unresolved = Vec::new();
    for (path, text) in files {
        let result = answers.get(*path);
        let edits = result.map(|result| result.edits.clone()).unwrap_or_default();
        texts.insert((*path).to_owned(), apply(text, &edits));
        for span in result.iter().flat_map(|result| &result.unresolved) {
            let line = text[..span.range().start].matches('\n').count();
            unresolved.push(format!("{path}: {}", text.lines().nth(line).unwrap_or_default().trim()));
        }
    }
    Ok((texts, unresolved))
}

/// Renames a member. In the texts, `‹old›` marks the places that change. The unresolved lines contain `# ?`.
#[track_caller]
pub(super) fn check(files: &[(&str, &str)], address: &str, new: &str) {
    let plain: Vec<(&str, String)> = files.iter().map(|(path, text)| (*path, text.replace(['‹', '›'], ""))).collect();
    let plain: Vec<(&str, &str)> = plain.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let (texts, unresolved) = rename(&plain, address, new).unwrap_or_else(|failure| panic!("{failure:?}"));
    for (path, text) in files {
        let mut parts = text.split(['‹', '›']).enumerate();
        let expected: String = parts.by_ref().map(|(index, part)| if index % 2 == 1 { new } else { part }).collect();
        assert_eq!(texts[*path], expected, "{path}");
    }
    let marked = plain.iter().flat_map(|(path, text)| {
        text.lines().filter(|line| line.contains("# ?")).map(move |line| format!("{path}: {}", line.trim()))
    });
    assert_eq!(unresolved, marked.collect::<Vec<_>>());
}

#[track_caller]
pub(super) fn check_refused(files: &[(&str, &str)], address: &str, new: &str, message: &str) {
    match rename(files, address, new) {
        Ok((texts, _)) => panic!("not refused: {texts:#?}"),
        Err(failure) => {
            assert!(failure.message.contains(message), "{failure:?}");
            assert!(failure.hint.is_some(), "{failure:?}");
        }
    }
}

const BASE: &str = "class Base:\n    def ‹handle›(self, x):\n        return x\n\n    def run(self):\n        return [self.‹handle›(i) for i in range(3)], lambda: self.‹handle›(1)\n\n    def other(handle):\n        return handle.‹handle›(2)\n";

#[test]
fn methods_are_renamed_with_their_overrides() {
    check(
        &[
            ("base.py", BASE),
            (
                "child.py",
                "from base import Base\nimport base as b\n\nclass Child(Base):\n    def ‹handle›(self, x):\n        return super().‹handle›(x) + Base.‹handle›(self, 1)\n\nclass Plain(b.Base): ...\n\nclass Unrelated:\n    def handle(self): return self.handle()\n",
            ),
            (
                "use.py",
                "from base import Base\nfrom child import Child, Plain, Unrelated\nfrom typing import Optional\n\ndef go(b: Base, o: \"Optional[Plain]\", u: Unrelated, n: Child | None, s: str, q):\n    Unrelated().handle()\n    c = Child()\n    b.‹handle›(1)\n    c.‹handle›(2)\n    o.‹handle›(3)\n    n.‹handle›(3)\n    Plain().‹handle›(4)\n    u.handle()\n    s.handle()\n    q.handle()  # ?\n    make().handle()  # ?\n    handle = 3\n    return handle\n",
            ),
            ("far.py", "def f(x, handle):\n    handle(1)\n    return x.handle  # ?\n"),
        ],
        "Base.handle",
        "process",
    );
}

#[test]
fn rename_of_an_override_starts_at_the_topmost_class() {
    check(
        &[
            (
                "child.py",
                "from base import Base\n\nclass Child(Base):\n    def ‹handle›(self): return super().‹handle›(1)\n",
            ),
            ("base.py", BASE),
            ("other.py", "from base import Base\n\nclass Other(Base):\n    ‹handle› = None\n"),
        ],
        "Child.handle",
        "process",
    );
}

#[test]
fn attributes_that_methods_set_are_renamed() {
    check(
        &[
            (
                "conn.py",
                "class Conn:\n    __slots__ = (\"‹host›\", \"port\")\n\n    def __init__(self, host, port=1):\n        self.‹host›: str = host\n        self.port, other = port, host\n\n    @classmethod\n    def make(cls, host): return cls(host=host).‹host›\n\n    def __repr__(self): return f\"{self.‹host›!r}\"\n",
            ),
            (
                "use.py",
                "from conn import Conn\n\nc = Conn(host=\"db\")\nprint(c.‹host›, vars(c)[\"host\"])  # ?\ngetattr(c, \"host\")  # ?\n\nclass Pool:\n    first: Conn\n\n    def __init__(self, conn: Conn):\n        self.conn = conn\n        self.any = conn or None\n\n    def f(self):\n        return self.conn.‹host›, self.first.‹host›\n\n    def g(self):\n        return self.any.host  # ?\n\nmatch c:\n    case Conn(‹host›=x): ...\n",
            ),
        ],
        "Conn.host",
        "address",
    );
}

#[test]
fn fields_are_renamed_with_the_arguments_of_constructors() {
    check(
        &[
            (
                "user.py",
                "from dataclasses import dataclass\n\n@dataclass\nclass User:\n    ‹mail›: str\n    age: int = 0\n\n    def label(self): return self.‹mail›\n\n    def copy(self): return type(self)(‹mail›=self.‹mail›)\n\n@dataclass\nclass Admin(User): ...\n\n@dataclass\nclass Own(User):\n    def __init__(self, mail): self.‹mail› = mail\n",
            ),
            (
                "use.py",
                "from dataclasses import replace\nfrom user import Admin, Own, User\n\nmail = \"a\"\nu = User(‹mail›=mail)\nprint(u.‹mail›, replace(u, ‹mail›=\"x\"), Admin(‹mail›=mail), Own(mail=mail), dict(mail=mail), f(mail=mail))\n\ndef g(unknown):\n    unknown(mail=mail)  # ?\n\ndef f(mail): ...\n\nclass Other:\n    def __init__(self, mail): ...\n\nOther(mail=1)\n",
            ),
        ],
        "User.mail",
        "email",
    );
}

#[test]
fn values_of_several_classes_are_unresolved() {
    check(
        &[
            (
                "base.py",
                "class A:\n    def ‹f›(self): ...\n\nclass B:\n    def f(self): ...\n\nclass Made:\n    def __new__(cls): return A()\n    def f(self): ...\n",
            ),
            (
                "use.py",
                "from base import A, B, Made\n\nx = A()\nx = B()\nx.f()  # ?\ny = None\ny = A()\ny.‹f›()\nMade().f()  # ?\nfor z in [A()]:\n    z.f()  # ?\n\ndef make() -> A: ...\nasync def later() -> A: ...\nmake().‹f›()\nlater().f()  # ?\n\nclass Dynamic(make()):\n    def f(self):  # ?\n        self.f()  # ?\n\ndef g(*a: A, k: type[A] = A, **b: A):\n    a.f()  # ?\n    k.‹f›\n    (w := A()).‹f›()\n",
            ),
        ],
        "A.f",
        "g2",
    );
}

#[test]
fn protocols_may_describe_the_class() {
    check(
        &[
            ("a.py", "class A:\n    def ‹f›(self): ...\n"),
            (
                "p.py",
                "from typing import Protocol\n\nclass P(Protocol):\n    def f(self): ...  # ?\n\ndef g(p: P):\n    p.f()  # ?\n",
            ),
        ],
        "A.f",
        "h",
    );
    check_refused(
        &[("p.py", "from typing import Protocol\nclass P(Protocol):\n    def f(self): ...\n")],
        "P.f",
        "h",
        "inherits from Protocol",
    );
}

#[test]
fn enum_members_are_renamed() {
    check(
        &[(
            "a.py",
            "import enum\n\nclass Color(enum.Enum):\n    ‹RED› = 1\n    BLUE = 2\n\ndef f(c: Color):\n    Color[\"RED\"]  # ?\n    return c is Color.‹RED›, {\"RED\": 1}\n",
        )],
        "Color.RED",
        "ROSE",
    );
}

#[test]
fn properties_are_renamed_with_their_accessors() {
    check(
        &[(
            "a.py",
            "class A:\n    @property\n    def ‹size›(self): return self._size\n\n    @‹size›.setter\n    def ‹size›(self, size): self._size = size\n\n    total = property(lambda self: self.size)  # ?\n\nA().‹size› = 2\nA().‹size› += 1\ndel A().‹size›\n",
        )],
        "A.size",
        "length",
    );
}

#[test]
fn rename_to_the_same_name_changes_nothing() {
    check(&[("a.py", "class A:\n    def f(self): self.f()\n")], "A.f", "f");
}

#[test]
fn unprovable_renames_are_refused() {
    let refused = |text: &str, address: &str, new: &str, message: &str| {
        check_refused(&[("a.py", text)], address, new, message);
    };
    refused("class A:\n    def __len__(self): ...\n", "A.__len__", "g", "Python itself uses");
    refused("class A:\n    def __f(self): ...\n", "A.__f", "g", "Python itself uses");
    refused("class A:\n    def f(self): ...\n", "A.f", "__g", "two leading underscores");
    refused("class A:\n    def f(self): ...\n", "A.f", "1", "not a valid name");
    refused(
        "from threading import Thread\nclass A(Thread):\n    def run(self): ...\n",
        "A.run",
        "g",
        "inherits from Thread",
    );
    refused("class A(make()):\n    def f(self): ...\n", "A.f", "g", "a computed class");
    refused("class A:\n    def f(self): ...\n    def g(self): ...\n", "A.f", "g", "`A` already has a member `g`");
    refused(
        "class A:\n    def f(self): ...\n    def h(self): self.g = 1\n",
        "A.f",
        "g",
        "`A` already has a member `g`",
    );
    refused("class Z:\n    g = 1\nclass A(Z):\n    def f(self): ...\n", "A.f", "g", "`Z` already has a member `g`");
    let base = ("base.py", "class A:\n    def f(self): ...\n");
    check_refused(&[base, ("b.py", "from base import A\nclass B(A):\n    g = 1\n")], "A.f", "g", "`B` already has");
    let mixed = "from base import A\nclass M:\n    def f(self): ...\nclass B(M, A): ...\n";
    check_refused(&[base, ("b.py", mixed)], "A.f", "h", "`B` has a `f` of `M`, too");
}

#[test]
fn members_are_found_from_their_uses() {
    let base = "class Base:\n    def handle(self): ...\n";
    let text = "from base import Base\n\nclass Child(Base): ...\n\nChild().handle()\n";
    set_files([("base.py", base), ("use.py", text)].map(|(path, text)| (path.to_owned(), text.to_owned())));
    let at = Subject::At(text.find("handle").expect("a use") as u32 + 1);
    let result = answer("use.py", text, &at, "process").expect("found");
    assert_eq!(result.elsewhere, Some(FileLocation { path: "base.py".to_owned(), offset: 20 }));
    let bench = testing::open::<Python>("use.py", text);
    let known = Python::resolve_symbol(bench.document(), at).expect("found");
    assert_eq!((&known.elsewhere, known.occurrences.len()), (&result.elsewhere, 1));
    let text = "from base import Base\n\nclass Child(Base):\n    def f(self, q): return super().handle(), q.handle()\n";
    let at = |place: usize| Subject::At(place as u32);
    let found = answer("use.py", text, &at(text.find("handle").expect("a use")), "process").expect("found");
    assert_eq!(found.elsewhere, known.elsewhere);
    answer("use.py", text, &at(text.rfind("handle").expect("a use")), "process").expect_err("no known class");
    let bench = testing::open::<Python>("use.py", text);
    let key = Subject::Declared(known.declared.expect("a member"));
    let found = Python::resolve_symbol(bench.document(), key).expect("found").occurrences;
    assert_eq!(found.iter().map(|occurrence| occurrence.certain).collect::<Vec<_>>(), [true, false]);
}
