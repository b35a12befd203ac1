// Cleans up behind a test run that died: a process of its own that outlives it, ends servers and removes folders.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends process `pid` (if it still is the one it is now) and removes `folder` as soon as this process ends, however it ends.
 * @returns stands the guard down; call it after a regular clean-up.
 */
export function guard({ pid, folder }: { pid: number | null; folder: string }): () => Promise<void> {
  // Its stdin closes when we die; only a stand-down says "done" first.
  const code = `
    const { readFileSync, rmSync } = require('node:fs');
    const mark = () => { try { return readFileSync('/proc/${pid}/stat', 'utf8').split(') ').pop().split(' ')[19]; } catch { return null; } };
    const before = mark();
    let said = '';
    process.stdin.on('data', (chunk) => { said += chunk; }).on('end', () => {
      if (said === 'done') return;
      if (${pid} && mark() === before) { try { process.kill(${pid}, 'SIGKILL'); } catch (error) { if (error.code !== 'ESRCH') throw error; } }
      setTimeout(() => rmSync(${JSON.stringify(folder)}, { recursive: true, force: true, maxRetries: 5 }), 200);
    });`;
  // Detached: Ctrl-C must not end the guard together with what it guards.
  const child = spawn(process.execPath, ['-e', code], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  return async () => {
    const ended = once(child, 'exit');
    child.ref();
    child.stdin?.end('done');
    await ended;
  };
}
