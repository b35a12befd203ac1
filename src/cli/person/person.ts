// `sluice person`: exports and erases what Sluice has of one person.
import { type Command, Option } from 'commander';
import { neutralLine } from '../../observe/neutral.ts';
import type { OperatorClient } from '../../operator/client/client.ts';
import type { Output } from '../../operator/contract/index.ts';
import { PAGE_LANGUAGES, type PageLanguage } from '../../operator/contract/people.ts';
import { nobody } from '../find/find.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { confirm, requireAnswer, withYes } from '../lib/terminal/confirm.ts';
import { formatCount, formatMany } from '../lib/terminal/format.ts';
import { openOutput } from '../lib/terminal/output.ts';
import { describeErasure } from './describe-erasure.ts';

interface Options extends SessionOptions {
  readonly account?: string;
  readonly reason: string;
  readonly json: boolean;
}

interface ExportOptions extends Options {
  readonly output?: string;
  readonly page?: PageLanguage;
}

type Hit = Output<'POST /people/search'>['people'][number];

/** Number of people that a refusal lists. */
const LISTED = 5;

export function registerPerson(program: Command, env: NodeJS.ProcessEnv): void {
  const person = program
    .command('person')
    .description('export or erase what Sluice has of one person (LGPD, GDPR)');

  withPerson(person.command('export'))
    .description(
      'print everything that the ledger has of a person, as JSON or as a page, in plain text; the audit log records it',
    )
    .option('--output <file>', 'write to this file instead of stdout; only your user can read it')
    .option('--json', 'print JSON without line breaks', false)
    .addOption(
      new Option('--page <language>', 'print a page (HTML) for the person instead of JSON').choices(
        PAGE_LANGUAGES,
      ),
    )
    .action((words: string[], options: ExportOptions) =>
      withOperator(options, env, { command: 'sluice person export' }, async (client) => {
        const { account, person: id } = await onlyOne(client, words, options);
        const input = { account, person: id, page: options.page, reason: options.reason };
        const { page, ...exported } = await client.call('POST /people/{account}/{person}/export', input);
        const output = openOutput(options.output ?? null, 'text');
        await output.write(page ?? `${JSON.stringify(exported, null, options.json ? undefined : 2)}\n`);
        await output.close();
        const rows = Object.values(exported.tables).flat().length;
        const tables = formatMany(Object.keys(exported.tables).length, 'table');
        say(`${formatMany(rows, 'row')} of ${tables} about ${id} of ${account}`);
        return EXIT.ok;
      }),
    );

  withYes(withPerson(person.command('erase')))
    .description(
      'erase a person from everything that Sluice can reach, and list what it cannot; this cannot be undone',
    )
    .option('--opt-out', 'opt the person out of campaigns first, for good', false)
    .option('--json', 'print the result as JSON', false)
    .action(
      async (words: string[], options: Options & { readonly yes: boolean; readonly optOut: boolean }) => {
        requireAnswer(options.yes);
        const command = { command: 'sluice person erase' };
        await withOperator(options, env, command, async (client, _connected, { signal }) => {
          const hit = await onlyOne(client, words, options);
          await confirm({ what: whatHappens(hit), yes: options.yes, signal });
          const { account, person: id } = hit;
          const input = { account, person: id, optOut: options.optOut, reason: options.reason };
          const erased = await client.call('POST /people/{account}/{person}/erase', input);
          if (options.json) process.stdout.write(`${JSON.stringify({ account, person: id, ...erased })}\n`);
          else for (const line of describeErasure(erased)) process.stdout.write(`${neutralLine(line)}\n`);
          return EXIT.ok;
        });
      },
    );
}

function withPerson(command: Command): Command {
  return withSessionOptions(
    command.argument('<query...>', 'id that `sluice find` shows, phone number, or e-mail address'),
  )
    .option('--account <name>', 'only people of this account')
    .option('--reason <text>', 'reason, recorded in the audit log', '');
}

/** Search matches beginnings of names and addresses, so it must leave no choice. */
async function onlyOne(client: OperatorClient, words: readonly string[], { account }: Options): Promise<Hit> {
  const query = words.join(' ').trim();
  if (query.length < 2)
    throw new CliError(EXIT.usage, 'write the id, phone number or e-mail address of a person');
  const found = await client.call('POST /people/search', { query, account, limit: LISTED });
  const [only, ...others] = found.people;
  if (only === undefined) throw new CliError(EXIT.notFound, nobody(found, query));
  if (others.length === 0 && !found.more) return only;
  const ids = found.people.map(({ account: of, person }) => `--account ${of} ${person}`).join(', ');
  const count = found.more ? `more than ${formatCount(LISTED)}` : formatCount(found.people.length);
  throw new CliError(
    EXIT.usage,
    `${count} people match; \`sluice find\` shows them. Name one by its id: ${ids}`,
  );
}

function whatHappens({ account, person, name, number, email }: Hit): string[] {
  const who = [name, number, email].filter((text) => text !== null).join(', ');
  return [
    neutralLine(`Sluice erases ${who === '' ? person : who} (${account}, ${person}) for good:`),
    '  contact, cards, conversations, messages, events, uploads and rows of syncs in the ledger,',
    '  events in the outbox and in files of sinks, and histories of their events in Temporal.',
    '  Counts stay, without the person. An opt-out stays, under a keyed hash.',
    '  The service, sources, receivers of events and backups keep what they have.',
  ];
}
