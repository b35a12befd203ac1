// What operators send by hand. Sluice accepts it as events of a built-in route, so that every rule for events applies.
import type { Client } from '@temporalio/client';
import { durationMs } from '../../core/config/base.ts';
import { UnknownNameError } from '../../core/config/errors.ts';
import { OPERATOR_ROUTE } from '../../core/ids.ts';
import { suggestion } from '../../core/suggest.ts';
import type { RequestOf } from '../../jobs/events/contract/intake.ts';
import { createAcceptance } from '../../jobs/events/ingress/accept.ts';
import { type Acceptance, NotAcceptedError, type Route } from '../../jobs/events/ingress/intake.ts';
import { eventId } from '../../jobs/events/ingress/route/key.ts';
import { intakeSpec } from '../../jobs/events/ingress/spec.ts';
import { subjectOf } from '../../jobs/events/rules/actions.ts';
import { getEvent } from '../../jobs/events/store/events.ts';
import { OperatorError } from '../error.ts';
import type { OperatorDeps } from './deps.ts';

export interface OperatorEvents {
  /** @throws UnknownNameError unless the account is configured */
  requireAccount(account: string): void;
  /** Id of the event that a workflow has accepted under this key; null when there is none. */
  find(account: string, key: string): Promise<string | null>;
  /**
   * Events with the same key are accepted once.
   * @returns the id of the event
   * @throws OperatorError (unavailable); a retry with the same key is safe
   */
  accept(wish: {
    readonly account: string;
    readonly key: string;
    readonly request: RequestOf<'message' | 'flow'>;
  }): Promise<{ readonly event: string; readonly duplicate: boolean }>;
}

export function createOperatorEvents(deps: OperatorDeps): OperatorEvents {
  /** One per account, because an acceptance knows a route by its name only. */
  const acceptances = new Map<string, Acceptance>();

  function configured(account: string) {
    const { accounts, ingress } = deps.config().config;
    const config = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
    if (config === undefined)
      throw new UnknownNameError('account', account, suggestion(account, Object.keys(accounts), 'accounts'));
    return { config, ingress };
  }

  function acceptanceOf(account: string, client: Client): Acceptance {
    const known = acceptances.get(account);
    if (known !== undefined) return known;
    const { config, ingress } = configured(account);
    const acceptance = createAcceptance({
      client,
      db: deps.db,
      taskQueue: deps.workQueue,
      maxOpen: ingress.maxOpen,
      maxDelayMs: durationMs(ingress.maxDelay),
      callsPerMinute: () => config.callsPerMinute * config.tokens.length,
      specOf: (route) => intakeSpec(route.name, route.config, null),
    });
    acceptances.set(account, acceptance);
    return acceptance;
  }

  return {
    requireAccount: (account) => void configured(account),
    async find(account, key) {
      const id = idOf(account, key);
      const event = await getEvent(deps.db, id);
      return event === null || event.state === 'received' ? null : id;
    },
    async accept({ account, key, request }) {
      const acceptance = acceptanceOf(account, await deps.temporal());
      const id = idOf(account, key);
      const draft = { account, route: OPERATOR_ROUTE, id, subject: subjectOf(request), rank: null, request };
      const [accepted] = await acceptance.accept(operatorRoute(account), [draft]).catch(notAccepted);
      return { event: id, duplicate: accepted?.duplicate ?? false };
    },
  };
}

const idOf = (account: string, key: string) => eventId(account, OPERATOR_ROUTE, { kind: 'key', key });

/** After this error, a retry with the same key is safe. */
function notAccepted(error: unknown): never {
  if (!(error instanceof NotAcceptedError)) throw error;
  const { why, retryAfterMs, message } = error;
  throw new OperatorError('unavailable', `not accepted: ${message}`, {
    code: why,
    retryAfterMs,
    cause: error,
  });
}

/** This route reads no deliveries: its events arrive as drafts. */
function operatorRoute(account: string): Route {
  return {
    name: OPERATOR_ROUTE,
    config: {
      account,
      erasedPeople: 'refuse',
      // Operators are asked before: the endpoints refuse what they did not confirm.
      optOut: 'ignore',
      action: { type: 'message', outsideWindow: 'refuse', saveOnTicket: true },
    },
    read: () => Promise.reject(new Error('the route of operators reads no deliveries')),
  };
}
