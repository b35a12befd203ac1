// A command that npm or npx started ends with them: they do not hand on the signal that ends them, and would leave
// behind a server that holds its port and folder.

/** How often the parent is checked; so long may a server outlive it. */
const CHECK_MS = 100;

/** Sends this process SIGTERM, as its parent got it, once the parent that npm made for it is gone. */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  if (env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
