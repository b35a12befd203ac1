// Messages that operators send. Sluice accepts them as events of a built-in route, so that every rule for events applies
// to them. Their texts go into the ledger only, never through Temporal.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { UnknownNameError } from '../../config/errors.ts';
import type { OperatorMedia } from '../../contracts/config/config.ts';
import { durationDays, durationMs } from '../../contracts/config/config-base.ts';
import { OPERATOR_ROUTE } from '../../contracts/ids.ts';
import { contentTypeOf, uploadNameOf } from '../../contracts/media-names.ts';
import type { MESSAGES, OperatorMessage } from '../../contracts/operator/messages.ts';
import { suggestion } from '../../contracts/suggest.ts';
import type { RequestOf } from '../../contracts/wire/intake.ts';
import { createAcceptance } from '../../ingress/accept.ts';
import { type Acceptance, NotAcceptedError, type Route } from '../../ingress/intake.ts';
import { eventId } from '../../ingress/route/key.ts';
import { intakeSpec } from '../../ingress/spec.ts';
import { storeUpload } from '../../ledger/events/uploads.ts';
import { MAX_FILES, operatorMedia } from '../../mapping/actions/action-media.ts';
import { subjectOf } from '../../mapping/actions/actions.ts';
import { ValueError } from '../../mapping/errors.ts';
import { canonicalKey } from '../../mapping/phone/index.ts';
import { OperatorError } from '../error.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function messageHandlers(deps: OperatorDeps): Handlers<keyof typeof MESSAGES> {
  const { db } = deps;
  /** One per account, because an acceptance knows a route by its name only. */
  const acceptances = new Map<string, Acceptance>();

  /** The name of the account, if it is configured. */
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
      db,
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
    'POST /messages': async ({ account, key = randomUUID(), request: wish }) => {
      configured(account);
      checkMessage(wish);
      const request = withMedia(wish, deps.config().config.operator.media);
      const acceptance = acceptanceOf(account, await deps.temporal());
      const id = eventId(account, OPERATOR_ROUTE, { kind: 'key', key });
      const draft = { account, route: OPERATOR_ROUTE, id, subject: subjectOf(request), rank: null, request };
      const [accepted] = await acceptance.accept(operatorRoute(account), [draft]).catch(notAccepted);
      return { event: id, duplicate: accepted?.duplicate ?? false };
    },
    'POST /messages/files': async ({ account, name, type, data }) => {
      configured(account);
      const contentType = contentTypeOf(type);
      const filename = uploadNameOf(undefined, name, contentType);
      const days = durationDays(deps.config().config.retention.uploads);
      const { id } = await storeUpload(db, { account, filename, contentType, data }, days);
      return { upload: id };
    },
  };
}

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

/** This route reads no deliveries: its messages arrive as drafts. */
function operatorRoute(account: string): Route {
  return {
    name: OPERATOR_ROUTE,
    config: {
      account,
      erasedPeople: 'refuse',
      action: { type: 'message', outsideWindow: 'refuse', saveOnTicket: true },
    },
    read: () => Promise.reject(new Error('the route of operators reads no deliveries')),
  };
}

function refuse(problem: string): never {
  throw new OperatorError('invalid', problem, { code: 'MESSAGE' });
}

/**
 * The message with what the configuration says about its files.
 * @throws OperatorError (invalid) that contains no URL
 */
export function withMedia({ media, ...rest }: OperatorMessage, rules: OperatorMedia): RequestOf<'message'> {
  if (media === undefined) return rest;
  try {
    return { ...rest, media: operatorMedia(media.urls, rules) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return refuse(error.message);
  }
}

/**
 * Checks a message against the API text (POST /v1/messages/send and POST /v1/conversations/{ticketId}/messages), and
 * against the rules that apply to a configured route.
 * @throws OperatorError (invalid). The text names the field and the fix, and contains no value.
 */
export function checkMessage({ to, text, template, media, uploads, ...rest }: OperatorMessage): void {
  const files = (media?.urls.length ?? 0) + (uploads?.length ?? 0);
  if (text === undefined && template === undefined && files === 0)
    refuse('the message is empty; add a text, a template or a file');
  if (files > MAX_FILES) refuse(`a message takes ${MAX_FILES} files at most; send them in several`);
  if (rest.outsideWindow === 'template' && template === undefined)
    refuse('outsideWindow is template, and there is no template; add one, or change outsideWindow');
  if (files > 0 && !rest.saveOnTicket)
    refuse('a message with saveOnTicket false can have no files; remove the files or saveOnTicket');
  if ('number' in to) {
    if (to.key !== canonicalKey(to.number))
      refuse('to.key is not the key of to.number; write the number with the Brazilian ninth digit');
    return;
  }
  if (rest.connection !== undefined)
    refuse('a reply uses the connection of its conversation; remove the connection');
  if (rest.contactName !== undefined) refuse('the conversation already has a contact; remove the name');
  if (!rest.saveOnTicket) refuse('a reply is always saved; remove saveOnTicket');
}
