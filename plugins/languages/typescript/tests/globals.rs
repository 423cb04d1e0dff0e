//! Literal types and members whose values are globals of other files: of scripts, and in `declare global` blocks. The
//! notation is that of `completeness.rs`.

use crate::host::{check_marked as check, check_renamed};

/// Checks files after `dark` is renamed; every `New` in them was `dark`, and `¦` marks the place that was given.
#[track_caller]
fn check_dark(after: &str) {
    check(&after.replace('§', "").replace("New", "dark"), &after.replace('¦', ""));
}

#[test]
fn literals_for_globals_of_the_declaring_file_are_renamed() {
    for text in [
        "// a.ts\ntype Mode = '¦New' | 'light';\n// b.ts\ndeclare function setMode(m: Mode): void; setMode('New');",
        "// a.d.ts\ntype Mode = '¦New' | 'light'; declare function setMode(m: Mode): void; declare var mode: Mode;\n// b.ts\nsetMode('New'); if (mode === 'New') {} mode = 'New'; switch (mode) { case 'New': }",
        "// a.ts\ndeclare global { type Mode = '¦New' | 'light'; function setMode(m: Mode): void } export {};\n// b.ts\nsetMode('New'); let m: Mode = 'New'; export {};",
        "// a.ts\ndeclare global { type Mode = '¦New' | 'light'; var mode: Mode } export {}; mode = 'New';\n// b.ts\nexport const is = mode !== 'New';",
        "// a.d.ts\ntype Mode = '¦New' | 'light'; declare class Theme { set(m: Mode): void; mode: Mode }\n// b.ts\nnew Theme().set('New'); function f(t: Theme) { return t.mode === 'New'; }",
        "// a.d.ts\ntype Mode = '¦New' | 'light'; declare namespace theme { function set(m: Mode): void }\n// b.ts\ntheme.set('New');",
    ] {
        check_dark(text);
    }
}

#[test]
fn literals_for_globals_of_other_files_are_listed() {
    for text in [
        "// a.d.ts\ntype Mode = '¦New' | 'light';\n// b.d.ts\ndeclare var mode: Mode; declare class Theme { set(m: Mode): void }\n// c.ts\nif (mode === '§dark') {} new Theme().set('§dark'); mode = '§dark'; let m: Mode = 'New'; switch (mode) { case '§dark': }",
        "// a.ts\nexport type Mode = '¦New' | 'light';\n// b.d.ts\ndeclare var mode: import('./a').Mode; declare var theme: { mode: import('./a').Mode };\n// c.ts\nmode = '§dark'; theme.mode = x ? '§dark' : 'light';",
        "// a.ts\ndeclare global { type Mode = '¦New' | 'light'; interface Window { mode: Mode } } export {};\n// b.ts\nglobalThis.mode = '§dark'; export {};",
        "// a.d.ts\ntype Mode = '¦New' | 'light';\n// c.ts\nsetOptions({ mode: '§dark', modes: ['§dark'] });",
        // Functions that are declared, of the platform, of test runners; values with a type.
        "// a.d.ts\ntype Mode = '¦New' | 'light';\n// c.ts\nconsole.log('dark'); describe('dark', () => { it('dark', () => {}); }); function f(s: string) { return s === 'dark'; } f('dark'); require('dark');",
    ] {
        check_dark(text);
    }
}

#[test]
fn members_of_globals_of_the_declaring_file_are_renamed() {
    for text in [
        "// a.d.ts\ninterface State { ¦New: number } declare var state: State; declare function get(k: keyof State): void;\n// b.ts\nstate.New; get('New');",
        "// a.ts\ndeclare global { interface State { ¦New: number } var state: State } export {};\n// b.ts\nexport const f = (s: State) => s.New + state.New;",
    ] {
        check_dark(text);
    }
    check_renamed("dark", "declare global { interface State { ¦New: 1 } var state: State } export {}; state.New;");
}

#[test]
fn members_of_values_that_the_global_object_holds_are_renamed() {
    let own = "// a.ts\nexport interface Scene { ¦New(): void }\ndeclare global { interface Window { scene: Scene; all?: Scene[]; app: { scene: Scene } } }\n// b.ts\nexport {};";
    for text in [
        "window.scene.New(); self.scene.New(); window.all?.[0].New(); window.all!.map((it) => it.New());",
        "const { scene } = window; scene.New(); const w = window; w.scene.New(); window.window.scene.§draw();",
        "function f(window: any) { window.scene.§draw(); } document.defaultView!.scene.§draw(); globalThis.scene.§draw();",
        "const { app } = window; app.scene.New(); window.app.scene.New();",
        "window.other.§draw(); window.document.draw; window.scene = { New() {} };",
    ] {
        check_renamed("draw", &format!("{own}\n{text}"));
    }
    check_renamed(
        "draw",
        "// a.d.ts\ninterface Scene { ¦New(): void } interface Window { scene: Scene }\n// b.ts\nwindow.scene.New();",
    );
}
