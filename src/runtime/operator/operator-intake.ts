// Accepts messages of operators as events of a built-in route, so that every rule for events applies to them.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { UnknownNameError } from '../../config/errors.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { durationMs } from '../../contracts/config/config-base.ts';
import { OPERATOR_ROUTE, WORK_QUEUE } from '../../contracts/ids.ts';
import { contentTypeOf, uploadNameOf } from '../../contracts/media-names.ts';
import { suggestion } from '../../contracts/suggest.ts';
import { MessageRequest, type RequestOf } from '../../contracts/wire/intake.ts';
import { createAcceptance } from '../../ingress/accept.ts';
import { type Acceptance, type Accepted, NotAcceptedError, type Route } from '../../ingress/intake.ts';
import { eventId } from '../../ingress/route/key.ts';
import { intakeSpec } from '../../ingress/spec.ts';
import { type Database, LedgerError } from '../../ledger/database.ts';
import { storeUpload } from '../../ledger/events/uploads.ts';
import { subjectOf } from '../../mapping/actions/actions.ts';
import { canonicalKey } from '../../mapping/phone/index.ts';

/** Wait before a retry, in milliseconds. */
const RETRY_MS = 1000;

export const OperatorMessage = z.strictObject({
  account: z.string(),
  /** Messages with the same key are sent once. Without a key, each message is new. */
  key: z.string().trim().min(1).max(255).optional(),
  // Strict: an older process must refuse an unknown field, not ignore it.
  request: z.strictObject(MessageRequest.shape),
});
export type OperatorMessage = z.infer<typeof OperatorMessage>;

/** Thrown for a message that can't be sent. The text names the field and the fix, and contains no value. */
export class BadMessageError extends Error {
  override readonly name = 'BadMessageError';
}

export interface OperatorFile {
  readonly account: string;
  /** File name as the receiver sees it, without path separators. */
  readonly name: string;
  /** Media type, for example `image/png`. */
  readonly type: string;
  /** At most `MAX_FILE_BYTES`. */
  readonly data: Uint8Array;
}

/** Maximum size of a file, in bytes: the maximum that the configuration allows for uploads. */
export const MAX_FILE_BYTES = 67_108_864;

export interface OperatorIntake {
  /**
   * Stores a file for some days, so that a message can attach it.
   * @returns its id, for `uploads` of a message
   * @throws UnknownNameError, NotAcceptedError
   */
  upload(file: OperatorFile): Promise<string>;
  /**
   * Returns when Temporal has accepted a workflow for the message.
   * @throws UnknownNameError, BadMessageError, NotAcceptedError; after the last, a retry with the same key is safe
   */
  send(message: OperatorMessage): Promise<Accepted>;
  /** Accepts no more messages, and returns when every message in progress has an answer. */
  close(): Promise<void>;
}

export interface OperatorIntakeOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly client: Client;
  /** @default "sluice" */
  readonly taskQueue?: string;
}

export function openOperatorIntake(options: OperatorIntakeOptions): OperatorIntake {
  const { db, client, taskQueue = WORK_QUEUE } = options;
  const { accounts, ingress } = options.config.config;
  /** One per account: an acceptance knows a route by its name only. */
  const acceptances = new Map<string, { route: Route; acceptance: Acceptance }>();

  function acceptanceOf(account: string): { route: Route; acceptance: Acceptance } {
    const known = acceptances.get(account);
    if (known !== undefined) return known;
    const config = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
    if (config === undefined)
      throw new UnknownNameError('account', account, suggestion(account, Object.keys(accounts), 'accounts'));
    const acceptance = createAcceptance({
      client,
      db,
      taskQueue,
      maxOpen: ingress.maxOpen,
      maxDelayMs: durationMs(ingress.maxDelay),
      callsPerMinute: () => config.callsPerMinute * config.tokens.length,
      specOf: (route) => intakeSpec(route.name, route.config, null),
    });
    const opened = { route: operatorRoute(account), acceptance };
    acceptances.set(account, opened);
    return opened;
  }

  return {
    async upload({ account, name, type, data }) {
      acceptanceOf(account);
      const contentType = contentTypeOf(type);
      const filename = uploadNameOf(undefined, name, contentType);
      try {
        return (await storeUpload(db, { account, filename, contentType, data })).id;
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        throw new NotAcceptedError('LEDGER', RETRY_MS, error.message, { cause: error });
      }
    },
    async send({ account, key = randomUUID(), request }) {
      const { route, acceptance } = acceptanceOf(account);
      checkMessage(request);
      const id = eventId(account, OPERATOR_ROUTE, { kind: 'key', key });
      const [accepted] = await acceptance.accept(route, [
        { account, route: OPERATOR_ROUTE, id, subject: subjectOf(request), rank: null, request },
      ]);
      return accepted as Accepted;
    },
    async close() {
      await Promise.all([...acceptances.values()].map(({ acceptance }) => acceptance.close()));
    },
  };
}

/** This route reads no deliveries: its messages arrive as drafts. */
function operatorRoute(account: string): Route {
  return {
    name: OPERATOR_ROUTE,
    config: {
      account,
      action: { type: 'message', outsideWindow: 'refuse', saveOnTicket: true },
    },
    read: () => Promise.reject(new Error('the route of operators reads no deliveries')),
  };
}

/**
 * Checks a message against the API text (POST /v1/messages/send and POST /v1/conversations/{ticketId}/messages), and
 * against the rules that apply to a configured route.
 * @throws BadMessageError
 */
export function checkMessage({ to, text, template, media, uploads, ...rest }: RequestOf<'message'>): void {
  const refuse = (problem: string): never => {
    throw new BadMessageError(problem);
  };
  const files = (media?.urls.length ?? 0) + (uploads?.length ?? 0);
  if (text === undefined && template === undefined && files === 0)
    refuse('the message is empty; add a text, a template or a file');
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
