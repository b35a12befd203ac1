// Another program that spends calls of the same token without knowing Sluice. It uses plain undici.
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { seeded } from './support/random.ts';

/** A path that a sync never calls. It distinguishes the two programs in the sandbox's log. */
export const FOREIGN_PATH = '/v1/lost-reasons';

export interface ForeignOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly callsPerMinute: number;
  /**
   * even: equal distances, each call up to 40 % early or late. bursts: a minute's calls at once, at a random time in
   * the minute.
   */
  readonly how: 'even' | 'bursts';
}

/** Makes calls until it is asked to stop. The returned promise rejects if the service is unreachable. */
export async function runForeign(options: ForeignOptions, signal: AbortSignal): Promise<void> {
  const { baseUrl, token, callsPerMinute, how } = options;
  const random = seeded(30);
  const call = async () => {
    const answer = await request(`${baseUrl}${FOREIGN_PATH}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // A refused call is not repeated: that program ignores refusals.
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
