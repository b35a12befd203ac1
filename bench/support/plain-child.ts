// Runs the plain script in a process of its own, so that its CPU and memory are measured separately. Its options come
// on stdin, and it prints its usage as one line on stdout.
import { json } from 'node:stream/consumers';
import { type PlainScriptOptions, runPlainScript } from '../plain-script.ts';
import { peakMb } from './memory.ts';
import type { Person } from './people.ts';

export interface PlainWork {
  readonly options: PlainScriptOptions;
  readonly rows: readonly Person[];
}

/** From the first call to the last, without the start of the process. */
export interface PlainUse {
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
}

const { options, rows } = (await json(process.stdin)) as PlainWork;
const began = performance.now();
const before = process.cpuUsage();
await runPlainScript(options, rows);
const { user, system } = process.cpuUsage(before);
const use: PlainUse = {
  cpuSeconds: (user + system) / 1e6,
  seconds: (performance.now() - began) / 1000,
  peakMb: await peakMb(process.pid),
};
process.stdout.write(`${JSON.stringify(use)}\n`);
