// `sluice sync schedule …`.
import type { Command } from 'commander';
import { registerSchedule } from '../schedule/schedule-commands.ts';

export function registerSyncSchedule(sync: Command, env: NodeJS.ProcessEnv): void {
  registerSchedule(sync, 'sync', env);
}
