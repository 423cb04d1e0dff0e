// An operation, parsed from JSON: `"delete"`, or an object with the name of the operation and its payload.

import { Value } from "./json";

export class Operation {
  /** Only for `insert_into`. */
  position: string = "";
  /** Only for `wrap`. */
  before: string = "";
  after: string = "";

  /** `content` is the text to write; empty if the operation has none. */
  constructor(public name: string, public content: string) {}

  static of(json: Value): Operation {
    const name = json.text != "" ? json.text : json.fields.keys()[0], more = json.at(name);
    const operation = new Operation(name, more.has("content") ? more.at("content").text : more.text);
    operation.position = more.at("position").text;
    operation.before = more.at("before").text;
    operation.after = more.at("after").text;
    return operation;
  }

  get isInsert(): bool {
    return this.name.startsWith("insert");
  }

  get isReplace(): bool {
    return this.name.startsWith("replace");
  }
}
