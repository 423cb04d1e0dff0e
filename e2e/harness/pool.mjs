// Limits the number of parallel jobs; others wait.

/** Returns a function that runs a job as soon as fewer than the maximum number of jobs are running. */
export function pool(most) {
  let running = 0
  const waiting = []
  const next = () => {
    if (running >= most || waiting.length === 0) return
    running++
    const { job, resolve, reject } = waiting.shift()
    Promise.resolve()
      .then(job)
      .then(resolve, reject)
      .finally(() => {
        running--
        next()
      })
  }
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject })
      next()
    })
}
