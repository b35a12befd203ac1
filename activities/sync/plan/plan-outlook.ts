// Evaluates the staged records of a run: who is created, updated and moved, which fields are written, and how many
// calls that takes. Reads only the ledger.
import type {
  PlanAction,
  PlanCalls,
  PlanChange,
  PlanReport,
  PlanSample,
} from '../../../src/contracts/wire/plan.ts';
import type { CrmRecord } from '../../../src/contracts/wire/record.ts';
import { STEP_BITS, type Step } from '../../../src/contracts/wire/run.ts';
import type { Queryable } from '../../../src/ledger/database.ts';
import { findPeople, type KnownPerson, missingTags } from '../../../src/ledger/sync/people.ts';
import type { RunRow } from '../../../src/ledger/sync/runs.ts';
import { stagedRecords } from '../../../src/ledger/sync/staged-records.ts';
import { contactChange } from '../contact-change.ts';
import { canCombine, hashRecord, needsRead, pipelineName, planNewcomer } from '../sync-diff.ts';
import type { Newcomers } from './plan-newcomers.ts';

/** With at least this many people without a look-up, Sluice reads a page of the account's contacts. */
const BLIND = 20;
const BATCH = 2000;
const CARD_WRITES = STEP_BITS.createCard | STEP_BITS.moveStage;

/** Whether the account's contacts are read before the first write. */
export function readsContacts(work: { readonly lookups: number; readonly blind: number }): boolean {
  return work.lookups > 1 || work.blind >= BLIND;
}

export interface Outlook {
  readonly create: number;
  readonly update: number;
  readonly move: number;
  readonly vanished: number;
  readonly fields: {
    readonly update: Readonly<Record<string, number>>;
    readonly create: Readonly<Record<string, number>>;
  };
  readonly calls: PlanReport['calls'];
  readonly samples: readonly PlanSample[];
}

/**
 * @param newcomers people whom the ledger does not know; they are not staged
 * @param samples how many records of each action to show in full, with personal data
 */
export async function outlookOf(
  tx: Queryable,
  run: RunRow,
  newcomers: Newcomers,
  samples: number,
  signal?: AbortSignal,
): Promise<Outlook> {
  const { options } = run.spec;
  const pipeline = pipelineName(run.spec);
  const tally = new Tally();
  const actions = new Map<PlanAction | 'vanished', number>();
  const fields = { update: new Map<string, number>(), create: new Map<string, number>() };
  const shown: PlanSample[] = [];
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const records = await stagedRecords(tx, run.id, { after, limit: BATCH });
    const people = await findPeople(
      tx,
      run.account,
      records.map(({ key }) => key),
      pipeline,
    );
    for (const { row_no: row, key, todo, payload } of records) {
      const person = people.get(key) ?? null;
      const action = actionOf(todo, person);
      const counted = row === 0 ? 'vanished' : action;
      add(actions, counted);
      const changes = changesOf(payload, person, todo, run, row === 0);
      if (row > 0)
        for (const { field } of changes) add(person === null ? fields.create : fields[kindOf(action)], field);
      tally.count(todo, payload, person, run);
      const alike = shown.filter((sample) => sample.action === action && (sample.row === 0) === (row === 0));
      // Records are in the order in which they were staged, so an earlier row may come later.
      const earlier = samples > 0 && alike.some((sample) => sample.row > row);
      if (alike.length < samples || earlier) shown.push({ row, key, action, steps: stepsOf(todo), changes });
    }
    const last = records.at(-1);
    if (last === undefined || records.length < BATCH) break;
    after = last.id;
  }
  for (const { record, todo, people } of newcomers.shapes()) {
    add(actions, 'create', people);
    for (const { field } of changesOf(record, null, todo, run, false)) add(fields.create, field, people);
    tally.count(todo, record, null, run, people);
  }
  for (const { row, record } of newcomers.samples()) {
    const todo = planNewcomer(record, options);
    const changes = changesOf(record, null, todo, run, false);
    shown.push({ row, key: record.key, action: 'create', steps: stepsOf(todo), changes });
  }
  const steps = tally.lines(options.mode, (await missingTags(tx, run)).length);
  const sum = (of: 'min' | 'ifNew' | 'max') => steps.reduce((total, line) => total + line[of], 0);
  return {
    create: actions.get('create') ?? 0,
    update: actions.get('update') ?? 0,
    move: actions.get('move') ?? 0,
    vanished: actions.get('vanished') ?? 0,
    fields: { update: Object.fromEntries(fields.update), create: Object.fromEntries(fields.create) },
    calls: { min: sum('min'), ifNew: sum('ifNew'), max: sum('max'), steps },
    samples: firstOfEach(shown, samples),
  };
}

/** The first of each action, ordered by row. People who left the source come last. */
function firstOfEach(shown: readonly PlanSample[], samples: number): PlanSample[] {
  const ordered = shown.toSorted((a, b) => (a.row || Infinity) - (b.row || Infinity));
  const counts = new Map<string, number>();
  return ordered.filter(({ row, action }) => {
    const kind = `${row === 0} ${action}`;
    add(counts, kind);
    return (counts.get(kind) ?? 0) <= samples;
  });
}

function add<K>(counts: Map<K, number>, key: K, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

function actionOf(todo: number, person: KnownPerson | null): PlanAction {
  if (person?.remote_id == null) return 'create';
  if ((todo & ~(STEP_BITS.moveStage | STEP_BITS.readBackStage)) === 0) return 'move';
  return 'update';
}

const kindOf = (action: PlanAction) => (action === 'create' ? 'create' : 'update');

function stepsOf(todo: number): Step[] {
  return (Object.keys(STEP_BITS) as Step[]).filter((step) => (todo & STEP_BITS[step]) !== 0);
}

/** Fields that would be written, each with the hash of its last sent value if the ledger has one. */
function changesOf(
  record: CrmRecord,
  person: KnownPerson | null,
  todo: number,
  run: RunRow,
  vanished: boolean,
): PlanChange[] {
  const { options } = run.spec;
  const changes: PlanChange[] = [];
  const isNew = person?.remote_id == null;
  const sent = person?.sent ?? {};
  const hashes = hashRecord(record, options);
  if (!vanished && (isNew || hashes.contact !== person.hash_contact)) {
    const { write, clear } = contactChange(record.contact, sent, null, options, isNew);
    for (const [field, now] of Object.entries(write)) changes.push({ field, was: markOf(sent, field), now });
    for (const field of clear) changes.push({ field, was: markOf(sent, field), now: null });
  }
  if (record.extraInfo.length > 0 && hashes.extra !== person?.hash_extra)
    changes.push({ field: 'extraInfo', was: person?.hash_extra ?? null, now: record.extraInfo });
  if ((todo & STEP_BITS.setTags) !== 0 && (record.tags.length > 0 || !isNew))
    changes.push({ field: 'tags', was: person?.hash_tags ?? null, now: record.tags });
  if ((todo & STEP_BITS.createCard) !== 0) changes.push({ field: 'card', was: null, now: record.card });
  if ((todo & STEP_BITS.moveStage) !== 0)
    changes.push({ field: 'stage', was: person?.card?.stage ?? null, now: record.card?.stage });
  return changes;
}

function markOf(sent: Readonly<Record<string, string>>, field: string): string | null {
  return sent[field] ?? null;
}

/** Counts the calls of the staged steps. */
class Tally {
  #lookups = 0;
  #blind = 0;
  #tags = 0;
  #cardSteps = 0;
  #combines = 0;
  /** Upserts of known people that no earlier read can save. */
  #sureUpserts = 0;
  readonly #known: Partial<Record<Step, number>> = {};
  readonly #fresh: Partial<Record<Step, number>> = {};
  /** Calls for people new to the ledger if the service knows them. */
  readonly #found = { reads: 0, cards: 0, tags: 0 };

  /** @param times number of people with a record of this shape */
  count(todo: number, record: CrmRecord, person: KnownPerson | null, run: RunRow, times = 1): void {
    const { options } = run.spec;
    const isNew = person?.remote_id == null;
    const counts = isNew ? this.#fresh : this.#known;
    for (const step of stepsOf(todo)) counts[step] = (counts[step] ?? 0) + times;
    const findsByLookup = (todo & STEP_BITS.lookup) !== 0;
    if (findsByLookup) this.#lookups += times;
    if ((todo & STEP_BITS.setTags) !== 0) this.#tags += times;
    if ((todo & CARD_WRITES) !== 0) this.#cardSteps += times;
    if (!isNew) {
      const reads = (todo & STEP_BITS.readExtraInfo) !== 0;
      if ((todo & STEP_BITS.upsertContact) !== 0 && !reads) this.#sureUpserts += times;
      return;
    }
    if (!findsByLookup) this.#blind += times;
    if (canCombine(record, options)) this.#combines += times;
    if (record.extraInfo.length > 0 && needsRead(null, options)) this.#found.reads += times;
    if ((todo & STEP_BITS.createCard) !== 0) this.#found.cards += times;
  }

  lines(mode: RunRow['spec']['options']['mode'], missing: number): PlanCalls[] {
    const known = (step: Step) => this.#known[step] ?? 0;
    const fresh = (step: Step) => this.#fresh[step] ?? 0;
    const asks = readsContacts({ lookups: this.#lookups, blind: this.#blind });
    const combines = asks ? this.#combines : 0;
    // In a sync that creates nobody, people who are not in the service cost no further calls.
    const made = mode === 'update' ? 0 : 1;
    const finds = known('findCard') + this.#found.cards;
    const people = (n: number) => `${n} ${n === 1 ? 'person' : 'people'}`;
    const all = (step: Step) => known(step) + fresh(step);
    const pages = Math.min(1, known('findCard'));
    const lines: PlanCalls[] = [
      sure('GET /v1/tags', this.#tags + missing > 0 ? 1 : 0, 'once per run that writes tags'),
      sure('GET /v1/pipelines', this.#cardSteps > 0 ? 1 : 0, 'once per run that writes cards'),
      asks
        ? line(
            'GET /v1/contacts',
            [1, 1, 1 + this.#lookups],
            `${people(this.#lookups)} to look up, ${this.#blind} to write without a look-up: the first page of 100 shows how many pages there are; Sluice reads the others if that takes fewer calls than it saves, else looks up each person`,
          )
        : sure('GET /v1/contacts', this.#lookups, `${people(this.#lookups)} to look up`),
      line(
        'GET /v1/contacts/{id}',
        [known('readExtraInfo'), known('readExtraInfo'), known('readExtraInfo') + this.#found.reads],
        `${people(known('readExtraInfo'))} known; ${this.#found.reads} more if the service has them, for their extra info`,
      ),
      line(
        'GET /v1/cards',
        finds > 1 ? [pages, pages, finds + 1] : [known('findCard'), known('findCard'), finds],
        `${people(known('findCard'))} known without a card, ${this.#found.cards} more if the service has them: one call each, or pages of 100 if that is cheaper`,
      ),
      line(
        'POST /v1/contacts',
        [
          // People without a look-up are always written.
          this.#sureUpserts + (asks ? 0 : made * this.#blind),
          known('upsertContact') + made * (fresh('upsertContact') - combines),
          all('upsertContact'),
        ],
        `${people(known('upsertContact'))} known, ${fresh('upsertContact')} new to the ledger, of whom ${combines} may be created together with their card; fewer if the service has the same values`,
      ),
      line(
        'PUT /v1/contacts/{id}/tags',
        [0, known('setTags') + made * fresh('setTags'), all('setTags')],
        `${people(known('setTags'))} known, ${fresh('setTags')} new to the ledger; one list each, none if it is already correct`,
      ),
      line(
        'POST /v1/cards',
        [0, known('createCard') + made * fresh('createCard'), all('createCard')],
        'fewer if the service already has a card',
      ),
      sure('PATCH /v1/cards/{id}/stage', known('moveStage'), 'cards whose stage changed in the source'),
    ];
    return lines.filter(({ max }) => max > 0);
  }
}

function line(what: string, [min, ifNew, max]: [number, number, number], why: string): PlanCalls {
  return { what, min, ifNew, max, why };
}

function sure(what: string, calls: number, why: string): PlanCalls {
  return line(what, [calls, calls, calls], why);
}
