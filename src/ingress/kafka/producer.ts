// Writes dead letters durably.
import type { Message } from 'kafkajs';
import { groupsOf, produce } from '../../kafka/produce.ts';
import type { ClusterAccess } from './client.ts';
import { withoutRecord, withoutValue } from './dead-letter.ts';
import { describeKafkaError } from './errors.ts';

export { produce } from '../../kafka/produce.ts';

/**
 * Writes dead letters. If the dead-letter topic is too small for a value, the dead letter is written without it. The
 * value is still in its own topic, at the offset in the dead letter's headers.
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
      if (!isTooLarge(error)) throw error;
      const [only] = group;
      if (group.length === 1 && only !== undefined) await produceShorter(access, topic, only);
      // One of them is too large, or all of them together are.
      else for (const deadLetter of group) await produceDeadLetters(access, topic, [deadLetter]);
    }
  }
}

/** Without its value; if its key or headers are too long, without those too. */
async function produceShorter(access: ClusterAccess, topic: string, deadLetter: Message): Promise<void> {
  try {
    await produce(access, topic, [withoutValue(deadLetter)]);
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    await produce(access, topic, [withoutRecord(deadLetter)]);
  }
}

function isTooLarge(error: unknown): boolean {
  return ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].includes(describeKafkaError(error).code);
}
