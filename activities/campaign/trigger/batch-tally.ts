// What a batch of triggers has come to so far: its counts, whether members get on, and why it has to end.
import type { ApplicationFailure } from '@temporalio/activity';
import type {
  MemberState,
  TriggerBatchProgress,
  TriggerBatchResult,
} from '../../../src/contracts/wire/campaign.ts';
import type { MemberResult } from './outcome.ts';

/** A result goes through the history of its workflow. */
const MOST_EVENTS = 1000;
/** When this many members fail in a row, or as many as are under way at once, it is no matter of these members. */
const FAILING_MEMBERS = 3;

export class BatchTally {
  readonly #concurrencyLimit: number;
  readonly #ended: Partial<Record<MemberState, number>> = {};
  readonly #after: string[];
  /** Members that have failed since the last answer. */
  readonly #failing = new Set<number>();
  #members = 0;
  #answers = 0;
  #trouble: TriggerBatchProgress['trouble'] = null;
  #proved = false;
  #refusal: string | null = null;

  /** @param after events that an attempt before this one had to hand over */
  constructor(concurrencyLimit: number, after: readonly string[]) {
    this.#concurrencyLimit = concurrencyLimit;
    this.#after = [...after];
  }

  get proved(): boolean {
    return this.#proved;
  }

  /** So many members in a row fail that it is no matter of these members. */
  get isStalled(): boolean {
    return this.#failing.size >= Math.max(FAILING_MEMBERS, this.#concurrencyLimit);
  }

  get isRefused(): boolean {
    return this.#refusal !== null;
  }

  /** No further member is to be begun. */
  get isOver(): boolean {
    return this.isRefused || this.#after.length >= MOST_EVENTS;
  }

  answered(after: readonly string[] = []): void {
    this.#answers += 1;
    this.#failing.clear();
    this.#trouble = null;
    this.#after.push(...after);
  }

  /** @param counts false for a member whose trigger was counted by an earlier batch */
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
  refused(reason: string): void {
    this.#refusal = reason;
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
