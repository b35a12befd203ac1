// Ledger side of events: whose turn it is, what is to be done, and how it ended. None of these calls the API.
import {
  type EventFilter,
  type EventOutcome,
  type EventRetryInput,
  type EventSummary,
  type EventTurn,
  type NextInLine,
  type RequestOf,
  StepSpec,
} from '../src/contracts/intake.ts';
import { type Outcome, STEP_BITS } from '../src/contracts/run.ts';
import { catalogAge, claimCatalog, pick, readCatalog, releaseCatalog } from '../src/ledger/catalog.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { isFollowed } from '../src/ledger/deliveries.ts';
import { listEvents, type ReopenedEvents, reopenEvents } from '../src/ledger/event-desk.ts';
import {
  claimEvent,
  type EventEnd,
  type EventRow,
  effectOf,
  endEvent,
  getEvent,
  isBehind,
  isFarBack,
  isSuperseded,
  lockEvent,
  nextInLine,
  noteHold,
} from '../src/ledger/events.ts';
import { forgetSeen } from '../src/ledger/people.ts';
import { dropEventRecord, getRecord, type RecordRow, stageEventRecord } from '../src/ledger/records.ts';
import { getRun } from '../src/ledger/runs.ts';
import { leadIntakeWorkflowId } from '../workflows/messages.ts';
import type { Deps } from './deps.ts';
import { personOf } from './effects/effect.ts';
import { firstEffectStep } from './effects/first-step.ts';
import { notConfigured } from './failures.ts';
import { findPerson } from './record-step.ts';
import { planSteps } from './sync-diff.ts';
import { wakeDelivery } from './wake.ts';

/** Lists of the account older than this are read anew before they are relied on. */
const LIST_SECONDS = 600;
/** A name that the list lacks may have been made since; asked again at most so often. */
const MISSING_SECONDS = 30;

const OUTCOME_OF: Record<Exclude<Outcome, 'rejected'>, EventOutcome> = {
  created: 'done',
  updated: 'done',
  unchanged: 'unchanged',
  failed: 'failed',
  unknown: 'unknown',
};

export interface IntakeTools {
  /** Told of an account whose messages are to be followed. @default starts or wakes its workflow */
  readonly wake?: (account: string) => Promise<void>;
}

export function createIntakeActivities(deps: Deps, { wake = wakeDelivery }: IntakeTools = {}) {
  const { db } = deps;
  return {
    /** Takes the event for this workflow, when its turn has come. */
    async beginEvent(input: { event: string; workflow: string }): Promise<EventTurn> {
      const found = await getEvent(db, input.event);
      if (found === null || found.state === 'ended') return { turn: 'over', next: null };
      const { tokenKey, tokens } = await accountOf(found);
      // Asked before the transaction: PGlite has one connection.
      const callsPerMinute = await deps.budget.pace(tokens.map(({ key }) => key));
      return await db.transaction(async (tx) => {
        const event = await lockEvent(tx, input.event);
        if (event === null || event.state === 'ended') return { turn: 'over', next: null };
        if (!(await claimEvent(tx, event.id, input.workflow))) return { turn: 'over', next: null };
        if (await isBehind(tx, event)) return { turn: 'wait', told: await isFarBack(tx, event) };
        if (event.record_id === null && (await isSuperseded(tx, event))) {
          await endEvent(tx, event.id, { outcome: 'superseded' });
          return { turn: 'over', next: await nextInLine(tx, event) };
        }
        return await begin(tx, event, { run: event.run_id, tokenKey, callsPerMinute });
      });
    },

    /** Events as operators see them: nothing personal. */
    async listEvents(filter: EventFilter): Promise<EventSummary[]> {
      return await listEvents(db, filter);
    },

    /** Opens events again for the workflows of this key; answers which, by route. */
    async reopenEvents(input: EventRetryInput & { key: string }): Promise<ReopenedEvents[]> {
      const { key, gone } = input;
      const workflowOf = (account: string, route: string) => leadIntakeWorkflowId(account, route, key);
      const reopened = await db.transaction((tx) =>
        reopenEvents(tx, input.filter, { key, gone, workflowOf }),
      );
      for (const { account, route, events } of reopened)
        deps.log.warn({ account, route, events: events.length, by: input.by }, 'events are tried again');
      return reopened;
    },

    /** Why the event waits for somebody to act. */
    async holdEvent(input: { event: string; code: string; reason: string }): Promise<void> {
      await noteHold(db, input.event, input);
      deps.log.warn({ event: input.event, code: input.code }, `an event waits: ${input.reason}`);
    },

    /** Writes down how the event ended, has the messages that it sent followed, and answers who comes next. */
    async closeEvent(input: { event: string; cancelled?: boolean }): Promise<{ next: NextInLine | null }> {
      const { next, follow } = await db.transaction(async (tx) => {
        const event = await lockEvent(tx, input.event);
        if (event === null) return { next: null, follow: null };
        if (event.state !== 'ended') await endEvent(tx, event.id, await endOf(tx, event, input.cancelled));
        if (event.record_id !== null) await dropEventRecord(tx, event.record_id);
        const follow = event.action === 'message' && (await isFollowed(tx, event.id));
        return { next: await nextInLine(tx, event), follow: follow ? event.account : null };
      });
      // Again, should this attempt end before it: then the next one does.
      if (follow !== null) await wake(follow);
      return { next };
    },
  };

  async function begin(
    tx: Queryable,
    event: EventRow,
    place: { run: string; tokenKey: string; callsPerMinute: number },
  ): Promise<EventTurn> {
    const { request } = event;
    if (request === null) throw new Error(`the event ${event.id} is open, and what it asks for is gone`);
    const yours = { turn: 'yours', ...place } as const;
    if (request.type === 'tags' && request.add.length + request.remove.length === 0) {
      await endEvent(tx, event.id, { outcome: 'unchanged' });
      return { turn: 'over', next: await nextInLine(tx, event) };
    }
    if (request.type !== 'lead') {
      const person = await whoOf(tx, event.account, request);
      const lists = await listsToRead(tx, event.account, namesOf(request));
      if (lists === null) return { turn: 'wait' };
      return { ...yours, lists, work: { type: 'effect', ...firstEffectStep(request, person, event.route) } };
    }
    const { spec } = await getRun(tx, event.run_id);
    const record = await recordOf(tx, event, request, StepSpec.parse(spec));
    const cards = STEP_BITS.findCard | STEP_BITS.createCard | STEP_BITS.moveStage;
    const lists = await listsToRead(tx, event.account, {
      tags: (record.todo & STEP_BITS.setTags) === 0 ? [] : request.record.tags,
      pipelines: (record.todo & cards) === 0 ? [] : placesOf(request),
    });
    if (lists === null) return { turn: 'wait' };
    return { ...yours, lists, work: { type: 'record', record: record.id, todo: record.todo } };
  }

  async function accountOf({ id, account }: EventRow) {
    try {
      return deps.account(account);
    } catch (error) {
      await noteHold(db, id, { code: 'CONFIG', reason: (error as Error).message });
      throw notConfigured(error);
    }
  }

  /** Lists to read before the event goes on; null while another event is reading one that nobody has read yet. */
  async function listsToRead(
    tx: Queryable,
    account: string,
    names: ListNames,
  ): Promise<('tags' | 'pipelines')[] | null> {
    const lists: ('tags' | 'pipelines')[] = [];
    for (const kind of ['tags', 'pipelines'] as const) {
      if (names[kind].length === 0) continue;
      const age = await catalogAge(tx, account, kind);
      if (age !== null && age < MISSING_SECONDS) continue;
      if (age !== null && age < LIST_SECONDS && (await hasAll(tx, account, kind, names[kind]))) continue;
      if (await claimCatalog(tx, account, kind)) lists.push(kind);
      else if (age === null) {
        // Kept, they would keep this event itself waiting at its next look.
        for (const claimed of lists) await releaseCatalog(tx, account, claimed);
        return null;
      }
    }
    return lists;
  }
}

interface ListNames {
  readonly tags: readonly string[];
  /** Pipelines, each with a stage of it where one is meant. */
  readonly pipelines: readonly (readonly [pipeline: string | number, stage: string | number | undefined])[];
}

async function hasAll(
  tx: Queryable,
  account: string,
  kind: 'tags' | 'pipelines',
  names: ListNames['tags'] | ListNames['pipelines'],
): Promise<boolean> {
  if (kind === 'tags') {
    const tags = (await readCatalog(tx, account, 'tags')) ?? [];
    return (names as ListNames['tags']).every((name) => pick(tags, name) !== null);
  }
  const pipelines = (await readCatalog(tx, account, 'pipelines')) ?? [];
  return (names as ListNames['pipelines']).every(([wanted, stage]) => {
    const pipeline = pick(pipelines, wanted);
    return pipeline !== null && (stage === undefined || pick(pipeline.stages, stage) !== null);
  });
}

function placesOf({ record }: RequestOf<'lead'>): ListNames['pipelines'] {
  return record.card === undefined ? [] : [[record.card.pipeline, record.card.stage]];
}

function namesOf(request: NonNullable<EventRow['request']>): ListNames {
  const tags = request.type === 'tags' ? [...request.add, ...request.remove] : [];
  const placed = request.type === 'stage' && request.pipeline !== undefined;
  return { tags, pipelines: placed ? [[request.pipeline as string | number, request.stage]] : [] };
}

async function whoOf(tx: Queryable, account: string, request: NonNullable<EventRow['request']>) {
  const whom = request.type === 'message' ? request.to : request.type === 'stage' ? request.of : request;
  if (!('key' in whom)) return null;
  return await personOf(tx, account, whom.key);
}

/** The event's record in the run of its route, made at its first turn. */
async function recordOf(
  tx: Queryable,
  event: EventRow,
  { record }: RequestOf<'lead'>,
  spec: StepSpec,
): Promise<Pick<RecordRow, 'id' | 'todo'>> {
  if (event.record_id !== null) return await getRecord(tx, event.run_id, event.record_id);
  // What an earlier event of this route saw of the person may be days old.
  await forgetSeen(tx, event.account, record.key, event.run_id);
  const person = await findPerson(tx, spec, record.key);
  const todo = planSteps(record, person, spec.options, spec.sync);
  return { id: await stageEventRecord(tx, event, record, todo), todo };
}

async function endOf(tx: Queryable, event: EventRow, cancelled = false): Promise<EventEnd> {
  const stopped: EventEnd = { outcome: 'discarded', code: 'CANCELLED', reason: 'the workflow was cancelled' };
  if (event.record_id === null) {
    const effect = await effectOf(tx, event);
    if (effect === 'done') return { outcome: 'done' };
    if (effect === 'open') return stopped;
    const reason = 'the workflow was cancelled while a call was under way: look whether it had its effect';
    return { outcome: 'unknown', code: 'CANCELLED', reason };
  }
  const { status, step, code, reason } = await getRecord(tx, event.run_id, event.record_id);
  if (status === 'pending' && cancelled) return stopped;
  if (status === 'pending' || status === 'rejected')
    throw new Error(`the event ${event.id} is to end, and its record is ${status}`);
  return { outcome: OUTCOME_OF[status], step, code, reason };
}
