// Limits the requests that take a password, a code or a one-time link, before they reach the ledger.
import type { Request, RequestHandler, Response } from 'express';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { z } from 'zod';
import type { Database } from '../../core/sql/database.ts';
import { peerOf } from '../../jobs/events/ingress/http/peer.ts';
import { OperatorError } from '../error.ts';
import { nameOfPending } from '../identity/pending-login.ts';
import { hashToken } from '../identity/tokens.ts';
import type { Caller } from '../service/caller.ts';
import { isKnownLogin } from '../store/identity/login-attempts.ts';
import { readLoginLink } from '../store/identity/login-links.ts';

const Login = z.union([z.object({ name: z.string() }), z.object({ pending: z.string() })]);
const Link = z.object({ link: z.string() });

/** For each purpose alone. The ledger slows down failed logins much earlier. */
const PER_MINUTE = 60;

export interface LoginLimits {
  /** For a route that takes a password or a code, or begins a login. */
  ofLogins(): RequestHandler;
  /** For the route of one-time links. */
  ofLinks(): RequestHandler;
}

/** A counter of one's own, which strangers of the same address must not fill; null: there is none. */
type OwnCounter = (req: Request) => Promise<string | null>;

/**
 * Makes limits with a counter each: what another site can make a browser send must not lock logins with a password.
 * Strangers of one address share a counter. Logged-in users, those whose name and password were right at this address
 * before, and holders of a valid link have one each, so that strangers behind the same address cannot lock them out. A link
 * has 256 random bits, so for strangers the limit saves work only: it need not keep anybody from guessing.
 */
export function loginLimits(db: Database): LoginLimits {
  const ofKnownLogin: OwnCounter = async (req) => {
    const name = nameIn(req.body);
    if (name === null || !(await isKnownLogin(db, name, peerOf(req.ip)))) return null;
    return JSON.stringify([name, peerOf(req.ip)]);
  };
  const ofValidLink: OwnCounter = async (req) => {
    const { data } = Link.safeParse(req.body);
    if (data === undefined) return null;
    const hash = hashToken(data.link);
    return (await readLoginLink(db, hash)) === undefined ? null : hash;
  };
  return { ofLogins: () => limit(ofKnownLogin), ofLinks: () => limit(ofValidLink) };
}

const parse = express.json({ limit: '16kb' });

function limit(ownCounter: OwnCounter): RequestHandler {
  const ofOwn = perMinute((_req, res) => String(res.locals.loginCounter), refuse);
  return perMinute(
    (req, res) => (res.locals.caller as Caller | null)?.identity ?? peerOf(req.ip),
    (req, res, next) => {
      parse(req, res, (problem?: unknown) => {
        if (problem !== undefined) return refuse(req, res, next);
        void ownCounter(req).then((own) => {
          if (own === null) return refuse(req, res, next);
          res.locals.loginCounter = own;
          return ofOwn(req, res, next);
        }, next);
      });
    },
  );
}

function perMinute(key: (req: Request, res: Response) => string, handler: RequestHandler): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: PER_MINUTE,
    legacyHeaders: false,
    standardHeaders: false,
    keyGenerator: key,
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
