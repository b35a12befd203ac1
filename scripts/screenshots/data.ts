// A company whose console is worth a picture: accounts, people, an export, events and a configuration. All of it is made up,
// and the same in every run.
import { stringify } from 'yaml';
import { SCOPES } from '../../src/core/scopes.ts';

export const ENV = { ACME_TOKEN: 'svc_picture_acme', SHOP_TOKEN: 'svc_picture_shop' };
const ROWS = 1200;
const MEMBERS = 2600;
/** The person that the pictures ask about: left out of the campaign by a tag. */
export const LEFT_OUT = '5511912345601';

const FIRST = 'Ana Bruno Carla Davi Elisa Fabio Gabi Hugo Iara Joao Karen Lucas Marina Nilo Olga Paulo'.split(
  ' ',
);
const LAST =
  'Souza Lima Reis Rocha Alves Costa Dias Faria Gomes Melo Nunes Prado Ramos Silva Teles Vieira'.split(' ');
const CITIES = ['11', '21', '31', '41', '51', '61', '71', '81'];

export const nameOf = (index: number) =>
  `${FIRST[index % FIRST.length]} ${LAST[Math.floor(index / FIRST.length) % LAST.length]}`;
const local = (index: number) => 81_000_000 + index * 37;
export const memberNumber = (index: number) => `55${CITIES[index % CITIES.length]}9${local(index)}`;

/** @param rate calls per minute that the sandbox allows */
export function fixture(): object {
  const members = Array.from({ length: MEMBERS }, (_, index) => ({
    id: 1000 + index,
    number: memberNumber(index),
    name: nameOf(index),
    channel: 'whatsapp',
    tagIds: index % 13 === 0 ? [1, 2] : [1],
  }));
  const pipeline = (id: number, name: string, stages: readonly string[]) => ({
    id,
    name,
    stages: stages.map((stage, index) => ({
      id: id * 10 + index,
      name: stage,
      order: index + 1,
      probability: 20,
    })),
  });
  /** Ids are unique over all accounts. */
  const account = (id: string, token: string, offset: number, contacts: readonly object[]) => ({
    id,
    tokens: [{ value: token, scopes: SCOPES }],
    connections: [
      { id: offset + 1, name: 'WhatsApp Sales', channel: 'waba', status: 'CONNECTED', isDefault: true },
    ],
    users: [{ id: offset + 4, name: 'Caio' }],
    tags: ['newsletter', 'customer', 'vip', 'imported'].map((name, index) => ({
      id: offset + index + 1,
      name,
    })),
    sources: [{ id: offset + 7, name: 'site' }],
    pipelines: [],
    flows: [
      { id: offset + 3, name: 'autumn offer', active: true, published: true, nodes: 6 },
      { id: offset + 4, name: 'trial ends', active: true, published: true, nodes: 4 },
    ],
    contacts,
  });
  const person = { id: 1, number: LEFT_OUT, name: 'Rita Moura', channel: 'whatsapp', tagIds: [1, 2] };
  return {
    accounts: [
      {
        ...account('acme', ENV.ACME_TOKEN, 0, [person, ...members]),
        pipelines: [
          pipeline(1, 'Sales', ['New', 'Talking', 'Proposal', 'Won']),
          pipeline(2, 'Support', ['Open', 'Waiting']),
        ],
      },
      { ...account('shop', ENV.SHOP_TOKEN, 50, []), pipelines: [pipeline(5, 'Orders', ['Paid', 'Sent'])] },
    ],
  };
}

/** An export of a CRM. A few rows are wrong, as they are in life. */
export function crmExport(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const number =
      index % 97 === 5
        ? '9555'
        : `(${CITIES[index % CITIES.length]}) 97${String(local(index)).slice(1, 4)}-${String(local(index)).slice(4)}`;
    const name = nameOf(index * 7);
    const email =
      index % 61 === 3 ? 'no e-mail' : `${name.toLowerCase().replace(' ', '.')}${index}@example.com`;
    return [index + 1, name, number, email, ['New', 'Talking', 'Proposal'][index % 3]].join(';');
  });
  return ['Id;Nome;Telefone;E-mail;Etapa', ...rows, ''].join('\r\n');
}

export interface Places {
  readonly baseUrl: string;
  readonly consolePort: number;
  readonly ingressPort: number;
  /** Null: no route reads Kafka. */
  readonly brokers: readonly string[] | null;
}

export const TOPIC = 'acme.crm.leads';
export const DEAD = 'acme.dead-letters';
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const allDay = { zone: 'account', days: Object.fromEntries(DAYS.map((day) => [day, ['00:00-24:00']])) };
const PHONE = { type: 'object', required: ['phone'], properties: { phone: { type: 'string' } } };

export function configuration({ baseUrl, consolePort, ingressPort, brokers }: Places): string {
  const account = (name: string) => ({
    baseUrl,
    tokens: [`env:${name}`],
    timeZone: 'America/Sao_Paulo',
  });
  const campaign = {
    account: 'acme',
    connection: 1,
    variables: { name: { path: 'contact.name', default: 'you' } },
    audience: [{ from: 'contacts', tags: ['newsletter'] }],
    exclude: { tags: ['customer'] },
    windows: allDay,
  };
  const lead = { type: 'lead', mapping: 'crm-leads' };
  return stringify({
    version: 1,
    accounts: {
      acme: { ...account('ACME_TOKEN'), announce: [{ sink: 'helpdesk' }], optOut: { words: ['parar'] } },
      shop: account('SHOP_TOKEN'),
    },
    sources: {
      'crm-export': { type: 'csv', path: './crm.csv' },
      'shop-export': { type: 'csv', path: './crm.csv' },
    },
    mappings: {
      'crm-leads': {
        defaultCountry: 'BR',
        contact: { number: 'Telefone', name: 'Nome', email: 'E-mail' },
        tags: [{ const: 'imported' }],
        card: { pipeline: 'Sales', stage: 'Etapa', when: 'Etapa' },
      },
      orders: {
        defaultCountry: 'BR',
        contact: { number: 'Telefone', name: 'Nome' },
        card: { pipeline: 'Orders', stage: { const: 'Paid' } },
      },
    },
    sinks: { helpdesk: { type: 'jsonl', path: './events.jsonl' } },
    syncs: {
      leads: { account: 'acme', source: 'crm-export', mapping: 'crm-leads' },
      orders: {
        account: 'shop',
        source: 'shop-export',
        mapping: 'orders',
        schedule: { cron: '0 6 * * *', timeZone: 'America/Sao_Paulo' },
      },
    },
    pollers: { 'acme-main': { account: 'acme', connection: 1, from: 'now' } },
    campaigns: {
      'autumn-offer': {
        ...campaign,
        flow: 3,
        holdout: 0.05,
        waves: { canary: 40, size: 400, settle: '2s', callsPerMinute: 600 },
        stop: { failed: 0.2, optOut: 0.05 },
      },
      'trial-ends': { ...campaign, flow: 4, waves: { size: 500 }, approval: 'second-person' },
    },
    ...(brokers === null
      ? { ingress: { http: { port: ingressPort } } }
      : {
          ingress: {
            http: { port: ingressPort },
            kafka: { bus: { brokers, group: 'sluice', deadLetters: DEAD } },
          },
        }),
    routes: {
      'site-form': {
        account: 'acme',
        http: { path: '/events/leads', auth: { type: 'none' } },
        schema: { type: 'object', required: ['Telefone'] },
        action: lead,
      },
      ...(brokers === null
        ? {}
        : {
            'crm-interests': {
              account: 'acme',
              kafka: { cluster: 'bus', topics: [TOPIC] },
              schema: PHONE,
              action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] },
            },
          }),
    },
    operator: { http: { port: consolePort } },
  });
}
