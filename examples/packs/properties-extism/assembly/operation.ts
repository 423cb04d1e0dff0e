// An operation, as JSON has it: `"delete"`, or an object with its name and what comes with it.

import { Value } from "./json";

export class Operation {
  /** Of `insert_into`. */
  position: string = "";
  /** Of `wrap`. */
  before: string = "";
  after: string = "";

  /** `content` is what is written, of an operation that has such. */
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
