// The help of the pack: how to address entries, and what each operation does.

export const HELP = `Files of \`key = value\` lines: \`.properties\`.

- \`path: "server.port"\` addresses an entry by its key, written as in the file. A repeated key finds all its entries; \`port[2]\` is the second.
- \`path: "."\` addresses all entries.
- A target is the **value**, with all its lines. The comment directly above belongs to an entry.

| operation | what happens |
| --- | --- |
| \`replace\` | a new value; \`key=value\` with the same key is the same as its value |
| \`replace_body\` | a new value, as it is |
| \`insert_before\`, \`insert_after\` | entries next to an entry |
| \`insert_into\` \`.\` | entries: \`first\`, \`last\`, or \`sorted\` by key |
| \`wrap\` | \`before\` and \`after\` around the value |
| \`delete\` | the entry, with the comment above it |`;
