// Programs in pages: blocks of TypeScript and Python. A `text` block after a program is its expected output.

/** Returns the programs of pages, with a file name for each. */
export function examples(pages) {
  const found = { typescript: [], python: [] }
  for (const { page, text } of pages) {
    const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, content]) => ({ language, content }))
    blocks.forEach(({ language, content }, place) => {
      const next = blocks[place + 1]
      const output = next?.language === 'text' ? next.content : undefined
      const stem = `${page.replace(/\W+/g, '_')}_${place}`
      if (language === 'ts') found.typescript.push({ page, name: `${stem}.ts`, text: content, output })
      if (language === 'python') found.python.push({ page, name: `${stem}.py`, text: content, output })
    })
  }
  return found
}
