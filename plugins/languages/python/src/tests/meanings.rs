//! Names of packages that may be a module of the package, or something else.

use marquetry_sdk::workspace::set_files;

use super::links::{CASH, check_relink, check_resolved, relinked};

/// Sets the files of a package whose name `money` is not the module `money`.
pub(super) fn set_package(init: &str) {
    let files = [
        ("shop/__init__.py", init),
        ("shop/money.py", "def money(): pass\n"),
        ("shop/all.py", "def money(): pass\n"),
        ("shop/util/__init__.py", ""),
        ("main.py", ""),
    ];
    set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

#[test]
fn name_that_the_package_declares_is_not_the_module() {
    for init in [
        "from .money import money\n",
        "from shop.money import money\n",
        "def money(): pass\n",
        "money = None\n",
        "from .all import *\n",
        "from .money import other as money\n",
        "import typing\nif typing.TYPE_CHECKING:\n    from .money import money\n\ndef __getattr__(name): pass\n",
    ] {
        set_package(init);
        check_resolved("main.py", "submodule", "shop.money", "external");
        check_resolved("shop/util/__init__.py", "submodule", "..money", "external");
        check_relink("main.py", "from shop import money\nmoney()\n", CASH, "from shop import money\nmoney()\n");
        check_relink("main.py", "import shop.money\nshop.money.x\n", CASH, "import shop.util.cash\nshop.util.cash.x\n");
    }
    for init in ["", "from . import money\n", "import shop.money\n", "x = 'money'\n", "from .money import other\n"] {
        set_package(init);
        check_resolved("main.py", "submodule", "shop.money", "shop/money.py");
        check_relink("main.py", "from shop import money\n", CASH, "from shop.util import cash\n");
    }
}

#[test]
fn name_that_the_package_may_compute_is_listed() {
    let text = "from shop import money\n";
    for names in [
        "_names = {'money': '.money'}\n",
        "if x:\n    money = 1\n",
        "if x:\n    from .money import other\n",
        "def f():\n    from .money import other\n",
        "if TYPE_CHECKING: from .money import other\n",
    ] {
        set_package(&format!("{names}\ndef __getattr__(name): pass\n"));
        check_resolved("main.py", "submodule", "shop.money", "shop/money.py");
        let (after, result) = relinked("main.py", text, CASH);
        assert_eq!(after, text);
        assert_eq!(result.unresolved.len(), 1);
    }
    // The package does not name the module, so it does not compute it, or it has the module as an attribute.
    for imports in ["", "from .util import *\n", "from .money import other\n", "import shop.money\n"] {
        set_package(&format!("{imports}\ndef __getattr__(name): pass\n"));
        check_relink("main.py", text, CASH, "from shop.util import cash\n");
    }
}

#[test]
fn names_that_all_cases_declare_are_not_the_module() {
    for init in [
        "try:\n    from ._fast import money\nexcept ImportError:\n    money = None\n",
        "try:\n    import fast as money\nexcept ImportError:\n    raise\n",
        "if x:\n    money = 1\nelif y:\n    def money(): ...\nelse:\n    from .all import money\n",
        "from . import money\nmoney = money.money\n",
        "from numpy import money\n",
        "with open(x) as money: ...\n",
        "def f():\n    global money\n    money = 1\n\nfor money in x: ...\nmoney = 2\n",
        "del money\nmoney = 1\n",
        "try: ...\nexcept E:\n    money = 1\nelse:\n    money = 2\n",
        "import shop.all as money\n",
    ] {
        set_package(init);
        check_resolved("main.py", "submodule", "shop.money", "external");
    }
}

#[test]
fn names_that_the_package_deletes_or_binds_to_the_module_are_the_module() {
    for init in [
        "from . import money\nmoney.setup()\ndel money\n",
        "from .money import money\nmoney()\ndel money\n",
        "for money in x: ...\ndel money\n",
        "import shop.money as money\n",
        "try:\n    from . import money\nexcept ImportError: ...\n",
        "def f():\n    money = 1\nclass A:\n    money = 1\n",
        "money: int\n",
    ] {
        set_package(init);
        check_resolved("main.py", "submodule", "shop.money", "shop/money.py");
        check_relink("main.py", "from shop import money\n", CASH, "from shop.util import cash\n");
    }
}

#[test]
fn names_that_only_some_cases_declare_are_listed() {
    for init in [
        "try:\n    from ._fast import money\nexcept ImportError:\n    pass\n",
        "try:\n    from ._fast import money\nexcept ImportError:\n    from . import money\n",
        "with suppress(ImportError):\n    from ._fast import money\n",
        "if x:\n    money = 1\n",
        "if x:\n    pass\nelse:\n    money = 1\n",
        "try: ...\nexcept E:\n    money = 1\n",
        "import typing\nif typing.TYPE_CHECKING:\n    from .money import money\nelse:\n    money = None\n",
        "if x:\n    money = 1\nelif y:\n    money = 2\n",
        "money = 1\nif x:\n    del money\n",
        "for money in x: ...\n",
        "def f():\n    global money\n    money = 1\n",
        "import typing\nif typing.TYPE_CHECKING:\n    from .money import money\n",
    ] {
        set_package(init);
        check_resolved("main.py", "submodule", "shop.money", "shop/money.py");
        let text = "from shop import money\n";
        let (after, result) = relinked("main.py", text, CASH);
        assert_eq!((after.as_str(), result.unresolved.len()), (text, 1), "{init}");
    }
}
