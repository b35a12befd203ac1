// Begins an event: checks whether it is next, and prepares its work.

import type { Queryable } from '../../src/core/sql/database.ts';
import { catalogAge, claimCatalog, pick, readCatalog, releaseCatalog } from '../../src/core/store/catalog.ts';
import { forgetSeen } from '../../src/core/store/people.ts';
import {
  type EffectStep,
  type EventInput,
  type EventLane,
  type EventProgress,
  type RequestOf,
  StepSpec,
} from '../../src/jobs/events/contract/intake.ts';
import { endEvent, lockEvent } from '../../src/jobs/events/store/event-end.ts';
import { type ClaimedEvent, claimEvent, noteProgress } from '../../src/jobs/events/store/events.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { getRecord, type RecordRow } from '../../src/jobs/sync/store/record-rows.ts';
import { getRun } from '../../src/jobs/sync/store/runs.ts';
import { stageEventRecord } from '../../src/jobs/sync/store/staged-records.ts';
import { suspectEffects } from '../../src/protect/restore/suspect.ts';
import { planSteps } from '../records/record-diff.ts';
import { findPerson } from '../records/record-step.ts';
import type { Deps } from '../shared/deps.ts';
import { type Progress, personOf } from './effects/effect.ts';
import { firstEffectStep } from './effects/first-step.ts';
import { endOfUnwanted, keyOf } from './unwanted.ts';

/** Age after which lists of the account are read again before they are used. */
const LIST_SECONDS = 600;
/** Age after which a list is read again if it lacks a name, because the name may have been created since. */
const MISSING_SECONDS = 30;
/** Delay while another event reads a list for the first time. */
const LIST_WAIT_MS = 500;

/** This workflow owns the event, and the event is next. */
export interface BegunEvent {
  readonly state: 'begun';
  readonly run: string;
  /** Lists of the account to read first. */
  readonly lists: readonly ListKind[];
  readonly work:
    | { readonly type: 'record'; readonly record: number }
    | { readonly type: 'effect'; readonly step: EffectStep; readonly lane: EventLane };
}

/** The event has ended and must be closed. An earlier attempt may have died before it did so. */
export interface OverEvent {
  readonly state: 'over';
}

type ListKind = 'tags' | 'pipelines';

/** Claims the event for its workflow and prepares its work. Makes no call. */
export async function beginEvent(
  { db }: Pick<Deps, 'db'>,
  { event: id, workflow }: EventInput,
): Promise<EventProgress | BegunEvent | OverEvent> {
  return await db.transaction(async (tx) => {
    const event = await claimEvent(tx, id, workflow);
    if (event === null) {
      const ended = (await lockEvent(tx, id))?.state === 'ended';
      return ended ? { state: 'over' } : { state: 'ended', next: null };
    }
    if (event.ahead > 0 || event.arriving) return { state: 'queued', far: event.ahead > 1 };
    const over = outcomeAlready(event);
    if (over !== null) {
      await endEvent(tx, id, { outcome: over });
      return { state: 'over' };
    }
    const unwanted = await endOfUnwanted(tx, event);
    if (unwanted !== null) {
      await endEvent(tx, id, unwanted);
      return { state: 'over' };
    }
    return await begin(tx, event);
  });
}

/** The outcome of an event that has nothing to do. */
function outcomeAlready({ superseded, request }: ClaimedEvent): 'superseded' | 'unchanged' | null {
  if (superseded) return 'superseded';
  const isEmpty = request?.type === 'tags' && request.add.length + request.remove.length === 0;
  return isEmpty ? 'unchanged' : null;
}

async function begin(tx: Queryable, event: ClaimedEvent): Promise<EventProgress | BegunEvent> {
  const { request, account, run_id: run, progress, restoredTo } = event;
  if (request === null) throw new Error(`the event ${event.id} is open but has no request`);
  if (request.type !== 'lead') {
    if (restoredTo !== null) await suspect(tx, event, restoredTo);
    const lists = await listsToRead(tx, account, namesOf(request));
    if (lists === null) return { state: 'waiting', waitMs: LIST_WAIT_MS };
    const first = firstEffectStep(request, await whoOf(tx, account, request), event.route);
    const { step = first.step } = progress as Progress;
    return { state: 'begun', run, lists, work: { type: 'effect', step, lane: first.lane } };
  }
  const { id: record, todo } = await recordOf(tx, event, request);
  const cards = STEP_BITS.findCard | STEP_BITS.createCard | STEP_BITS.moveStage;
  const lists = await listsToRead(tx, account, {
    tags: (todo & STEP_BITS.setTags) === 0 ? [] : request.record.tags,
    pipelines: (todo & cards) === 0 ? [] : placesOf(request),
  });
  if (lists === null) return { state: 'waiting', waitMs: LIST_WAIT_MS };
  return { state: 'begun', run, lists, work: { type: 'record', record } };
}

/** A sender may repeat what the restored ledger has forgotten. So the effect is read back before it is sent. */
async function suspect(tx: Queryable, { id, progress }: ClaimedEvent, restoredTo: Date): Promise<void> {
  await suspectEffects(tx, [id]);
  if ((progress as Progress).since === undefined)
    await noteProgress(tx, id, { since: restoredTo.toISOString() });
}

/** The event's record in the run of its route; created when the event begins. */
async function recordOf(
  tx: Queryable,
  event: ClaimedEvent,
  { record }: RequestOf<'lead'>,
): Promise<Pick<RecordRow, 'id' | 'todo'>> {
  if (event.record_id !== null) return await getRecord(tx, event.run_id, event.record_id);
  const spec = StepSpec.parse((await getRun(tx, event.run_id)).spec);
  // What an earlier event of this route saw of the person may be days old.
  await forgetSeen(tx, event.account, record.key, event.run_id);
  const person = await findPerson(tx, spec, record.key);
  // The service may have the contact and the card of an event that the restored ledger has forgotten.
  const lookup = event.restoredTo !== null && person?.remote_id == null ? STEP_BITS.lookup : 0;
  const todo = planSteps(record, person, spec.options, spec.sync) | lookup;
  return { id: await stageEventRecord(tx, event, record, todo), todo };
}

interface ListNames {
  readonly tags: readonly string[];
  /** Pipelines, each with the stage that the event names. */
  readonly pipelines: readonly (readonly [pipeline: string | number, stage: string | number | undefined])[];
}

/** Lists to read before the event continues; null while another event reads a list for the first time. */
async function listsToRead(tx: Queryable, account: string, names: ListNames): Promise<ListKind[] | null> {
  const lists: ListKind[] = [];
  for (const kind of ['tags', 'pipelines'] as const) {
    if (names[kind].length === 0) continue;
    const age = await catalogAge(tx, account, kind);
    if (age !== null && age < MISSING_SECONDS) continue;
    if (age !== null && age < LIST_SECONDS && (await hasAll(tx, account, kind, names))) continue;
    if (await claimCatalog(tx, account, kind)) lists.push(kind);
    else if (age === null) {
      // Keeping these claims would make this event wait for itself when it returns.
      for (const claimed of lists) await releaseCatalog(tx, account, claimed);
      return null;
    }
  }
  return lists;
}

async function hasAll(tx: Queryable, account: string, kind: ListKind, names: ListNames): Promise<boolean> {
  if (kind === 'tags') {
    const tags = (await readCatalog(tx, account, 'tags')) ?? [];
    return names.tags.every((name) => pick(tags, name) !== null);
  }
  const pipelines = (await readCatalog(tx, account, 'pipelines')) ?? [];
  return names.pipelines.every(([wanted, stage]) => {
    const pipeline = pick(pipelines, wanted);
    return pipeline !== null && (stage === undefined || pick(pipeline.stages, stage) !== null);
  });
}

function placesOf({ record }: RequestOf<'lead'>): ListNames['pipelines'] {
  return record.card === undefined ? [] : [[record.card.pipeline, record.card.stage]];
}

function namesOf(request: NonNullable<ClaimedEvent['request']>): ListNames {
  const tags = request.type === 'tags' ? [...request.add, ...request.remove] : [];
  const placed = request.type === 'stage' && request.pipeline !== undefined;
  return { tags, pipelines: placed ? [[request.pipeline as string | number, request.stage]] : [] };
}

async function whoOf(tx: Queryable, account: string, request: NonNullable<ClaimedEvent['request']>) {
  const key = keyOf(request);
  return key === null ? null : await personOf(tx, account, key);
}
