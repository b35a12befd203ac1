// The commands of `sluice`: the command line and its reference page are made of them.
import { Command } from 'commander';
import { addExamples } from './examples.ts';

/** Adds a group of commands to `program`; `env` is the environment that they read. */
type Register = (program: Command, env: NodeJS.ProcessEnv) => void;

// By the first word of a command.
const GROUPS = new Map<string, () => Promise<Register>>([
  ['init', async () => (await import('./config/init.ts')).registerInit],
  ['config', async () => (await import('./config/config.ts')).registerConfig],
  ['sync', async () => (await import('./sync/sync.ts')).registerSync],
  ['campaign', async () => (await import('./campaign/campaign.ts')).registerCampaign],
  ['dev', async () => (await import('./dev.ts')).registerDev],
  ['worker', async () => (await import('./dev.ts')).registerWorker],
  ['dlq', async () => (await import('./dlq/dlq.ts')).registerDlq],
  ['ingress', async () => (await import('./ingress.ts')).registerIngress],
  ['events', async () => (await import('./events/events.ts')).registerEvents],
  ['message', async () => (await import('./events/message.ts')).registerMessage],
  ['poll', async () => (await import('./poll/poll.ts')).registerPoll],
  ['outbox', async () => (await import('./outbox/outbox.ts')).registerOutbox],
  ['asyncapi', async () => (await import('./outbox/asyncapi.ts')).registerAsyncapi],
  ['doctor', async () => (await import('./config/doctor.ts')).registerDoctor],
  ['sandbox', async () => (await import('./sandbox.ts')).registerSandbox],
  ['demo', async () => (await import('./demo.ts')).registerDemo],
]);

/**
 * @param word first word of the command line: only its group is loaded, since all of them take a second of CPU. Help
 *   and suggestions for a mistyped word need all groups.
 */
export async function createProgram(
  version: string,
  env: NodeJS.ProcessEnv,
  word?: string,
): Promise<Command> {
  const program = new Command('sluice')
    .description('Integration middleware between your systems and a customer-messaging service')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ sortSubcommands: true });
  // Commands made from here on inherit these settings.
  const called = GROUPS.get(word ?? '');
  for (const load of called === undefined ? GROUPS.values() : [called]) (await load())(program, env);
  addExamples(program);
  return program;
}
