// JSON parser and writer, restricted to what the WIT interface needs.

export class Value {
  text: string = "";
  number: f64 = 0;
  isTrue: bool = false;
  items: Value[] = [];
  fields: Map<string, Value> = new Map<string, Value>();

  /** The field of an object; an empty value if it does not exist. */
  at(name: string): Value {
    return this.fields.has(name) ? this.fields.get(name) : new Value();
  }

  has(name: string): bool {
    return this.fields.has(name);
  }
}

export function parse(json: string): Value {
  return new Reader(json).value();
}

/** Encodes a text as JSON. */
export function quote(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 32 && code != 34 && code != 92) continue;
    parts.push(text.substring(from, i));
    parts.push(code < 32 ? "\\u" + code.toString(16).padStart(4, "0") : "\\" + text.charAt(i));
    from = i + 1;
  }
  // Fast path: most texts have nothing to escape.
  return parts.length == 0 ? '"' + text + '"' : '"' + parts.join("") + text.substring(from) + '"';
}

class Reader {
  private at: i32 = 0;

  constructor(private json: string) {}

  value(): Value {
    const value = new Value();
    switch (this.next()) {
      case 123: // {
        this.at++;
        while (this.next() != 125) {
          const name = this.string();
          this.expect(58);
          value.fields.set(name, this.value());
          if (this.next() == 44) this.at++;
        }
        this.at++;
        break;
      case 91: // [
        this.at++;
        while (this.next() != 93) {
          value.items.push(this.value());
          if (this.next() == 44) this.at++;
        }
        this.at++;
        break;
      case 34: // "
        value.text = this.string();
        break;
      default:
        this.word(value);
    }
    return value;
  }

  /** The next character that is not a blank. */
  private next(): i32 {
    while (this.at < this.json.length && this.json.charCodeAt(this.at) <= 32) this.at++;
    if (this.at >= this.json.length) throw new Error("unexpected end of the JSON");
    return this.json.charCodeAt(this.at);
  }

  private expect(code: i32): void {
    if (this.next() != code) throw new Error("unexpected JSON");
    this.at++;
  }

  private string(): string {
    this.expect(34);
    let text = "";
    let from = this.at;
    while (true) {
      if (this.at >= this.json.length) throw new Error("unterminated string");
      const code = this.json.charCodeAt(this.at);
      if (code == 34) break;
      if (code == 92) {
        text += this.json.substring(from, this.at) + this.escape();
        from = this.at;
      } else {
        this.at++;
      }
    }
    text += this.json.substring(from, this.at);
    this.at++;
    return text;
  }

  private escape(): string {
    const kind = this.json.charAt(this.at + 1);
    this.at += 2;
    if (kind == "n") return "\n";
    if (kind == "r") return "\r";
    if (kind == "t") return "\t";
    if (kind == "b") return "\b";
    if (kind == "f") return "\f";
    if (kind != "u") return kind;
    this.at += 4;
    return String.fromCharCode(<i32>parseInt(this.json.substring(this.at - 4, this.at), 16));
  }

  private word(value: Value): void {
    const from = this.at;
    while (this.at < this.json.length && !",]} \n\t\r".includes(this.json.charAt(this.at))) this.at++;
    if (this.at == from) throw new Error("unexpected JSON");
    const word = this.json.substring(from, this.at);
    value.isTrue = word == "true";
    if (word != "true" && word != "false" && word != "null") value.number = parseFloat(word);
  }
}
