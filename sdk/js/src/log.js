// Writes to the host's log. `marq plugin logs` shows the lines of failed calls.

import { write } from "./host.js";

export const log = {
  error: (message) => write("error", String(message)),
  warn: (message) => write("warn", String(message)),
  info: (message) => write("info", String(message)),
  debug: (message) => write("debug", String(message)),
  trace: (message) => write("trace", String(message)),
};
