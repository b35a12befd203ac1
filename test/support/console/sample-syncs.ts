// Answers about syncs for tests of the console: an active run, problems, hostile names.
import { HOSTILE_NAME } from './sample.ts';
import type { Answer } from './stub.ts';

const AT = '2026-11-20T06:00:00.000Z';

const summary = (seq: number, over: object = {}) => ({
  run: `acme/contacts/${seq}`,
  account: 'acme',
  sync: 'contacts',
  kind: 'sync',
  redoes: null,
  status: 'finished',
  startedAt: AT,
  finishedAt: '2026-11-20T06:12:30.000Z',
  calls: 985,
  read: 399,
  outcomes: { created: 330, updated: 31, unchanged: 0, merged: 19, rejected: 10, failed: 8, unknown: 1 },
  cards: 213,
  pending: 0,
  error: null,
  ...over,
});

const totals = [
  {
    outcome: 'failed',
    where: 'upsertContact',
    code: 'ERR_DUPLICATED_CONTACT',
    rows: 8,
    reason: 'the service refused',
    varied: false,
    first: 4,
  },
  {
    outcome: 'rejected',
    where: 'contact.number',
    column: HOSTILE_NAME,
    code: 'invalid_phone',
    rows: 10,
    reason: 'the number contains letters',
    varied: true,
    first: 17,
  },
];

const report = {
  run: 'acme/contacts/2',
  read: 399,
  created: 330,
  updated: 31,
  unchanged: 0,
  merged: 19,
  rejected: 10,
  failed: 8,
  unknown: 1,
  cards: 213,
  calls: 985,
  seconds: 750,
  pending: 0,
  stoppedSteps: ['createCard'],
  warnings: [
    { step: 'source', code: 'ENCODING', reason: 'read as windows-1252' },
    {
      step: 'setTags',
      code: 'UNKNOWN_TAG',
      reason: '2 tag names of the source are not tags of the account',
      people: 7,
      firstRows: [2, 3, 5, 8, 13],
    },
  ],
  snapshots: [{ of: 'contacts', single: 361, pages: 4, read: 4 }],
  problems: [],
  totals,
};

const progress = {
  sync: 'contacts',
  account: 'acme',
  execution: 'e1',
  state: 'running',
  trouble: 'retrying: the service is away [TRANSPORT_RESET]',
  eta: { seconds: 120, minSeconds: 90, maxSeconds: 300 },
  startedAt: AT,
  end: null,
  progress: {
    run: 'acme/contacts/2',
    phase: 'syncing',
    paused: null,
    read: 399,
    readShare: 1,
    merged: 19,
    total: 361,
    done: 120,
    created: 90,
    updated: 20,
    failed: 8,
    unknown: 2,
    rejected: 10,
    cards: 70,
    stoppedSteps: [],
    totals: [],
    trouble: null,
  },
};

const row = (n: number, over: object = {}) => ({
  row: n,
  key: '+55 11 9••••-4321',
  status: 'failed',
  step: 'upsertContact',
  code: 'ERR_DUPLICATED_CONTACT',
  reason: 'the service refused',
  column: null,
  attempts: 2,
  created: false,
  cardCreated: false,
  endedAt: AT,
  payload: null,
  other: null,
  place: null,
  changes: null,
  hints: null,
  missingTags: [],
  ...over,
});

const CHANGES = [{ field: 'contact.name', was: null, now: 'M… S…' }];

const UNKNOWN = row(21, {
  status: 'unknown',
  step: 'createCard',
  code: 'ANSWERS_LOST',
  reason: '3 answers were lost, and none of the calls shows an effect',
  changes: CHANGES,
  hints: {
    effect: 'card',
    target: 'Sales',
    sentAt: AT,
    sends: 3,
    contact: 700,
    contactSeenAt: AT,
    card: { id: 900, since: true, inTarget: null },
  },
});

const recognized = {
  delimiter: ';',
  encoding: { name: 'utf-8', confidence: 1 },
  header: true,
  preset: null,
  country: { country: 'BR', format: 'national', confidence: 0.98 },
  columns: ['Telefone', HOSTILE_NAME, 'E-mail'].map((name) => ({
    name,
    guess: null,
    confidence: 0.9,
    samples: ['•••'],
    filled: 3,
  })),
  mapping: {
    defaultCountry: 'BR',
    contact: { number: 'Telefone', email: 'E-mail' },
    tags: [],
    extraInfo: {},
  },
  card: null,
  notes: [],
  rows: 3,
};

/** Everything that the syncs screen asks for. */
/** What a mapping makes of the first rows. */
const preview = {
  rows: 3,
  whole: true,
  mapped: 2,
  rejected: 1,
  records: [
    {
      row: 1,
      country: 'BR',
      record: { contact: { number: '+55 11 9••••-4321', name: 'M… S…' }, tags: ['vip'] },
    },
  ],
  problems: [{ field: 'contact.number', code: 'invalid_phone', reason: 'no number', count: 1, rows: [2] }],
  lines: { 1: 2, 2: 4 },
};

/** A dry run that found tags that the account lacks. One looks like a number, so it is masked. */
const dryRun = {
  plan: 'p1',
  account: 'acme',
  sync: 'contacts',
  state: 'done',
  startedAt: AT,
  read: 399,
  share: 1,
  lines: {},
  listed: 0,
  error: null,
  report: {
    account: 'acme',
    sync: 'contacts',
    read: 399,
    create: 330,
    update: 31,
    move: 0,
    unchanged: 19,
    merged: 19,
    rejected: 0,
    carried: 0,
    vanished: 0,
    fields: { update: { name: 31 }, create: { name: 330, tags: 330 } },
    tags: {
      wanted: 330,
      readAt: AT,
      missing: {
        tags: 3,
        people: 121,
        list: [
          { tag: HOSTILE_NAME, people: 120, rows: [2, 3, 5, 8, 13] },
          { tag: '•••', people: 1, rows: [21] },
          { tag: '•••', people: 1, rows: [] },
        ],
      },
    },
    calls: { min: 361, ifNew: 700, max: 991, steps: [] },
    pace: { callsPerMinute: 120, minSeconds: 180, maxSeconds: 495 },
    done: { earliest: AT, latest: AT },
    warnings: [],
    totals: [],
    problems: [],
    samples: [],
  },
};

export function syncAnswers(): Readonly<Record<string, Answer>> {
  const base = '/syncs/contacts';
  return {
    'GET /syncs': () => ({
      syncs: [
        {
          sync: 'contacts',
          account: 'acme',
          source: { name: 'crm', type: 'csv', uploaded: true },
          mapping: 'crm',
          mode: 'upsert',
          lane: 'backfill',
          state: 'running',
          last: summary(2, { status: 'syncing', finishedAt: null, pending: 241 }),
          schedule: { cron: ['0 6 * * *'], timeZone: 'America/Sao_Paulo', paused: false, next: AT },
        },
      ],
      next: null,
    }),
    [`GET ${base}/progress`]: () => progress,
    [`GET ${base}/runs`]: () => ({
      runs: [summary(2, { status: 'syncing', finishedAt: null }), summary(1)],
      next: null,
    }),
    [`GET ${base}/runs/acme%2Fcontacts%2F2`]: () => ({ summary: summary(2), report }),
    [`GET ${base}/rows`]: (req) => ({
      runs: ['acme/contacts/2'],
      status: 'syncing',
      pruned: false,
      linesProblem: null,
      same: 0,
      rows:
        req.query['row'] === undefined
          ? [
              row(4, { missingTags: ['vip'] }),
              row(17, {
                status: 'rejected',
                key: null,
                column: HOSTILE_NAME,
                place: { line: 20, sheetLine: 18 },
              }),
            ]
          : [Number(req.query['row']) === 21 ? UNKNOWN : row(4, { changes: CHANGES })],
      next: null,
    }),
    [`GET ${base}/warnings`]: () => ({
      warnings: [
        {
          step: 'source',
          code: 'ENCODING',
          reason: 'read as windows-1252',
          tag: null,
          people: 0,
          firstRows: [],
        },
        {
          step: 'setTags',
          code: 'UNKNOWN_TAG',
          reason: '',
          tag: 'vip',
          people: 6,
          firstRows: [2, 3, 5, 8, 13],
        },
        { step: 'setTags', code: 'UNKNOWN_TAG', reason: '', tag: HOSTILE_NAME, people: 1, firstRows: [21] },
      ],
      lines: { 2: 3, 3: 4, 5: 8, 8: 12, 13: 18 },
      next: null,
    }),
    'GET /plans/p1': () => dryRun,
    'GET /accounts': () => ({
      accounts: [
        {
          account: 'acme',
          baseUrl: 'https://x',
          timeZone: 'UTC',
          tokens: 1,
          tokenPlaces: [],
          callsPerMinute: 120,
        },
      ],
    }),
    'POST /uploads': () => ({ upload: 'u1', bytes: 90, expiresAt: AT, recognized }),
    'POST /uploads/u1/recognize': (req) => ({
      upload: 'u1',
      name: 'export.csv',
      expiresAt: AT,
      recognized: {
        ...recognized,
        encoding: req.body['encoding'] === 'auto' ? recognized.encoding : { name: 'utf-8', confidence: 1 },
      },
    }),
    'POST /uploads/u1/compare': () => ({
      found: ['Telefone', HOSTILE_NAME, 'E-mail'],
      added: ['E-mail'],
      removed: ['Etapa'],
      missing: [],
    }),
    'POST /uploads/u1/preview': () => preview,
    'POST /syncs/contacts/preview': () => preview,
    'GET /sync-names': () => ({ taken: [{ name: 'contacts', kind: 'sync' }] }),
    'GET /syncs/contacts/definition': () => ({
      file: '/srv/sluice/sluice.yaml',
      yaml: 'account: acme\nsource: crm\nmapping: crm\nschedule: { cron: "0 6 * * 1" }\n',
      mapping: {
        name: 'crm',
        yaml: 'defaultCountry: BR\ncontact:\n  number: Telefone # of the CRM\ntags: [Etapa, { const: lead }]\n',
        usedBy: [{ kind: 'sync', name: 'other' }],
      },
      columns: ['Telefone', 'Nome', 'Etapa'],
      hash: 'h1',
      removal: { entries: ['syncs.contacts', 'sources.crm'], export: 'data/contacts.csv' },
    }),
  };
}
