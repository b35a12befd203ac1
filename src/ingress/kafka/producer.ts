// Writing dead letters, so that they are there.
import type { Message } from 'kafkajs';
import { groupsOf, produce } from '../../kafka/produce.ts';
import type { ClusterAccess } from './client.ts';
import { describeKafkaError } from './errors.ts';
import { withoutValue } from './letter.ts';

export { produce } from '../../kafka/produce.ts';

/**
 * Writes dead letters. One whose value the topic is too small for is written without it: it still stands in its own
 * topic, at the offset in the letter's headers.
 */
export async function produceLetters(
  access: ClusterAccess,
  topic: string,
  letters: readonly Message[],
): Promise<void> {
  for (const group of groupsOf(letters)) {
    try {
      await produce(access, topic, group);
    } catch (error) {
      const { code } = describeKafkaError(error);
      const tooLarge = code === 'MESSAGE_TOO_LARGE' || code === 'RECORD_LIST_TOO_LARGE';
      const [only] = group;
      if (!tooLarge || only === undefined || only.value === null) throw error;
      if (group.length === 1) await produce(access, topic, [withoutValue(only)]);
      // One of them is, or all of them together are.
      else for (const letter of group) await produceLetters(access, topic, [letter]);
    }
  }
}
