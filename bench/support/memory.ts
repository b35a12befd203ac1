// Reads the memory of a process from the kernel.
import { readFile } from 'node:fs/promises';
import { treeOf } from './cpu.ts';

/** Resident memory in MB (10^6 bytes). @throws if the process is gone */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1000);
}

/** Peak memory of a process in MB (10^6 bytes). 0 if it is gone. */
export async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
    throw error;
  });
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000);
}

/** Memory of a process and its descendants in MB (10^6 bytes); what they share counts once. */
export async function treeMb(root: number): Promise<number> {
  const rollups = await Promise.all(
    (await treeOf(root)).map((pid) =>
      readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
        throw error;
      }),
    ),
  );
  const kb = rollups.reduce((all, text) => all + Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0), 0);
  return Math.round(kb / 1000);
}
