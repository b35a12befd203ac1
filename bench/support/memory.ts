// How large a process is, as the kernel sees it.
import { readFile } from 'node:fs/promises';

/** Resident memory in MB (10^6 bytes). @throws when the process is gone */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1000);
}
