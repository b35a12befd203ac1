// The record of the server that we started, beside its database: the next start adopts or ends what a killed parent left.
import { renameSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isSameProcess } from '../lock/process-identity.ts';
import { UiPlace } from './temporal-ui.ts';

const ServerRecord = z.object({
  pid: z.int().positive(),
  /** Start mark: a pid without it could by now be anybody's. Null where the system has none. */
  start: z.string().nullable(),
  port: z.int(),
  ui: UiPlace.nullable(),
  binary: z.string(),
  /** Arguments but for the ports: a server with other ones is not adopted. */
  settings: z.array(z.string()),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

const FILE = 'temporal.json';
/** A killed process that waits for a disk needs a while to be gone. */
const AFTER_KILL_MS = 10_000;

/** The last record; null when there is none, or when it can't be read as one. */
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

/** Synchronous: between the spawn and its record no kill of this process should find room. */
export function writeServerRecord(stateDir: string, record: ServerRecord): void {
  const file = join(stateDir, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export async function removeServerRecord(stateDir: string): Promise<void> {
  await rm(join(stateDir, FILE), { force: true });
}

/**
 * Ends a process if it is still the recorded one: SIGTERM, after `graceMs` SIGKILL. Returns when it is gone.
 * A pid that belongs to somebody else by now is left alone.
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
