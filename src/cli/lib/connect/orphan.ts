// Ends a command when the npm or npx that started it ends. They do not forward the signal that ends them, and would
// leave a server behind that keeps its port and folder.

/** Interval of the check: a server may outlive its parent by this time. */
const CHECK_MS = 100;

/** Sends this process SIGTERM when the parent that npm made for it is gone. */
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
