// The two routes of a login with an OpenID provider: to the provider, and back.
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { LoadedConfig } from '../../config/load.ts';
import type { OperatorOidc } from '../../config/schema/operator.ts';
import type { Database } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import { callerOfUser } from '../identity/callers.ts';
import { startSession } from '../identity/logins.ts';
import { createOidcClient, type OidcClient } from '../identity/oidc.ts';
import { userOfOidc } from '../identity/oidc-users.ts';
import { sessionLimits } from '../identity/session-limits.ts';
import type { OperatorLog } from '../service/deps.ts';
import { addAudit } from '../store/audit.ts';
import type { Cookies } from './cookies.ts';
import { PENDING_SECONDS, readPending, signPending } from './oidc-pending.ts';

const START = '/auth/oidc';
const CALLBACK = '/auth/oidc/callback';

export interface OidcRouterOptions {
  readonly db: Database;
  config(): LoadedConfig;
  readonly cookies: Cookies;
  readonly log: OperatorLog;
  /** Of logins that a provider serves, per peer. */
  readonly limit: RequestHandler;
}

/** Errors lead to `/login?error=CODE`. A middleware before it sets `res.locals.origin`. */
export function oidcRouter({ db, config, cookies, log, limit }: OidcRouterOptions): Router {
  const router = express.Router();
  const clientOf = createClients(config);

  router.use(START, (req, _res, next) => {
    clientOf();
    // An image, a script or a frame of another site begins no login, and counts for nothing.
    const mode = req.get('Sec-Fetch-Mode') ?? 'navigate';
    const place = req.get('Sec-Fetch-Dest') ?? 'document';
    if (mode !== 'navigate' || place !== 'document')
      throw new OperatorError('forbidden', 'a login begins with a page, not with a part of one', {
        code: 'OIDC_REFUSED',
      });
    next();
  });
  router.use(START, limit);

  router.get(START, async (req, res) => {
    const { client, secret } = clientOf();
    const { url, pending } = await client.begin(`${res.locals.origin}${CALLBACK}`);
    const cookie = await signPending({ ...pending, then: localPath(req.query.then) }, await secret());
    cookies.write(res, 'oidc', cookie, PENDING_SECONDS * 1000);
    res.redirect(303, url);
  });

  router.get(CALLBACK, async (req, res) => {
    const cookie = cookies.read(res, 'oidc');
    cookies.write(res, 'oidc', null, 0);
    const { client, oidc, secret } = clientOf();
    const pending = await readPending(cookie, await secret());
    const login = await client.finish(new URL(req.originalUrl, String(res.locals.origin)), pending);
    const user = await userOfOidc(db, login, oidc.roles);
    const limits = sessionLimits(config());
    const { token } = await startSession(db, user, {
      via: 'oidc',
      hasCode: false,
      agent: req.get('User-Agent') ?? '',
      limits,
      before: cookies.read(res, 'session'),
    });
    cookies.write(res, 'session', token, limits.absoluteMs);
    const caller = callerOfUser(user, 'session');
    await addAudit(db, { caller, action: 'login with OpenID', target: user.name, details: {} }, 'ok');
    res.redirect(303, pending.then);
  });

  // Browsers come here by links and redirects, so they get a page and no JSON.
  router.use(START, async (error: unknown, _req: Request, res: Response, next: (error: unknown) => void) => {
    if (res.headersSent || !(error instanceof OperatorError)) return next(error);
    const { code = 'OIDC_REFUSED', kind, cause } = error;
    log.warn({ err: cause ?? error, code }, 'a login with OpenID failed');
    if (kind === 'unauthenticated' || kind === 'forbidden')
      await addAudit(
        db,
        { caller: null, action: 'login with OpenID', target: '-', details: { code } },
        'denied',
      );
    res.redirect(303, `/login?error=${encodeURIComponent(code)}`);
  });
  return router;
}

/** Makes a new client when the configuration has changed. */
function createClients(config: () => LoadedConfig) {
  let known: {
    readonly oidc: OperatorOidc;
    readonly client: OidcClient;
    secret(): Promise<string>;
  } | null = null;
  return () => {
    const loaded = config();
    const { oidc } = loaded.config.operator;
    if (oidc === undefined)
      throw new OperatorError('notFound', 'no OpenID provider is configured; see operator.oidc', {
        code: 'OIDC_NOT_CONFIGURED',
      });
    if (known?.oidc !== oidc) {
      const secret = async () => (await loaded.secret(oidc.clientSecret)).value;
      known = { oidc, client: createOidcClient({ oidc, secret }), secret };
    }
    return known;
  };
}

/** Only a path of this server: browsers read `//host` and `/\host` as another one. */
function localPath(then: unknown): string {
  return typeof then === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(then) ? then : '/';
}
