// Records that a route cannot take: written to the dead-letter topic, announced, listed and logged.

import type { Announcer } from '../../../outbox/store/announcer.ts';
import { recordNews } from '../../store/dead-letter-news.ts';
import type { Route } from '../intake.ts';
import { type Refusals, reasonOf } from '../refusals.ts';
import type { ClusterAccess } from './client.ts';
import { deadLetterMessage, type Refused } from './dead-letter.ts';
import type { Log } from './pauses.ts';
import { produceDeadLetters } from './producer.ts';

interface Options {
  readonly cluster: string;
  /** Topic of the dead letters. */
  readonly topic: string;
  readonly access: ClusterAccess;
  readonly routes: readonly Route[];
  readonly log: Log;
  readonly refused?: Refusals['add'] | undefined;
  readonly announce?: Announcer | undefined;
}

export function createDeadLetters({
  cluster,
  topic: target,
  access,
  routes,
  log,
  refused,
  announce,
}: Options) {
  return async (letters: readonly Refused[]): Promise<void> => {
    const at = new Date();
    const messages = letters.map((letter) => deadLetterMessage(letter, at));
    await produceDeadLetters(access, target, messages);
    // After the topic has them, and before their offsets are committed. A crash in between repeats both.
    const news = letters.flatMap((letter) => newsOf(letter, at));
    await announce?.(async () => ({ result: null, news }));
    for (const { route, error } of letters)
      refused?.({ via: 'kafka', route, code: error.code, status: null, reason: reasonOf(error) });
    // One line for all of them: a faulty producer sends thousands.
    const [{ topic, partition, message, route, error } = null as never] = letters;
    const [offset, count] = [Number(message.offset), letters.length];
    log.warn(
      { cluster, topic, partition, offset, route, code: error.code, count },
      `records refused and written as dead letters: ${error.message}`,
    );
  };

  function newsOf({ topic, partition, message, route, error }: Refused, at: Date) {
    const account = routes.find(({ name }) => name === route)?.config.account;
    if (account === undefined) return [];
    const origin = { topic, partition, offset: message.offset };
    return [recordNews({ account, route, code: error.code, reason: reasonOf(error), origin, at }, null)];
  }
}
