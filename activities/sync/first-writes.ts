// Verifies the first write of each kind in a run before other records write. If a service ignores an input, it does
// so for all records.

import { STEP_BITS, type Step } from '../../src/jobs/sync/constants.ts';
import { type WriteCheck } from '../../src/jobs/sync/contract/run.ts';
import type { StepResult } from '../records/record-step.ts';
import { callScope } from '../shared/call-scope.ts';

/** Writes that the service shows, in the answer or in the read-back of a lost answer. */
const WRITE_OF: Partial<Record<Step, Step>> = {
  upsertContact: 'upsertContact',
  setTags: 'setTags',
  createCard: 'createCard',
  readBackCard: 'createCard',
  moveStage: 'moveStage',
};

/** Kinds of writes that are verified, as the bits of their steps. */
export const WRITE_KINDS = [...new Set(Object.values(WRITE_OF))].map((step) => STEP_BITS[step]);

export type WriteProblem = Exclude<WriteCheck, { ok: true }>;

export class FirstWrites {
  /** Kinds whose first write was confirmed, or whose difference an operator accepted, as bits. */
  verified: number;
  /** Kinds whose write the service showed differently, as bits. */
  differed = 0;
  readonly #underWay = new Map<Step, Promise<void>>();
  readonly #pause: (problem: WriteProblem) => void;

  /** @param pause receives the reason to pause the run, before another write of the kind starts */
  constructor(verified: number, pause: (problem: WriteProblem) => void) {
    this.verified = verified;
    this.#pause = pause;
  }

  /**
   * Makes a step. Until one step of its kind is verified, it runs alone.
   * @param make makes the write; `verify` says whether this write must be verified
   * @throws the reason of the call scope's signal when the wait for another write is canceled
   */
  async make(step: Step, make: (verify: boolean) => Promise<StepResult>): Promise<StepResult> {
    for (let other = this.#underWay.get(step); other !== undefined; other = this.#underWay.get(step))
      await unlessCalledOff(other);
    const write = WRITE_OF[step];
    const bit = write === undefined ? 0 : STEP_BITS[write];
    const verify = bit !== 0 && (this.verified & bit) === 0;
    const making = make(verify);
    if (verify) this.#underWay.set(step, settled(making));
    try {
      const result = await making;
      const { check } = result;
      if (check?.ok === true) this.verified |= bit;
      else if (check !== undefined && (verify || check.stop)) {
        this.differed |= bit;
        this.#pause(check);
      }
      return result;
    } finally {
      if (verify) this.#underWay.delete(step);
    }
  }
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

async function unlessCalledOff(work: Promise<void>): Promise<void> {
  const { signal } = callScope();
  signal.throwIfAborted();
  let stop = () => {};
  const calledOff = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work, calledOff]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
