// Reads what an account offers, for operators: lists with ids, within the account's budget.
import { type Call, callApi } from '../../activities/shared/api-call.ts';
import { createCallCounter } from '../../activities/shared/call-counter.ts';
import { withCallScope } from '../../activities/shared/call-scope.ts';
import { keepList, type ListName, listing } from '../../activities/shared/catalog-lists.ts';
import type { AccountAccess } from '../../activities/shared/deps.ts';
import { openAccounts } from '../../workers/accounts.ts';
import type { LoadedConfig } from '../config/load.ts';
import { deadlineSignal } from '../core/deadline.ts';
import { operatorRunId } from '../core/ids.ts';
import { LANES } from '../core/lanes.ts';
import type { Scope } from '../core/scopes.ts';
import type { AccountLists } from '../operator/contract/accounts.ts';
import type { Output } from '../operator/contract/index.ts';
import { OperatorError } from '../operator/error.ts';
import type { OperatorDeps } from '../operator/service/deps.ts';
import { ApiError, UnexpectedShapeError } from '../service/api-client/errors.ts';
import type { Mention } from '../service/api-client/schemas/fields.ts';

/** A person waits for the answer. */
const LANE = LANES.lead;
const DEADLINE_MS = 60_000;
/** Newest cards and conversations to read for users and sources: the largest page (API text, Limits). */
const PAGE = { pageSize: 100 };
/** Smallest page of messages that is worth a call. */
const PAGE_MIN = 50;

interface List<T> {
  readonly items: T[];
  /** Why it could not be read. */
  readonly error: string | null;
}

type Deps = Pick<OperatorDeps, 'db' | 'config' | 'log'>;

/** Makes one call of the account's budget. */
type Make = <T>(scope: Scope, call: Call<T>) => Promise<T | null>;

/** @throws OperatorError (unavailable) when more urgent work takes all calls, or the token is refused */
async function withAccount<T>(
  { db, config, log }: Deps,
  name: string,
  work: (make: Make) => Promise<T>,
): Promise<T> {
  const opened = await openAccounts(config(), db, [name]);
  const calls = createCallCounter(db);
  const access = opened.accounts.get(name) as AccountAccess;
  const deps = { db, log, budget: opened.budget, calls };
  const make: Make = async (scope, call) => {
    try {
      return await callApi(deps, access, operatorRunId(name), scope, call);
    } catch (error) {
      // A token that is refused as a whole is refused for every call.
      if (error instanceof ApiError && error.status === 401)
        throw new OperatorError('unavailable', `the account ${name} refuses its token: ${error.message}`, {
          code: error.code ?? 'TOKEN_REFUSED',
          cause: error,
        });
      throw error;
    }
  };
  const signal = deadlineSignal(DEADLINE_MS);
  try {
    return await withCallScope({ lane: LANE, signal }, () => work(make));
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new OperatorError(
      'unavailable',
      `more urgent work took all calls of the account ${name} for ${DEADLINE_MS / 1000} s; try again later`,
      { code: 'BUDGET', cause: error },
    );
  } finally {
    await calls.flush();
    await opened.close();
  }
}

/**
 * The ledger keeps the lists in which names are looked up, so that a dry run after it knows the account's tags.
 * @throws OperatorError (unavailable) as {@link withAccount}
 */
export async function readAccount(deps: Deps, name: string): Promise<AccountLists> {
  const loaded = deps.config();
  return await withAccount(deps, name, async (make) => {
    let made = 0;

    async function list<D extends { readonly items: readonly unknown[] }>(
      scope: Scope,
      call: Call<D>,
      keep?: (data: D) => Promise<unknown>,
    ): Promise<List<D['items'][number]>> {
      made++;
      try {
        const data = await make(scope, call);
        if (data !== null) await keep?.(data);
        return { items: [...(data?.items ?? [])], error: null };
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof UnexpectedShapeError)) throw error;
        const scope = error instanceof ApiError ? error.requiredScope : null;
        const lacks = scope == null ? '' : `; the token lacks the scope ${scope}`;
        return { items: [], error: `${error.message}${lacks}` };
      }
    }

    /** A list with an unreadable item is not kept: the name of that item would count as missing. */
    async function keptList<N extends ListName>(kind: N) {
      const { scope, call } = listing(kind);
      return await list(scope, call, async ({ items, invalid }) => {
        if (invalid.length === 0) await keepList(deps, name, kind, items);
      });
    }

    const pipelines = await keptList('pipelines');
    const tags = await keptList('tags');
    const connections = await keptList('connections');
    const lostReasons = await keptList('lostReasons');
    const cards = await list('cards:read', (client, options) => client.cards.list(PAGE, options));
    const conversations = await list('conversations:read', (client, options) =>
      client.conversations.list(PAGE, options),
    );
    const users = [
      ...cards.items.map(({ user }) => user),
      ...conversations.items.map(({ owner }) => owner ?? null),
    ];
    return {
      account: name,
      readAt: new Date().toISOString(),
      calls: made,
      pipelines,
      tags,
      connections,
      lostReasons: {
        items: lostReasons.items.map(({ id, name: reason }) => ({ id, name: reason ?? null })),
        error: lostReasons.error,
      },
      users: { items: distinct(users), error: cards.error ?? conversations.error },
      sources: { items: distinct(cards.items.map(({ source }) => source)), error: cards.error },
      flows: flowsOf(loaded, name),
    };
  });
}

/**
 * Reads the newest messages of a conversation, oldest first, with one call.
 * @throws OperatorError (unavailable) as {@link withAccount}; (notFound) for a conversation that the service lacks
 */
export async function readMessages(
  deps: Deps,
  name: string,
  { conversation, limit }: { readonly conversation: number; readonly limit: number },
): Promise<Output<'POST /conversations/{account}/{conversation}/messages'>> {
  return await withAccount(deps, name, async (make) => {
    const page = await make('messages:read', (client, options) =>
      client.conversations.messages(conversation, { pageSize: Math.max(PAGE_MIN, limit) }, options),
    ).catch((error: unknown) => {
      if (!(error instanceof ApiError || error instanceof UnexpectedShapeError)) throw error;
      const isGone = error instanceof ApiError && error.status === 404;
      throw new OperatorError(isGone ? 'notFound' : 'unavailable', error.message, {
        code: (error instanceof ApiError ? error.code : null) ?? 'UNEXPECTED_SHAPE',
        cause: error,
      });
    });
    const { items = [], invalid = [], hasMore = false } = page ?? {};
    return {
      readAt: new Date().toISOString(),
      messages: items.slice(-limit).map(({ id, createdAt, fromMe, status, body, template }) => ({
        id,
        at: createdAt === null ? null : new Date(createdAt).toISOString(),
        fromMe,
        status,
        text: body,
        template: typeof template?.templateName === 'string' ? template.templateName : null,
      })),
      unreadable: invalid.length,
      more: hasMore || items.length > limit,
    };
  });
}

function distinct(mentions: readonly (Mention | null)[]): AccountLists['users']['items'] {
  const names = new Map<number, string | null>();
  for (const mention of mentions) {
    const id = Number(mention?.id);
    if (mention?.id != null && Number.isInteger(id)) names.set(id, mention.name);
  }
  return [...names].sort(([a], [b]) => a - b).map(([id, name]) => ({ id, name }));
}

/** The flows that campaigns and routes of the account trigger. */
function flowsOf({ config }: LoadedConfig, account: string): AccountLists['flows'] {
  const uses = new Map<number | string, string[]>();
  const add = (id: number | string, by: string) => uses.set(id, [...(uses.get(id) ?? []), by]);
  for (const [name, campaign] of Object.entries(config.campaigns))
    if (campaign.account === account) add(campaign.flow, `campaign ${name}`);
  for (const [name, route] of Object.entries(config.routes))
    if (route.account === account && route.action.type === 'flow')
      add(flowName(route.action.flow), `route ${name}`);
  return [...uses].map(([id, usedBy]) => ({ id, usedBy }));
}

/** An expression decides which flow an event triggers. */
function flowName(flow: unknown): number | string {
  return typeof flow === 'number' ? flow : 'by expression';
}
