// `sluice find`: what happened to a person, and why they got no message.
import type { Command } from 'commander';
import { neutralLine } from '../../observe/neutral.ts';
import type { OperatorClient } from '../../operator/client/client.ts';
import type { Output } from '../../operator/contract/index.ts';
import { integer } from '../lib/arguments.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatTime } from '../lib/terminal/format.ts';
import { tableOf } from '../lib/terminal/table.ts';
import { reasonOf, sentenceOf } from './sentences.ts';

interface Options extends SessionOptions {
  readonly account?: string;
  readonly limit: number;
  readonly unmasked: boolean;
  readonly json: boolean;
}

/** Characters of the shortest query. */
const SHORTEST = 2;
/** Digits of the shortest Brazilian number with its area code. */
const WITH_AREA = 10;

type Found = Output<'POST /people/search'>;
type Who = Pick<Found['people'][number], 'account' | 'person'>;

export function registerFind(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(
    program
      .command('find')
      .argument('<query...>', 'phone number, e-mail address, name, or id of anything that is about a person'),
  )
    .description('show what happened to a person, and why they got no message')
    .option('--account <name>', 'only people of this account')
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1, max: 1000 }), 50)
    .option('--unmasked', 'show personal data; the audit log records it', false)
    .option('--json', 'print JSON', false)
    .action((words: string[], options: Options) => {
      const query = words.join(' ').trim();
      if (query.length < SHORTEST)
        throw new CliError(
          EXIT.usage,
          'write what to find: a phone number, e-mail address, name or id, with at least two characters',
        );
      return withOperator(options, env, { command: 'sluice find' }, (client) => find(client, query, options));
    });
}

async function find(client: OperatorClient, query: string, options: Options): Promise<number> {
  const { account, unmasked, json } = options;
  const found = await client.call('POST /people/search', { query, account, unmask: unmasked });
  const [only, ...others] = found.people;
  if (only === undefined) {
    if (json) line(JSON.stringify(found));
    else for (const each of rowLines(found)) line(each);
    throw new CliError(EXIT.notFound, nobody(found, query));
  }
  if (others.length === 0) {
    if (!json) for (const each of rowLines(found)) say(each);
    return await show(client, only, options);
  }
  if (json) line(JSON.stringify(found));
  else {
    for (const each of tableOf(COLUMNS, found.people)) line(each);
    for (const each of rowLines(found)) line(each);
    say(
      `${found.people.length} people${found.more ? ', and there are more: write more of the name' : ''}; show one with \`sluice find --account ${only.account} ${only.person}\``,
    );
  }
  return EXIT.ok;
}

const COLUMNS = [
  ['account', 'left', ({ account }: Found['people'][number]) => account],
  ['person', 'left', ({ person }: Found['people'][number]) => person],
  ['number', 'left', ({ number }: Found['people'][number]) => number ?? '–'],
  ['name', 'left', ({ name }: Found['people'][number]) => name ?? '–'],
  ['e-mail', 'left', ({ email }: Found['people'][number]) => email ?? '–'],
  ['found by', 'left', ({ by }: Found['people'][number]) => by.join(', ')],
] as const;

async function show(client: OperatorClient, { account, person }: Who, options: Options): Promise<number> {
  const input = { account, person, unmask: options.unmasked };
  const who = await client.call('GET /people/{account}/{person}', input);
  const { entries, next } = await client.call('GET /people/{account}/{person}/timeline', {
    ...input,
    limit: options.limit,
  });
  if (options.json) {
    line(JSON.stringify({ ...who, timeline: entries, next }));
    return EXIT.ok;
  }
  const { number, name, email } = who;
  line(
    neutralLine(
      `${[name, number, email].filter((text) => text !== null).join(', ') || person} (${account}, ${person})`,
    ),
  );
  if (who.why.length > 0) {
    line('');
    line('Why no message:');
    for (const reason of who.why)
      line(neutralLine(`- ${reasonOf(reason)}${reason.at === null ? '' : `, ${timeOf(reason.at)}`}`));
  }
  line('');
  for (const entry of entries) line(neutralLine(`${timeOf(entry.at)}  ${sentenceOf(entry)}`));
  if (next !== null) say(`the newest ${entries.length} entries; see --limit`);
  return EXIT.ok;
}

type Rows = Pick<Found, 'rejected' | 'merged' | 'excluded'>;

/** Rows of syncs that have no record of their own, and members of campaigns that are no person. */
function rowLines({ rejected, merged, excluded }: Rows): string[] {
  return [
    ...rejected.map(({ at, run, row, name, column, value, problem, later }) => {
      const what = [column, value === null ? null : `"${value}"`].filter((part) => part !== null).join(' ');
      return `${timeOf(at)}  row ${row} of ${run}${ofName(name)} was rejected: ${what === '' ? '' : `${what}: `}${problem.reason} [${problem.code}]${laterOf(later)}`;
    }),
    ...merged.map(
      ({ at, run, row, name, into }) =>
        `${timeOf(at)}  row ${row} of ${run}${ofName(name)} was not sent by itself: ${into === null ? 'a row of an earlier run' : `row ${into}`} has the same number`,
    ),
    ...excluded.map(({ at, run, member, row, name, value, problem }) => {
      const what = row === null ? `member ${member}` : `row ${row}`;
      return `${timeOf(at)}  ${what} of ${run}${ofName(name)} was excluded: the number${value === null ? '' : ` "${value}"`} is not valid: ${problem.reason} [${problem.code}]`;
    }),
  ].map(neutralLine);
}

function laterOf(later: Found['rejected'][number]['later']): string {
  if (later === null) return '';
  const { run, row, at } = later;
  return row === null
    ? `; ${run} read the whole source again on ${timeOf(at)}`
    : `; sent as row ${row} of ${run} on ${timeOf(at)}`;
}

const ofName = (name: string | null): string => (name === null ? '' : ` (${name})`);

/** Digits of this number may be the end of a phone number. */
const PART_OF_NUMBER = /^[\d\s().-]{4,}$/;

export function nobody(
  { readings, rejected, merged, excluded }: Rows & Pick<Found, 'readings'>,
  query: string,
): string {
  const read = readings.length === 0 ? '' : ` It was read as ${readings.join(' and ')}.`;
  const rows =
    rejected.length + merged.length + excluded.length === 0
      ? ''
      : ' The rows above match, but they were rejected or excluded, or another row has their number.';
  const whole =
    PART_OF_NUMBER.test(query) && query.replace(/\D/g, '').length < WITH_AREA
      ? ' Write the whole number with its area code.'
      : '';
  return `the ledger has nobody who matches.${read}${rows}${whole}`;
}

const timeOf = (iso: string): string => formatTime(iso);

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}
