// `sluice user`: who may log in to the console and to remote commands.
import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../core/endpoint.ts';
import type { OperatorClient } from '../../operator/client/client.ts';
import type { User } from '../../operator/contract/identity.ts';
import type { Output } from '../../operator/contract/index.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { readSecret } from '../lib/terminal/ask-secret.ts';
import { formatMany, formatTime } from '../lib/terminal/format.ts';
import { printList } from '../lib/terminal/list.ts';
import { printLines } from '../lib/terminal/print.ts';
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

const role = () => new Option('--role <role>', 'what the user may do').choices(ROLES);

export function registerUser(program: Command, env: NodeJS.ProcessEnv): void {
  const user = program
    .command('user')
    .description('add, list and change users of the console and of remote commands');

  const command = (verb: string, description: string) =>
    withSessionOptions(user.command(verb)).description(description).option('--json', 'print JSON', false);
  const run = (
    options: Options,
    verb: string,
    work: (client: OperatorClient, signal: AbortSignal) => Promise<object | null>,
  ) =>
    withOperator(
      options,
      env,
      { command: `sluice user ${verb}`, creates: verb === 'add', mayBeEmpty: verb === 'list' },
      async (client, _, shutdown) => {
        const changed = await work(client, shutdown.signal);
        if (options.json && changed !== null) printLines([JSON.stringify(changed)]);
        return EXIT.ok;
      },
    );

  command('list', 'list users').action((options: Options) =>
    run(options, 'list', async (client) => {
      const { count, more } = await printList({
        json: options.json,
        columns: COLUMNS,
        async read(limit, after: string | undefined) {
          const { users: items, next } = await client.call('GET /users', { limit, after });
          return { items, next };
        },
      });
      say(`${formatMany(count, 'user')}${more ? ', and there are more' : ''}`);
      return null;
    }),
  );

  command('add', 'add a user; prints a one-time link with which the user chooses a password')
    .argument('<name>', 'name to log in with')
    .addOption(role().makeOptionMandatory())
    .option('--display-name <text>', 'name as people know it (default: the name)')
    .option('--unix-user <name>', 'Unix user of this machine that is this user, for commands on the machine')
    .option('--password', 'ask for a password instead of printing a link', false)
    .action((name: string, options: AddOptions) =>
      run(options, 'add', async (client, signal) => {
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

  command('set-role', 'change the role of a user; ends the sessions of the user')
    .argument('<name>', 'name of the user')
    .addOption(role().makeOptionMandatory())
    .action((name: string, options: Options & { readonly role: Role }) =>
      run(options, 'set-role', async (client) => {
        const changed = await client.call('PATCH /users/{name}', { name, role: options.role });
        say(`${name} is now ${options.role}; open sessions have ended`);
        return changed;
      }),
    );

  command('disable', 'disable a user; ends the sessions and access tokens of the user')
    .argument('<name>', 'name of the user')
    .action((name: string, options: Options) =>
      run(options, 'disable', async (client) => {
        const changed = await client.call('PATCH /users/{name}', { name, disabled: true });
        say(`${name} cannot log in any more`);
        return changed;
      }),
    );

  command('enable', 'let a disabled user log in again')
    .argument('<name>', 'name of the user')
    .action((name: string, options: Options) =>
      run(options, 'enable', async (client) => {
        const changed = await client.call('PATCH /users/{name}', { name, disabled: false });
        say(`${name} can log in again`);
        return changed;
      }),
    );

  command('reset-second-factor', 'let a user who has lost the second factor log in with the password alone')
    .argument('<name>', 'name of the user')
    .requiredOption(
      '--verified <text>',
      'how you verified who asks for it, for example a call back to a known number; the audit log keeps it',
    )
    .action((name: string, options: Options & { readonly verified: string }) =>
      run(options, 'reset-second-factor', async (client) => {
        const { verified } = options;
        await client.call('POST /users/{name}/second-factor/reset', { name, verified });
        say(`${name} logs in with the password alone now; open sessions have ended`);
        return { name, hasSecondFactor: false };
      }),
    );

  command('link', 'print a one-time link with which a user chooses a new password')
    .argument('<name>', 'name of the user')
    .action((name: string, options: Options) =>
      run(options, 'link', async (client) => {
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
