// The commands by what they are for, in the order of the help.
import type { Command } from 'commander';

const OPERATE = 'Operate:';

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Start here:': ['init', 'demo', 'dev', 'doctor', 'status'],
  'Work:': ['sync', 'campaign', 'poll', 'message', 'events', 'outbox'],
  'Find out:': ['find', 'failures', 'review', 'calls', 'account', 'refused', 'dlq'],
  'People and users:': ['person', 'optout', 'user', 'login', 'logout'],
  [OPERATE]: [
    'config',
    'console',
    'ingress',
    'worker',
    'notices',
    'ledger',
    'size',
    'sandbox',
    'asyncapi',
    'completion',
  ],
};

/** Orders the commands of the program for its help. A command without a group is shown among those that operate. */
export function groupCommands(program: Command): void {
  const order = Object.values(GROUPS).flat();
  const commands = program.commands as Command[];
  commands.sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
  for (const command of commands)
    command.helpGroup(
      Object.entries(GROUPS).find(([, words]) => words.includes(command.name()))?.[0] ?? OPERATE,
    );
  program.commandsGroup(OPERATE);
}
