// All that the HTTP server needs to know who calls: headers, allowed hosts and origins, logins and sessions.
import type { RequestHandler, Response, Router } from 'express';
import express from 'express';
import type { LoadedConfig } from '../../config/load.ts';
import type { OperatorHttp } from '../../config/schema/operator.ts';
import { API_PREFIX } from '../../core/endpoint.ts';
import type { Database } from '../../core/sql/database.ts';
import type { OperatorLog } from '../service/deps.ts';
import { createCookies } from './cookies.ts';
import { nonceOf, securityHeaders } from './headers.ts';
import { loginLimits } from './login-limits.ts';
import { oidcRouter } from './oidc.ts';
import { guardOrigin } from './origin.ts';
import { createSessions } from './session.ts';
import { temporalUiGuards } from './temporal-ui.ts';

/** Time for the rest of a request whose sender has not logged in. Its body is a name and a password. */
const STRANGERS_BODY_MS = 10_000;
/** Routes that take a password or a code. */
const GUESSABLE = ['/login', '/login/code', '/password', '/second-factor', '/second-factor/off'];

export interface HttpIdentityOptions {
  readonly db: Database;
  config(): LoadedConfig;
  /** Of the listener, as it began. */
  readonly http: OperatorHttp;
  readonly log: OperatorLog;
  /** Milliseconds for the rest of a stranger's request. @default 10_000 */
  readonly bodyMs?: number;
}

export interface HttpIdentity {
  /** Run before everything else, in this order. They set `res.locals.caller` and `res.locals.exchange`. */
  readonly guards: readonly RequestHandler[];
  /** Routes beside the API: single sign-on. */
  readonly logins: Router;
  /** Name of the cookie of sessions, in the requests of this response. */
  sessionCookie(res: Response): string;
  isAlive(res: Response): Promise<boolean>;
  nonceOf(res: Response): string;
}

export function createHttpIdentity({
  db,
  config,
  http,
  log,
  bodyMs = STRANGERS_BODY_MS,
}: HttpIdentityOptions): HttpIdentity {
  const isHttps = http.tls !== undefined || (http.publicUrl?.startsWith('https:') ?? false);
  const cookies = createCookies(isHttps);
  const { identify, isAlive } = createSessions({ db, config, cookies });
  const logins = express.Router();
  const limits = loginLimits(db);
  for (const path of GUESSABLE) logins.post(`${API_PREFIX}${path}`, limits.ofLogins());
  logins.post(`${API_PREFIX}/session/claim`, limits.ofLinks());
  logins.use(oidcRouter({ db, config, cookies, log, limit: limits.ofLogins() }));
  const temporalUi = temporalUiGuards(() => config().config.operator.temporalUi);
  return {
    guards: [
      securityHeaders(isHttps),
      temporalUi.recognize,
      guardOrigin(http),
      temporalUi.preflight,
      identify,
      limitStrangers(bodyMs),
    ],
    logins,
    sessionCookie: (res) => cookies.name(res, 'session'),
    isAlive,
    nonceOf,
  };
}

/** Ends the connection of a stranger whose request does not arrive. */
function limitStrangers(ms: number): RequestHandler {
  return (req, res, next) => {
    if (!req.complete && res.locals.caller == null) {
      const late = setTimeout(() => {
        if (!req.complete) req.destroy();
      }, ms);
      res.once('close', () => clearTimeout(late));
    }
    next();
  };
}
