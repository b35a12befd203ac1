// Who calls: an access token, or the session of a browser together with its CSRF token.
import type { Request, RequestHandler, Response } from 'express';
import type { LoadedConfig } from '../../config/load.ts';
import { API_PREFIX } from '../../core/endpoint.ts';
import type { Database } from '../../core/sql/database.ts';
import { peerOf } from '../../jobs/events/ingress/http/peer.ts';
import { OperatorError } from '../error.ts';
import { callerOfAccessToken, callerOfSession, type SessionCaller } from '../identity/callers.ts';
import { secondFactorPolicy } from '../identity/second-factor-policy.ts';
import { sessionLimits } from '../identity/session-limits.ts';
import { isSame } from '../identity/tokens.ts';
import type { Exchange } from '../service/exchange.ts';
import type { Cookies } from './cookies.ts';

const CSRF_HEADER = 'X-CSRF-Token';
/** A console that refreshes by itself sends it, so that a forgotten tab does not stay logged in. */
const BACKGROUND_HEADER = 'Sluice-Background';
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** They begin a login, so there is no CSRF token yet. The check of the origin protects them. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  `${API_PREFIX}/login`,
  `${API_PREFIX}/login/code`,
  `${API_PREFIX}/session/claim`,
]);

export interface SessionsOptions {
  readonly db: Database;
  config(): LoadedConfig;
  readonly cookies: Cookies;
}

/** How the request proved who calls, to prove it again later. */
interface Credentials {
  readonly kind: 'token' | 'session';
  readonly secret: string;
}

interface Proof extends Omit<SessionCaller, 'csrfToken'> {
  /** Null for an access token: a browser never sends one by itself. */
  readonly csrfToken: string | null;
}

export interface Sessions {
  /** Sets `res.locals.caller` and `res.locals.exchange` for requests of the API. */
  readonly identify: RequestHandler;
  /** Whether the login of this response still answers all that it may. It does not count as activity. */
  isAlive(res: Response): Promise<boolean>;
}

export function createSessions({ db, config, cookies }: SessionsOptions): Sessions {
  const limits = () => sessionLimits(config());
  const proofOf = async ({ kind, secret }: Credentials, isActive: boolean): Promise<Proof | null> => {
    const policy = secondFactorPolicy(config());
    if (kind === 'session') return await callerOfSession(db, secret, { ...limits(), isActive }, policy);
    const caller = await callerOfAccessToken(db, secret, policy);
    return caller === null ? null : { caller, csrfToken: null };
  };

  return {
    async identify(req, res, next) {
      res.locals.caller = null;
      if (!req.path.startsWith(`${API_PREFIX}/`)) return next();
      const session = cookies.read(res, 'session');
      const exchange = exchangeOf(req, res, session);
      res.locals.exchange = exchange;
      if (BEGINNINGS.has(req.path)) return next();
      const credentials = credentialsOf(req, session);
      if (credentials?.kind === 'token')
        res.locals.exchange = { ...exchange, accessToken: credentials.secret };
      if (credentials === null) return next();
      // Temporal's web UI refreshes by itself, and sends no header that says so.
      const isTemporalUi = res.locals.isTemporalUi === true;
      const isActive = !isTemporalUi && req.get(BACKGROUND_HEADER) === undefined;
      const proof = await proofOf(credentials, isActive);
      if (proof === null && credentials.kind === 'token')
        throw new OperatorError('unauthenticated', 'the access token is unknown, expired or revoked', {
          code: 'TOKEN_INVALID',
        });
      // Its page cannot know the CSRF token. Its origin, which the browser establishes, stands in for it.
      if (proof?.csrfToken != null) {
        if (!isTemporalUi) checkCsrf(req, proof.csrfToken);
        res.locals.exchange = { ...exchange, csrfToken: proof.csrfToken };
      }
      res.locals.caller = proof?.caller ?? null;
      res.locals.credentials = credentials;
      next();
    },
    async isAlive(res) {
      const credentials = res.locals.credentials as Credentials | undefined;
      const proof = credentials === undefined ? null : await proofOf(credentials, false);
      return proof !== null && proof.caller.needsSecondFactor !== true;
    },
  };

  function exchangeOf(req: Request, res: Response, session: string | null): Exchange {
    return {
      address: peerOf(req.ip),
      agent: req.get('User-Agent') ?? '',
      session,
      csrfToken: null,
      accessToken: null,
      setSession: (token) => cookies.write(res, 'session', token, limits().absoluteMs),
    };
  }
}

/** An access token counts before a cookie: a browser never sends one by itself. */
function credentialsOf(req: Request, session: string | null): Credentials | null {
  const header = req.get('Authorization');
  if (header === undefined) return session === null ? null : { kind: 'session', secret: session };
  const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (token === undefined)
    throw new OperatorError('unauthenticated', 'the Authorization header must be `Bearer TOKEN`', {
      code: 'TOKEN_INVALID',
    });
  return { kind: 'token', secret: token };
}

function checkCsrf(req: Request, csrfToken: string): void {
  if (READS.has(req.method) || isSame(req.get(CSRF_HEADER) ?? '', csrfToken)) return;
  throw new OperatorError(
    'forbidden',
    `the header ${CSRF_HEADER} is missing or of another session; reload the page`,
    { code: 'CSRF' },
  );
}
