// The inbound webhook receiver, POST {baseUrl}/hooks/{hash}: checks and stores a call, answers 202, then processes it.
import type { NextFunction, Request, Response } from 'express';
import { Problem } from '../http/errors.ts';
import type { RateState } from '../http/rate.ts';
import type { SandboxParts } from '../parts.ts';
import type { Account } from '../state/account.ts';
import type { HookCall, HookResult, Webhook } from '../state/model.ts';
import { idempotencyKey } from './mapping.ts';
import { processCall } from './process.ts';

const REMEMBERED_MS = 60 * 60 * 1000;

interface Entrance {
  readonly account: Account;
  readonly webhook: Webhook;
}

/**
 * Admits a call before its body is read.
 *
 * @param count counts the call against the window of this hash; false if it was refused with 429
 * @throws Problem 404, 401
 */
export function admitting(
  parts: SandboxParts,
  count: (res: Response, taken: RateState & { allowed: boolean }) => boolean,
) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const hash = String(req.params['hash']);
    const found = parts.store.webhook(hash);
    if (found === undefined || !found.webhook.active) throw new Problem('ERR_WEBHOOK_NOT_FOUND');
    if (!count(res, parts.hookRate.take(hash))) return;
    const { authMode, token } = found.webhook;
    if (authMode === 'token' && (token === null || req.headers['x-service-token'] !== token)) {
      throw new Problem('ERR_WEBHOOK_TOKEN_INVALID');
    }
    res.locals['entrance'] = found satisfies Entrance;
    next();
  };
}

/** Stores the call before it is acknowledged, then processes it in the background. @throws Problem ERR_INVALID_JSON */
export function receive(
  parts: SandboxParts,
  req: Request,
  { account, webhook }: Entrance,
): Record<string, unknown> {
  const body = Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '';
  const key = idempotencyKey(req.headers, parsed(body));
  const at = parts.now().getTime();
  const earlier = key === null ? undefined : account.processedHook(webhook.hash, key);
  const repeated = earlier !== undefined && at - earlier.at < REMEMBERED_MS ? earlier : null;
  const result: HookResult =
    repeated === null ? { status: 'pending' } : { status: 'duplicate', of: repeated.id };
  const id = parts.store.nextId('hookCall');
  const call: HookCall = { id, hash: webhook.hash, at, body, idempotencyKey: key, result };
  parts.store.commit([['hookCall', account.id, call]]);
  if (repeated !== null) return { received: true, duplicate: true };
  parts.background.add(() => processCall(parts, account, call));
  return { received: true };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem('ERR_INVALID_JSON');
  }
}
