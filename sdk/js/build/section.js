// The custom section with the file patterns of a pack, so that the host can read them without running it.

const NAME = "marquetry:files";

// Appends the section to a component.
export function withFiles(component, files) {
  const content = Buffer.from(files.join("\n"));
  const name = Buffer.from(NAME);
  const body = Buffer.concat([leb(name.length), name, content]);
  return Buffer.concat([component, Buffer.from([0]), leb(body.length), body]);
}

// Encodes an unsigned number as LEB128.
function leb(number) {
  const bytes = [];
  do {
    const more = number > 0x7f ? 0x80 : 0;
    bytes.push((number & 0x7f) | more);
    number >>>= 7;
  } while (number > 0);
  return Buffer.from(bytes);
}
