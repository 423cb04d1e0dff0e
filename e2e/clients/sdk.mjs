// Makes calls through the TypeScript SDK, over standard streams and HTTP. The SDK must accept every answer.

import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

async function connected(load, transport) {
  const { Client } = load('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities: {} })
  await client.connect(transport)
  return client
}

/** Makes the calls, and counts answers, errors, and answers that the SDK rejects. */
export async function through(client, calls) {
  const report = { answered: 0, failed: 0, invalid: [] }
  for (const call of calls) {
    try {
      const answer = await client.callTool(call, undefined, { timeout: 120_000 })
      const text = answer.content.map((block) => block.text ?? '').join('')
      if (!text.trim()) report.invalid.push({ call, error: 'no text' })
      if (answer.isError) report.failed++
      else report.answered++
    } catch (error) {
      report.invalid.push({ call, error: String(error.message ?? error) })
    }
  }
  return report
}

/** Starts a client of `marq mcp`. Without `env`, the SDK passes on only variables that it considers safe. */
export async function stdio(load, program, root, flags, env = undefined) {
  const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js')
  return connected(load, new StdioClientTransport({ command: program, args: ['mcp', '--root', root, ...flags], stderr: 'inherit', env }))
}

/** Starts a client of `marq serve`. Also returns a function that stops the server. */
export async function http(load, program, root, flags) {
  const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const server = spawn(program, ['serve', '--root', root, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })
  let token, url
  for await (const line of lines) {
    if (line.startsWith('token: ')) token = line.slice('token: '.length)
    if (line.startsWith('MCP: ')) url = line.slice('MCP: '.length)
    if (url) break
  }
  const headers = { Authorization: `Bearer ${token}` }
  const client = await connected(load, new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const end = async () => {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
  return { client, end }
}
