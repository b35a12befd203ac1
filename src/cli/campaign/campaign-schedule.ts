// `sluice campaign schedule …`.
import type { Command } from 'commander';
import { registerSchedule } from '../schedule/schedule-commands.ts';

export function registerCampaignSchedule(campaign: Command, env: NodeJS.ProcessEnv): void {
  registerSchedule(campaign, 'campaign', env);
}
