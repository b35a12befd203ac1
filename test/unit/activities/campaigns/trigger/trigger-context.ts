// A sandbox, a ledger and the trigger between them: members that wait, and a driver that takes one from step to step.

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createMemberSteps } from '../../../../../activities/campaigns/trigger/member.ts';
import type { MemberResult } from '../../../../../activities/campaigns/trigger/outcome.ts';
import { campaignRoute } from '../../../../../src/core/ids.ts';
import { toJson } from '../../../../../src/core/json/stored-json.ts';
import { LANES } from '../../../../../src/core/lanes.ts';
import type { Database } from '../../../../../src/core/sql/database.ts';
import { CampaignSpec, type MemberStep } from '../../../../../src/jobs/campaigns/contract/batches.ts';
import { campaignNews } from '../../../../../src/jobs/campaigns/store/campaign-news.ts';
import { digestOfSpec, getCampaign } from '../../../../../src/jobs/campaigns/store/campaigns.ts';
import { giveUpLost } from '../../../../../src/jobs/campaigns/store/commands.ts';
import type { MemberRow } from '../../../../../src/jobs/campaigns/store/members.ts';
import { PollerConfig } from '../../../../../src/jobs/conversations/config.ts';
import type { AnnounceRule } from '../../../../../src/jobs/outbox/contract/announce.ts';
import type { MessagingClientOptions } from '../../../../../src/service/api-client/client.ts';
import { createBudget } from '../../../../../src/service/budget/slots.ts';
import { testAccount, testDeps, testLog } from '../../../../support/activities/deps.ts';
import { withShortBlocks } from '../../../../support/activities/free-budget.ts';
import { openService } from '../../../../support/activities/service.ts';
import { daily } from '../../../../support/campaigns/windows.ts';
import { account } from '../../../../support/environment.ts';
import type { PanelFlowRun } from '../../../../support/panel.ts';

/** A Wednesday, midday in all of Brazil. */
const NOON = Date.parse('2026-12-02T15:00:00.000Z');

/** Ids of the sandbox's contacts are their positions, from 1. */
const PEOPLE = 200;
const numberOf = (contact: number) => `55119876${String(50_000 + contact)}`;

const TRIGGER = '/v1/flows/trigger';

const windows = { zone: 'account', days: daily('08:00-20:00') };

/** Refusals are the point here, so only errors are shown. */
const logger = new DefaultLogger('ERROR');
export const activity = () =>
  new MockActivityEnvironment({ priority: { priorityKey: LANES.campaign } }, { logger });

export async function failureOf(result: Promise<unknown>): Promise<ApplicationFailure> {
  try {
    await result;
  } catch (error) {
    if (error instanceof ApplicationFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

export interface WorkerOptions extends Partial<MessagingClientOptions> {
  readonly db?: Database;
  /** Calls a minute. */
  readonly limit?: number;
}

export type TriggerContext = Awaited<ReturnType<typeof openTriggerContext>>;

export async function openTriggerContext(
  over: Record<string, unknown> = {},
  announce: readonly AnnounceRule[] = [],
) {
  const scopes = ['contacts:write', 'cards:write', 'flows:trigger'];
  const fixture = account({
    tokens: [
      { value: 'svc_test_token', scopes },
      { value: 'svc_test_narrow', scopes: ['contacts:read'] },
      { value: 'svc_test_revoked', scopes, revoked: true },
      { value: 'svc_test_expired', scopes, expiresAt: '2020-01-01T00:00:00.000Z' },
    ],
    connections: [
      { id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' },
      { id: 3, name: 'page', channel: 'facebook', status: 'CONNECTED' },
    ],
    users: [{ id: 1, name: 'Ana' }],
    flows: [
      { id: 1, name: 'reactivate', active: true, published: true, nodes: 3 },
      { id: 2, name: 'draft', active: true, published: false, nodes: 3 },
    ],
    contacts: Array.from({ length: PEOPLE }, (_, n) => ({
      id: n + 1,
      number: numberOf(n + 1),
      name: `P${n}`,
    })),
    ...over,
  });
  const { sandbox, db, calls, panel, ...service } = await openService(fixture);
  const log: object[] = [];
  const clock = { ms: NOON, now: async () => clock.ms };

  /** The activities of one worker. */
  function worker({ db: own = db, limit = 60_000, ...options }: WorkerOptions = {}) {
    const client = service.client(options);
    const deps = testDeps({
      db: own,
      clock,
      announce: () => announce,
      poller(account, name) {
        if (name === 'main') return PollerConfig.parse({ account });
        throw new Error(`no poller ${name}`);
      },
      budget: withShortBlocks(createBudget(own, () => ({ limit, reply: 0, lead: 0, floor: 0 }))),
      calls,
      log: { ...testLog(log), error: (fields) => void log.push({ ...fields, level: 'error' }) },
      account: () => testAccount(client, { optOut: { tags: ['stop'], words: [] } }),
    });
    const members = createMemberSteps(deps);
    const named =
      (name: MemberStep) =>
      async ({ run, member }: Pick<Person, 'run' | 'member'>): Promise<MemberResult> =>
        await members.run(name, await members.frozen(run), member);
    const steps = {
      findMember: named('findMember'),
      recheckMember: named('recheckMember'),
      triggerMember: named('triggerMember'),
      verifyMember: named('verifyMember'),
    };
    const step = (name: MemberStep, input: Person): Promise<MemberResult> =>
      activity().run(steps[name], { run: input.run, member: input.member });
    return { client, deps, steps, step };
  }
  const environment = worker();

  let campaigns = 0;
  let contacts = 0;

  /** A running campaign. */
  async function campaign(config: Record<string, unknown> = {}, words: string[] = []): Promise<Campaign> {
    const name = `back${++campaigns}`;
    const spec = CampaignSpec.parse({
      account: 'acme',
      campaign: name,
      sources: {},
      timeZone: 'America/Sao_Paulo',
      optOut: { tags: [], words },
      config: {
        account: 'acme',
        flow: 1,
        connection: 1,
        audience: [{ from: 'contacts' }],
        windows,
        ...config,
      },
    });
    const sync = campaignRoute(name);
    const run = `acme/${sync}/1`;
    await db.query(
      "insert into runs (id, account, sync, seq, spec, kind, status) values ($1, 'acme', $2, 1, $3, 'campaign', 'syncing')",
      [run, sync, toJson(spec)],
    );
    await db.query(
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by)
       values ($1, 'acme', $2, $3, 'running', $4, 'ana')`,
      [run, name, digestOfSpec(spec), new Date(clock.ms)],
    );
    return { run, name };
  }

  /** A member that waits; of a contact that no other member has, unless `contact` says whose. */
  async function member(of: Campaign, over: Partial<NewMember> = {}): Promise<Person> {
    const contact = over.contact ?? ++contacts;
    const number = over.number ?? numberOf(contact);
    const { id = contact, variables = {}, zones = '', card = null, key = number } = over;
    const [row] = await db.query<{ id: number }>(
      `insert into campaign_members (run_id, key, number, contact_id, card_id, part, zones, variables, state, place, wave)
       values ($1, $2, $3, $4, $5, 0, $6, $7, 'waiting', 1, 1) returning id`,
      [of.run, key, number, id, card, zones, toJson(variables)],
    );
    return { run: of.run, member: (row as { id: number }).id, contact, number, key };
  }

  const rowOf = async ({ member: id }: Person): Promise<MemberRow & { ended_at: Date | null }> => {
    const [row] = await db.query<MemberRow & { ended_at: Date | null }>(
      'select *, null as tag_ids from campaign_members where id = $1',
      [id],
    );
    return row as MemberRow & { ended_at: Date | null };
  };
  const touchesOf = async ({ key }: Person): Promise<number> => {
    const [row] = await db.query<{ n: number }>(
      'select count(*)::int as n from campaign_touches where key = $1',
      [key],
    );
    return row?.n ?? 0;
  };
  /** Flows that the service ran for the contact. */
  const runsOf = async ({ contact }: Person): Promise<PanelFlowRun[]> =>
    (await panel.flowRuns()).filter(({ contactId }) => contactId === contact);
  /** Gives the next trigger a fault. */
  const arm = (fault: object) => panel.fault({ method: 'POST', path: TRIGGER, times: 1, ...fault });

  /** So much time passes that whoever has the right to trigger can't be at the call any more. */
  async function lose({ run }: Person): Promise<void> {
    await db.query("update campaign_members set sent_at = sent_at - interval '61 seconds'");
    await db.transaction(async (tx) => {
      const news = campaignNews(await getCampaign(tx, run), announce);
      await giveUpLost(tx, run, { seconds: 60, code: 'TRIGGER_AMBIGUOUS' }, new Date(clock.ms), news);
      await news.publish(tx);
    });
  }

  return {
    lose,
    trigger: environment.steps.triggerMember,
    sandbox,
    db,
    panel,
    worker,
    log,
    clock,
    campaign,
    member,
    rowOf,
    touchesOf,
    runsOf,
    requests: service.requests,
    arm,
    /** Name of the campaign that is the nth from now. */
    nameOf: (n: number) => `back${campaigns + n}`,
    /** Refuses the next trigger. */
    refuseWith: (status: number, code: string | null, extras: object = {}, headers: object = {}) =>
      arm({
        kind: 'status',
        status,
        headers,
        body: { error: 'no', ...(code === null ? {} : { code }), ...extras },
      }),
    /** Has any fault been given to a request? */
    fired: () => panel.fired(),
    /** Triggers that the service was asked for since the last call of this. */
    calls: async () => (await service.requests()).filter(({ path }) => path === TRIGGER).length,
    /** State, code, touches that count, flows that ran. */
    async facts(person: Person) {
      const { state, code } = await rowOf(person);
      return { state, code, touches: await touchesOf(person), runs: (await runsOf(person)).length };
    },
    callLog: calls,
    client: environment.client,
    step: environment.step,
    /** A member of a campaign of its own. */
    waiting: async (config: Record<string, unknown> = {}, over: Partial<NewMember> = {}) =>
      await member(await campaign(config), over),
    /**
     * Takes a member as far as it gets: pauses between attempts, and flights, pass at once.
     * @returns the last answer, and the steps in their order
     */
    async drive(
      person: Person,
      { by = environment, from = 'triggerMember', max = 20 }: DriveOptions = {},
    ): Promise<{ answer: MemberResult; steps: MemberStep[] }> {
      const steps: MemberStep[] = [];
      for (let next = from; ; ) {
        if (steps.length === max) throw new Error(`no end after ${steps.join(' ')}`);
        steps.push(next);
        try {
          const answer = await by.step(next, person);
          if (answer.state === 'sending') await lose(person);
          else if (answer.next === null) return { answer, steps };
          next = answer.next ?? next;
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.nonRetryable === true) throw error;
          await db.query("update slots set blocked_until = '-infinity'");
        }
      }
    },
    /** What a poller would have imported. */
    async conversation(
      { contact, key }: Person,
      over: Record<string, unknown> = {},
      inboundAt = NOON,
    ): Promise<void> {
      const state = { status: 'open', chatbot: true, userId: null, connection: { name: 'main' }, ...over };
      await db.query(
        `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at)
         values ('acme', $1, 'main', 1, 'waba', $2, $3, '', $4, $3)`,
        [900 + contact, key, new Date(inboundAt), toJson({ state, lastMessage: null })],
      );
    },
    /** Noon, no faults, and requests are counted from here. */
    async fresh() {
      clock.ms = NOON;
      await panel.clearFaults();
      await service.requests();
    },
    /** A campaign whose open wave has a member for each of these contacts. */
    async wave(contacts: readonly number[], config: Record<string, unknown> = {}, words: string[] = []) {
      const of = await campaign({ cap: { times: 99 }, ...config }, words);
      const members: Person[] = [];
      for (const contact of contacts) members.push(await member(of, { contact }));
      await db.query(
        "insert into campaign_waves (run_id, wave, kind, size, started_at) values ($1, 1, 'wave', $2, now())",
        [of.run, contacts.length],
      );
      return { run: of.run, members };
    },
    close: service.close,
  };
}

interface Campaign {
  readonly run: string;
  readonly name: string;
}

interface NewMember {
  /** The contact's id in the sandbox. */
  readonly contact: number;
  /** The id that the audience brought. */
  readonly id: number | null;
  readonly number: string;
  readonly key: string;
  readonly variables: object;
  readonly zones: string;
  readonly card: number | null;
}

export interface Person {
  readonly run: string;
  readonly member: number;
  readonly contact: number;
  readonly number: string;
  readonly key: string;
}

interface DriveOptions {
  readonly by?: { step(name: MemberStep, input: Person): Promise<MemberResult> };
  readonly from?: MemberStep;
  readonly max?: number;
}
