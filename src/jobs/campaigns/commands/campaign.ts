// `sluice campaign …`: plan, approve, start, steer and inspect campaigns.
import type { Command } from 'commander';
import { registerSchedule } from '../../../cli/lib/schedule/schedule-commands.ts';
import { registerCampaignCommands } from './commands.ts';
import { registerCampaignExport } from './export.ts';
import { registerCampaignPlan } from './plan.ts';
import { registerCampaignShow } from './show.ts';
import { registerCampaignStart } from './start.ts';

export function registerCampaign(program: Command, env: NodeJS.ProcessEnv): void {
  const campaign = program
    .command('campaign')
    .description('plan, start, steer and export reactivation campaigns');
  for (const register of [
    registerCampaignPlan,
    registerCampaignStart,
    registerCampaignCommands,
    registerCampaignShow,
    registerCampaignExport,
  ])
    register(campaign, env);
  registerSchedule(campaign, 'campaign', env);
}
