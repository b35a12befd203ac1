// `sluice dlq`: Kafka records that no route could accept. A topic has them, and what was done about them.
import type { Command } from 'commander';
import { registerDlqDiscard } from './discard.ts';
import { registerDlqList } from './list.ts';
import { registerDlqReplay } from './replay.ts';
import { registerDlqShow } from './show.ts';

export function registerDlq(program: Command, env: NodeJS.ProcessEnv): void {
  const dlq = program
    .command('dlq')
    .description('list, show, replay and discard dead letters: Kafka records that no route accepted');
  registerDlqList(dlq, env);
  registerDlqShow(dlq, env);
  registerDlqReplay(dlq, env);
  registerDlqDiscard(dlq, env);
}
