// Picks random declarations of a project; the same seed gives the same ones.

import ts from 'typescript'
import { random } from './chance.mjs'

/** Returns every declaration with a name: `{ kind, file, name, offset }`. */
export function declarations(files) {
  const found = []
  for (const [file, text] of files) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const visit = (node) => {
      const kind = kindOf(node)
      const name = kind && node.name
      // `declare global` and the parameter `this` have keywords instead of names.
      const isWord = kind && (name?.text === 'this' || (ts.isModuleDeclaration(node) && name?.text === 'global'))
      if (name && !isWord && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) && name.text) {
        found.push({ kind, file, name: name.text, offset: name.getStart(source) })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

/** Returns the kind of a declaration; `undefined` for other nodes. */
function kindOf(node) {
  const inside = (test) => ts.findAncestor(node, test) !== undefined
  const isPrivate = () => ts.isPrivateIdentifier(node.name) || modifiers(node).includes(ts.SyntaxKind.PrivateKeyword)
  if (ts.isFunctionDeclaration(node)) return inside((around) => around !== node && ts.isFunctionLike(around)) ? 'local function' : 'function'
  if (ts.isVariableDeclaration(node)) return inside(ts.isFunctionLike) || inside(ts.isBlock) ? 'local variable' : 'variable'
  if (ts.isBindingElement(node)) return 'binding'
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent) ? 'parameter property' : 'parameter'
  if (ts.isClassDeclaration(node) || ts.isClassExpression(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isTypeAliasDeclaration(node)) return 'type'
  if (ts.isTypeParameterDeclaration(node)) return 'type parameter'
  if (ts.isEnumDeclaration(node)) return 'enum'
  if (ts.isEnumMember(node)) return 'enum member'
  if (ts.isModuleDeclaration(node)) return 'namespace'
  if (ts.isMethodDeclaration(node) && ts.isObjectLiteralExpression(node.parent)) return 'object method'
  if (ts.isMethodDeclaration(node)) return isPrivate() ? 'private member' : 'method'
  if (ts.isPropertyDeclaration(node)) return isPrivate() ? 'private member' : 'property'
  if (ts.isAccessor(node)) return 'accessor'
  if (ts.isMethodSignature(node)) return 'method signature'
  if (ts.isPropertySignature(node)) return ts.isInterfaceDeclaration(node.parent) ? 'interface property' : 'type property'
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) return 'object property'
  if (ts.isImportSpecifier(node) || ts.isImportClause(node) || ts.isNamespaceImport(node)) return 'import'
  return undefined
}

const modifiers = (node) => (ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []).map(({ kind }) => kind) : [])

/** Picks declarations evenly from all kinds; otherwise most would be parameters. */
export function drawn(all, count, seed) {
  const chance = random(seed)
  const kinds = new Map()
  for (const declaration of all) kinds.set(declaration.kind, [...(kinds.get(declaration.kind) ?? []), declaration])
  const order = [...kinds.keys()].sort()
  const picked = []
  while (picked.length < count && order.length > 0) {
    const kind = order[Math.floor(chance() * order.length)]
    const list = kinds.get(kind)
    picked.push(...list.splice(Math.floor(chance() * list.length), 1))
    if (list.length === 0) order.splice(order.indexOf(kind), 1)
  }
  return picked
}
