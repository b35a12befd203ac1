// The client of a team's own activities. Each call waits for a slot of the account's budget, as Sluice's own calls do.
import { ApplicationFailure } from '@temporalio/activity';
import { LANES, type LaneName } from '../../src/core/lanes.ts';
import type { ApiResult, Call, CallOptions, CallSpec } from '../../src/service/api-client/call.ts';
import { MessagingClient, resourcesOf } from '../../src/service/api-client/client.ts';
import { scopeOf } from '../../src/service/api-client/scope-of.ts';
import { callApi, type Call as PacedCall } from '../shared/api-call.ts';
import { callScope, withCallScope } from '../shared/call-scope.ts';
import type { Deps } from '../shared/deps.ts';
import { hasRecipientOptedOut, keyOfRecipient, type Recipient, subjectOfCall } from './recipient.ts';

export interface AccountOptions {
  /** Urgency of the calls. @default the priority of the activity, otherwise `backfill` */
  readonly lane?: LaneName;
  /**
   * Also sends to people who opted out: transactional messages, and answers to what the person wrote.
   * @default false: such a call fails with `OPTED_OUT`
   */
  readonly toOptedOut?: boolean;
}

/** Type of the failure of a call that would reach a person who opted out. */
export const OPTED_OUT = 'OPTED_OUT';

/** True for the failure of a call that would reach a person who opted out. Nothing was sent. */
export function isOptedOut(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === OPTED_OUT;
}

type Resources = ReturnType<typeof resourcesOf>;
/** The methods of a resource, without its private fields. */
type Methods<T> = Pick<T, keyof T>;

/** The resources of `MessagingClient` of `sluice/client`. */
export type AccountResources = { readonly [Name in keyof Resources]: Methods<Resources[Name]> };

/** One call as the resources make it: where it goes, and the person that it reaches. */
export interface Outgoing<T> {
  readonly spec: CallSpec<T>;
  readonly options: CallOptions;
  /** Null: the call reaches nobody. */
  readonly to: Recipient | null;
}

/** What makes the calls of the resources. */
export type Sender = <T>(call: Outgoing<T>) => Promise<ApiResult<T>>;

/** An account, and the run that counts the calls. */
export interface OwnAccount {
  readonly deps: Deps;
  readonly name: string;
  readonly options: AccountOptions;
  run(): Promise<string>;
}

/**
 * The resources of the account, whose calls `send` makes. The three methods that reach a person say which one.
 * @throws Error naming the account when the configuration does not have it
 */
export function accountResources({ deps, name }: OwnAccount, send: Sender): AccountResources {
  const [token] = deps.account(name).tokens;
  if (token === undefined) throw new Error(`the account "${name}" has no token`);
  // All tokens of an account have the same assumptions.
  const { assumptions } = token.client;
  const reaching = (to: Recipient | null): Resources => {
    const call: Call = (spec, options = {}) => send({ spec, options, to });
    return resourcesOf(call, assumptions);
  };
  const resources = reaching(null);
  const { conversations, messages, flows } = resources;
  return {
    ...resources,
    messages: {
      send: (message, options) => reaching({ number: message.number }).messages.send(message, options),
      status: (id, options) => messages.status(id, options),
    },
    conversations: {
      list: (query, options) => conversations.list(query, options),
      iterate: (query, options) => conversations.iterate(query, options),
      messages: (id, query, options) => conversations.messages(id, query, options),
      iterateMessages: (id, query, options) => conversations.iterateMessages(id, query, options),
      reply: (id, content, options) =>
        reaching({ conversation: id }).conversations.reply(id, content, options),
    },
    flows: {
      contactIdentity: flows.contactIdentity,
      trigger(input, options) {
        const { number, id } = input.contact;
        const to = number !== undefined ? { number } : id !== undefined ? { contact: id } : null;
        return reaching(to).flows.trigger(input, options);
      },
    },
  };
}

/** A call that is ready to go out, with what must be true when its slot is due. */
export interface Prepared<T> {
  readonly call: PacedCall<T>;
  readonly scope: ReturnType<typeof scopeOf>;
  /** As `people.key`. */
  readonly person: string | null;
  /** @throws ApplicationFailure `OPTED_OUT` */
  check(): Promise<void>;
}

/** Runs `work` in the lane of the account, with the call that the resources asked for. */
export async function withCall<T, R>(
  { deps, name, options: { lane, toOptedOut = false } }: OwnAccount,
  { spec, options, to }: Outgoing<T>,
  work: (prepared: Prepared<T>) => Promise<R>,
): Promise<R> {
  const { db } = deps;
  const { method, route } = spec;
  const person = to === null ? null : await keyOfRecipient(db, name, to);
  const own = callScope();
  const signal = options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]);
  const scope = {
    ...own,
    signal,
    lane: lane === undefined ? own.lane : LANES[lane],
    ...(to === null ? {} : { about: { ...own.about, ...subjectOfCall(to, person) } }),
  };
  return await withCallScope(scope, () =>
    work({
      scope: scopeOf(method, route.template),
      person,
      call: (client, { signal: shutdown, onResponse }) =>
        MessagingClient.callOf(client)(spec, {
          deadlineMs: options.deadlineMs,
          signal: shutdown,
          onResponse(info) {
            onResponse?.(info);
            options.onResponse?.(info);
          },
        }),
      async check() {
        if (to === null || toOptedOut || !(await hasRecipientOptedOut(db, name, person))) return;
        throw ApplicationFailure.nonRetryable(
          `the recipient opted out of messages of the account "${name}"; nothing was sent. Set toOptedOut if the message is transactional or answers what the person wrote`,
          OPTED_OUT,
        );
      },
    }),
  );
}

/** Makes each call in a slot of the account's budget. */
export function pacedSender(account: OwnAccount): Sender {
  return async (outgoing) =>
    await withCall(account, outgoing, async ({ call, scope, check }) => {
      const { deps, name } = account;
      let result = null as Awaited<ReturnType<typeof call>> | null;
      const kept: typeof call = async (client, options) => {
        result = await call(client, options);
        return result;
      };
      // A person may opt out while the call waits for its slot.
      const beforeSend = async () => {
        await check();
        return true;
      };
      await check();
      const to = outgoing.to === null ? undefined : beforeSend;
      await callApi(deps, deps.account(name), await account.run(), scope, kept, to);
      return result as NonNullable<typeof result>;
    });
}
