// What did not get in, as operators see and mend it: refused deliveries, the lag of Kafka, and dead letters.

import { announcerOf } from '../../../operator/service/announce.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { maskHeader, maskKey, maskValue } from '../../../operator/service/masking.ts';
import { badCursor, beforeId } from '../../../operator/service/page.ts';
import { countRefusals, listRefusals } from '../../../operator/store/refusals.ts';
import type { DeadLetterDetail, DeadLetterSummary, REFUSALS } from '../contract/refusals.ts';
import type { FoundDeadLetter } from '../ingress/kafka/index.ts';
import { createDeadLetters, type DeadLetters } from './letters.ts';
import { matches } from './matches.ts';
import { resolvedNews } from './resolved-news.ts';

export function refusalHandlers(
  deps: OperatorDeps,
  letters: DeadLetters = createDeadLetters(deps),
): Handlers<keyof typeof REFUSALS> {
  const { db } = deps;
  const { kafka } = letters;
  const announce = announcerOf(deps);
  const routesOf = async (cluster: string) =>
    (await deps.tools.routes()).filter(({ config }) => config.kafka?.cluster === cluster);

  return {
    'GET /refusals': async ({ limit, before, ...filter }) =>
      await listRefusals(db, filter, { limit, before: beforeId(before) }),

    'GET /refusals/hours': async ({ since, limit, ...filter }) =>
      await countRefusals(db, filter, { since: since ?? null, limit }),

    'GET /kafka/lag': async () => ({ clusters: await (await kafka()).kafkaLag(deps) }),

    'GET /dead-letters': async ({ cluster, resolved, limit, after, ...filter }) => {
      if (after !== undefined && !/^\d{1,9}$/.test(after)) throw badCursor();
      const clusters = Object.keys(deps.config().config.ingress.kafka);
      if (clusters.length === 0 && cluster === undefined)
        return { clusters, deadLetters: [], next: null, total: 0, byCode: [], readAt: null };
      const { listing, openBox } = await kafka();
      const { deadLetters, readAt } = await listing(await openBox(deps, cluster));
      const found = deadLetters.filter(
        (deadLetter) => (resolved || deadLetter.resolution === null) && matches(deadLetter, filter),
      );
      const from = Number(after ?? 0);
      const page = found.slice(from, from + limit);
      const next = from + limit < found.length ? String(from + limit) : null;
      return { clusters, deadLetters: page, next, total: found.length, byCode: countByCode(found), readAt };
    },

    'GET /dead-letters/{id}': async ({ id, cluster, unmask }) => {
      const { openBox, placeOf, readBox, noDeadLetter, summaryOf, dryRun, routeOf } = await kafka();
      const box = await openBox(deps, cluster);
      const keepValue = (deadLetter: { id: string }) => deadLetter.id === id && ('always' as const);
      const found = await readBox(box, { from: placeOf(id), keepValue });
      const deadLetter = found.find((each) => each.id === id);
      if (deadLetter === undefined) throw noDeadLetter(box, id);
      const summary = summaryOf(deadLetter);
      const routes = await routesOf(box.cluster);
      const today = routeOf(routes, deadLetter.origin.topic);
      return {
        ...summary,
        ...contentOf(deadLetter, unmask),
        account: today?.config.account ?? null,
        now: summary.resolution === null ? (await dryRun(routes, deadLetter, unmask)).now : null,
      };
    },

    'POST /dead-letters/dry-run': async ({ limit, unmask, ...choice }, { identity }) =>
      await deps.tools.expensive.run(identity, async () => {
        const { openBox, chooseDeadLetters, dryRun } = await kafka();
        const box = await openBox(deps, choice.cluster);
        const found = await chooseDeadLetters(box, choice, { withValues: true });
        const routes = await routesOf(box.cluster);
        const results = [];
        for (const deadLetter of found.slice(0, limit))
          results.push(await dryRun(routes, deadLetter, unmask));
        return { results, total: found.length };
      }),

    'POST /dead-letters/replay': async ({ rate, ...choice }, { identity: by }) => {
      const { openBox, chooseDeadLetters, replays } = await kafka();
      const box = await openBox(deps, choice.cluster);
      const deadLetters = await chooseDeadLetters(box, choice, { withValues: true });
      letters.forget();
      return await replays.begin(box, deps.config(), { deadLetters, rate, by, announce });
    },

    'GET /dead-letters/replays/{replay}': async ({ replay }) => (await kafka()).replays.get(replay),

    'POST /dead-letters/replays/{replay}/stop': async ({ replay }) =>
      await (await kafka()).replays.stop(replay),

    'POST /dead-letters/discard': async ({ reason, ...choice }, { identity: by }) => {
      const { openBox, chooseDeadLetters, markerMessage, produce, kafkaFailure } = await kafka();
      const box = await openBox(deps, choice.cluster);
      const found = await chooseDeadLetters(box, choice, { withValues: false });
      const mark = { how: 'discarded', by, at: new Date().toISOString(), reason } as const;
      const { deadLetters: topic } = box.config;
      const marks = found.map(({ id }) => markerMessage({ ...mark, deadLetter: id }));
      await produce(box.access, topic, marks).catch((error: unknown) => {
        throw kafkaFailure(error, `topic "${topic}"`);
      });
      letters.forget();
      // After the topic has it: a crash in between leaves the event out, never the other way round.
      const news = resolvedNews(deps.config(), found, mark);
      return await announce(async () => ({ result: { count: found.length }, news }));
    },
  };
}

/** The most frequent code first. */
function countByCode(deadLetters: readonly { readonly code: string }[]) {
  const counts = new Map<string, number>();
  for (const { code } of deadLetters) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([code, count]) => ({ code, count }));
}

function contentOf(
  deadLetter: FoundDeadLetter,
  unmask: boolean,
): Omit<DeadLetterDetail, keyof DeadLetterSummary | 'account' | 'now'> {
  const { key, value, omitted } = deadLetter;
  const headers = Object.entries(deadLetter.headers).map(([name, content]) => {
    const text = [content]
      .flat()
      .map((each) => String(each ?? ''))
      .join(', ');
    return [name, unmask ? text : maskHeader(name, text)] as const;
  });
  return {
    key: unmask ? (key?.toString('utf8') ?? null) : maskKey(key),
    headers: Object.fromEntries(headers),
    bytes: omitted ?? value?.byteLength ?? 0,
    value: value === null ? null : unmask ? value.toString('utf8') : maskValue(value),
    omitted: omitted !== null,
  };
}
