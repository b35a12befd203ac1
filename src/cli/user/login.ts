// `sluice login` and `sluice logout`: an access token for commands on a server elsewhere.
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { httpClient } from '../../operator/client/node.ts';
import { findToken, originOf, saveToken } from '../lib/connect/credentials.ts';
import { runCommand, say } from '../lib/connect/lifetime.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { readSecret } from '../lib/terminal/ask-secret.ts';

interface Options {
  readonly server?: string;
  readonly user?: string;
  readonly token: boolean;
}

const SERVER = [
  '--server <url>',
  'address of the console of the Sluice to log in to (default: $SLUICE_SERVER)',
] as const;

export function registerLogin(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command('login')
    .description(
      'log in to a Sluice elsewhere, for commands with --server; asks for the password, and for a code of users with a second factor',
    )
    .option(...SERVER)
    .option('--user <name>', 'name of the user')
    .option('--token', 'read an access token instead, as the console makes one for single sign-on', false)
    .action(async (options: Options) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const server = serverOf(options, env);
        if (!options.token && options.user === undefined)
          throw new CliError(EXIT.usage, 'name the user with --user, or read an access token with --token');
        const secret = await readSecret(options.token ? 'Access token: ' : 'Password: ', shutdown.signal);
        const token = options.token
          ? secret
          : await logIn(server, options.user ?? '', secret, shutdown.signal);
        const client = httpClient(server, token);
        try {
          const { user } = await client.call('GET /session', {});
          if (user === null) throw new CliError(EXIT.auth, 'the server does not accept this access token');
          await saveToken(server, { token, name: user.displayName }, env);
          say(`logged in to ${server} as ${user.displayName} (${user.role})`);
        } finally {
          await client.close();
        }
        return EXIT.ok;
      });
    });
}

export function registerLogout(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command('logout')
    .description('forget the access token of a server, and revoke it there')
    .option(...SERVER)
    .action(async (options: Options) => {
      process.exitCode = await runCommand(async () => {
        const server = serverOf(options, env);
        const token = await findToken(server, env);
        if (token === null) {
          say(`nobody is logged in to ${server}`);
          return EXIT.ok;
        }
        const client = httpClient(server, token);
        try {
          await client.call('POST /logout', {});
        } finally {
          await client.close();
          await saveToken(server, null, env);
        }
        say(`logged out of ${server}`);
        return EXIT.ok;
      });
    });
}

function serverOf({ server }: Options, env: NodeJS.ProcessEnv): string {
  const given = server ?? env.SLUICE_SERVER;
  if (given) return originOf(given);
  throw new CliError(EXIT.usage, 'name the server with --server or SLUICE_SERVER');
}

async function logIn(server: string, name: string, password: string, signal: AbortSignal): Promise<string> {
  const client = httpClient(server, null);
  try {
    const accessToken = { name: `sluice login on ${hostname()}`.slice(0, 100) };
    const { accessToken: token, pending } = await client.call('POST /login', { name, password, accessToken });
    if (pending === null) return token as string;
    const code = await readSecret('Code of your authenticator app, or a recovery code: ', signal);
    return (await client.call('POST /login/code', { pending, code })).accessToken as string;
  } finally {
    await client.close();
  }
}
