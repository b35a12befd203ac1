// Another program that spends calls of the same token and knows nothing of Sluice: plain undici.
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { seeded } from './support/random.ts';

/** A path that a sync never calls: the sandbox's log tells the two programs apart by it. */
export const FOREIGN_PATH = '/v1/lost-reasons';

export interface ForeignOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly callsPerMinute: number;
  /** even: equal distances, each call up to 40 % of one early or late; bursts: a minute's calls at once, some time in the minute. */
  readonly how: 'even' | 'bursts';
}

/** Calls until it is asked to stop; the returned promise rejects when the service can't be reached. */
export async function runForeign(options: ForeignOptions, signal: AbortSignal): Promise<void> {
  const { baseUrl, token, callsPerMinute, how } = options;
  const random = seeded(30);
  const call = async () => {
    const answer = await request(`${baseUrl}${FOREIGN_PATH}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // A refused call is not made again: that program lives with it.
    await answer.body.dump();
  };
  const start = Date.now();
  const gap = how === 'even' ? 60_000 / callsPerMinute : 60_000;
  for (let i = 0; ; i++) {
    const jitter = how === 'even' ? (random() - 0.5) * 0.8 : random() * 0.9;
    const due = start + (i + (how === 'even' ? 0.5 : 0) + jitter) * gap;
    const stopped = await delay(Math.max(0, due - Date.now()), false, { signal }).catch(() => true);
    if (stopped) return;
    await Promise.all(Array.from({ length: how === 'even' ? 1 : callsPerMinute }, call));
  }
}
