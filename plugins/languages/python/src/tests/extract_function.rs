//! Extraction of code to functions: texts before and after.

use marquetry_sdk::testing;

use crate::Python;

#[track_caller]
fn check(before: &str, after: &str) {
    testing::check_refactor::<Python>(("a.py", before), "extract_function", &[("extractedName", "new")], after);
}

#[track_caller]
fn refused(before: &str, message: &str) {
    testing::check_refused::<Python>(("a.py", before), "extract_function", &[("extractedName", "new")], message);
}

#[test]
fn statements_become_functions() {
    check(
        "def f(rows):\n    «total = 0\n    for row in rows:\n        total += row.amount»\n    print(total)\n    return total\n",
        "def new(rows):\n    total = 0\n    for row in rows:\n        total += row.amount\n    return total\n\n\ndef f(rows):\n    total = new(rows)\n    print(total)\n    return total\n",
    );
    check(
        "import os\n\n\ndef f(a, b):\n    «os.x(a)»\n    g(b)\n",
        "import os\n\n\ndef new(a):\n    os.x(a)\n\n\ndef f(a, b):\n    new(a)\n    g(b)\n",
    );
    check(
        "def f(a):\n    if a:\n        «# First.\n        x = a\n        y = x»\n        return x, y\n",
        "def new(a):\n    x = a\n    y = x\n    return x, y\n\n\ndef f(a):\n    if a:\n        # First.\n        x, y = new(a)\n        return x, y\n",
    );
    check(
        "def f(a):\n    «s = '''a\n b'''\n    return g(s, a)»\n",
        "def new(a):\n    s = '''a\n b'''\n    return g(s, a)\n\n\ndef f(a):\n    return new(a)\n",
    );
    check(
        "def f(a):\n    «if a:\n        return 1\n    return 2»\n",
        "def new(a):\n    if a:\n        return 1\n    return 2\n\n\ndef f(a):\n    return new(a)\n",
    );
    check("def f():\n    «g()»\n", "def new():\n    g()\n\n\ndef f():\n    new()\n");
}

#[test]
fn expressions_become_functions() {
    check(
        "def f(a, b):\n    return «a * b» + 2\n",
        "def new(a, b):\n    return a * b\n\n\ndef f(a, b):\n    return new(a, b) + 2\n",
    );
    check("x = 1\ny = «x + g()»\n", "x = 1\n\n\ndef new():\n    return x + g()\n\n\ny = new()\n");
    check(
        "def f(a):\n    return [«i * a» for i in a]\n",
        "def new(i, a):\n    return i * a\n\n\ndef f(a):\n    return [new(i, a) for i in a]\n",
    );
    check(
        "def f(a):\n    return lambda b: «a + b»\n",
        "def new(a, b):\n    return a + b\n\n\ndef f(a):\n    return lambda b: new(a, b)\n",
    );
    check(
        "async def f(a):\n    return («await a.b()»).c\n",
        "async def new(a):\n    return await a.b()\n\n\nasync def f(a):\n    return (await new(a)).c\n",
    );
    check(
        "def f(a):\n    x = «a.b(\n        1)»\n",
        "def new(a):\n    return (a.b(\n        1))\n\n\ndef f(a):\n    x = new(a)\n",
    );
}

#[test]
fn code_that_uses_the_object_becomes_a_method() {
    check(
        "class A:\n    async def load(self, key):\n        «row = await self.get(key)\n        if row is None:\n            raise KeyError(key)»\n        return row.value\n",
        "class A:\n    async def load(self, key):\n        row = await self.new(key)\n        return row.value\n\n    async def new(self, key):\n        row = await self.get(key)\n        if row is None:\n            raise KeyError(key)\n        return row\n",
    );
    check(
        "class A:\n    @classmethod\n    def f(cls, a):\n        «cls.x = a»\n\n    def g(self): ...\n",
        "class A:\n    @classmethod\n    def f(cls, a):\n        cls.new(a)\n\n    @classmethod\n    def new(cls, a):\n        cls.x = a\n\n    def g(self): ...\n",
    );
    check(
        "class A:\n    def f(self, a):\n        return «a + 1»\n",
        "def new(a):\n    return a + 1\n\n\nclass A:\n    def f(self, a):\n        return new(a)\n",
    );
    check(
        "class A:\n    def f(self):\n        «super().f()»\n",
        "class A:\n    def f(self):\n        self.new()\n\n    def new(self):\n        super().f()\n",
    );
    refused("class A:\n    @staticmethod\n    def f(a):\n        «a.__x()»\n", "`__x` depends on the class");
    refused("class A:\n    def f(self):\n        self = 1\n        «self.x()»\n", "`self` is assigned");
}

#[track_caller]
fn check_flow(before: &str, parameters: &str, body: &str, after: &str) {
    check(&format!("def f(a, b):\n{before}"), &format!("def new({parameters}):\n{body}\n\ndef f(a, b):\n{after}"));
}

#[test]
fn variables_flow_in_and_out() {
    // A variable that is only sometimes assigned keeps its value.
    check_flow(
        "    x = 1\n    «if a:\n        x = 2»\n    return x\n",
        "a, x",
        "    if a:\n        x = 2\n    return x\n",
        "    x = 1\n    x = new(a, x)\n    return x\n",
    );
    check_flow(
        "    «x = a\n    g(x)»\n    x = b\n    h(x)\n",
        "a",
        "    x = a\n    g(x)\n    return x\n",
        "    x = new(a)\n    x = b\n    h(x)\n",
    );
    // The next iteration uses the value.
    check_flow(
        "    n = 0\n    for i in a:\n        «n += i»\n",
        "n, i",
        "    n += i\n    return n\n",
        "    n = 0\n    for i in a:\n        n = new(n, i)\n",
    );
    check_flow(
        "    «with a as x:\n        g(x)»\n    return x\n",
        "a",
        "    with a as x:\n        g(x)\n    return x\n",
        "    x = new(a)\n    return x\n",
    );
}

#[test]
fn variables_of_the_selection_stay_in_it() {
    check_flow(
        "    «try:\n        g()\n    except E as e:\n        h(e)»\n",
        "",
        "    try:\n        g()\n    except E as e:\n        h(e)\n",
        "    new()\n",
    );
    check_flow(
        "    «if (m := a.match(b)):\n        g(m)»\n",
        "a, b",
        "    if (m := a.match(b)):\n        g(m)\n",
        "    new(a, b)\n",
    );
    check_flow(
        "    «x = [i for i in a]\n    g(lambda y: y + b)»\n",
        "a, b",
        "    x = [i for i in a]\n    g(lambda y: y + b)\n",
        "    new(a, b)\n",
    );
    check_flow(
        "    «match a:\n        case [x, *y]:\n            g(x, y)»\n",
        "a",
        "    match a:\n        case [x, *y]:\n            g(x, y)\n",
        "    new(a)\n",
    );
}

#[test]
fn variables_without_a_certain_value_are_refused() {
    refused("def f(a):\n    if a:\n        x = 1\n    «g(x)»\n", "`x` may have no value before");
    refused("def f(a):\n    «if a:\n        x = 1»\n    g(x)\n", "`x` may have no value before");
    refused("def f(a):\n    «for i in a:\n        g(i)»\n    return i\n", "`i` may have no value before");
    refused("def f(a):\n    «for i in a:\n        pass\n    else:\n        g(i)»\n", "`i` may have no value before");
    refused(
        "def f(a):\n    «try:\n        x = a()\n    except E:\n        pass\n    g(x)»\n",
        "`x` may have no value before",
    );
}

#[test]
fn control_flow_that_leaves_the_selection_is_refused() {
    refused("def f(a):\n    «if a:\n        return 1\n    g()»\n    h()\n", "may or may not return");
    refused("def f(a):\n    for i in a:\n        «if i:\n            break»\n", "a loop outside");
    refused("def f(a):\n    for i in a:\n        «continue»\n", "a loop outside");
    refused(
        "def f(a):\n    for i in a:\n        «for j in i:\n            pass\n        else:\n            break»\n",
        "a loop outside",
    );
    refused("def f(a):\n    «x = yield a»\n", "`yield` belongs");
    refused("def f(a):\n    «yield from a»\n", "`yield` belongs");
    refused("x = 1\ndef f():\n    «global x\n    x = 2»\n", "`global` and `nonlocal`");
    refused("x = 1\ndef f():\n    global x\n    «x = 2»\n", "`x` is a variable of the module");
    refused("def f(a):\n    «del a»\n", "`del` removes");
    refused("def f(a):\n    «g(locals())»\n", "`locals` depends");
    refused("def f(a):\n    return «(x := a)» + x\n", "assigns a variable");
    refused("«x = 1»\n", "`x` is a variable of the module");
    refused("class A:\n    x = 1\n    y = «x + 1»\n", "`x` is a variable of the class");
    check(
        "def f(a):\n    «for i in a:\n        if i:\n            break»\n",
        "def new(a):\n    for i in a:\n        if i:\n            break\n\n\ndef f(a):\n    new(a)\n",
    );
    check(
        "def f(a):\n    «def g():\n        yield a\n        return 1\n    h(g)»\n",
        "def new(a):\n    def g():\n        yield a\n        return 1\n    h(g)\n\n\ndef f(a):\n    new(a)\n",
    );
}

#[test]
fn variables_of_closures_are_refused() {
    refused("def f(a):\n    x = 1\n    def g(): return x\n    «x = a»\n    g()\n", "`x` is shared");
    refused("def f(a):\n    x = 1\n    «h(lambda: x)»\n    x = 2\n", "`x` is shared");
    refused("def f():\n    x = 1\n    def g():\n        nonlocal x\n        «x = 2»\n    g()\n", "`x` is shared");
}

#[test]
fn variables_of_handlers_are_refused() {
    refused(
        "def f(a):\n    x = 1\n    try:\n        «x = a\n        g()»\n    except E:\n        h(x)\n",
        "`x` is used by code",
    );
    refused(
        "def f(a):\n    x = 1\n    try:\n        «x = a\n        return g()»\n    finally:\n        h(x)\n",
        "`x` is used by code",
    );
    refused("def f(a):\n    def g(): return x\n    «x = a\n    return g»\n", "`x` is used by code");
    check(
        "def f(a):\n    try:\n        «x = a\n        g(x)»\n    except E:\n        h(a)\n",
        "def new(a):\n    x = a\n    g(x)\n\n\ndef f(a):\n    try:\n        new(a)\n    except E:\n        h(a)\n",
    );
}

#[test]
fn methods_of_subclasses_are_uncertain() {
    let text = "class A(B):\n    def f(self):\n        «self.g()»\n";
    let (_, result) = testing::run_refactor::<Python>(("a.py", text), "extract_function", &[]);
    assert_eq!(
        result.expect("extracted").incomplete.as_deref(),
        Some("a base class in `B` may have a member `extracted`, which the new method would override")
    );
}

#[test]
fn unclear_selections_are_refused() {
    refused("def f(a):\n    «x = a\n    y» = x\n", "neither whole statements nor an expression");
    refused("def f(a):\n    g(«a, a»)\n", "neither whole statements nor an expression");
    refused("def f(a):\n    «a» = 1\n", "neither whole statements nor an expression");
    refused("def f(a): «g(a)»; h(a)\n", "neither whole statements nor an expression");
    refused("def f(a):\n    x: '«a»' = 1\n", "neither whole statements nor an expression");
    refused("def new(): ...\ndef f(a):\n    «g(a)»\n", "already has the name `new`");
    refused("def f(a):\n    ‸g(a)\n", "neither whole statements nor an expression");
    refused("def f(:\n    «g(a)»\n", "syntax errors");
}
