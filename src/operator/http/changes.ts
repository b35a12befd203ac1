// Server-sent events: announces which topics changed, so that a console reads again what it shows. No data is sent.
import type { Router } from 'express';
import express from 'express';
import { API_PREFIX } from '../../core/endpoint.ts';
import { OperatorError } from '../error.ts';
import { isAllowed, secondFactorRequired } from '../service/caller.ts';
import type { ApiResponse } from './api.ts';

/** Proxies close connections that are silent for a minute. */
const BEAT_MS = 25_000;
/** Maximum number of open streams in one process. A visible tab has one. */
const MAX_STREAMS = 200;
/** Maximum number of open streams of one identity. A further one ends the oldest. */
const MAX_OWN_STREAMS = 20;

export interface Changes {
  /** Calls `announce` with the topics that changed, until the returned function is called. */
  subscribe(announce: (topics: readonly string[]) => void): () => void;
}

/**
 * `GET /api/v1/changes`: events `change` with `{"topics": [...]}`. The stream ends when the login does. The event
 * `replaced` is the last one of a stream that ended because the same identity opened too many.
 * @param isAlive whether the caller of this response is still logged in
 */
export function changesRouter(
  changes: Changes,
  isAlive: (res: express.Response) => Promise<boolean>,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  /** By identity, the oldest first. */
  const open = new Map<string, Set<() => void>>();
  let count = 0;
  router.get(`${API_PREFIX}/changes`, (_req, res, next) => {
    const { caller } = (res as ApiResponse).locals;
    if (caller === null || !isAllowed(caller, 'viewer'))
      return next(new OperatorError('unauthenticated', 'log in first', { code: 'LOGIN_REQUIRED' }));
    if (caller.needsSecondFactor === true) return next(secondFactorRequired(caller));
    const own = open.get(caller.identity) ?? new Set();
    const [oldest] = own;
    if (oldest !== undefined && own.size >= MAX_OWN_STREAMS) oldest();
    if (count >= MAX_STREAMS)
      return next(new OperatorError('tooMany', `${MAX_STREAMS} consoles listen already; close some`));
    const replace = () => {
      forget();
      res.end('event: replaced\ndata: {}\n\n');
    };
    const forget = () => {
      if (!own.delete(replace)) return;
      count--;
      if (own.size === 0) open.delete(caller.identity);
    };
    open.set(caller.identity, own.add(replace));
    count++;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    res.write('retry: 2000\n\nevent: open\ndata: {}\n\n');
    const stop = changes.subscribe((topics) => {
      res.write(`event: change\ndata: ${JSON.stringify({ topics })}\n\n`);
    });
    const beat = setInterval(() => {
      isAlive(res).then(
        (alive) => (alive ? res.write(': beat\n\n') : res.end()),
        () => res.end(),
      );
    }, BEAT_MS);
    res.once('close', () => {
      forget();
      clearInterval(beat);
      stop();
    });
  });
  return router;
}
