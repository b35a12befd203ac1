// What work costs this process: unlike the time on the clock, it is the same on a busy machine.

/** Milliseconds of CPU that `work` takes. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
