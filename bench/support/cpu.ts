// Reads the CPU time of processes from the kernel.
import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** Ticks per second in /proc/PID/stat, fixed on Linux. */
const TICKS = 100;

/** Parts of an installation and their processes. */
export type Processes = Readonly<Record<'temporal' | 'postgres' | 'sandbox' | 'workers', readonly number[]>>;

/** CPU seconds of each part, and `elapsed` seconds. `machine` is everything on the machine. */
export type CpuUse = Readonly<Record<keyof Processes | 'machine' | 'elapsed', number>>;

interface Stat {
  readonly parent: number;
  /** Ticks of the process itself and of its ended children. */
  readonly ticks: number;
}

/**
 * Starts counting.
 * @param processes read at both ends; children belong to them
 * @returns a function that returns the usage since then
 */
export async function watchCpu(processes: () => Processes): Promise<() => Promise<CpuUse>> {
  const sample = async () => ({ at: performance.now(), machine: machineSeconds(), stats: await readStats() });
  const before = await sample();
  return async () => {
    const now = await sample();
    const used = (part: keyof Processes) =>
      processes()[part].reduce(
        // Each process separately: a killed process loses its seconds.
        (all, pid) => all + Math.max(0, treeSeconds(now.stats, pid) - treeSeconds(before.stats, pid)),
        0,
      );
    return {
      temporal: used('temporal'),
      postgres: used('postgres'),
      sandbox: used('sandbox'),
      workers: used('workers'),
      machine: now.machine - before.machine,
      elapsed: (now.at - before.at) / 1000,
    };
  };
}

function machineSeconds(): number {
  return cpus().reduce((all, { times }) => all + (times.user + times.nice + times.sys + times.irq) / 1000, 0);
}

/** Seconds of a process, of its descendants, and of ended descendants. 0 if it is gone. */
function treeSeconds(stats: ReadonlyMap<number, Stat>, root: number): number {
  const children = [...stats].filter(([, { parent }]) => parent === root).map(([pid]) => pid);
  return children.reduce((all, pid) => all + treeSeconds(stats, pid), (stats.get(root)?.ticks ?? 0) / TICKS);
}

/** A process and its descendants. */
export async function treeOf(root: number): Promise<number[]> {
  const stats = await readStats();
  const below = (pid: number): number[] => [
    pid,
    ...[...stats].filter(([, { parent }]) => parent === pid).flatMap(([child]) => below(child)),
  ];
  return below(root);
}

async function readStats(): Promise<Map<number, Stat>> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const stats = await Promise.all(pids.map(async (pid) => [pid, await readStat(pid)] as const));
  return new Map(stats.filter((entry): entry is readonly [number, Stat] => entry[1] !== null));
}

async function readStat(pid: number): Promise<Stat | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return null;
    throw error;
  });
  if (stat === null) return null;
  // The command name, in brackets, may contain spaces, so fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((all, field) => all + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}
