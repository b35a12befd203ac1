// Tells whether a pid written down earlier still means the same process: a pid alone is reused.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** What never repeats for a pid: boot id and start tick on Linux, the start time by `ps` on other systems. */
export type ProcessStart = string;

/**
 * The start mark of a living process.
 * @returns null when no such process runs (a zombie counts as gone), or when the system can't tell (Windows).
 */
export async function processStart(pid: number): Promise<ProcessStart | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform === 'linux') return linuxStart(pid);
  if (process.platform === 'win32') return null;
  return psStart(pid);
}

/** True when `pid` runs and is the process whose start mark was recorded. */
export async function isSameProcess(pid: number, start: ProcessStart | null): Promise<boolean> {
  return start !== null && (await processStart(pid)) === start;
}

async function linuxStart(pid: number): Promise<ProcessStart | null> {
  const stat = await readOrNull(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The command name stands in parentheses and may itself hold spaces and parentheses: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTick = fields[19];
  if (startTick === undefined || state === 'Z' || state === 'X') return null;
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return `${boot}:${startTick}`;
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // ESRCH: the process ended between open and read.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

function psStart(pid: number): Promise<ProcessStart | null> {
  return new Promise((resolve) => {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    execFile('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env }, (error, stdout) => {
      const line = stdout.trim();
      // ps exits with 1 when there is no such process.
      resolve(error || line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, ''));
    });
  });
}
