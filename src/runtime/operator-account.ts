// Reads what an account offers, for operators: lists with ids, within the account's budget.
import { type Call, callApi } from '../../activities/shared/api-call.ts';
import { createCallCounter } from '../../activities/shared/call-counter.ts';
import { withCallScope } from '../../activities/shared/call-scope.ts';
import type { AccountAccess } from '../../activities/shared/deps.ts';
import { openAccounts } from '../../workers/accounts.ts';
import { ApiError, UnexpectedShapeError } from '../api-client/errors.ts';
import type { Mention } from '../api-client/schemas/fields.ts';
import type { LoadedConfig } from '../config/load.ts';
import { deadlineSignal } from '../contracts/deadline.ts';
import type { AccountLists } from '../contracts/operator/accounts.ts';
import { LANES } from '../contracts/wire/run.ts';
import type { Scope } from '../contracts/wire/scopes.ts';
import { OperatorError } from '../operator/error.ts';
import type { OperatorDeps } from '../operator/service/deps.ts';

/** A person waits for the answer. */
const LANE = LANES.lead;
const DEADLINE_MS = 60_000;
/** Newest cards and conversations to read for users and sources: the largest page (API text, Limits). */
const PAGE = { pageSize: 100 };

interface List<T> {
  readonly items: T[];
  /** Why it could not be read. */
  readonly error: string | null;
}

/** @throws OperatorError (unavailable) when more urgent work takes all calls */
export async function readAccount(
  { db, config, log }: Pick<OperatorDeps, 'db' | 'config' | 'log'>,
  name: string,
): Promise<AccountLists> {
  const loaded = config();
  const opened = await openAccounts(loaded, db, [name]);
  const calls = createCallCounter(db);
  const access = opened.accounts.get(name) as AccountAccess;
  const deps = { db, log, budget: opened.budget, calls };
  let made = 0;

  async function list<T>(scope: Scope, call: Call<{ readonly items: readonly T[] }>): Promise<List<T>> {
    made++;
    try {
      const data = await callApi(deps, access, `${name}/operators`, scope, call);
      return { items: [...(data?.items ?? [])], error: null };
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof UnexpectedShapeError)) throw error;
      const scope = error instanceof ApiError ? error.requiredScope : null;
      const lacks = scope == null ? '' : `; the token lacks the scope ${scope}`;
      // A token that is refused as a whole is refused for every list.
      if (error instanceof ApiError && error.status === 401)
        throw new OperatorError('unavailable', `the account ${name} refuses its token: ${error.message}`, {
          code: error.code ?? 'TOKEN_REFUSED',
          cause: error,
        });
      return { items: [], error: `${error.message}${lacks}` };
    }
  }

  const signal = deadlineSignal(DEADLINE_MS);
  try {
    return await withCallScope({ lane: LANE, signal }, async () => {
      const pipelines = await list('cards:read', (client, options) => client.pipelines.list(options));
      const tags = await list('contacts:read', (client, options) => client.tags.list(options));
      const connections = await list('connections:read', (client, options) =>
        client.connections.list(options),
      );
      const lostReasons = await list('cards:read', (client, options) => client.lostReasons.list(options));
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
