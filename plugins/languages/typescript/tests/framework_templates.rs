//! Templates of Angular components: occurrences of the name are listed.
//! The notation is that of `completeness.rs`.

use crate::host::{check_marked, check_renamed};

#[test]
fn names_in_templates_of_the_component_are_listed() {
    for text in [
        "@Component({ selector: 'a', template: '<p (click)=\"§save()\">{{ saved }}</p>' }) class A { ¦New() {} saved = 1 }",
        "@Component({ template: `<p (click)=\"§save()\">\n{{ item.§save }}</p>` }) export class A { ¦New() {} }",
        "class Base { ¦New() {} } @Component({ template: `<p (click)=\"§save()\">` }) class A extends Base {}",
        "@Component({ template: '', host: { '(click)': '§save()' } }) class A { ¦New() {} }",
        "interface Item { ¦New: number } @Component({ template: '{{ item.§save }} {{ item?.§save }} save' }) class A { item!: Item }",
        "class Other { ¦New() {} } @Component({ template: '<p (click)=\"save()\">' }) class A { run() {} }",
    ] {
        check_renamed("save", text);
    }
}

#[test]
fn members_that_other_templates_use_are_listed() {
    for text in [
        "@Component({ selector: 'a' }) class A { @Input() ¦§New = ''; }",
        "@Directive({ selector: '[a]' }) class A { @Output() ¦§New = new EventEmitter(); @Input({ required: true }) other = 1; }",
        "@Component({ selector: 'a' }) class A { ¦§New = input.required<string>(); other = output(); }",
        "@Component({ selector: 'a' }) class A { @Input('text') ¦New = ''; }",
        "@Component({ selector: 'a' }) class A { @Input({ alias: 'text' }) ¦New = ''; }",
        "@Component({ selector: 'a' }) class A { ¦New = 1; }",
    ] {
        check_renamed("label", text);
    }
    check_renamed("ngOnInit", "@Component({ selector: 'a' }) class A { ¦§New() {} }");
    check_renamed(
        "label",
        "// a.ts\n@Component({ selector: 'a' }) export class A { @Input() ¦§New = ''; }\n// b.ts\n@Component({ template: `<a [§label]=\"1\"></a>` }) export class B {}",
    );
}

#[test]
fn links_to_templates_with_the_name_are_listed() {
    let before = "// a.html\n<p (click)=\"save()\"></p>\n// a.ts\n@Component({ templateUrl: './a.html' }) class A { ¦save() {} other() {} }";
    check_marked(
        before,
        "// a.html\n<p (click)=\"save()\"></p>\n// a.ts\n@Component({ templateUrl: '§./a.html' }) class A { New() {} other() {} }",
    );
    check_marked(
        &before.replace("¦save() {} other", "save() {} ¦other"),
        "// a.html\n<p (click)=\"save()\"></p>\n// a.ts\n@Component({ templateUrl: './a.html' }) class A { save() {} New() {} }",
    );
    check_marked(
        &before.replace("./a.html", "a.html"),
        "// a.html\n<p (click)=\"save()\"></p>\n// a.ts\n@Component({ templateUrl: '§a.html' }) class A { New() {} other() {} }",
    );
}
