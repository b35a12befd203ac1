// Access tokens of `sluice login`, by server, in a file that only this user can read.
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../../../core/files/regular-file.ts';
import { isPlainRemote } from '../../../core/net/loopback.ts';
import { CliError, EXIT } from '../exit.ts';

const Credentials = z.record(z.string(), z.object({ token: z.string(), name: z.string() }));
type Credentials = z.infer<typeof Credentials>;

function credentialsFile(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config');
  return join(folder, 'sluice', 'credentials.json');
}

/** The token for a server; null: nobody has logged in there. */
export async function findToken(server: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const all = await readAll(credentialsFile(env));
  return all[originOf(server)]?.token ?? null;
}

/** @param entry null removes it */
export async function saveToken(
  server: string,
  entry: { readonly token: string; readonly name: string } | null,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const file = credentialsFile(env);
  const all = await readAll(file);
  if (entry === null) delete all[originOf(server)];
  else all[originOf(server)] = entry;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

/** @throws CliError (usage) */
export function originOf(server: string): string {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new CliError(
      EXIT.usage,
      `--server must be a URL such as https://sluice.example.com, not "${server}"`,
    );
  if (isPlainRemote(server))
    throw new CliError(
      EXIT.usage,
      `${server} is not encrypted, so others on the way could read your password or access token; use https, or a tunnel to localhost`,
    );
  return new URL(server).origin;
}

async function readAll(file: string): Promise<Credentials> {
  let text: string;
  try {
    text = (await readRegularFile(file)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  const parsed = Credentials.safeParse(parse(text));
  if (parsed.success) return parsed.data;
  throw new CliError(EXIT.usage, `${file} is not readable; delete it and log in again`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
