// `sluice user`: who may log in to the console and to remote commands.
import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../core/endpoint.ts';
import type { OperatorClient } from '../../operator/client/client.ts';
import { IDENTITY, type User } from '../../operator/contract/identity.ts';
import type { Output } from '../../operator/contract/index.ts';
import { SECOND_FACTOR } from '../../operator/contract/second-factor.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { listCommand } from '../lib/route/list-command.ts';
import { readSecret } from '../lib/terminal/ask-secret.ts';
import { formatTime } from '../lib/terminal/format.ts';
import { printJson } from '../lib/terminal/print.ts';
import type { Column } from '../lib/terminal/table.ts';

interface Options extends SessionOptions {
  readonly json: boolean;
}

interface AddOptions extends Options {
  readonly role: Role;
  readonly displayName?: string;
  readonly unixUser?: string;
  readonly password: boolean;
}

const role = () => new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory();

const NAME = ['name', '<name>', 'name of the user'] as const;
/** What the commands share that change a user. */
const CHANGE = {
  contract: IDENTITY,
  route: 'PATCH /users/{name}',
  arguments: [NAME],
  json: 'print JSON',
} as const;

export function registerUser(program: Command, env: NodeJS.ProcessEnv): void {
  const user = program
    .command('user')
    .description('add, list and change users of the console and of remote commands');

  listCommand(user, env, {
    name: 'list',
    about: 'list users',
    contract: IDENTITY,
    route: 'GET /users',
    connecting: { mayBeEmpty: true },
    items: 'users',
    shown: COLUMNS,
    limit: null,
    one: 'user',
  });

  const making = (verb: string, description: string) =>
    withSessionOptions(user.command(verb)).description(description).option('--json', 'print JSON', false);
  const make = (
    options: Options,
    verb: string,
    work: (client: OperatorClient, signal: AbortSignal) => Promise<object | null>,
  ) =>
    withOperator(
      options,
      env,
      { command: `sluice user ${verb}`, creates: verb === 'add' },
      async (client, _, shutdown) => {
        const made = await work(client, shutdown.signal);
        if (options.json && made !== null) printJson(made);
        return EXIT.ok;
      },
    );

  making('add', 'add a user; prints a one-time link with which the user chooses a password')
    .argument('<name>', 'name to log in with')
    .addOption(role())
    .option('--display-name <text>', 'name as people know it (default: the name)')
    .option(
      '--unix-user <name>',
      'Unix user that runs Sluice: its commands on the machine are those of this user',
    )
    .option('--password', 'ask for a password instead of printing a link', false)
    .action((name: string, options: AddOptions) =>
      make(options, 'add', async (client, signal) => {
        const { displayName, unixUser } = options;
        const password = options.password ? await readSecret('Password: ', signal) : undefined;
        const added = await client.call('POST /users', {
          name,
          role: options.role,
          displayName,
          unixUser,
          password,
        });
        say(`${name} can log in as ${options.role}`);
        if (options.password) {
          sayWaits(name, added);
          return added;
        }
        const link = await makeLink(client, name);
        sayWaits(name, link);
        if (options.json) return { ...added, link };
        printLink(name, link);
        return null;
      }),
    );

  callCommand(user, env, {
    ...CHANGE,
    name: 'set-role',
    about: 'change the role of a user; ends the sessions of the user',
    flags: (command) => command.addOption(role()),
    input: (given, options: { readonly role: Role }) => ({ ...given, role: options.role }),
    says: ({ name, role }) => `${name} is now ${role}; open sessions have ended`,
  });

  callCommand(user, env, {
    ...CHANGE,
    name: 'disable',
    about: 'disable a user; ends the sessions and access tokens of the user',
    input: (given) => ({ ...given, disabled: true }),
    says: ({ name }) => `${name} cannot log in any more`,
  });

  callCommand(user, env, {
    ...CHANGE,
    name: 'enable',
    about: 'let a disabled user log in again',
    input: (given) => ({ ...given, disabled: false }),
    says: ({ name }) => `${name} can log in again`,
  });

  callCommand(user, env, {
    name: 'reset-second-factor',
    about: 'let a user who has lost the second factor log in with the password alone',
    contract: SECOND_FACTOR,
    route: 'POST /users/{name}/second-factor/reset',
    arguments: [NAME],
    fields: {
      verified: [
        '--verified <text>',
        'how you verified who asks for it, for example a call back to a known number; the audit log keeps it',
      ],
    },
    json: 'print JSON',
    asJson: (_, { input: { name } }) => ({ name, hasSecondFactor: false }),
    says: (_, { input: { name } }) => `${name} logs in with the password alone now; open sessions have ended`,
  });

  making('link', 'print a one-time link with which a user chooses a new password')
    .argument('<name>', 'name of the user')
    .action((name: string, options: Options) =>
      make(options, 'link', async (client) => {
        const link = await makeLink(client, name);
        sayWaits(name, link);
        if (options.json) return { name, link };
        printLink(name, link);
        return null;
      }),
    );
}

type Link = Output<'POST /users/{name}/link'> & {
  /** Null: the process that made the link serves no console. */
  readonly url: string | null;
};

/** The link works once, for a day. */
async function makeLink(client: OperatorClient, name: string): Promise<Link> {
  const link = await client.call('POST /users/{name}/link', { name });
  const { url } = await client.call('POST /console', {});
  return { ...link, url: url === null ? null : `${url}${link.path}` };
}

/** Whoever added a user can act as the user at first, so Sluice does not count them as two people yet. */
function sayWaits(name: string, { approvalWaits }: Pick<User, 'approvalWaits'>): void {
  for (const wait of approvalWaits) say(`${name} may approve ${describeWait(wait)}`);
}

const describeWait = ({ from, plansOf }: User['approvalWaits'][number]): string =>
  `plans of ${plansOf.join(', ')} from ${formatTime(from)}`;

function printLink(name: string, { path, expiresAt, url }: Link): void {
  say(`to choose a password, ${name} opens this link once, before ${formatTime(expiresAt)}:`);
  say(`  ${url ?? `the address of the console, followed by ${path}`}`);
}

const COLUMNS: readonly Column<User>[] = [
  ['name', 'left', ({ name }) => name, 'keep'],
  ['display name', 'left', ({ displayName }) => displayName, 'cut'],
  ['role', 'left', ({ role }) => role],
  ['logs in with', 'left', waysIn],
  ['Unix user', 'left', ({ unixUser }) => unixUser ?? '', 'drop'],
  [
    'last login',
    'left',
    ({ lastLoginAt }) => (lastLoginAt === null ? 'never' : formatTime(lastLoginAt)),
    'keep',
  ],
  ['state', 'left', ({ disabledAt }) => (disabledAt === null ? 'active' : 'disabled')],
  ['approves', 'left', ({ approvalWaits }) => approvalWaits.map(describeWait).join('; '), 'drop'],
];

function waysIn({ hasPassword, hasSecondFactor, oidcIssuer }: User): string {
  const ways = [
    ...(hasPassword ? [hasSecondFactor ? 'password and code' : 'password'] : []),
    ...(oidcIssuer === null ? [] : [`OpenID ${oidcIssuer}`]),
  ];
  return ways.length === 0 ? 'nothing yet' : ways.join(', ');
}
