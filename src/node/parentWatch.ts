/** Ends a hook process whose host has gone: stopping a chat ends only the shell between. Knows nothing of hooks. */

/**
 * Calls `gone` once when this process's parent changes, or when the process `wrapperPid` (the shell that waits for us) ends.
 * Windows keeps the number of a dead parent, so there only the broker's own end and the deadlines tell. The timer keeps nothing alive.
 */
export function watchParent(wrapperPid: number | undefined, gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (wrapperPid === undefined || alive(wrapperPid))) return;
    clearInterval(timer);
    gone();
  }, 500);
  timer.unref();
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
