// Processes some records of one partition in order. It accepts the readable ones together and writes a dead letter for
// each of the others.
import type { KafkaMessage } from 'kafkajs';
import { readTraceContext, type Tracing } from '../../../../core/tracing.ts';
import type { EventDraft } from '../../contract/intake.ts';
import { type Acceptance, type Accepted, RefusedError, type Route } from '../intake.ts';
import { traceDrafts } from '../traced-drafts.ts';
import type { Refused } from './dead-letter.ts';
import { deliveryOf } from './record.ts';

/** Outcome of one record. */
export type RecordOutcome = 'accepted' | 'duplicate' | 'skipped' | 'dead_letter';

export interface ChunkWork {
  readonly topic: string;
  readonly partition: number;
  readonly route: Route;
  readonly acceptance: Acceptance;
  readonly maxMessageBytes: number;
  readonly tracing: Tracing;
  /** Resolves after all of them are in the dead-letter topic. */
  writeDeadLetters(deadLetters: readonly Refused[]): Promise<void>;
  /** Offsets whose dead letters are already written while earlier records are not done. They are not written again. */
  readonly buried: Set<string>;
  count(outcome: RecordOutcome): void;
}

export interface ChunkResult {
  /** Number of records that are done, counted from the first. Their offsets may be committed. */
  readonly done: number;
  /** Why the next record is not done. */
  readonly failure: { readonly error: unknown } | null;
}

/** The dead-letter topic could not be written. */
export class BuryError extends Error {
  override readonly name = 'BuryError';
}

type Reading = { readonly drafts: readonly EventDraft[] } | { readonly refused: Refused };

/**
 * Accepts the records before the first refused one, writes the dead letters of all refused ones, then accepts the rest.
 * So a partition whose dead letters cannot be written stops at the first of them, and a chunk costs at most two
 * acceptances.
 */
export async function workChunk(work: ChunkWork, messages: readonly KafkaMessage[]): Promise<ChunkResult> {
  let done = 0;
  try {
    await work.acceptance.requireCapacity(work.route.config.account);
    const { readings, failure } = await readAll(work, messages);
    const refusedAt = readings.findIndex((reading) => 'refused' in reading);
    const head = refusedAt === -1 ? readings.length : refusedAt;
    await accept(work, readings.slice(0, head));
    done = head;
    if (refusedAt === -1) return { done, failure };
    const rest = readings.slice(head);
    await writeDeadLetters(work, rest);
    // Dead letters at the front are done, whatever happens to the drafts behind them.
    const deadLetters = rest.findIndex((reading) => !('refused' in reading));
    done = deadLetters === -1 ? readings.length : head + deadLetters;
    await accept(work, readings.slice(done));
    return { done: readings.length, failure };
  } catch (error) {
    return { done, failure: { error } };
  }
}

/** Reads up to the first record with an unexpected error. That record stops the partition. */
async function readAll(
  work: ChunkWork,
  messages: readonly KafkaMessage[],
): Promise<{ readings: Reading[]; failure: ChunkResult['failure'] }> {
  const readings: Reading[] = [];
  for (const message of messages) {
    try {
      readings.push(await read(work, message));
    } catch (error) {
      return { readings, failure: { error } };
    }
  }
  return { readings, failure: null };
}

async function read(
  { topic, partition, route, maxMessageBytes, tracing }: ChunkWork,
  message: KafkaMessage,
): Promise<Reading> {
  try {
    const bytes = message.value?.byteLength ?? 0;
    if (bytes > maxMessageBytes)
      throw new RefusedError(
        'TOO_LARGE',
        422,
        `the value has ${bytes} bytes, and the limit is ${maxMessageBytes}; send less, or a reference`,
      );
    const delivery = deliveryOf(topic, partition, message);
    const { drafts } = await route.read(delivery);
    return {
      drafts: traceDrafts(tracing, drafts, {
        context: readTraceContext(delivery.headers),
        hasSpan: false,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': topic,
          'messaging.destination.partition.id': String(partition),
          'messaging.kafka.offset': Number(message.offset),
        },
      }),
    };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { refused: { topic, partition, message, route: route.name, error } };
  }
}

async function accept(work: ChunkWork, readings: readonly Reading[]): Promise<void> {
  const taken = readings.filter((reading) => 'drafts' in reading);
  const drafts = taken.flatMap((reading) => reading.drafts);
  const answers =
    drafts.length === 0 ? [] : await work.acceptance.accept(work.route, drafts, { waits: true });
  let at = 0;
  for (const reading of taken) {
    work.count(outcomeOf(answers.slice(at, at + reading.drafts.length)));
    at += reading.drafts.length;
  }
}

function outcomeOf(answers: readonly Accepted[]): RecordOutcome {
  if (answers.length === 0) return 'skipped';
  return answers.every(({ duplicate }) => duplicate) ? 'duplicate' : 'accepted';
}

async function writeDeadLetters(work: ChunkWork, readings: readonly Reading[]): Promise<void> {
  const deadLetters = readings.flatMap((reading) => ('refused' in reading ? [reading.refused] : []));
  const fresh = deadLetters.filter(({ message }) => !work.buried.has(message.offset));
  if (fresh.length === 0) return;
  try {
    await work.writeDeadLetters(fresh);
  } catch (cause) {
    throw new BuryError('the dead letters could not be written', { cause });
  }
  for (const { message } of fresh) {
    work.buried.add(message.offset);
    work.count('dead_letter');
  }
}
