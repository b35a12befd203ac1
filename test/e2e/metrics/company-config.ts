// sluice.yaml of the company whose alerts fire.
import { ALL_DAY } from '../../support/campaigns/windows.ts';

/** Each has a service of its own with a token, a connection, a flow and tagged contacts; named after its trouble. */
export const ACCOUNTS = [
  'calm',
  'refused',
  'failing',
  'unsure',
  'stopped',
  'chats',
  'unread',
  'shared',
  'idle',
  'paused',
] as const;
export type AccountName = (typeof ACCOUNTS)[number];

export const tokenOf = (name: AccountName) => `svc_test_alerts_${name}`;
export const variableOf = (name: AccountName) => `TOKEN_${name.toUpperCase()}`;

export const TOPIC = 'leads';
export const DEAD_LETTERS = 'dead-letters';

export interface Places {
  readonly baseUrls: Readonly<Record<AccountName, string>>;
  readonly brokers: readonly string[];
  /** URLs by name of the sink. */
  readonly sinks: Readonly<Record<string, string>>;
  readonly ingressPort: number;
  readonly consolePort: number;
}

export function configOf({ baseUrls, brokers, sinks, ingressPort, consolePort }: Places): object {
  const lead = { type: 'lead', mapping: 'leads' };
  const sync = { account: 'calm', mapping: 'leads' };
  const poller = (account: AccountName) => ({ account, from: 'now', interval: { min: '1s', max: '2s' } });
  const campaign = (account: AccountName) => ({
    account,
    flow: 3,
    connection: 1,
    audience: [{ from: 'contacts', tags: ['newsletter'] }],
    windows: { zone: 'account', days: ALL_DAY },
    waves: { size: 10, settle: '1s' },
  });
  const http = (name: string, retry: readonly string[]) => ({
    type: 'http',
    url: sinks[name],
    secrets: ['env:SINK_SECRET'],
    retry,
  });
  return {
    version: 1,
    accounts: Object.fromEntries(
      ACCOUNTS.map((name) => [
        name,
        { baseUrl: baseUrls[name], tokens: [`env:${variableOf(name)}`], timeZone: 'America/Sao_Paulo' },
      ]),
    ),
    sources: {
      file: { type: 'csv', path: './leads.csv' },
      missing: { type: 'csv', path: './missing.csv' },
      long: { type: 'csv', path: './long.csv' },
    },
    mappings: { leads: { defaultCountry: 'BR', contact: { number: 'phone', name: 'name' } } },
    sinks: { slow: http('slow', Array<string>(50).fill('2s')), picky: http('picky', ['1s']) },
    syncs: {
      'to-slow': { ...sync, source: 'file', announce: 'slow' },
      'to-picky': { ...sync, source: 'file', announce: 'picky' },
      'without-file': { ...sync, source: 'missing' },
      long: { account: 'idle', source: 'long', mapping: 'leads' },
      longer: { account: 'paused', source: 'long', mapping: 'leads' },
    },
    pollers: { chats: poller('chats'), unread: poller('unread') },
    campaigns: {
      offer: { ...campaign('stopped'), stop: { humanService: 0.2, atLeast: 5 } },
      unsure: campaign('unsure'),
      trickle: { ...campaign('paused'), waves: { size: 100, settle: '1s', callsPerMinute: 20 } },
    },
    ingress: {
      http: { port: ingressPort },
      maxDelay: '1m',
      kafka: {
        bus: { brokers, group: 'sluice', deadLetters: DEAD_LETTERS },
        // No route reads it.
        partner: {
          brokers,
          group: 'partner',
          deadLetters: DEAD_LETTERS,
          tls: { cert: 'partner.pem', key: 'partner.key' },
        },
      },
    },
    routes: {
      ...Object.fromEntries(
        ACCOUNTS.map((account) => [
          account,
          { account, http: { path: `/${account}`, auth: { type: 'none' } }, action: lead },
        ]),
      ),
      records: {
        account: 'calm',
        kafka: { cluster: 'bus', topics: [TOPIC] },
        schema: { type: 'object', required: ['phone'], properties: { phone: { type: 'string' } } },
        action: lead,
      },
    },
    operator: { http: { port: consolePort } },
  };
}
