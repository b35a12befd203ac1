// `sluice campaign pause …`: what is refused before anything connects.
import { expect, it } from 'vitest';
import { registerCampaignCommands } from '../../../../../src/jobs/campaigns/commands/commands.ts';
import { runHere } from '../../../../support/runner/run-here.ts';

it.each<[argv: string[], code: number, message: RegExp]>([
  [['rate', 'win', '0'], 2, /"0" is not a rate/],
  [['rate', 'win', '1.5'], 2, /is not a rate/],
  [['rate', 'win', '100001'], 2, /is not a rate/],
  [['resolve', 'win', '--as', 'triggered'], 2, /--member, or --all/],
  [['resolve', 'win', '--as', 'triggered', '--all', '--member', '1'], 2, /--member, or --all/],
  [['resolve', 'win', '--as', 'triggered', '--all', '--again'], 2, /--again needs --as not-triggered/],
  [['pause', 'win', '--state', '/nowhere'], 3, /no ledger in \/nowhere/],
])('%j is refused before anything connects', async (argv, code, message) => {
  const done = await runHere((program) => registerCampaignCommands(program, {}), argv);
  expect(done).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
});
