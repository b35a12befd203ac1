// The configuration of the project, and the data that the user brings.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../src/core/net/ports.ts';
import { ALL_DAY } from '../../support/campaigns/windows.ts';
import type { Canary } from './traces.ts';

export const CANARY: Canary = {
  key: '5511976543210',
  name: 'Quokkamar Zanzibarov',
  email: 'quokka.canary@example.net',
  word: 'flumpadoodle',
};

export interface Topics {
  readonly in: string;
  readonly dead: string;
  readonly out: string;
}

/** The table of the source `crm`. */
export async function fillCrm(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns = ['Id', 'Name', 'Nickname', 'Phone', 'E-mail', 'Tags', 'Status', 'Wants a call'];
    const quoted = columns.map((column) => `"${column}"`);
    await client.query(`create table leads (${quoted.map((column) => `${column} text`).join(', ')})`);
    await client.query('alter table leads add primary key ("Id")');
    const { key, name, email, word } = CANARY;
    await client.query(
      `insert into leads values ($1, $2, '', $3, $4, 'newsletter', 'talking', 'yes'), ('9', $2, '', '12', $4, '', '', '')`,
      [`sql ${word}`, name, `+${key}`, email],
    );
  } finally {
    await client.end();
  }
}

interface Connected {
  readonly baseUrl: string;
  readonly codec: boolean;
  readonly receiver: string;
  readonly kafka: { readonly brokers: readonly string[]; readonly topics: Topics } | null;
}

/** Writes sluice.yaml, the export, and a file to send. */
export async function configure(
  folder: string,
  { baseUrl, codec, receiver, kafka }: Connected,
): Promise<void> {
  const file = join(folder, 'sluice.yaml');
  const config = parse(await readFile(file, 'utf8')) as {
    accounts: { acme: object };
    sources: object;
    syncs: { leads: object };
  };
  const bus = kafka === null ? [] : [{ sink: 'bus' }];
  const acme = Object.assign({}, config.accounts.acme, {
    baseUrl,
    optOut: { words: ['sair'] },
    announce: [{ sink: 'archive' }, { sink: 'helpdesk', events: ['message.received'] }, ...bus],
  });
  const lead = { type: 'lead', mapping: 'crm-leads' };
  const routes = {
    'site-leads': {
      account: 'acme',
      http: { path: '/site-leads', auth: { type: 'none' } },
      key: 'Id',
      action: lead,
    },
  };
  const ingress = { http: { port: await freePort() } };
  const sinks = {
    archive: { type: 'jsonl', path: 'events.jsonl' },
    helpdesk: { type: 'http', url: receiver, secrets: ['file:hook-key'], retry: ['1s'] },
  };
  if (kafka !== null) {
    const { brokers, topics } = kafka;
    Object.assign(routes, {
      'bus-leads': {
        account: 'acme',
        kafka: { cluster: 'bus', topics: [topics.in] },
        key: 'Id',
        action: lead,
      },
    });
    const cluster = { brokers, group: topics.in, deadLetters: topics.dead, from: 'earliest' };
    Object.assign(ingress, { kafka: { bus: cluster } });
    Object.assign(sinks, { bus: { type: 'kafka', brokers, topic: topics.out } });
  }
  const more = {
    accounts: { acme },
    sources: Object.assign({}, config.sources, {
      crm: { type: 'postgres', url: 'env:CRM_DB', table: 'public.leads', key: 'Id' },
    }),
    syncs: {
      leads: Object.assign({}, config.syncs.leads, { announce: 'archive' }),
      database: { account: 'acme', source: 'crm', mapping: 'crm-leads', tags: 'merge' },
    },
    campaigns: {
      'win-back': {
        account: 'acme',
        flow: 1,
        connection: 1,
        variables: { name: 'contact.name' },
        audience: [{ from: 'contacts', tags: ['newsletter'] }],
        windows: { zone: 'account', days: ALL_DAY },
        // The run ends right after its only wave.
        waves: { settle: '0s' },
      },
    },
    pollers: { inbox: { account: 'acme', interval: { min: '500ms', max: '1s' } } },
    routes,
    sinks,
    ingress,
    operator: { http: { port: await freePort() } },
    admin: { port: await freePort() },
  };
  if (codec)
    Object.assign(more, { temporal: { encryption: { keys: [{ id: 'test', key: 'env:HISTORY_KEY' }] } } });
  await writeFile(file, stringify(Object.assign(config, more)));
  const key = `whsec_${Buffer.alloc(32, 1).toString('base64')}\n`;
  await writeFile(join(folder, 'hook-key'), key, { mode: 0o600 });
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(join(folder, 'data/leads.csv'), `${ROWS.join('\n')}\n`);
  await mkdir(join(folder, 'given'));
  const { name, email, word } = CANARY;
  await writeFile(join(folder, 'given', `${word}.txt`), `An offer for ${name}, ${email}\n`);
}

const { name, email, word } = CANARY;

/** An export with the canary in four of five rows. */
const ROWS = [
  'Id,Name,Nickname,Phone,E-mail,Tags,Status,Wants a call',
  '1,Ana Exemplo,,(11) 91234-5601,ana@example.com,newsletter,new,yes',
  `2 ${word},${name},,(11) 97654-3210,${email},newsletter,talking,yes`,
  // Rejected, and about the canary too: the same number without its area code.
  `3,${name},,97654-3210,${email},newsletter,new,yes`,
  // Merged into row 2.
  `4,${name},,+55 11 97654-3210,${email},newsletter,new,yes`,
];
