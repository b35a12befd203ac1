// Tally of a batch of triggers: its counts, whether its members make progress, and why it has to end.
import type { ApplicationFailure } from '@temporalio/activity';
import type { MemberState } from '../../../src/jobs/campaigns/constants.ts';
import type {
  TriggerBatchProgress,
  TriggerBatchResult,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import type { PlanNote } from '../../../src/jobs/campaigns/contract/plan.ts';
import type { MemberResult } from './outcome.ts';

/** Limits the size of the result, which the workflow history stores. */
const MOST_EVENTS = 1000;
/** This many failures in a row, or one per concurrent member if that is more, have a cause outside the members. */
const FAILING_MEMBERS = 3;

export class BatchTally {
  readonly #concurrencyLimit: number;
  readonly #ended: Partial<Record<MemberState, number>> = {};
  readonly #after: string[];
  /** Members that have failed since the last response. */
  readonly #failing = new Set<number>();
  #members = 0;
  #answers = 0;
  #trouble: TriggerBatchProgress['trouble'] = null;
  #proved = false;
  #refusal: PlanNote | null = null;

  /** @param after event ids that an earlier attempt did not hand over */
  constructor(concurrencyLimit: number, after: readonly string[]) {
    this.#concurrencyLimit = concurrencyLimit;
    this.#after = [...after];
  }

  get proved(): boolean {
    return this.#proved;
  }

  /** True if enough members in a row have failed that the members cannot be the cause. */
  get isStalled(): boolean {
    return this.#failing.size >= Math.max(FAILING_MEMBERS, this.#concurrencyLimit);
  }

  get isRefused(): boolean {
    return this.#refusal !== null;
  }

  /** True when the batch must not start another member. */
  get isOver(): boolean {
    return this.isRefused || this.#after.length >= MOST_EVENTS;
  }

  answered(after: readonly string[] = []): void {
    this.#answers += 1;
    this.#failing.clear();
    this.#trouble = null;
    this.#after.push(...after);
  }

  /** @param counts false for a member whose trigger an earlier batch has counted */
  ended(state: MemberResult['state'], counts: boolean): void {
    if (state === 'triggered') this.#proved = true;
    if (!counts) return;
    this.#members += 1;
    this.#ended[state] = (this.#ended[state] ?? 0) + 1;
  }

  failed(member: number, { type, message }: ApplicationFailure): void {
    this.#failing.add(member);
    const failures = (this.#trouble?.failures ?? 0) + 1;
    this.#trouble = { failures, reason: `${type}: ${message}` };
  }

  /** The account refuses every member. */
  refused(refusal: PlanNote): void {
    this.#refusal = refusal;
  }

  progress(): TriggerBatchProgress {
    return { ended: this.#ended, trouble: this.#trouble };
  }

  result(): TriggerBatchResult {
    return {
      members: this.#members,
      stalled: this.#answers === 0 && this.isStalled,
      proved: this.#proved,
      refusal: this.#refusal,
      after: this.#after,
    };
  }
}
