// Limits the requests that take a password or a code, before they reach the ledger.
import type { Request, RequestHandler, Response } from 'express';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { z } from 'zod';
import { peerOf } from '../../ingress/http/peer.ts';
import type { Database } from '../../ledger/database.ts';
import { isKnownLogin } from '../../ledger/operator/login-attempts.ts';
import { OperatorError } from '../error.ts';
import { nameOfPending } from '../identity/pending-login.ts';
import type { Caller } from '../service/caller.ts';

const Login = z.union([z.object({ name: z.string() }), z.object({ pending: z.string() })]);

/** For each purpose alone. The ledger slows down failed logins much earlier. */
const PER_MINUTE = 60;

/**
 * Makes limits with a counter each: what another site can make a browser send must not lock logins with a password.
 * Strangers of one address share a counter. Logged-in users, and those whose name and password were right at this address
 * before, have one each, so that strangers behind the same address cannot lock them out.
 */
export function loginLimits(db: Database): () => RequestHandler {
  const parse = express.json({ limit: '16kb' });
  return () => {
    const ofKnown = perMinute(({ req, name }) => JSON.stringify([name, peerOf(req.ip)]), refuse);
    return perMinute(
      ({ req, res }) => (res.locals.caller as Caller | null)?.identity ?? peerOf(req.ip),
      (req, res, next) => {
        parse(req, res, (problem?: unknown) => {
          const name = problem === undefined ? nameIn(req.body) : null;
          if (name === null) return refuse(req, res, next);
          void isKnownLogin(db, name, peerOf(req.ip)).then(
            (isKnown) => (isKnown ? ofKnown(req, res, next) : refuse(req, res, next)),
            next,
          );
        });
      },
    );
  };
}

interface Counted {
  readonly req: Request;
  readonly res: Response;
  readonly name: string | null;
}

function perMinute(key: (counted: Counted) => string, handler: RequestHandler): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: PER_MINUTE,
    legacyHeaders: false,
    standardHeaders: false,
    keyGenerator: (req, res) => key({ req, res, name: nameIn(req.body) }),
    // It only finds `req.ip` in the function above, which makes IPv6 addresses /64 networks as it asks.
    validate: { keyGeneratorIpFallback: false },
    handler,
  });
}

const refuse: RequestHandler = (_req, _res, next) => {
  next(
    new OperatorError('tooMany', 'too many logins from this address; try again in a minute', {
      code: 'LOGIN_LIMITED',
      retryAfterMs: 60_000,
    }),
  );
};

/** Of a login, or of its second step. */
function nameIn(body: unknown): string | null {
  const { data } = Login.safeParse(body);
  if (data === undefined) return null;
  return 'name' in data ? data.name.trim().toLowerCase() : (nameOfPending(data.pending) ?? null);
}
