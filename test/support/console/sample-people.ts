// A person with every kind of entry, with hostile names, and what the settings show.
import type { Output } from '../../../src/operator/contract/index.ts';
import type { TimelineEntry } from '../../../src/operator/contract/people-timeline.ts';
import { HOSTILE_NAME } from './sample.ts';

const START = Date.UTC(2026, 10, 23, 11);
const account = 'acme';
const base = { account, workflow: 'acme:crm-sync:contacts' };
const problem = { code: 'ERR_VALIDATION', reason: `The service refuses ${HOSTILE_NAME}.` };
const run = { run: 'acme/contacts/3', sync: 'contacts', row: 17 };
const campaign = { campaign: 'spring', run: 'acme/spring/2', member: 8, wave: 2, ticket: null };
const call = { run: 'acme/contacts/3', lane: 5, method: 'POST', route: '/v1/contacts', waitMs: 812 };

type Bare = TimelineEntry extends infer E ? (E extends unknown ? Omit<E, 'id' | 'at'> : never) : never;

const ENTRIES: readonly Bare[] = [
  { ...base, kind: 'optOut', code: 'reply' },
  { ...base, ...campaign, kind: 'campaign', code: 'excluded', problem },
  { ...base, ...campaign, kind: 'campaign', code: 'triggered', problem: null },
  { ...base, kind: 'message', code: 'received', conversation: 44, status: null },
  {
    ...base,
    kind: 'conversation',
    code: 'pending',
    conversation: 44,
    channel: 'waba',
    chatbot: true,
    user: 3,
    lastMessage: null,
  },
  {
    ...base,
    kind: 'delivery',
    code: 'failed',
    message: 'm-1',
    event: 'form-1',
    conversation: 44,
    checks: 2,
    problem,
  },
  { ...base, kind: 'gap', code: 'MESSAGES_MISSING', conversation: 44, reason: 'Three messages are missing.' },
  { ...base, ...call, kind: 'call', code: '200', status: 200, requestId: 'req-1', tookMs: 96 },
  { ...base, ...call, kind: 'call', code: 'ERR_VALIDATION', status: 422, requestId: 'req-2', tookMs: 40 },
  { ...base, ...call, kind: 'call', code: 'lost', status: null, requestId: null, tookMs: 30_000 },
  { ...base, kind: 'effect', code: 'unknown', what: 'card', run: run.run },
  { ...base, kind: 'card', code: 'created', card: 632, pipeline: 'Vendas', stage: 'Novo' },
  {
    ...base,
    kind: 'contact',
    code: 'written',
    contact: 125,
    fields: ['name', 'email'],
    tags: [HOSTILE_NAME],
    missingTags: ['vip'],
    createdBy: 'contacts',
  },
  {
    ...base,
    ...run,
    kind: 'finding',
    code: 'warning',
    field: 'contact.email',
    column: 'e-mail',
    value: 'a•••@example',
    otherRow: null,
    otherValue: null,
    likely: false,
    problem: { code: 'BAD_EMAIL', reason: 'This is no e-mail address.' },
  },
  {
    ...base,
    ...run,
    kind: 'row',
    code: 'failed',
    into: null,
    created: false,
    cardCreated: false,
    tries: 3,
    step: 'setTags',
    problem,
  },
  {
    ...base,
    kind: 'event',
    code: 'received',
    event: 'form-1',
    route: 'site-leads',
    action: 'lead',
    step: null,
    problem: null,
    warnings: [],
  },
  // As a newer server may send it.
  { ...base, kind: 'optOut', code: 'by-mail' as 'tag' },
];

export function timeline(kind: unknown): Output<'GET /people/{account}/{person}/timeline'> {
  const entries = ENTRIES.map((entry, index) => ({
    ...entry,
    id: `${entry.kind}/${index}`,
    at: new Date(START - index * 60_000).toISOString(),
  })) as TimelineEntry[];
  return { entries: entries.filter((entry) => kind === undefined || entry.kind === kind), next: null };
}

export function person(unmask: boolean): Output<'GET /people/{account}/{person}'> {
  const at = new Date(START).toISOString();
  const nothing = { at, campaign: null, run: null, event: null, problem: null };
  return {
    account,
    person: 'p3',
    number: unmask ? '5511912345601' : '+55 11 9••••-5601',
    name: unmask ? HOSTILE_NAME : 'B… V…',
    email: unmask ? 'bruno@example.org' : 'b•••@example.org',
    contacts: [125],
    conversations: [44],
    cards: [632],
    why: [
      { ...nothing, code: 'OPTED_OUT', problem: { code: 'reply', reason: '' } },
      { ...nothing, code: 'LEFT_OUT', campaign: HOSTILE_NAME, run: campaign.run, problem },
    ],
  };
}
