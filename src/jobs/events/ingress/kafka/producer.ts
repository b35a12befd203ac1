// Writes dead letters durably.
import type { Message } from 'kafkajs';
import { codeOf, rootOf } from '../../../../connectors/kafka/error-code.ts';
import { groupsOf, produce } from '../../../../connectors/kafka/produce.ts';
import type { ClusterAccess } from './client.ts';
import { withoutRecord, withoutValue } from './dead-letter.ts';

export { produce } from '../../../../connectors/kafka/produce.ts';

/**
 * Writes dead letters. If a dead letter can't be written for a reason of its own, such as its size, it is written in a
 * shorter form: without its value, then as its position and reason only. The record is still in its own topic, at the
 * offset in the headers of the dead letter.
 * @throws what kafkajs throws when the topic takes no dead letters at all
 */
export async function produceDeadLetters(
  access: ClusterAccess,
  topic: string,
  deadLetters: readonly Message[],
): Promise<void> {
  for (const group of groupsOf(deadLetters)) {
    try {
      await produce(access, topic, group);
    } catch (error) {
      if (!isAboutRecord(error)) throw error;
      const [only] = group;
      if (group.length === 1 && only !== undefined) await produceShorter(access, topic, only);
      // One of them can't be written, or all of them together are too large.
      else for (const deadLetter of group) await produceDeadLetters(access, topic, [deadLetter]);
    }
  }
}

async function produceShorter(access: ClusterAccess, topic: string, deadLetter: Message): Promise<void> {
  try {
    await produce(access, topic, [withoutValue(deadLetter)]);
  } catch (error) {
    if (!isAboutRecord(error)) throw error;
    await produce(access, topic, [withoutRecord(deadLetter)]);
  }
}

/** What brokers answer when they refuse a record and not its topic. */
const RECORD_CODES = /^(?:MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE|INVALID_RECORD|INVALID_TIMESTAMP)$/;

/** A TypeError or RangeError comes from kafkajs when it can't encode a record. */
function isAboutRecord(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof TypeError || root instanceof RangeError || RECORD_CODES.test(codeOf(root));
}
