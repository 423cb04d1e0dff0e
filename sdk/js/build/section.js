// The section that tells which files a pack takes, so that the host knows without running it.

const NAME = "marquetry:files";

// The component with the section at its end.
export function withFiles(component, files) {
  const content = Buffer.from(files.join("\n"));
  const name = Buffer.from(NAME);
  const body = Buffer.concat([leb(name.length), name, content]);
  return Buffer.concat([component, Buffer.from([0]), leb(body.length), body]);
}

// An unsigned number as LEB128.
function leb(number) {
  const bytes = [];
  do {
    const more = number > 0x7f ? 0x80 : 0;
    bytes.push((number & 0x7f) | more);
    number >>>= 7;
  } while (number > 0);
  return Buffer.from(bytes);
}
