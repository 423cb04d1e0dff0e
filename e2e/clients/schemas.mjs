// Requirements of editors and model APIs for the schemas of tools.

const NAME = /^[A-Za-z0-9_-]{1,64}$/
/** The keywords of JSON Schema that all these editors and model APIs support. */
const KEYWORDS = new Set([
  'type', 'properties', 'required', 'items', 'enum', 'description', 'additionalProperties', 'minimum', 'maximum', 'minItems', 'maxItems',
  'anyOf', 'default',
])

/** Returns the problems of a tool; empty if there are none. */
export function complaints(tool) {
  const wrong = []
  if (!NAME.test(tool.name)) wrong.push(`${tool.name}: the name`)
  if (!tool.description || Buffer.byteLength(tool.description) >= 2048) wrong.push(`${tool.name}: the description`)
  const schema = tool.inputSchema
  if (schema.type !== 'object') wrong.push(`${tool.name}: the schema of the arguments is not an object`)
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'enum']) {
    if (keyword in schema) wrong.push(`${tool.name}: ${keyword} at the top`)
  }
  visit(schema, tool.name, wrong)
  return wrong
}

function visit(schema, path, wrong) {
  if (typeof schema !== 'object' || schema === null) return wrong.push(`${path}: the schema is not an object`)
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword)) wrong.push(`${path}: ${keyword}`)
  }
  if (Array.isArray(schema.type)) wrong.push(`${path}: several types`)
  if (schema.type === 'array' && !schema.items) wrong.push(`${path}: a list of nothing`)
  if (schema.enum?.some((value) => typeof value === 'object')) wrong.push(`${path}: an enum of other things than words`)
  for (const name of schema.required ?? []) {
    if (!(name in (schema.properties ?? {}))) wrong.push(`${path}: requires ${name}, which is not a property`)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${path}.${name}`, wrong)
  if (schema.items) visit(schema.items, `${path}[]`, wrong)
  for (const variant of schema.anyOf ?? []) visit(variant, `${path}|`, wrong)
  if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${path}.*`, wrong)
}

/** Checks that both schemas compile in strict mode. */
export function compiled(load, tools) {
  const { Ajv2020 } = load('ajv/dist/2020.js')
  const { Ajv } = load('ajv')
  const warnings = []
  const logger = { log() {}, warn: (text) => warnings.push(text), error: (text) => warnings.push(text) }
  for (const Validator of [Ajv, Ajv2020]) {
    for (const tool of tools) {
      for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean)) {
        try {
          new Validator({ strict: 'log', logger }).compile(schema)
        } catch (error) {
          warnings.push(`${tool.name}: ${error.message}`)
        }
      }
    }
  }
  return warnings
}
