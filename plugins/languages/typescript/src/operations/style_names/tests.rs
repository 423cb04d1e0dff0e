//! Tests of renaming style names in code.

use marquetry_sdk::span::apply;
use marquetry_sdk::{ImportKey, SharedName, Subject, Symbols, workspace};

use crate::{TypeScript, TypeScriptDocument};

/// Asserts the text after a rename, with `§` before every uncertain place.
#[track_caller]
fn check(space: &str, old: &str, new: &str, before: &str, after: &str) {
    let document = TypeScriptDocument::open("a.tsx", before.to_owned());
    let shared = SharedName { namespace: space.to_owned(), name: old.to_owned() };
    let renaming = TypeScript::rename(&document, Subject::Shared(shared), new).expect("a rename");
    let mut edits = renaming.edits;
    edits.extend(renaming.unresolved.iter().map(|left| marquetry_sdk::Edit::insert(left.start as usize, "§")));
    edits.sort_by_key(|edit| edit.span.start);
    assert_eq!(apply(before, &edits), after);
}

#[test]
fn renames_classes_in_jsx() {
    let check = |before: &str, after: &str| check("css-class", "btn", "cta", before, after);
    check(r#"<a className="btn btn-big  btn" />;"#, r#"<a className="cta btn-big  cta" />;"#);
    check(r#"<a class={'btn'} /> ;"#, r#"<a class={'cta'} /> ;"#);
    check("<a className={on ? 'btn' : 'x btn'} />;", "<a className={on ? 'cta' : 'x cta'} />;");
    check("<a className={on && 'btn'} />;", "<a className={on && 'cta'} />;");
    check("<a className={`btn ${x} btn-${y} btn${z} btn`} />;", "<a className={`cta ${x} btn-${y} §btn${z} cta`} />;");
    check("<a className={['a', 'btn'].join(' ')} />;", "<a className={['a', 'cta'].join(' ')} />;");
    check(
        "<a className={clsx('btn', { btn: on, 'a btn': x })} />;",
        "<a className={clsx('cta', { cta: on, 'a cta': x })} />;",
    );
    check("<Card className=\"btn\" kind=\"btn\" />;", "<Card className=\"cta\" kind=\"§btn\" />;");
    check(r#"<input type="btn" />;"#, r#"<input type="btn" />;"#);
}

#[test]
fn keys_that_are_not_identifiers_are_quoted() {
    check(
        "css-class",
        "btn",
        "btn-big",
        "<a className={cn({ btn: on })} />;",
        "<a className={cn({ 'btn-big': on })} />;",
    );
}

#[test]
fn renames_classes_in_dom_calls() {
    let check = |before: &str, after: &str| check("css-class", "btn", "cta", before, after);
    check("el.classList.add('btn', 'x');", "el.classList.add('cta', 'x');");
    check("el.classList.toggle('btn', on);", "el.classList.toggle('cta', on);");
    check("el.className = 'a btn';", "el.className = 'a cta';");
    check("el.setAttribute('class', 'btn');", "el.setAttribute('class', 'cta');");
    check(
        "document.querySelector('a.btn:not(.btn) > #btn[title=\".btn\"]');",
        "document.querySelector('a.cta:not(.cta) > #btn[title=\".btn\"]');",
    );
    check("document.getElementsByClassName('btn');", "document.getElementsByClassName('cta');");
}

#[test]
fn uncertain_strings_are_unresolved() {
    let check = |before: &str, after: &str| check("css-class", "btn", "cta", before, after);
    check("const kind = 'btn';", "const kind = '§btn';");
    check("$('.btn').hide();", "$('.§btn').hide();");
    check("import x from 'btn';", "import x from 'btn';");
    check("const btn = 'button btns';", "const btn = 'button btns';");
}

#[test]
fn renames_ids_and_custom_properties() {
    check(
        "css-id",
        "top",
        "start",
        r#"<a id="top" htmlFor="top" aria-labelledby="x top" />;"#,
        r#"<a id="start" htmlFor="start" aria-labelledby="x start" />;"#,
    );
    check("css-id", "top", "start", "document.getElementById('top');", "document.getElementById('start');");
    check("css-id", "top", "start", r#"<Item id="top" />;"#, r#"<Item id="§top" />;"#);
    check(
        "custom-property",
        "--gap",
        "--space",
        "<a style={{ '--gap': 1, margin: 'calc(var(--gap) + var( --gap-x))' }} />; s.setProperty('--gap', 2);",
        "<a style={{ '--space': 1, margin: 'calc(var(--space) + var( --gap-x))' }} />; s.setProperty('--space', 2);",
    );
}

#[test]
fn finds_name_at_offset() {
    let text = "const a = <a className=\"x btn\" />;";
    let document = TypeScriptDocument::open("a.tsx", text.to_owned());
    let at = text.find("btn").expect("the text contains the name") as u32;
    let renaming = TypeScript::rename(&document, Subject::At(at + 1), "cta").expect("a rename");
    assert_eq!((renaming.shared.as_deref(), renaming.name.as_str()), (Some("css-class"), "btn"));
    assert!(
        TypeScript::rename(&document, Subject::At(at + 1), ".cta").is_err(),
        "the new name of a class must not start with a dot"
    );
    let free: Vec<String> = TypeScript::facts(&document).free.into_iter().map(|name| name.name).collect();
    assert_eq!(free, ["btn", "x"]);
}

/// Asserts the text after renaming a class of `./a.module.css`, with `§` before every uncertain place.
#[track_caller]
fn check_module(old: &str, new: &str, before: &str, after: &str) {
    let sheet = ".card { } .card-title { } .cardBody { }".to_owned();
    workspace::set_files([("a.module.css".to_owned(), sheet)]);
    let import = "import styles from './a.module.css';";
    let before = format!("{import}{before}");
    let document = TypeScriptDocument::open("a.tsx", before.clone());
    let key = ImportKey { specifiers: vec!["./a.module.css".to_owned()], name: old.to_owned() };
    let renaming = TypeScript::rename(&document, Subject::Imported(key), new).expect("a rename");
    let mut edits = renaming.edits;
    edits.extend(renaming.unresolved.iter().map(|left| marquetry_sdk::Edit::insert(left.start as usize, "§")));
    edits.sort_by_key(|edit| edit.span.start);
    assert_eq!(apply(&before, &edits), format!("{import}{after}"));
}

#[test]
fn renames_classes_of_css_modules() {
    check_module(
        "card",
        "tile",
        "<a className={styles.card} id={styles['card']} class={`x ${styles?.card}`} card={card} />;",
        "<a className={styles.tile} id={styles['tile']} class={`x ${styles?.tile}`} card={card} />;",
    );
    check_module(
        "card",
        "card-big",
        "styles.card; styles?.card; styles['card'];",
        "styles['card-big']; styles?.['card-big']; styles['card-big'];",
    );
    check_module(
        "card-title",
        "card-head",
        "styles['card-title']; styles.cardTitle;",
        "styles['card-head']; styles.cardTitle;",
    );
    check_module(
        "cardTitle",
        "card-head",
        "styles['card-title']; styles.cardTitle;",
        "styles['card-title']; styles.cardHead;",
    );
    check_module("cardBody", "card-text", "styles.cardBody;", "styles['card-text'];");
    check_module(
        "card",
        "tile",
        "const { card, 'card': b, card: c } = styles; card;",
        "const { tile: card, 'tile': b, tile: c } = styles; card;",
    );
    check_module(
        "card",
        "tile",
        "const s = 'card'; <a className=\"card\" />;",
        "const s = 'card'; <a className=\"card\" />;",
    );
}

#[test]
fn computed_css_module_accesses_are_unresolved() {
    check_module(
        "card",
        "tile",
        "styles[size]; styles[`card-${x}`]; styles[on ? 'card' : 'b'];",
        "styles[§size]; styles[`card-${x}`]; styles[on ? 'tile' : 'b'];",
    );
    check_module("card-title", "t", "styles[`card-${x}`];", "styles[§`card-${x}`];");
    check_module(
        "card",
        "tile",
        "const cx = classNames.bind(styles); cx('card');",
        "const cx = classNames.bind(styles); cx('§card');",
    );
}

#[test]
fn css_module_classes_resolve_to_stylesheet() {
    let sheet = ".a { }\n.card-title { }".to_owned();
    workspace::set_files([("a.module.css".to_owned(), sheet)]);
    let at = |text: &str, name: &str| {
        let document = TypeScriptDocument::open("a.tsx", text.to_owned());
        let offset = text.rfind(name).expect("the text contains the name") as u32;
        TypeScript::rename(&document, Subject::At(offset), "b")
    };
    let text = "import s, { a } from './a.module.css'; s.cardTitle; s['card-title']; s.b;";
    for name in ["cardTitle", "card-title"] {
        let place = at(text, name).expect("a rename").elsewhere.expect("a declaration in the stylesheet");
        assert_eq!((place.path.as_str(), place.offset), ("a.module.css", 8));
    }
    assert_eq!(at(text, "b;").expect_err("no such class").message, "`a.module.css` does not declare the class `b`");
}
