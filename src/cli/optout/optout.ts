// `sluice optout`: who must not be messaged.
import { type Command, Option } from 'commander';
import type { Input, Output } from '../../operator/contract/index.ts';
import { integer } from '../lib/arguments.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { formatMany, formatTime } from '../lib/terminal/format.ts';
import { printList } from '../lib/terminal/list.ts';
import { openOutput } from '../lib/terminal/output.ts';
import type { Column } from '../lib/terminal/table.ts';
import { WHEN, when } from '../lib/when.ts';
import { registerImport } from './import.ts';

type Entry = Output<'GET /opt-outs'>['optOuts'][number];
type Source = NonNullable<Input<'GET /opt-outs'>['source']>;

const SOURCES: readonly Source[] = ['reply', 'tag', 'erase', 'operator', 'import'];

interface Filter {
  readonly source?: Source;
  readonly since?: Date;
}

export function registerOptOut(program: Command, env: NodeJS.ProcessEnv): void {
  const optOut = program
    .command('optout')
    .description('list, record, withdraw, import and export opt-outs: people who must not be messaged');
  registerList(optOut, env);
  registerAdd(optOut, env);
  registerWithdraw(optOut, env);
  registerImport(optOut, env);
  registerExport(optOut, env);
}

function registerList(optOut: Command, env: NodeJS.ProcessEnv): void {
  withFilter(withSessionOptions(optOut.command('list')).option('--account <name>', 'only of this account'))
    .description('list opt-outs, and withdrawn ones, newest record first; numbers are masked')
    .addOption(
      new Option('--only <state>', 'only opt-outs that count, or only withdrawn ones').choices([
        'active',
        'withdrawn',
      ]),
    )
    .option('--unmasked', 'show numbers and evidence in plain text; the audit log records it', false)
    .option('--limit <count>', 'maximum number of entries', integer({ min: 1 }))
    .option('--json', 'print one JSON object per line', false)
    .action(
      (
        options: SessionOptions &
          Filter & {
            account?: string;
            only?: 'active' | 'withdrawn';
            unmasked: boolean;
            limit?: number;
            json: boolean;
          },
      ) =>
        withOperator(options, env, { command: 'sluice optout list' }, async (client) => {
          const { account, only = 'all', unmasked, limit, json } = options;
          const { count } = await printList({
            json,
            limit,
            columns: COLUMNS,
            async read(size, before: string | undefined) {
              const page = await client.call('GET /opt-outs', {
                ...filterOf(options),
                account,
                state: only,
                unmask: unmasked,
                limit: size,
                before,
              });
              return { items: page.optOuts, next: page.next };
            },
          });
          say(formatMany(count, 'opt-out'));
          return EXIT.ok;
        }),
    );
}

const COLUMNS: readonly Column<Entry>[] = [
  ['number', 'left', ({ number }) => number ?? '(erased)', 'keep'],
  ['since', 'left', ({ at }) => formatTime(at), 'keep'],
  ['account', 'left', ({ account }) => account],
  ['source', 'left', ({ source }) => source],
  ['state', 'left', ({ active }) => (active ? 'opted out' : 'withdrawn')],
  ['by', 'left', ({ recordedBy }) => recordedBy ?? '', 'drop'],
  ['evidence', 'left', ({ evidence }) => evidence ?? '', 'cut'],
];

interface OneOptions extends SessionOptions {
  readonly account: string;
  readonly country?: string;
  readonly json: boolean;
}

function registerAdd(optOut: Command, env: NodeJS.ProcessEnv): void {
  withNumber(optOut.command('add'))
    .description('record that a person opted out; it counts until an operator withdraws it')
    .option('--at <when>', `when they said so: ${WHEN} (default: now)`, when)
    .option('--evidence <text>', 'what shows it, up to 200 characters')
    .option('--reason <text>', 'reason, recorded in the audit log', '')
    .action((number: string, options: OneOptions & { at?: Date; evidence?: string; reason: string }) =>
      withOperator(options, env, { command: 'sluice optout add' }, async (client) => {
        const { account, country, at, evidence, reason, json } = options;
        const answer = await client.call('POST /opt-outs/{account}', {
          account,
          number,
          country,
          at: at?.toISOString(),
          evidence,
          reason,
        });
        process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${RESULTS[answer.result]}\n`);
        return answer.result === 'withdrawn' ? EXIT.conflict : EXIT.ok;
      }),
    );
}

const RESULTS: Readonly<Record<Output<'POST /opt-outs/{account}'>['result'], string>> = {
  added: 'the person has opted out',
  known: 'the person had opted out already',
  withdrawn: 'nothing was recorded: an operator withdrew the opt-out after this time',
};

function registerWithdraw(optOut: Command, env: NodeJS.ProcessEnv): void {
  withNumber(optOut.command('withdraw'))
    .description('withdraw the opt-out of a person, who may then be messaged again')
    .requiredOption('--reason <text>', 'why the person may be messaged again; kept with the opt-out')
    .action((number: string, options: OneOptions & { reason: string }) =>
      withOperator(options, env, { command: 'sluice optout withdraw' }, async (client) => {
        const { account, country, reason, json } = options;
        const answer = await client.call('POST /opt-outs/{account}/withdraw', {
          account,
          number,
          country,
          reason,
        });
        process.stdout.write(json ? `${JSON.stringify(answer)}\n` : 'the opt-out is withdrawn\n');
        say('a tag in optOut.tags that the contact still has opts the person out again');
        return EXIT.ok;
      }),
    );
}

function registerExport(optOut: Command, env: NodeJS.ProcessEnv): void {
  withFilter(withSessionOptions(optOut.command('export')))
    .description('export opt-outs as JSON lines, in plain text; the audit log records it')
    .requiredOption('--account <name>', 'account of the opt-outs')
    .option('--output <file>', 'write to this file instead of stdout; only your user can read it')
    .option('--reason <text>', 'reason, recorded in the audit log', '')
    .action((options: SessionOptions & Filter & { account: string; output?: string; reason: string }) =>
      withOperator(options, env, { command: 'sluice optout export' }, async (client) => {
        const { account, reason } = options;
        const output = openOutput(options.output ?? null);
        let count = 0;
        let after: string | null | undefined;
        let isWanted = true;
        while (isWanted && after !== null) {
          const page: Output<'POST /opt-outs/{account}/export'> = await client.call(
            'POST /opt-outs/{account}/export',
            { ...filterOf(options), account, after, reason },
          );
          for (const entry of page.optOuts) isWanted &&= await output.write(`${JSON.stringify(entry)}\n`);
          count += page.optOuts.length;
          after = page.next;
        }
        await output.close();
        say(formatMany(count, 'opt-out'));
        return EXIT.ok;
      }),
    );
}

function withNumber(command: Command): Command {
  return withSessionOptions(
    command.argument('<number>', 'phone number, with + and country code unless --country is set'),
  )
    .requiredOption('--account <name>', 'account of the opt-out')
    .option(
      '--country <code>',
      'ISO 3166 code of the country for a number without country code, for example BR',
    )
    .option('--json', 'print the result as JSON', false);
}

function withFilter(command: Command): Command {
  return command
    .addOption(new Option('--source <source>', 'only opt-outs from this source').choices(SOURCES))
    .option('--since <when>', `only people who opted out since: ${WHEN}`, when);
}

function filterOf({ source, since }: Filter) {
  return { source, since: since?.toISOString() };
}
