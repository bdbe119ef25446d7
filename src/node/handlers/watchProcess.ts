/** Ends this process when its parent is gone or it holds too much memory. Knows nothing of what it does. */
import { Worker } from "node:worker_threads";

/** A loop blocks this thread and a leak starves it, so another one watches both the parent and the resident memory, in bytes. */
export function watchProcess(maxBytes: number): void {
  const code = `const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (process.memoryUsage.rss() > ${Math.floor(maxBytes)}) {
    require("node:fs").writeSync(4, ${JSON.stringify(`${JSON.stringify({ ended: "it used too much memory" })}\n`)});
    process.kill(process.pid, "SIGKILL");
  }
}, 50);`;
  new Worker(code, { eval: true, execArgv: [], stdin: false, env: {} }).unref();
}
