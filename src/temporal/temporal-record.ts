// The record of a server that Sluice started, beside its database. The next start adopts or ends a server that is left.
import { renameSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isSameProcess } from '../core/lock/process-identity.ts';
import { UiPlace } from './temporal-ui.ts';

const ServerRecord = z.object({
  pid: z.int().positive(),
  /** Start mark: without it, the pid could belong to another process. Null where the system has none. */
  start: z.string().nullable(),
  port: z.int(),
  ui: UiPlace.nullable(),
  binary: z.string(),
  /** Arguments without the ports. A server with other arguments is not adopted. */
  settings: z.array(z.string()),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

const FILE = 'temporal.json';
/** A killed process that waits for a disk needs time to end, in milliseconds. */
const AFTER_KILL_MS = 10_000;

/** The last record; null when there is none, or when it is unreadable. */
export async function readServerRecord(stateDir: string): Promise<ServerRecord | null> {
  let text: string;
  try {
    text = await readFile(join(stateDir, FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const parsed = z
    .string()
    .transform((value, context) => {
      try {
        return JSON.parse(value) as unknown;
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    })
    .pipe(ServerRecord)
    .safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** Synchronous, so that this process can hardly be killed between the spawn and its record. */
export function writeServerRecord(stateDir: string, record: ServerRecord): void {
  const file = join(stateDir, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export async function removeServerRecord(stateDir: string): Promise<void> {
  await rm(join(stateDir, FILE), { force: true });
}

/**
 * Ends a process if it is still the recorded one: SIGTERM, then SIGKILL after `graceMs`. Returns when it is gone.
 * It ignores a pid that belongs to another process by now.
 * @throws Error when even SIGKILL does not end it within 10 s.
 */
export async function endProcess(
  { pid, start }: { pid: number; start: string | null },
  graceMs: number,
): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', AFTER_KILL_MS],
  ] as const) {
    if (!isSameProcess(pid, start)) return;
    signalProcess(pid, signal);
    const deadline = Date.now() + waitMs;
    while (isSameProcess(pid, start) && Date.now() < deadline) await delay(20);
  }
  if (isSameProcess(pid, start))
    throw new Error(`process ${pid} does not end, even by SIGKILL; check it by hand`);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
