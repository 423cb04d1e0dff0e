// Calls listeners of the program.

/** Calls a listener. An exception that the listener throws is uncaught, but does not interrupt the reading of messages. */
export function notify(listener, value) {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
