// Refused requests as operators see and mend them: what a route could not take, and what it would take now.

import { OperatorError } from '../../../operator/error.ts';
import { announcerOf } from '../../../operator/service/announce.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { HIDDEN, maskValue } from '../../../operator/service/masking.ts';
import { beforeId } from '../../../operator/service/page.ts';
import type { DryRunNow } from '../contract/refusals.ts';
import type { REFUSED_REQUESTS, RefusedRequestResult } from '../contract/refused-requests.ts';
import type { Acceptance, Delivery, Route } from '../ingress/intake.ts';
import { reasonOf } from '../ingress/refusals.ts';
import {
  claimRefusedRequest,
  countRefusedRequests,
  listRefusedRequests,
  openRefusedRequests,
  type RefusedRequest,
  type RefusedRequestFilter,
  readRefusedRequest,
  releaseRefusedRequest,
  type Settlement,
  settleRefusedRequests,
} from '../store/refused-requests.ts';
import { acceptAgain, readNow, shownOf } from './read-now.ts';

interface Choice extends RefusedRequestFilter {
  readonly limit: number;
  readonly after?: string | undefined;
}

export function refusedRequestHandlers(deps: OperatorDeps): Handlers<keyof typeof REFUSED_REQUESTS> {
  const { db } = deps;
  const announce = announcerOf(deps);

  /** @returns the number of requests that were open until now */
  const settle = (ids: readonly string[], settlement: Settlement) =>
    announce(async (tx) => {
      const news = await settleRefusedRequests(tx, ids, settlement);
      return { result: news.length, news };
    });

  async function requestOf(id: string): Promise<RefusedRequest> {
    const found = await readRefusedRequest(db, id);
    if (found !== null) return found;
    throw new OperatorError('notFound', `there is no refused request ${id}; it may have been deleted`, {
      code: 'NO_SUCH_REQUEST',
    });
  }

  /** The chosen open requests, the oldest first. */
  async function choose({ limit, after, ...filter }: Choice) {
    const open = await openRefusedRequests(db, filter, { limit, after: beforeId(after) });
    const missing = after === undefined ? filter.ids?.filter((id) => !open.ids.includes(id)) : [];
    for (const id of missing ?? []) {
      const { resolution } = await requestOf(id);
      if (resolution !== null)
        throw new OperatorError('conflict', `${id} was ${resolution.how} by ${resolution.by}`, {
          code: 'REQUEST_SETTLED',
        });
    }
    return open;
  }

  async function whatNow(
    request: RefusedRequest,
    body: string | undefined,
    unmask: boolean,
  ): Promise<DryRunNow> {
    const route = routeOf(await deps.tools.routes(), request);
    if (route === undefined) return noRoute(request);
    return shownOf(await readNow(route, deliveryOf(request, body), reasonOf), unmask);
  }

  async function replay(
    { acceptance, routes }: { readonly acceptance: Acceptance; readonly routes: readonly Route[] },
    id: string,
    body: string | undefined,
  ): Promise<RefusedRequestResult> {
    const request = await requestOf(id);
    const route = routeOf(routes, request);
    if (route === undefined) return { id, ...noRoute(request) };
    const read = await readNow(route, deliveryOf(request, body), reasonOf);
    if (read.outcome !== 'read') return { id, ...read };
    const events = await acceptAgain(acceptance, route, { id, drafts: read.drafts });
    return { id, outcome: 'accepted', events };
  }

  return {
    'GET /refused-requests': async ({ resolved, limit, before, ...filter }) => {
      const page = { settled: resolved, limit, before: beforeId(before) };
      const list = await listRefusedRequests(db, filter, page);
      return { ...list, counts: await countRefusedRequests(db, filter.account, resolved) };
    },

    'GET /refused-requests/{id}': async ({ id, unmask }) => {
      const request = await requestOf(id);
      const { content, ...summary } = request;
      const headers = Object.entries(content.headers).map(([name, value]) => [
        name,
        unmask || isFormat(name, value) ? value : HIDDEN,
      ]);
      const body = Buffer.from(content.body);
      return {
        ...summary,
        headers: Object.fromEntries(headers),
        body: unmask ? body.toString('utf8') : maskValue(body),
        now: summary.resolution === null ? await whatNow(request, undefined, unmask) : null,
      };
    },

    'POST /refused-requests/{id}/dry-run': async ({ id, body, unmask }, { identity }) =>
      await deps.tools.expensive.run(identity, async () => ({
        now: await whatNow(await requestOf(id), body, unmask),
      })),

    'POST /refused-requests/replay': async ({ body, ...choice }, { identity: by }) => {
      if (body !== undefined && choice.ids?.length !== 1)
        throw new OperatorError('invalid', 'a corrected body needs exactly one id in `ids`', {
          code: 'ONE_REQUEST',
        });
      const { ids, next } = await choose(choice);
      const results: RefusedRequestResult[] = [];
      if (ids.length === 0) return { results, next };
      // Compiled once, not for each request.
      const routes = await deps.tools.routes();
      const acceptance = await deps.tools.openAcceptance();
      try {
        for (const id of ids) {
          if (!(await claimRefusedRequest(db, id))) throw inUse(id);
          const result = await replay({ acceptance, routes }, id, body).catch(async (error: unknown) => {
            await releaseRefusedRequest(db, id);
            throw error;
          });
          results.push(result);
          // A crash before this repeats the replay, which makes no second event.
          if (result.outcome === 'accepted' || result.outcome === 'skipped')
            await settle([id], {
              how: 'replayed',
              by,
              reason: body === undefined ? null : 'with a corrected body',
            });
          else await releaseRefusedRequest(db, id);
        }
      } finally {
        await acceptance.close();
      }
      return { results, next };
    },

    'POST /refused-requests/discard': async ({ reason, ...choice }, { identity: by }) => {
      const { ids } = await choose(choice);
      return { count: await settle(ids, { how: 'discarded', by, reason }) };
    },
  };
}

/** The sender decides about all headers, so only a plain content type is shown. */
const isFormat = (name: string, value: string) =>
  name === 'content-type' && /^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/i.test(value);

function inUse(id: string): OperatorError {
  return new OperatorError(
    'conflict',
    `somebody else replays ${id}, or has replayed or discarded it just now`,
    {
      code: 'REQUEST_SETTLED',
    },
  );
}

function noRoute({ route, account }: RefusedRequest) {
  const reason = `the configuration has no route "${route}" over HTTP for the account "${account}"`;
  return { outcome: 'no route', reason } as const;
}

const routeOf = (routes: readonly Route[], { route, account }: RefusedRequest) =>
  routes.find(
    ({ name, config }) => name === route && config.account === account && config.http !== undefined,
  );

/**
 * The request as the ingress would read it. Its id stands for a missing key, so that two replays make one event. Only a
 * signed body as it arrived is its own key: the sender may send it again.
 */
function deliveryOf(
  { id, content: { headers, signature, ...content } }: RefusedRequest,
  body: string | undefined,
): Delivery {
  return {
    via: 'http',
    headers,
    body: body === undefined ? content.body : Buffer.from(body, 'utf8'),
    ...((body !== undefined || signature === null) && { fallbackKey: id }),
    ...(signature !== null && { signature }),
  };
}
