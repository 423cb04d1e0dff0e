//! Copies of an object with a changed member: the key and the reads for its value are renamed or listed together.
//! The notation is that of `completeness.rs`.

use crate::host::check_renamed;

#[test]
fn keys_of_copies_are_renamed_where_the_type_is_expected() {
    let todo = "import { useState } from 'react'; interface Todo { id: number; ¦New: boolean } declare const t: Todo; declare const all: Todo[];";
    for text in [
        "function use() { const [todos, setTodos] = useState<Todo[]>([]); setTodos(p => p.map(t => t.id === 1 ? { ...t, New: !t.New } : t)); }",
        "function use() { const [todos, setTodos] = useState<Todo[]>([]); setTodos(todos.map(t => ({ ...t, New: !t.New }))); }",
        "const next: Todo[] = all.map(t => ({ ...t, New: !t.New })); const one: Todo = { ...t, New: !t.New };",
        "const next: Todo[] = all.map(t => { if (t.id) return { ...t, New: true }; return t; });",
        "const next: Todo[] = all.flatMap(t => [{ ...t, New: !t.New }]); const f = (list: Todo[]): Todo[] => list.map(t => ({ ...t, New: !t.New }));",
        "declare const p: Promise<Todo>; const q: Promise<Todo> = p.then(t => ({ ...t, New: !t.New }));",
        "interface State { todo: Todo; list: Todo[] } const f = (s: State): State => ({ ...s, todo: { ...s.todo, New: !s.todo.New }, list: s.list.map(t => ({ ...t, New: !t.New })) });",
        "function C() { const [todo, setTodo] = useState<Todo>(t); setTodo(p => ({ ...p, New: !p.New })); setTodo({ ...todo, New: !todo.New }); }",
        "const m = new Map<number, Todo>(); m.set(1, { ...t, New: !t.New }); all.push({ ...t, New: !t.New }); all[0] = { ...t, New: !t.New };",
        "all.map<Todo>(t => ({ ...t, New: !t.New }));",
        "function f(list: readonly Todo[]): { list: Todo[] } { return { list: list.map(t => ({ ...t, New: !t.New })) }; }",
    ] {
        check_renamed("done", &format!("{todo} {text}"));
    }
}

#[test]
fn keys_and_reads_of_other_copies_are_listed_together() {
    let todo = "interface Todo { id: number; ¦New: boolean } declare const t: Todo; declare const all: Todo[];";
    for text in [
        "const next = { ...t, §done: !t.§done };",
        "const next = all.map(t => ({ ...t, §done: !t.§done })); save(next);",
        "const next = all.map(t => ({ ...t, §done: t.New && { done: 1 } && true })).filter(Boolean);",
    ] {
        let text = text.replace("t.New && { done: 1 } && true", "t.§done && true");
        check_renamed("done", &format!("{todo} {text}"));
    }
    // The key belongs to another type.
    check_renamed(
        "done",
        "interface Todo { id: number; ¦New: boolean } interface Other { done: number; x: 1 } declare const t: Todo; const o: Other = { ...t, done: t.New ? 1 : 0, x: 1 };",
    );
}
