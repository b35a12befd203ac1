// A sandbox, a ledger and the effects between them; a driver that takes an event from step to step without waiting.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { type EffectRequest, firstEffectStep } from '../../../../../activities/events/effects/first-step.ts';
import { createEffects } from '../../../../../activities/events/effects/index.ts';
import { LANES } from '../../../../../src/core/lanes.ts';
import { saveCatalog } from '../../../../../src/core/store/catalog.ts';
import { PollerConfig } from '../../../../../src/jobs/conversations/config.ts';
import {
  type EffectResult,
  type EffectStep,
  EventRequest,
} from '../../../../../src/jobs/events/contract/intake.ts';
import { addEvents, getEvent, markAccepted } from '../../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../../src/jobs/events/store/intake-runs.ts';
import type { MessagingClientOptions } from '../../../../../src/service/api-client/client.ts';
import { createBudget } from '../../../../../src/service/budget/slots.ts';
import { testAccount, testDeps, testLog } from '../../../../support/activities/deps.ts';
import { openService } from '../../../../support/activities/service.ts';
import { account } from '../../../../support/environment.ts';

const SCOPES = [
  'conversations:read',
  'messages:read',
  'messages:send',
  'connections:read',
  'contacts:write',
  'cards:write',
  'flows:trigger',
];

/** Numbers of contacts that the sandbox has: their ids are their positions, from 1. */
export const KNOWN = ['5511987650001', '551187650002', '5511987650003', '5511987650004', '5511987650005'];

/** Follows all conversations of the account, once a test has written its row. */
export const POLLER = 'main';

export interface State {
  readonly contacts: { id: number; number: string; name: string; tagIds: number[] }[];
  readonly cards: { id: number; contactId: number; stageId: number; status: string }[];
  readonly conversations: {
    id: number;
    contactId: number;
    connectionId: number;
    messages: {
      id: string;
      body: string;
      fromMe: boolean;
      templateData?: object;
      media?: { name: string; type: string; size: number; sha256: string };
    }[];
  }[];
}

/** Refusals are the point here, so only errors are shown. */
const logger = new DefaultLogger('ERROR');

const activity = () => new MockActivityEnvironment({ priority: { priorityKey: LANES.lead } }, { logger });

export async function openEffectContext(over: Record<string, unknown> = {}) {
  const fixture = account({
    tokens: [{ value: 'svc_test_token', scopes: SCOPES }],
    defaultConnectionId: 1,
    connections: [
      { id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' },
      { id: 2, name: 'official', channel: 'waba', status: 'CONNECTED' },
      { id: 3, name: 'page', channel: 'facebook', status: 'CONNECTED' },
    ],
    users: [{ id: 1, name: 'Ana' }],
    contacts: KNOWN.map((number, n) => ({ id: n + 1, number, name: `P${n}`, tagIds: [3] })),
    flows: [
      { id: 1, name: 'reactivate', active: true, published: true, nodes: 3 },
      { id: 2, name: 'draft', active: true, published: false, nodes: 3 },
    ],
    ...over,
  });
  const { sandbox, db, calls, panel, ...service } = await openService(fixture);
  await saveCatalog(db, 'acme', 'tags', [
    { id: 1, name: 'crm' },
    { id: 2, name: 'vip' },
    { id: 3, name: 'by-hand' },
    { id: 99, name: 'deleted since' },
  ]);
  await saveCatalog(db, 'acme', 'pipelines', [
    {
      id: 1,
      name: 'Sales',
      stages: [
        { id: 11, name: 'New' },
        { id: 12, name: 'Talking' },
        { id: 13, name: 'Won' },
      ],
    },
  ]);
  const run = await openIntakeRun(db, { account: 'acme', sync: '@route' });
  const log: object[] = [];

  /** Effects of one worker. */
  function worker(options: Partial<MessagingClientOptions> = {}, settleSeconds = 60) {
    const client = service.client(options);
    const deps = testDeps({
      db,
      announce: () => [],
      poller(account, name) {
        if (name === POLLER) return PollerConfig.parse({ account });
        throw new Error(`no poller ${name}`);
      },
      budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
      calls,
      log: testLog(log),
      account: () => testAccount(client, { settleSeconds }),
    });
    const effects = createEffects(deps);
    const step = (name: EffectStep, event: string): Promise<EffectResult> =>
      activity().run(effects[name], { event });
    return { client, deps, effects, step };
  }
  const environment = worker();

  let events = 0;
  const state = async () => (await panel.account()) as unknown as State;
  /** Lets time pass for calls whose answers were lost. */
  const pass = async (ms: number) => {
    await db.query(
      `update intents set sent_at = sent_at - make_interval(secs => $1::float8 / 1000) where state = 'sent'`,
      [ms],
    );
  };
  return {
    sandbox,
    db,
    run,
    panel,
    worker,
    activity,
    log,
    pass,
    state,
    client: environment.client,
    step: environment.step,
    /** An accepted event; the ids of two are never the same. */
    async event(request: EffectRequest | object): Promise<string> {
      const id = `event-${++events}`;
      const draft = { account: 'acme', route: 'route', id, subject: id, rank: null };
      await addEvents(db, run, [{ ...draft, request: EventRequest.parse(request) }]);
      await markAccepted(db, [id]);
      return id;
    },
    /**
     * Takes an event to its end: waits and pauses between attempts pass at once.
     * @returns the steps in their order, repeated ones too
     */
    async drive(id: string, { by = environment, from, max = 60 }: DriveOptions = {}): Promise<EffectStep[]> {
      const { request } = (await getEvent(db, id)) as { request: EffectRequest | null };
      if (request === null) return [];
      let next: EffectStep | null = from ?? firstEffectStep(request, null).step;
      const steps: EffectStep[] = [];
      while (next !== null) {
        if (steps.length === max) throw new Error(`no end after ${steps.join(' ')}`);
        steps.push(next);
        try {
          const result: EffectResult = await by.step(next, id);
          if (result.waitMs !== undefined) await pass(result.waitMs);
          next = result.next;
        } catch (error) {
          if (
            !(error instanceof ApplicationFailure) ||
            error.nonRetryable === true ||
            error.type === 'INTERNAL'
          )
            throw error;
        }
      }
      return steps;
    },
    async outcome(id: string) {
      const [row] = await db.query(
        'select state, outcome, step, code, reason, request is not null as kept from events where id = $1',
        [id],
      );
      return row as { outcome: string | null; code: string | null; reason: string | null; kept: boolean };
    },
    intent: async (id: string) =>
      (
        await db.query<{ state: string; sends: number; trace: object }>(
          'select * from intents where subject = $1',
          [id],
        )
      )[0],
    /** Texts that went out to a number, in all its conversations. */
    async sentTo(number: string): Promise<string[]> {
      const { contacts, conversations } = await state();
      const ids = new Set(contacts.filter((each) => each.number === number).map(({ id }) => id));
      return conversations
        .filter(({ contactId }) => ids.has(contactId))
        .flatMap(({ messages }) => messages.filter(({ fromMe }) => fromMe).map(({ body }) => body));
    },
    requests: service.requests,
    flowRuns: panel.flowRuns,
    close: service.close,
  };
}

export type EffectContext = Awaited<ReturnType<typeof openEffectContext>>;

interface DriveOptions {
  readonly by?: { step(name: EffectStep, event: string): Promise<EffectResult> };
  readonly from?: EffectStep;
  readonly max?: number;
}

const person = (number: string) => ({ number, key: number.replace(/^(55\d\d)(\d{8})$/, '$19$2') });
export const message = (number: string, over: object = {}) => ({
  type: 'message',
  to: person(number),
  text: 'hello',
  saveOnTicket: true,
  ...over,
});
export const flow = (number: string, over: object = {}) => ({
  type: 'flow',
  ...person(number),
  flow: 1,
  connection: 1,
  variables: {},
  ...over,
});
export const stage = (number: string, over: object = {}) => ({
  type: 'stage',
  of: person(number),
  pipeline: 'Sales',
  stage: 'Talking',
  ...over,
});
export const tags = (number: string, add: string[], remove: string[] = []) => ({
  type: 'tags',
  ...person(number),
  add,
  remove,
});

/** What may happen to a call that is not idempotent, and how often it is made until it is done. */
export const FAULTS = [
  ['FAULTS 1: the connection is reset after the effect', { kind: 'reset-after' }, 1],
  ['FAULTS 4: the connection is reset before it', { kind: 'reset-before' }, 2],
  ['FAULTS 5: a 500 without code', { kind: 'status', status: 500, body: { error: 'oops' } }, 2],
  ['FAULTS 6: a page instead of an answer', { kind: 'html' }, 1],
  ['FAULTS 6: half an answer', { kind: 'truncate' }, 1],
  ['FAULTS 9: no answer', { kind: 'hang' }, 2],
] as const;
