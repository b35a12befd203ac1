// How a dry run counts people who are new to the ledger: by the shape of their records. Two records of one shape take
// the same steps and write the same fields, so a dry run stages none of them.

import type { CrmRecord } from '../../../src/core/record.ts';
import { CONTACT_FIELDS } from '../../../src/jobs/sync/config.ts';
import { type DiffOptions, planNewcomer } from '../../records/record-diff.ts';
import type { TagCounts } from './plan-tags.ts';

/** The low bits are the steps, as in STEP_BITS. The bits above them are the parts that the record has. */
const STEPS = 0x1ff;
const PARTS = 9;
const HAS_TAGS = 1 << (PARTS + 1);

/** The shape of a record for a person who is new to the ledger. */
export function shapeOf(record: CrmRecord, options: DiffOptions): number {
  const parts = [
    record.extraInfo.length > 0,
    record.tags.length > 0,
    record.card !== undefined,
    ...CONTACT_FIELDS.map((field) => record.contact[field] !== undefined),
  ];
  const bits = parts.reduce((sum, has, at) => sum | (has ? 1 << (PARTS + at) : 0), 0);
  return planNewcomer(record, options) | bits;
}

/** The steps of a person with this shape. */
export function stepsOfShape(shape: number): number {
  return shape & STEPS;
}

export interface Newcomer {
  readonly row: number;
  readonly record: CrmRecord;
}

export class Newcomers {
  readonly #samples: number;
  readonly #tags: TagCounts;
  readonly #shapes = new Map<number, { people: number; readonly json: string }>();
  /** The first samples, by row. */
  readonly #first = new Map<number, string>();

  /** @param samples how many of them to show in full */
  constructor(samples: number, tags: TagCounts) {
    this.#samples = samples;
    this.#tags = tags;
  }

  add({ row, shape, json }: { readonly row: number; readonly shape: number; readonly json: string }): void {
    const found = this.#shapes.get(shape);
    if (found === undefined) this.#shapes.set(shape, { people: 1, json });
    else found.people++;
    // To read a record from JSON takes longer than everything else here.
    if ((shape & HAS_TAGS) !== 0) this.#tags.add((JSON.parse(json) as CrmRecord).tags, 1, [row]);
    if (this.#first.size < this.#samples) this.#first.set(row, json);
  }

  /** A later row adds something to the record, so it is staged from here on. */
  remove({ row, record }: Newcomer, options: DiffOptions): void {
    const found = this.#shapes.get(shapeOf(record, options));
    if (found === undefined) throw new Error(`row ${row} was never counted as that of a newcomer`);
    found.people--;
    this.#tags.add(record.tags, -1, [row]);
    this.#first.delete(row);
  }

  /** Each shape, by one record of it, with the number of people. */
  *shapes(): Generator<{ readonly record: CrmRecord; readonly todo: number; readonly people: number }> {
    for (const [shape, { people, json }] of this.#shapes)
      if (people > 0) yield { record: JSON.parse(json) as CrmRecord, todo: stepsOfShape(shape), people };
  }

  samples(): Newcomer[] {
    return [...this.#first].map(([row, json]) => ({ row, record: JSON.parse(json) as CrmRecord }));
  }
}
