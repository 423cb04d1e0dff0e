//! Renames of a member to a name that a related type already has: they are refused, whatever relates the types.

use crate::host::{Files, check_marked as check, files_of, rename_showing};
use marquetry_sdk::{Failure, Subject};

/// Tries to rename the name marked with `¦` to `New`. Returns the texts with `§` before unresolved places.
fn renamed(text: &str) -> Result<Files, Failure> {
    let mut files = files_of(text);
    let marked = files.iter().find_map(|(path, text)| Some((path.clone(), text.find('¦')?)));
    let (path, at) = marked.expect("a marked place");
    files.values_mut().for_each(|text| *text = text.replace('¦', ""));
    rename_showing(&files, &path, Subject::At(at as u32), "New")
}

/// Returns the message of the refusal to rename the marked name to `New`.
fn refusal(text: &str) -> Option<String> {
    renamed(text).err().map(|failure| failure.message)
}

const RELATED: [&str; 2] =
    ["`New` is already a member of a type that has `begin`", "`New` is already declared next to it in `a.js`"];

#[track_caller]
fn check_related(text: &str) {
    let message = refusal(text).unwrap_or_else(|| panic!("not refused: {text}"));
    let known = RELATED.contains(&message.as_str())
        || message.starts_with("`New` is already declared next to it")
        || message.starts_with("`New` is already a member of a type that has");
    assert!(known, "{message}: {text}");
}

#[track_caller]
fn check_unknown(text: &str) {
    let files = renamed(text).unwrap_or_else(|failure| panic!("{}: {text}", failure.message));
    assert!(files.values().any(|text| text.contains("§New")), "{files:?}: {text}");
}

#[track_caller]
fn check_free(text: &str) {
    assert_eq!(refusal(text), None, "{text}");
}

const JOB: &str = "class Job { ¦begin() { return 1; } go() { return this.begin(); } }";

#[test]
fn subclass_through_require_is_related() {
    let mail = "class Mail extends Job { New() { return 2; } }";
    for (exported, imported) in [
        ("module.exports = { Job };", "const { Job } = require('./a');"),
        ("module.exports = { Work: Job };", "const { Work: Job } = require('./a');"),
        ("module.exports = Job;", "const Job = require('./a');"),
        ("module.exports.Job = Job;", "const { Job } = require('./a');"),
        ("exports.Job = Job;", "const Job = require('./a').Job;"),
        ("module.exports = Object.freeze({ Job });", "const { Job } = require('./a');"),
        ("const api = { Job };\nmodule.exports = api;", "const { Job } = require('./a');"),
        ("Object.assign(exports, { Job });", "const { Job } = require('./a');"),
        ("module.exports = { Job };", "import { Job } from './a.js';"),
        ("module.exports = Job;", "import Job from './a.js';"),
    ] {
        check_related(&format!("// a.js\n{JOB}\n{exported}\n// b.js\n{imported}\n{mail}"));
    }
    check_related(&format!(
        "// a.js\n{JOB}\nmodule.exports = {{ Job }};\n// b.js\nconst a = require('./a');\nclass Mail extends a.Job {{ New() {{}} }}"
    ));
    // From the subclass to the base class.
    check_related(
        "// a.js\nclass Job { New() {} }\nmodule.exports = { Job };\n// b.js\nconst { Job } = require('./a');\nclass Mail extends Job { ¦begin() {} }",
    );
    check_related(
        "// a.js\nclass Job { New() {} }\nmodule.exports = Job;\n// b.js\nconst Job = require('./a');\nclass Mail extends Job { ¦begin() {} }",
    );
    check_free(&format!(
        "// a.js\n{JOB}\nmodule.exports = {{ Job }};\n// b.js\nconst {{ Other }} = require('./c');\nclass Mail extends Other {{ New() {{}} }}\n// c.js\nclass Other {{}}\nmodule.exports = {{ Other }};"
    ));
}

#[test]
fn members_of_required_class_are_renamed() {
    check(
        "// a.js\nclass Job { ¦begin() {} }\nmodule.exports = Job;\n// b.js\nconst Job = require('./a');\nclass Mail extends Job { begin() {} }\nnew Mail().begin();\nnew Job().begin();",
        "// a.js\nclass Job { New() {} }\nmodule.exports = Job;\n// b.js\nconst Job = require('./a');\nclass Mail extends Job { New() {} }\nnew Mail().New();\nnew Job().New();",
    );
    check(
        "// a.js\nclass Job { ¦begin() {} }\nmodule.exports = { Job };\n// b.js\nconst { Job } = require('./a');\nclass Mail extends Job { begin() {} }\nnew Mail().begin();\nnew Job().begin();",
        "// a.js\nclass Job { New() {} }\nmodule.exports = { Job };\n// b.js\nconst { Job } = require('./a');\nclass Mail extends Job { New() {} }\nnew Mail().New();\nnew Job().New();",
    );
}

#[test]
fn mixins_are_related() {
    let mix =
        "function mix<T extends new (...a: any[]) => {}>(b: T) { return class M extends b { s() { return 2; } }; }";
    let job = format!("// a.ts\nexport {JOB}\n// b.ts\nimport {{ Job }} from './a';\n");
    check_related(&format!("{job}{mix} export class D extends mix(Job) {{ New() {{}} }}"));
    check_related(&format!("{job}{mix} export class D extends mix(mix(Job)) {{ New() {{}} }}"));
    check_related(&format!(
        "{job}{mix} const Mixed = mix(Job); export class D extends (mix(Job) as any) {{ New() {{}} }}"
    ));
    check_unknown(&format!("{job}{} export class D extends mix(Job) {{}}", mix.replace("s()", "New()")));
    check_related(&format!(
        "{job}type Ctor<T> = new (...a: any[]) => T; declare function Mix<B extends Ctor<Job>>(b: B): B & Ctor<{{ mx(): void }}>; class D extends Mix(Job) {{ New() {{}} }}"
    ));
    check_unknown(&format!("{job}import {{ Mixin }} from 'ts-mixer'; class D extends Mixin(Job) {{ New() {{}} }}"));
    check_unknown(&format!("{job}import {{ lost }} from './gone'; class D extends lost {{ New() {{}} }}"));
    // Functions of packages that get no class, and classes of packages, are unrelated.
    check_free(&format!("{job}import {{ Dto }} from 'dto'; class D extends Dto({{ a: 1 }}) {{ New() {{}} }}"));
    check_free(&format!("{job}import {{ Dto }} from 'dto'; class D extends Dto {{ New() {{}} }}"));
    check_free(&format!("{job}class D extends EventTarget {{ New() {{}} }}"));
    check_free(&format!("{job}class D extends Global {{ New() {{}} }}"));
}

#[test]
fn chosen_base_is_related() {
    let job = format!(
        "// a.ts\nexport {JOB}\nexport class Job2 {{ begin2() {{}} }}\n// b.ts\nimport {{ Job, Job2 }} from './a';\n"
    );
    check_related(&format!("{job}class D extends (Math.random() ? Job : Job2) {{ New() {{}} }}"));
    check_related(&format!("{job}class D extends (Math.random() ? Job2 : Job) {{ New() {{}} }}"));
    check_related(&format!("{job}declare const c: any; class D extends (c && Job) {{ New() {{}} }}"));
    check_related(&format!("{job}const Base = Math.random() ? Job : Job2; class D extends Base {{ New() {{}} }}"));
    check_related(&format!("{job}let Base; class D extends (Base = Job) {{ New() {{}} }}"));
    check_free(&format!("{job}class D extends (Math.random() ? Job2 : Job2) {{ New() {{}} }}"));
}

#[test]
fn added_members_are_related() {
    let job = format!("// a.ts\nexport {JOB}\n// b.ts\nimport {{ Job }} from './a';\n");
    check_related(&format!("{job}declare module './a' {{ interface Job {{ New(): void }} }}"));
    check_free(&format!("{job}declare module './a' {{ interface Other {{ New(): void }} }}"));
    check_related(&format!("{job}Object.assign(Job.prototype, {{ New() {{}} }});"));
    check_free(&format!("{job}Object.assign({{}}, {{ New() {{}} }});"));
    check_related(&format!("{job}Object.defineProperty(Job.prototype, 'New', {{}});"));
    check_related(&format!("{job}type T = Job & {{ New: 1 }};"));
    check_related(&format!("{job}type T = ({{ New: 1 }}) & (Job);"));
    check_free(&format!("{job}type T = {{ a: Job }} & {{ New: 1 }};"));
}

#[test]
fn assigned_members_are_related() {
    let job = format!("// a.js\nexport {JOB}\n// b.js\nimport {{ Job }} from './a.js';\n");
    check_related(&format!("{job}class Mail extends Job {{ constructor() {{ super(); this.New = () => 2; }} }}"));
    check_related(&format!("{job}const p = new Job(); p.New = () => 2;"));
    check_related(&format!("{job}const p = new Job(); p['New'] = () => 2;"));
    check_related(&format!("{job}Job.prototype.New = function () {{}};"));
    check_free(&format!("{job}class Other {{ constructor() {{ this.New = 1; }} }}"));
    check_free(&format!("{job}const p = {{ New: 1 }}; p.New = 2;"));
    check_related("// a.js\nfunction F() {}\nF.prototype.¦begin = function () {};\nF.prototype.New = function () {};");
    check_related("// a.js\nconst ns = {};\nns.¦begin = 1;\nns.New = 2;");
    check_related("// a.js\nexport const ns = { ¦begin: 1 };\n// b.js\nimport { ns } from './a.js';\nns.New = 2;");
}

#[test]
fn read_of_the_new_name_is_related() {
    let job = format!("// a.js\nexport {JOB}\n// b.js\nimport {{ Job }} from './a.js';\n");
    check_related(&format!("{job}const p = new Job(); if (p.New) p.New();"));
    check_related(&format!("{job}const {{ New }} = new Job();"));
    check_free(&format!("{job}class Other {{ New() {{}} }} new Other().New();"));
    check_free(
        "// a.ts\ninterface Job { ¦begin(): void } interface Other { New(): void } function f(x: Job | Other) { if ('New' in x) x.New(); }",
    );
}

#[test]
fn classic_scripts_are_related() {
    check_related(&format!("// a.js\n{JOB}\n// b.js\nclass Mail extends Job {{ New() {{}} }}"));
    check_related(
        "// a.js\nfunction Job() {}\nJob.prototype.¦begin = function () {};\n// b.js\nJob.prototype.New = function () {};",
    );
    check_related("// a.ts\ninterface Job { ¦begin(): void }\n// b.ts\ninterface Job { New(): void }");
    check_related(
        "// a.ts\ninterface Job { ¦begin(): void }\n// b.ts\nexport {};\ndeclare global { interface Job { New(): void } }",
    );
    check_unknown(&format!("// a.js\n{JOB}\n// c.js\nclass Mail extends Between {{ New() {{}} }}"));
    check_free(&format!("// a.js\nexport {JOB}\n// b.js\nclass Mail extends Job {{ New() {{}} }}"));
    check_free("// a.ts\ninterface Job { ¦begin(): void }\n// b.ts\nexport interface Job { New(): void }");
}

#[test]
fn new_name_is_doubtful_in_class_with_unknown_base() {
    for (head, tail) in [
        ("// a.ts\nfunction mix(b: any) { return class extends b { ", "() {} }; }"),
        ("// a.ts\nimport { Lost } from './gone';\nclass M extends Lost { ", "() {} }"),
        ("// a.js\nfunction make(b) { return class M extends b { static ", "() {} }; }"),
    ] {
        check(&format!("{head}¦begin{tail}"), &format!("{head}§New{tail}"));
    }
    for text in [
        "// a.ts\nimport { Known } from 'pkg';\nclass M extends Known({}) { ¦begin() {} }",
        "// a.ts\nclass M extends Global { ¦begin() {} }",
        "// a.ts\nclass Base {}\nclass M extends Base { ¦begin() {} }",
        "// a.ts\nclass M extends Array<string> { ¦begin() {} }",
    ] {
        check(text, &text.replace("¦begin", "New"));
    }
}

#[test]
fn long_chains_of_classes_are_followed() {
    let chain: String = (1..3000).map(|step| format!("class C{step} extends C{} {{}}\n", step - 1)).collect();
    check_unknown(&format!("// a.ts\nclass C0 {{ ¦begin() {{}} }}\n{chain}class D extends C2999 {{ New() {{}} }}"));
    check_related(&format!("// a.ts\nclass C0 {{ ¦begin() {{}} }}\n{chain}class D extends C10 {{ New() {{}} }}"));
}

#[test]
fn places_where_the_new_name_means_another_member_are_listed() {
    let opts = "// a.ts\ninterface Opts { ¦begin: number; size: 1 }\n";
    for code in [
        "const base = { New: 2 }; const f = (o: Opts) => ({ ...base, ...o });",
        "const f = (o: Opts) => ({ ...o, New: 1 });",
        "const f = (o: Opts, p: { New: 1 }) => ({ ...o, ...p });",
        "const f = (o: Opts & { New: 1 }) => o.begin;",
        "declare function merge<A, B>(a: A, b: B): A & B; declare const o: Opts; merge(o, { New: 1 }).begin;",
        "interface Other { New: string } const f = (o: Opts | Other) => { if ('New' in o) o.New; };",
    ] {
        let text = format!("{opts}{code}");
        let outcome = renamed(&text);
        let listed = outcome.as_ref().map_or(true, |files| files.values().any(|text| text.contains('§')));
        assert!(listed, "{outcome:?}: {code}");
    }
    let own = renamed("// a.ts\nconst own = { ¦begin: 1, size: 2 }; const all = { ...own, New: 5 };").expect("renamed");
    assert!(own["a.ts"].contains("{ §...own, New: 5 }"), "{own:?}");
    for code in [
        "const f = (o: Opts) => ({ ...o, other: 1 });",
        "const f = (o: Opts) => { if ('size' in o) o.begin; };",
        "const f = (o: { New: 1 }) => ({ ...o, size: 1 });",
    ] {
        let files = renamed(&format!("{opts}{code}")).expect("renamed");
        assert!(files.values().all(|text| !text.contains('§')), "{files:?}");
    }
}

#[test]
fn types_whose_members_have_other_keyword_types_are_unrelated() {
    for (own, other) in [
        ("interface Own { id: number; ¦New: string }", "interface Other { id: string; name: string }"),
        ("class Own { id: number = 1; ¦New = '' }", "interface Other { id: boolean; name: string }"),
        ("type Own = { id?: number; ¦New: string };", "type Other = { id: string; name: string };"),
    ] {
        check(&format!("{own} {other}").replace("New", "name"), &format!("{} {other}", own.replace('¦', "")));
    }
    for (own, other) in [
        ("interface Own { id: number; ¦New: string }", "interface Other { id: number; §name: string }"),
        ("interface Own { id: number; ¦New: string }", "interface Other { id: number | string; §name: string }"),
        ("interface Own { id: number; ¦New: string }", "interface Other { id: any; §name: string }"),
    ] {
        let before = format!("{own} {other}").replace('§', "").replace("New", "name");
        check(&before, &format!("{} {other}", own.replace('¦', "")));
    }
}
