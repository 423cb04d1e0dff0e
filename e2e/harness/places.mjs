// Picks random locations for refactorings in a project; the same seed gives the same ones.

import ts from 'typescript'
import { oneOf, random } from './chance.mjs'

/** The number of files that are searched for a location before a refactoring is skipped. */
const PATIENCE = 40

/** All refactorings, with the locations in a file where each can be requested: spans, carets and arguments. */
export const REFACTORS = {
  extract_variable: (nodes) => nodes.filter(isValue).map(spanOf),
  extract_constant: (nodes) => nodes.filter(isValue).map(spanOf),
  extract_function: (nodes, chance) => [...nodes.filter(isValue).map(spanOf), ...runs(nodes, chance)],
  extract_method: (nodes, chance) => runs(nodes.filter((node) => ts.findAncestor(node, ts.isMethodDeclaration)), chance),
  extract_type: (nodes) => nodes.filter((node) => ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)).map(spanOf),
  inline_variable: (nodes) => nodes.filter((node) => ts.isVariableDeclaration(node) && node.initializer).map(nameOf),
  inline_function: (nodes) => nodes.filter((node) => ts.isFunctionDeclaration(node) && node.body && node.name).map(nameOf),
  convert_to_arrow: (nodes) => nodes.filter((node) => (ts.isFunctionDeclaration(node) && node.body) || ts.isFunctionExpression(node)).map(caretOf),
  convert_to_function: (nodes) => nodes.filter(ts.isArrowFunction).map(caretOf),
  convert_to_async: (nodes) => nodes.filter((node) => ts.isFunctionLike(node) && node.body && /\.(then|catch|finally)\(/.test(node.body.getText())).map(caretOf),
  organize_imports: (nodes) => (nodes.some(ts.isImportDeclaration) ? [{ isDocument: true }] : []),
  remove_unused_imports: (nodes) => (nodes.some(ts.isImportDeclaration) ? [{ isDocument: true }] : []),
  move_to_file: (nodes) => nodes.filter(isAtTop).map((node) => ({ ...nameOf(node), destination: true })),
  toggle_export_default: (nodes) => nodes.filter((node) => isAtTop(node) && isExported(node)).map(nameOf),
  change_signature: (nodes) => nodes.filter((node) => ts.isFunctionDeclaration(node) && node.name && canTurn(node)).map(turned),
}

/** The names of all refactorings. */
export const KINDS = Object.keys(REFACTORS)

/**
 * Picks locations, evenly for all refactorings: `{ kind, file, start, end?, … }`, with offsets in UTF-16 code units.
 */
export function places(files, kinds, count, seed) {
  const chance = random(seed)
  const parsed = new Map()
  const nodesOf = ([file, text]) => {
    if (!parsed.has(file)) parsed.set(file, everyNode(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)))
    return parsed.get(file)
  }
  const found = new Map()
  for (let tries = 0; found.size < count && tries < count * PATIENCE; tries++) {
    const kind = kinds[tries % kinds.length]
    const file = oneOf(files, chance)
    const place = oneOf(REFACTORS[kind](nodesOf(file), chance), chance)
    if (place) found.set(`${kind} ${file[0]} ${place.start} ${place.end}`, { kind, file: file[0], ...place })
  }
  return [...found.values()]
}

/** Returns all nodes of a parsed file, from the outside in. */
export function everyNode(source) {
  const found = []
  const visit = (node) => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

export const spanOf = (node) => ({ start: node.getStart(), end: node.getEnd() })
export const caretOf = (node) => ({ start: node.getStart() })
export const nameOf = (node) => ({ start: (node.name ?? node).getStart() })

/** Returns whether a node is an expression other than a name, outside of types, imports and exports. */
export function isValue(node) {
  const says =
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isBinaryExpression(node) ||
    ts.isConditionalExpression(node) ||
    ts.isPrefixUnaryExpression(node) ||
    ts.isTemplateExpression(node) ||
    ts.isLiteralExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node)
  return says && !ts.findAncestor(node, (around) => ts.isTypeNode(around) || ts.isImportDeclaration(around) || ts.isExportDeclaration(around))
}

/** Returns one to four consecutive statements of every block. */
function runs(nodes, chance) {
  return nodes.filter(ts.isBlock).flatMap(({ statements }) => {
    if (statements.length === 0) return []
    const first = Math.floor(chance() * statements.length)
    const last = Math.min(first + Math.floor(chance() * 4), statements.length - 1)
    return [{ start: statements[first].getStart(), end: statements[last].getEnd() }]
  })
}

function isAtTop(node) {
  const isDeclared = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)
  return isDeclared && ts.isSourceFile(node.parent) && node.name !== undefined
}

const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** Returns whether the parameters can be reordered: plain names that every call must pass. */
function canTurn({ parameters }) {
  const isPlain = (it) => ts.isIdentifier(it.name) && !it.questionToken && !it.initializer && !it.dotDotDotToken && it.name.text !== 'this'
  return parameters.length > 1 && parameters.every(isPlain)
}

const turned = (node) => ({ ...nameOf(node), parameters: node.parameters.map(({ name }) => name.text).reverse() })
