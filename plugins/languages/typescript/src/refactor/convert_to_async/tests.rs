//! Tests of converting functions to async functions.

use crate::refactor::testing;

#[track_caller]
fn check(marked: &str, after: &str) {
    testing::assert_rewrite("convert_to_async", &[], marked, after);
}

/// Asserts the body of the async function for a body that returns a chain.
#[track_caller]
fn body(before: &str, after: &str) {
    check(&format!("function ‸f() {{\n  {before}\n}}\n"), &format!("async function f() {{\n  {after}\n}}\n"));
}

#[track_caller]
fn refused(body: &str, message: &str) {
    testing::assert_refused("convert_to_async", &[], &format!("function ‸f() {{ {body} }}"), message);
}

#[test]
fn a_statement_that_starts_with_a_parenthesis_stays_one() {
    check(
        "‸() => {\n    return fetch(u).then(r => g(r));\n}",
        "async () => {\n    const r = await fetch(u);\n    return g(r);\n}",
    );
    check(
        "const a = 1\n;(‸() => {\n    return fetch(u).then(r => g(r))\n})()\n",
        "const a = 1\n;(async () => {\n    const r = await fetch(u)\n    return g(r)\n})()\n",
    );
    check(
        "const a = b\nfunction ‸c() {\n    return fetch(u).then(r => g(r))\n}\n",
        "const a = b\nasync function c() {\n    const r = await fetch(u)\n    return g(r)\n}\n",
    );
}

#[test]
fn callback_bodies_follow_await() {
    body(
        "return fetch(u).then(r => r.json()).then(j => j.a);",
        "const r = await fetch(u);\n  const j = await r.json();\n  return j.a;",
    );
    body("return fetch(u).then(() => { g(); });", "await fetch(u);\n  g();");
    body("return fetch(u).then(({ a, b: [c] }) => a + c);", "const { a, b: [c] } = await fetch(u);\n  return a + c;");
    body("return fetch(u).then((r: T) => r.a);", "const r: T = await fetch(u);\n  return r.a;");
    body(
        "return fetch(u).then(r => { r = r || 1; return r; });",
        "let r = await fetch(u);\n  r = r || 1;\n  return r;",
    );
    body("return fetch(u).then(async r => { await r; });", "const r = await fetch(u);\n  await r;");
    body("return fetch(u).then(null).catch().finally(undefined);", "return fetch(u);");
    body(
        "return fetch(u).then(r => { g(); }).then(v => v);",
        "const r = await fetch(u);\n  g();\n  const v = undefined;\n  return v;",
    );
    body("return fetch(u).then(r => a ? r : b);", "const r = await fetch(u);\n  return a ? r : b;");
    body("return fetch(u).then(() => ({ a: 1 })).then(() => 2);", "await fetch(u);\n  ({ a: 1 });\n  return 2;");
}

#[test]
fn possible_promises_are_awaited() {
    body(
        "return fetch(u).then(r => g(r)).then(s => s);",
        "const r = await fetch(u);\n  const s = await g(r);\n  return s;",
    );
    body(
        "return fetch(u).then(r => r.ok || g()).then(s => s);",
        "const r = await fetch(u);\n  const s = await (r.ok || g());\n  return s;",
    );
    body("return fetch(u).then(r => r.ok).then(s => s);", "const r = await fetch(u);\n  const s = r.ok;\n  return s;");
    body(
        "return fetch(u).then(r => { if (r) return g(r); return 1; }).catch(h => 2);",
        "try {\n    const r = await fetch(u);\n    if (r) return await g(r);\n    return 1;\n  } catch (h) {\n    return 2;\n  }",
    );
    body(
        "return fetch(u).then(r => g(r)).catch(() => k());",
        "try {\n    const r = await fetch(u);\n    return await g(r);\n  } catch {\n    return k();\n  }",
    );
}

#[test]
fn catch_callbacks_become_try_statements() {
    body(
        "return fetch(u).then(() => 1).catch(() => 'a').then(x => x);",
        "let x: string | number;\n  try {\n    await fetch(u);\n    x = 1;\n  } catch {\n    x = 'a';\n  }\n  return x;",
    );
    body(
        "return fetch(u).catch(e => g(e)).then(x => () => x);",
        "let x: any;\n  try {\n    x = await fetch(u);\n  } catch (e) {\n    x = await g(e);\n  }\n  return () => x;",
    );
    body(
        "return fetch(u).catch((e: any) => 1).then(({ a }) => a);",
        "let result;\n  try {\n    result = await fetch(u);\n  } catch (e: any) {\n    result = 1;\n  }\n  const { a } = result;\n  return a;",
    );
    body(
        "return fetch(u).finally(() => g());",
        "try {\n    return await fetch(u);\n  } finally {\n    await g();\n  }",
    );
    body(
        "return fetch(u).finally(() => { a = 1; }).then(x => x.ok);",
        "let x;\n  try {\n    x = await fetch(u);\n  } finally {\n    a = 1;\n  }\n  return x.ok;",
    );
    body(
        "return fetch(u).then(undefined, e => 1);",
        "try {\n    return await fetch(u);\n  } catch (e) {\n    return 1;\n  }",
    );
}

#[test]
fn clashing_names_are_renamed() {
    body("const r = 1; return fetch(r).then(r => r);", "const r = 1;\n  const r_1 = await fetch(r);\n  return r_1;");
    body(
        "return fetch(u).then(a => ({ a })).then(({ a }) => a);",
        "const a = await fetch(u);\n  const { a: a_1 } = ({ a });\n  return a_1;",
    );
    body(
        "function g() {}\n  return fetch(u).then(f => f());",
        "function g() {}\n  const f_1 = await fetch(u);\n  return f_1();",
    );
    body(
        "return fetch(u).then(g => g);\n  function g() {}",
        "const g_1 = await fetch(u);\n  return g_1;\n  function g() {}",
    );
    // Declarations of a callback must not shadow names outside of it.
    body("return fetch(x).then(x => x);", "const x_1 = await fetch(x);\n  return x_1;");
    body(
        "return fetch(u).then(r_1 => r_1).then(r => r).then(r => r);",
        "const r_1 = await fetch(u);\n  const r = r_1;\n  const r_2 = await r;\n  return r_2;",
    );
    body(
        "return fetch(u).then(function () { var t = 1; g(t); }).then(() => { let t; });",
        "await fetch(u);\n  var t = 1;\n  g(t);\n  let t_1;",
    );
}

#[test]
fn named_callbacks_are_called() {
    let with = |text: &str| format!("{text}\nfunction g(a) {{ return 1 }}\nfunction none() {{ return 1 }}\n");
    let check = |before: &str, after: &str| check(&with(before), &with(after));
    check(
        "function ‸f() { return fetch(u).then(g) }",
        "async function f() {\n    const a = await fetch(u);\n    return g(a);\n}",
    );
    check(
        "function ‸f() { return fetch(u).then(g).then(g) }",
        "async function f() {\n    const a_1 = await fetch(u);\n    const a = await g(a_1);\n    return g(a);\n}",
    );
    check(
        "function ‸f() { return fetch(u).then(none) }",
        "async function f() {\n    await fetch(u);\n    return none();\n}",
    );
    check(
        "class C { ‸f() { return fetch(u).then(this.h).then(console.log) } h = b => b }",
        "class C { async f() {\n    const b = await fetch(u);\n    const data = await this.h(b);\n    return console.log(data);\n} h = b => b }",
    );
}

#[test]
fn every_form_of_function_becomes_async() {
    check(
        "const ‸f = () => fetch(u).then(r => r.ok);",
        "const f = async () => {\n    const r = await fetch(u);\n    return r.ok;\n};",
    );
    check(
        "const f = ‸a => (fetch(a).then(r => r.ok));",
        "const f = async a => {\n    const r = await fetch(a);\n    return r.ok;\n};",
    );
    check(
        "const o = { ‸[k]() { return fetch(u).then(() => 1); } };",
        "const o = { async [k]() {\n    await fetch(u);\n    return 1;\n} };",
    );
    check(
        "class C { private static ‸f() { return fetch(u).then(() => 1); } }",
        "class C { private static async f() {\n    await fetch(u);\n    return 1;\n} }",
    );
    check(
        "export default function ‸() { return fetch(u).then(() => 1); }",
        "export default async function () {\n    await fetch(u);\n    return 1;\n}",
    );
    check(
        "async function ‸f() { return await fetch(u).then(() => g()); }",
        "async function f() {\n    await fetch(u);\n    return await g();\n}",
    );
    check(
        "function f() {\n\treturn ‸fetch(u).then(() => 1)\n}\nf()\ng()",
        "async function f() {\n\tawait fetch(u)\n\treturn 1\n}\nf()\ng()",
    );
    check(
        "function ‸f() {\r\n  return fetch(u).then(r => {\r\n    return 1;\r\n  });\r\n}",
        "async function f() {\r\n  const r = await fetch(u);\r\n  return 1;\r\n}",
    );
}

#[test]
fn unreachable_code_stays_unreachable() {
    check(
        "function ‸f() {\n  if (a) {\n    return fetch(u).then(() => { g(); });\n  }\n  return fetch(v);\n}",
        "async function f() {\n  if (a) {\n    await fetch(u);\n    g();\n    return;\n  }\n  return fetch(v);\n}",
    );
    check(
        "function ‸f() {\n  if (a) return fetch(u).then(() => 1);\n  return fetch(v);\n}",
        "async function f() {\n  if (a) {\n    await fetch(u);\n    return 1;\n  }\n  return fetch(v);\n}",
    );
}

#[test]
fn comments_and_layout_are_preserved() {
    body(
        "return fetch(u) // first\n    .then(r => {\n      // why\n      g(r); // what\n\n      return `\n  ${r}`;\n      // end\n    });",
        "const r = await fetch(u); // first\n  // why\n  g(r); // what\n\n  return `\n  ${r}`;\n  // end",
    );
    body(
        "return /*a*/ fetch(u).then(r /*b*/ => { /*c*/ g(r) /*d*/ });",
        "/*a*/ const r = await fetch(u);\n  /*b*/ /*c*/ g(r); /*d*/",
    );
}

#[test]
fn refuses_changes_of_meaning() {
    refused("return g();", "the function does not return a chain of `then`, `catch` or `finally`");
    refused("return x.then(y => y);", "it is unknown whether this is a promise");
    refused("return fetch(u).then(a, b);", "`then` with two callbacks cannot be written with `try`");
    refused("return fetch(u).then(a);", "it is unknown whether this is a function");
    refused("return fetch(u).then(function* () {});", "the callback is a generator and returns an iterator");
    refused(
        "return fetch(u).then(function () { return this; });",
        "`this` would have a different meaning in the function around the callback",
    );
    refused("return fetch(u).then((a, b) => b);", "the callback has a parameter that never gets an argument");
    refused("return fetch(u).then((a = 1) => a);", "the parameter of the callback has a default value");
    refused(
        "return fetch(u).then(() => { if (a) return 1; }).then(b => b);",
        "the callback returns inside a nested statement",
    );
    refused("return fetch(u).finally(() => { if (a) return; });", "the callback returns inside a nested statement");
    refused("if (a) return 1; return fetch(u).then(() => 1);", "the function may return a value that is not a promise");
    refused("if (a) return fetch(u).then(() => 1);", "the function may end without returning a promise");
    refused(
        "try { return fetch(u).then(() => 1); } catch { return fetch(u); }",
        "the surrounding `try` would catch the rejection, which it does not do now",
    );
    refused("return fetch(u).then(...a);", "the callbacks in a spread argument cannot be determined");
}

#[test]
fn any_caret_gives_valid_syntax() {
    let mut done = 0;
    for text in testing::SAMPLES {
        done += testing::assert_valid_at_every_offset("convert_to_async", "a.tsx", text, &[]);
    }
    assert!(done > 3);
}

#[test]
fn variable_assigned_in_callback_gives_warning() {
    let doubt = |marked: &str| {
        testing::run_refactoring("convert_to_async", "a.ts", marked, &[]).1.expect("a rewrite").incomplete
    };
    let told = Some("type checkers may report that `a` is used before it is assigned".to_owned());
    assert_eq!(
        doubt(
            "function ‸f() {\n  let a: () => void;\n  const b = new Promise(c => { a = g(c); });\n  return b.finally(() => a());\n}\n"
        ),
        told
    );
    assert_eq!(
        doubt(
            "function ‸f() {\n  let a: () => void = h;\n  const b = new Promise(c => { a = g(c); });\n  return b.finally(() => a());\n}\n"
        ),
        None
    );
}
