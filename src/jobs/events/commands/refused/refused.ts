// `sluice refused`: requests of authenticated senders that no route could take, which are kept with their content.
import type { Command } from 'commander';
import { registerRefusedDiscard } from './refused-discard.ts';
import { registerRefusedList } from './refused-list.ts';
import { registerRefusedReplay } from './refused-replay.ts';
import { registerRefusedShow } from './refused-show.ts';

export function registerRefused(program: Command, env: NodeJS.ProcessEnv): void {
  const refused = program
    .command('refused')
    .description('list, show, correct, replay and discard refused requests of authenticated senders');
  registerRefusedList(refused, env);
  registerRefusedShow(refused, env);
  registerRefusedReplay(refused, env);
  registerRefusedDiscard(refused, env);
}
