//! Texts of other languages that can name the member: occurrences of the name are listed.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn names_in_queries_are_listed() {
    let own =
        "interface User { ¦New: string; id: number } declare const db: any; declare const all: User[]; all[0].New;";
    for text in [
        "const rows = db.all('SELECT id, §login FROM users') as User[];",
        "const rows = db.all(\"select \\\"§login\\\" from users where §login = ?\");",
        "const rows = db.all(`select §login, logins, x_login from users where id = ${1} order by §login`);",
        "const rows = db.sql`select §login from users`;",
        "const rows = db.sql<User>`${1} §login`; const more = sql(db)`§login = ${1}`;",
        "const Q = gql`query { user { id §login } }`; const R = graphql(`fragment F on User { §login }`); const S = `{ user { §login } }`;",
        "db.run('insert into users (id, §login) values (?, ?)'); db.run('UPDATE users SET §login = ?');",
        "it.each`\n §login | id\n ${'a'} | ${1}\n`('a', () => {});",
        "const text = 'the login of a user', other = `login: ${1}`; const Box = styled.div`login: 1`, styles = css`login: 2`, raw = String.raw`login`;",
        "const a = styled(Button)`login`, b = styled.div.attrs({})`login`, c = dedent`login`, d = t`login`;",
        "const text = 'Select a login', more = 'update the login', last = `with login`;",
    ] {
        check_renamed("login", &format!("{own} {text}"));
    }
}

#[test]
fn names_in_queries_of_other_files_are_listed() {
    check_renamed(
        "login",
        "// a.ts\nexport interface User { ¦New: string }\n// b.ts\nimport { User } from './a'; declare const db: { query<T>(text: string): T[] }; export const all = () => db.query<User>('select \"§login\" from users');",
    );
}

#[test]
fn names_of_methods_and_functions_are_not_columns() {
    for text in [
        "class User { ¦New() {} } const q = 'select login from users', r = sql`login`;",
        "interface User { ¦New(): void; } const q = 'select login from users';",
        "interface User { ¦New: () => void } const q = 'select login from users';",
        "const user = { ¦New: () => 1 }; const q = sql`login`;",
        "export function ¦New() {} const q = 'select login from users', r = sql`login`;",
    ] {
        check_renamed("login", text);
    }
}
