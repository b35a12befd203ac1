// Counts the API calls that the staged records of a run take: at least, if everybody is new, and at most.

import type { CrmRecord } from '../../../src/core/record.ts';
import type { KnownPerson } from '../../../src/core/store/people.ts';
import { STEP_BITS, type Step } from '../../../src/jobs/sync/constants.ts';
import type { PlanCalls } from '../../../src/jobs/sync/contract/plan.ts';
import type { RunRow } from '../../../src/jobs/sync/store/runs.ts';
import { canCombine, needsRead } from '../../records/record-diff.ts';

/** With at least this many people without a look-up, Sluice reads a page of the account's contacts. */
const BLIND = 20;

/** Whether the account's contacts are read before the first write. */
export function readsContacts(work: { readonly lookups: number; readonly blind: number }): boolean {
  return work.lookups > 1 || work.blind >= BLIND;
}

const CARD_WRITES = STEP_BITS.createCard | STEP_BITS.moveStage;

export function stepsOf(todo: number): Step[] {
  return (Object.keys(STEP_BITS) as Step[]).filter((step) => (todo & STEP_BITS[step]) !== 0);
}

/** Counts the calls of the staged steps. */
export class Tally {
  #lookups = 0;
  #blind = 0;
  #tags = 0;
  #cardSteps = 0;
  #combines = 0;
  /** Cards of people who left the source, which are read before they are moved. */
  #checkedCards = 0;
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
    if (record.extraInfo.length > 0 && needsRead(options)) this.#found.reads += times;
    if ((todo & STEP_BITS.createCard) !== 0) this.#found.cards += times;
  }

  /** A person who left the source. */
  countVanished(todo: number, record: CrmRecord, person: KnownPerson | null, run: RunRow): void {
    this.count(todo, record, person, run);
    if ((todo & STEP_BITS.moveStage) !== 0) this.#checkedCards += 1;
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
        `${people(known('upsertContact'))} known, ${fresh('upsertContact')} new to the ledger (${combines} of them may be created together with their card); fewer if the service has the same values`,
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
      sure(
        'GET /v1/cards/{id}',
        this.#checkedCards,
        'cards of people who left the source: a card that is won or lost stays where it is',
      ),
      line(
        'PATCH /v1/cards/{id}/stage',
        [known('moveStage') - this.#checkedCards, known('moveStage'), known('moveStage')],
        'cards whose stage changed in the source, and open cards of people who left it',
      ),
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
