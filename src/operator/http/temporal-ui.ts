// Lets the page of Temporal's web UI decrypt payloads with the login of the console. The UI has an origin of its own,
// so this is the one place that answers another origin: the one in operator.temporalUi, on the codec endpoints.
import type { RequestHandler } from 'express';
import { API_PREFIX } from '../../core/endpoint.ts';
import { isPlainRemote } from '../../core/net/loopback.ts';
import { CODEC } from '../contract/codec.ts';

const PATHS: ReadonlySet<string> = new Set(
  Object.keys(CODEC).map((route) => API_PREFIX + route.slice(route.indexOf(' ') + 1)),
);
/** The UI names the namespace. It is not needed: all namespaces have the keys of the configuration. */
const HEADERS = 'Content-Type, X-Namespace';
const PREFLIGHT_SECONDS = '600';

export interface TemporalUiGuards {
  /** Sets `res.locals.isTemporalUi`, and the headers without which a browser hides the answer from the UI. */
  readonly recognize: RequestHandler;
  /** Answers the question of a browser that comes before the request. After the check of the Host header. */
  readonly preflight: RequestHandler;
}

/** @param url the value of operator.temporalUi */
export function temporalUiGuards(url: () => string | undefined): TemporalUiGuards {
  return {
    recognize(req, res, next) {
      if (!PATHS.has(req.path)) return next();
      // Whether or not it is allowed: a cache must keep the answers apart.
      res.vary('Origin');
      const origin = originOf(url());
      if (origin === null || req.headers.origin !== origin) return next();
      res.locals.isTemporalUi = true;
      res.set('Access-Control-Allow-Origin', origin);
      res.set('Access-Control-Allow-Credentials', 'true');
      next();
    },
    preflight(req, res, next) {
      if (req.method !== 'OPTIONS' || res.locals.isTemporalUi !== true) return next();
      res.set('Access-Control-Allow-Methods', 'POST');
      res.set('Access-Control-Allow-Headers', HEADERS);
      res.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
      res.status(204).end();
    },
  };
}

/** Null for http:// to another machine: whoever is on the way could put a page of their own there. */
function originOf(url: string | undefined): string | null {
  return url === undefined || isPlainRemote(url) ? null : new URL(url).origin;
}
