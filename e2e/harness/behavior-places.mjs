// All places in a file at which a refactoring can be requested, with its arguments.

import { extname } from 'node:path'
import ts from 'typescript'
import { REFACTORS, caretOf, everyNode, isValue, nameOf, spanOf } from './places.mjs'

/** The greatest number of consecutive statements of a selection. */
const MOST_STATEMENTS = 4

const values = (nodes) => nodes.filter((node) => isValue(node) || isMoreValue(node) || isUse(node)).map(spanOf)
const pieces = (nodes) => [...values(nodes), ...nodes.flatMap(statementRuns)]
const within = (test) => (nodes) => nodes.filter((node) => ts.findAncestor(node, test))
const inClass = within(ts.isClassLike)
const at = (places, more) => (nodes) => places(nodes).map((place) => ({ ...place, ...more }))

/** Requests: the refactoring, the arguments that are always the same, and the places. */
const REQUESTS = [
  ['extract_variable', {}, values],
  ['extract_variable', { all: 'true' }, values],
  ['extract_variable', { scope: 'function' }, values],
  ['extract_constant', {}, values],
  ['extract_constant', { scope: 'file' }, values],
  ['extract_constant', { scope: 'class' }, (nodes) => values(inClass(nodes))],
  ['extract_function', {}, pieces],
  ['extract_function', { scope: 'module' }, pieces],
  ['extract_function', { scope: 'inner' }, pieces],
  ['extract_method', {}, (nodes) => pieces(inClass(nodes))],
  ['extract_type', {}, REFACTORS.extract_type],
  ['inline_variable', {}, (nodes) => nodes.filter((node) => ts.isVariableDeclaration(node)).map(nameOf)],
  ['inline_function', {}, (nodes) => nodes.filter(isNamedFunction).map(nameOf)],
  ['convert_to_arrow', {}, REFACTORS.convert_to_arrow],
  ['convert_to_function', {}, (nodes) => nodes.filter((node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node)).map(caretOf)],
  ['convert_to_async', {}, REFACTORS.convert_to_async],
  ['organize_imports', {}, REFACTORS.organize_imports],
  ['remove_unused_imports', {}, REFACTORS.remove_unused_imports],
  ['move_to_file', {}, at(topNames, { folder: '.' })],
  ['move_to_file', { to: 'a folder' }, at(topNames, { folder: './deep' })],
  ['toggle_export_default', {}, (nodes) => topNames(nodes.filter(isExport))],
  ['change_signature', { parameters: 'reversed' }, (nodes) => signatures(nodes, (names) => [names.toReversed()])],
  ['change_signature', { parameters: 'more' }, (nodes) => signatures(nodes, (names) => [[{ name: 'added', value: '0' }, ...names], [...names, { name: 'added', value: '0' }]])],
  ['change_signature', { parameters: 'fewer' }, (nodes) => signatures(nodes, (names) => names.map((name) => names.filter((other) => other !== name)))],
]

/** Returns the places of a file by the name of the request: `{ refactor, start, end?, isDocument?, arguments }`. */
export function placesOf(path, text) {
  const nodes = everyNode(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return REQUESTS.map(([refactor, constant, find]) => {
    const { to, parameters, ...given } = constant
    const words = Object.entries(constant).map((entry) => entry.join(': '))
    const places = find(nodes).map(({ folder, signature, ...place }) => {
      const more = { ...given }
      if (folder) more.destination = `${folder}/moved${extname(path)}`
      if (signature) more.parameters = JSON.stringify(signature)
      return { refactor, ...place, arguments: more }
    })
    return { name: [refactor, ...words].join(', '), places: distinct(places) }
  })
}

/** Returns the names of all requests. */
export const requestNames = () => placesOf('a.ts', '').map(({ name }) => name)

function distinct(places) {
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()]
}

/** Returns whether a node is an expression that `isValue` excludes. */
function isMoreValue(node) {
  return (
    ts.isAwaitExpression(node) ||
    ts.isYieldExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ts.isClassExpression(node) ||
    ts.isDeleteExpression(node) ||
    ts.isTypeOfExpression(node) ||
    ts.isVoidExpression(node) ||
    ts.isPostfixUnaryExpression(node) ||
    ts.isMetaProperty(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    node.kind === ts.SyntaxKind.ThisKeyword
  )
}

/** Returns whether a node is a name whose value is used. */
function isUse(node) {
  if (!ts.isIdentifier(node)) return false
  const { parent } = node
  return (
    ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.arguments?.includes(node)) ||
    ts.isBinaryExpression(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isTemplateSpan(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isSpreadElement(parent) ||
    (ts.isPropertyAccessExpression(parent) && parent.expression === node) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node)
  )
}

/** Returns the runs of consecutive statements of a list. */
function statementRuns(node) {
  const statements = ts.isBlock(node) || ts.isSourceFile(node) || ts.isCaseOrDefaultClause(node) ? node.statements : []
  return statements.flatMap((first, index) => {
    const last = statements.slice(index, index + MOST_STATEMENTS)
    return last.map((end) => ({ start: first.getStart(), end: end.getEnd() }))
  })
}

const isExport = (node) => ts.isExportAssignment(node) || (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
const isFunctionValue = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
const isNamedFunction = (node) =>
  (ts.isFunctionDeclaration(node) && node.body && node.name) || (ts.isVariableDeclaration(node) && isFunctionValue(node.initializer))

/** Returns the names that the top level of a file declares. */
function topNames(nodes) {
  const statements = nodes.filter((node) => node.parent && ts.isSourceFile(node.parent))
  const declared = statements.flatMap((node) => (ts.isVariableStatement(node) ? node.declarationList.declarations : [node]))
  const isNamed = (node) => ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isEnumDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isExportAssignment(node)
  return declared.filter(isNamed).map(nameOf)
}

/** Returns places with every list of parameters that `change` makes from the names. */
function signatures(nodes, change) {
  const isPlain = ({ name, dotDotDotToken }) => ts.isIdentifier(name) && !dotDotDotToken
  const functions = nodes.filter((node) => (isNamedFunction(node) || ts.isMethodDeclaration(node)) && ts.isIdentifier(node.name))
  return functions.flatMap((node) => {
    const { parameters } = ts.isVariableDeclaration(node) ? node.initializer : node
    if (!parameters.every(isPlain)) return []
    const names = parameters.map(({ name }) => name.text)
    return change(names)
      .filter((after) => JSON.stringify(after) !== JSON.stringify(names))
      .map((signature) => ({ ...nameOf(node), signature }))
  })
}
