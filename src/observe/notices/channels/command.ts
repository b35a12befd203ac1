// Commands: runs a program that reads the notice from its stdin. Arguments are visible to everybody on the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { durationMs } from '../../../core/config/base.ts';
import type { CommandChannel } from '../config.ts';
import type { Notice } from '../notice.ts';
import type { ChannelContext } from './context.ts';
import { NoticeError } from './error.ts';

export async function sendToCommand(
  { command, timeout }: CommandChannel,
  notice: Notice,
  { baseDir, env, timeoutMs = durationMs(timeout) }: ChannelContext,
): Promise<string> {
  const [program = '', ...args] = command;
  // A group of its own: what the program has started ends with it.
  const child = spawn(program, args, {
    cwd: baseDir,
    env: { ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill(child.pid);
  }, timeoutMs);
  try {
    // A program may end without reading.
    child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') child.emit('error', error);
    });
    child.stdin.end(`${JSON.stringify(notice)}\n`);
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (isLate)
      throw new NoticeError(
        'COMMAND_TIMEOUT',
        `${program} did not end within ${timeoutMs / 1000} s and was killed; the notice may have arrived`,
        { unclear: true },
      );
    if (code === 0) return 'exit code 0';
    const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
    throw new NoticeError('COMMAND_FAILED', `${program} ${how}; run it by hand to see why`);
  } catch (error) {
    if (error instanceof NoticeError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'does not exist; write its path' : `can't be run (${code ?? 'unknown error'})`;
    throw new NoticeError('COMMAND_MISSING', `${program} ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
