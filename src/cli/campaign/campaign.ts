// `sluice campaign …`: plan, approve, start, steer and inspect campaigns.
import type { Command } from 'commander';
import { registerSchedule } from '../schedule/schedule-commands.ts';
import { registerCampaignCommands } from './campaign-commands.ts';
import { registerCampaignExport } from './campaign-export.ts';
import { registerCampaignPlan } from './campaign-plan.ts';
import { registerCampaignShow } from './campaign-show.ts';
import { registerCampaignStart } from './campaign-start.ts';

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
