//! Checks the laws of `marquetry_sdk::testing`: the properties that every pack must have.

use marquetry_sdk::testing;

use crate::TypeScript;

const PIECES: &[&str] = &[
    "class A {",
    "}",
    "\n",
    "\r\n",
    "  ",
    "m() {",
    "#p = 1;",
    "get b() {",
    "set b(v) {",
    "constructor(private x: number) {",
    "static {",
    "interface I {",
    "a: string;",
    "b?(): void,",
    "[k: string]: any",
    "enum E {",
    "X = 1,",
    "\"q-r\"",
    "namespace N.M {",
    "declare module \"m\" {",
    "declare global {",
    "function f(",
    ") {",
    "const c = ",
    "let { d, e: [g] } = ",
    "var v",
    ";",
    ",",
    "=> ",
    "(a) => {",
    "`t ${",
    "}`",
    "// note\n",
    "/** doc */",
    "export ",
    "export default ",
    "import h from 'i';\n",
    "{ j: 1, k() {} }",
    "describe(\"s\", () => {",
    "it('t', () => {",
    "})",
    "type T = { u: 1 } & ",
    "module.exports = ",
    "A.prototype.n = ",
    "@dec ",
    "async ",
    "<p>",
    "</p>",
    "é",
    "(",
    ")",
    "[",
    "]",
    "return ",
    "if (x) ",
    "for (const y of z) ",
    "abstract ",
    "'",
    "\"",
    "`",
    "/",
    "\\",
    "0",
    "_",
];

const DOCUMENTS: &[&str] = &[
    "import a, { b } from \"./c\";\n\n/** Adds. */\nexport function add(x: number, y = 1): number {\n  const sum = x + y;\n  return sum;\n}\n\n@Injectable()\nexport class Service<T> extends Base implements I {\n  private cache = new Map<string, T>();\n  constructor(private readonly db: Db) {\n    super();\n  }\n\n  get size() { return this.cache.size; }\n  set size(v) {}\n  static create = () => new Service();\n  async find(id: string): Promise<T | undefined>;\n  async find(id: unknown) {\n    return this.cache.get(`a\n  b ${id}`);\n  }\n}\n",
    "interface A { x: string; y(): void }\ninterface A { x: number }\nenum Color { Red = 1, \"dark-green\", Blue }\nnamespace N.M {\n  export const c = { d: { e: 1 }, f() {}, \"g-h\": [1, 2] };\n}\ntype T = { a: string, b: { c: number } } | { a: 1 };\ndeclare module \"m\" {\n  const z: { q: number };\n}\n",
    "const [one, { two, ...rest }] = load(), three = 3;\r\nexport default {\r\n  data() { return { a: 1 }; },\r\n  methods: { go() {}, stop: async () => {} },\r\n};\r\n",
    "describe('a', () => {\n  beforeEach(() => { const q = 1; });\n  it(`b`, async () => {\n    expect(1).toBe(1);\n  });\n  it.each([1])('c %s', (n) => {});\n});\nmodule.exports = { a: 1 };\nmodule.exports.b = function () {};\nF.prototype.m = function () { const x = 1; };\nfunction F() {}\n",
];

#[test]
fn laws_hold_for_random_typescript() {
    testing::check_laws_on_random::<TypeScript>("a.ts", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_random_jsx() {
    testing::check_laws_on_random::<TypeScript>("a.jsx", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_documents() {
    for document in DOCUMENTS {
        for path in ["a.ts", "a.tsx", "a.d.ts", "a.js", "a.cjs", "a.mjs"] {
            testing::check_laws::<TypeScript>(path, document);
            testing::check_laws::<TypeScript>(path, &document.replace('\n', "\r\n").replace("\r\r", "\r"));
        }
    }
}
