// `sluice optout`: who must not be messaged.
import type { Command } from 'commander';
import type { Output } from '../../operator/contract/index.ts';
import { OPT_OUTS } from '../../operator/contract/opt-outs.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { say } from '../lib/connect/lifetime.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { callCommand } from '../lib/route/call-command.ts';
import { readFields, withFields } from '../lib/route/fields.ts';
import { listCommand } from '../lib/route/list-command.ts';
import { formatMany, formatTime } from '../lib/terminal/format.ts';
import { openOutput } from '../lib/terminal/output.ts';
import type { Column } from '../lib/terminal/table.ts';
import { WHEN } from '../lib/when.ts';
import { registerImport } from './import.ts';

type Entry = Output<'GET /opt-outs'>['optOuts'][number];

const contract = OPT_OUTS;
const FILTER = {
  source: ['--source <source>', 'only opt-outs from this source'],
  since: ['--since <when>', `only people who opted out since: ${WHEN}`],
  state: ['--only <state>', 'only opt-outs that count, or only withdrawn ones'],
} as const;
/** What names one person. */
const NUMBER = [
  'number',
  '<number>',
  'phone number, with + and country code unless --country is set, or the id of a person from a search, such as p12',
] as const;
const PERSON = {
  account: ['--account <name>', 'account of the opt-out'],
  country: [
    '--country <code>',
    'ISO 3166 code of the country for a number without country code, for example BR',
  ],
} as const;

export function registerOptOut(program: Command, env: NodeJS.ProcessEnv): void {
  const optOut = program
    .command('optout')
    .description('list, record, withdraw, import and export opt-outs: people who must not be messaged');

  listCommand(optOut, env, {
    name: 'list',
    about: 'list opt-outs, and withdrawn ones, newest record first; numbers are masked',
    contract,
    route: 'GET /opt-outs',
    fields: {
      account: ['--account <name>', 'only of this account'],
      ...FILTER,
      unmask: ['--unmasked', 'show numbers and evidence in plain text; the audit log records it'],
    },
    items: 'optOuts',
    shown: COLUMNS,
    limit: {},
    one: 'opt-out',
  });

  callCommand(optOut, env, {
    name: 'add',
    about: 'record that a person opted out; it counts until an operator withdraws it',
    contract,
    route: 'POST /opt-outs/{account}',
    arguments: [NUMBER],
    fields: {
      ...PERSON,
      at: ['--at <when>', `when they said so: ${WHEN} (default: now)`],
      evidence: ['--evidence <text>', 'what shows it, up to 200 characters'],
      reason: ['--reason <text>', 'reason, recorded in the audit log'],
    },
    json: 'print the result as JSON',
    text: ({ result }) => RESULTS[result],
    exitCode: ({ result }) => (result === 'withdrawn' ? EXIT.conflict : EXIT.ok),
  });

  callCommand(optOut, env, {
    name: 'withdraw',
    about: 'withdraw the opt-out of a person, who may then be messaged again',
    contract,
    route: 'POST /opt-outs/{account}/withdraw',
    arguments: [NUMBER],
    fields: {
      ...PERSON,
      reason: ['--reason <text>', 'why the person may be messaged again; kept with the opt-out'],
    },
    json: 'print the result as JSON',
    text: () => 'the opt-out is withdrawn',
    says: () => 'a tag in optOut.tags that the contact still has opts the person out again',
  });

  registerImport(optOut, env);
  registerExport(optOut, env);
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

const RESULTS: Readonly<Record<Output<'POST /opt-outs/{account}'>['result'], string>> = {
  added: 'the person has opted out',
  known: 'the person had opted out already',
  withdrawn: 'nothing was recorded: an operator withdrew the opt-out after this time',
};

function registerExport(optOut: Command, env: NodeJS.ProcessEnv): void {
  const { input } = OPT_OUTS['POST /opt-outs/{account}/export'];
  withFields(withSessionOptions(optOut.command('export')), input, FILTER)
    .description('export opt-outs as JSON lines, in plain text; the audit log records it')
    .requiredOption('--account <name>', 'account of the opt-outs')
    .option('--output <file>', 'write to this file instead of stdout; only your user can read it')
    .option('--reason <text>', 'reason, recorded in the audit log', '')
    .action((options: SessionOptions & { account: string; output?: string; reason: string }) =>
      withOperator(options, env, { command: 'sluice optout export' }, async (client) => {
        const { account, reason } = options;
        const filter = readFields({ ...options }, input, FILTER);
        const output = openOutput(options.output ?? null);
        let count = 0;
        let after: string | null | undefined;
        let isWanted = true;
        while (isWanted && after !== null) {
          const page: Output<'POST /opt-outs/{account}/export'> = await client.call(
            'POST /opt-outs/{account}/export',
            { ...filter, account, after, reason },
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
