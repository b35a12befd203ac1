// The commands of `sluice`: the command line and its reference page are made of them.
import { Command, type Option } from 'commander';
import { groupCommands } from './command-groups.ts';
import { addExamples } from './examples.ts';
import { fillState } from './lib/connect/place.ts';

/** Adds a group of commands to `program`; `env` is the environment that they read. */
type Register = (program: Command, env: NodeJS.ProcessEnv) => void;

// By the first word of a command.
const GROUPS = new Map<string, () => Promise<Register>>([
  ['init', async () => (await import('./config/init.ts')).registerInit],
  ['config', async () => (await import('./config/config.ts')).registerConfig],
  ['sync', async () => (await import('../jobs/sync/commands/sync.ts')).registerSync],
  ['campaign', async () => (await import('../jobs/campaigns/commands/campaign.ts')).registerCampaign],
  ['status', async () => (await import('./status/status.ts')).registerStatus],
  ['review', async () => (await import('./status/review.ts')).registerReview],
  ['calls', async () => (await import('./status/calls.ts')).registerCalls],
  ['failures', async () => (await import('./status/failures.ts')).registerFailures],
  ['ledger', async () => (await import('./ledger/ledger.ts')).registerLedger],
  ['user', async () => (await import('./user/user.ts')).registerUser],
  ['login', async () => (await import('./user/login.ts')).registerLogin],
  ['logout', async () => (await import('./user/login.ts')).registerLogout],
  ['notices', async () => (await import('./notices/notices.ts')).registerNotices],
  ['account', async () => (await import('./account/account.ts')).registerAccount],
  ['completion', async () => (await import('./completion/completion.ts')).registerCompletion],
  ['console', async () => (await import('./console.ts')).registerConsole],
  ['dev', async () => (await import('./dev.ts')).registerDev],
  ['worker', async () => (await import('./dev.ts')).registerWorker],
  ['refused', async () => (await import('../jobs/events/commands/refused/refused.ts')).registerRefused],
  ['dlq', async () => (await import('../jobs/events/commands/dlq/dlq.ts')).registerDlq],
  ['ingress', async () => (await import('./ingress.ts')).registerIngress],
  ['events', async () => (await import('../jobs/events/commands/events/events.ts')).registerEvents],
  ['message', async () => (await import('../jobs/events/commands/events/message.ts')).registerMessage],
  ['poll', async () => (await import('../jobs/conversations/commands/poll.ts')).registerPoll],
  ['find', async () => (await import('./find/find.ts')).registerFind],
  ['person', async () => (await import('./person/person.ts')).registerPerson],
  ['optout', async () => (await import('./optout/optout.ts')).registerOptOut],
  ['outbox', async () => (await import('../jobs/outbox/commands/outbox.ts')).registerOutbox],
  ['asyncapi', async () => (await import('../jobs/outbox/commands/asyncapi.ts')).registerAsyncapi],
  ['doctor', async () => (await import('./config/doctor.ts')).registerDoctor],
  ['size', async () => (await import('./size/size.ts')).registerSize],
  ['sandbox', async () => (await import('./sandbox.ts')).registerSandbox],
  ['demo', async () => (await import('./demo.ts')).registerDemo],
]);

export interface Appearance {
  readonly version: string;
  /** Errors are printed as JSON, so commander prints none. */
  readonly json: boolean;
}

/** Settings of the whole program. Commands made from here on inherit them. */
export function dressProgram(program: Command, { version, json }: Appearance): Command {
  program
    .description('Integration middleware between your systems and a customer-messaging service')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show the help of a command')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureHelp({ sortSubcommands: true, optionDescription });
  if (json) program.configureOutput({ outputError: () => undefined });
  else program.showHelpAfterError('(see --help)');
  return program;
}

/** The description of an option with its choices and its default. That a flag is off goes without saying. */
function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const isOff = defaultValue === false || defaultValue === '' || isEmpty(defaultValue);
  const facts = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined || isOff ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * @param word first word of the command line: only its group is loaded, since all of them take a second of CPU. Without
 *   it, all groups are there.
 */
export async function createProgram(
  appearance: Appearance,
  env: NodeJS.ProcessEnv,
  word?: string,
): Promise<Command> {
  const program = dressProgram(new Command('sluice'), appearance);
  const called = GROUPS.get(word ?? '');
  for (const load of called === undefined ? GROUPS.values() : [called]) (await load())(program, env);
  groupCommands(program);
  addExamples(program);
  program.hook('preAction', (_, command) => fillState(command, env));
  return program;
}
