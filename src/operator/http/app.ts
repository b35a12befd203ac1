// The operator API and the console over HTTP.
import express, { type Express, type RequestHandler, type Router } from 'express';
import { API_PREFIX } from '../../core/endpoint.ts';
import type { OperatorLog } from '../service/deps.ts';
import type { Dispatch } from '../service/dispatch.ts';
import { createApi, refuseWith } from './api.ts';
import { type Changes, changesRouter } from './changes.ts';
import { consoleRouter } from './console.ts';
import { describeApi } from './openapi.ts';

export interface AppOptions {
  readonly dispatch: Dispatch;
  readonly changes: Changes;
  readonly log: Pick<OperatorLog, 'error'>;
  readonly version: string;
  /** Folder of the built console. */
  readonly consoleDir: string;
  /** Addresses and networks of reverse proxies, whose X-Forwarded-For counts. */
  readonly trustProxy: readonly string[];
  /** Run before everything else: security headers, allowed hosts and origins, and who calls (`res.locals.caller`). */
  readonly guards: readonly RequestHandler[];
  /** Login and logout. */
  readonly logins: Router;
  /** Name of the cookie of sessions, in the requests of this response. */
  sessionCookie(res: express.Response): string;
  /** Whether the login of this response is still valid. */
  isAlive(res: express.Response): Promise<boolean>;
  /** The nonce of styles in the Content-Security-Policy of this response. */
  nonceOf(res: express.Response): string;
}

export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // The paths that the guards compare are the paths that are served.
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', 'simple');
  app.set('trust proxy', [...options.trustProxy]);
  app.use(...options.guards);
  app.get(`${API_PREFIX}/openapi.json`, (_req, res) => {
    res.json(describeApi(options.version, options.sessionCookie(res)));
  });
  app.use(options.logins);
  app.use(changesRouter(options.changes, options.isAlive));
  app.use(createApi(options.dispatch));
  app.use(consoleRouter(options.consoleDir, options.nonceOf));
  app.use(refuseWith(options.log));
  return app;
}
