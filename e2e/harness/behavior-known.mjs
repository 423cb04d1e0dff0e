// Differences in behavior that a refactoring is known to cause: the reason, the request, and a prefix of the program's title.

export const KNOWN = [
  ['imports run in another order or not at all, which is the purpose', /^(organize|remove_unused)_imports/, /^(modules|await-order): /],
  ['`import()` of a computed path has no known exports', /^(move_to_file|toggle_export_default)/, /^dynamic-import: /],
  ['the number of turns of the event loop until a promise settles is not kept', /^convert_to_async/, /^promise-chains: /],
  ['a field of a class is a property that `Object.keys` lists', /^extract_constant, scope: class/, /^(class-fields|typescript-values): /],
  ['each copy of a tagged template has its own list of strings', /^inline_/, /^tagged-templates: the strings/],
  ['each copy of a function is another object', /^inline_/, /^inline-values: .* · \(\) => n · const f = /],
  ['Node finds the exports of a CommonJS module by their text', /^extract_variable/, /^commonjs: ES modules import CommonJS/],
  ['a file whose only imported name moves is no longer loaded; TypeScript does the same', /^move_to_file/, /^(modules|import-cycles): /],
  ['a function without state is created once instead of in each iteration', /^extract_/, /^functions-identity: .* · \(\) => 1$/],
]

/** Returns the reason why an outcome may differ, if it is known. */
export const knownReason = ({ request, program }) => KNOWN.find(([, requests, names]) => requests.test(request) && names.test(program))?.[0]
