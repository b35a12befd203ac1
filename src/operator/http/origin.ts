// Refuses requests that a page of another site makes: with a foreign Host header, as after DNS rebinding, or a foreign
// Origin. Only Temporal's web UI may call from its own origin, see temporal-ui.ts.
import type { RequestHandler } from 'express';
import type { OperatorHttp } from '../../config/schema/operator.ts';
import { type HostProblem, hostOfRequest } from '../../core/net/authority.ts';
import { isLoopbackHost } from '../../core/net/loopback.ts';
import { OperatorError } from '../error.ts';

export type OwnAddress = Pick<OperatorHttp, 'publicUrl' | 'tls'>;

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Sets `res.locals.origin`: the origin that this request's page has. The public URL and names of this machine are
 * allowed hosts, with any port, since tunnels change it.
 */
export function guardOrigin(own: OwnAddress): RequestHandler {
  const scheme = own.tls === undefined ? 'http' : 'https';
  const known = own.publicUrl === undefined ? null : new URL(own.publicUrl);
  return (req, res, next) => {
    const host = hostOfRequest(req);
    if (typeof host === 'string') return next(badHost(host));
    // A proxy may pass the port of its own listener, or none.
    const isKnown = host.hostname === known?.hostname;
    if (!isKnown && !isLoopbackHost(host.hostname)) return next(foreignHost(known));
    const origin = known?.origin ?? new URL(`${scheme}://${req.headers.host}`).origin;
    res.locals.origin = origin;
    const claimed = req.headers.origin;
    const site = req.headers['sec-fetch-site'];
    const isForeign =
      (claimed !== undefined && claimed !== origin) ||
      (!READS.has(req.method) && site !== undefined && site !== 'same-origin' && site !== 'none');
    if (isForeign && res.locals.isTemporalUi !== true) return next(foreignOrigin(origin));
    next();
  };
}

const BAD_HOSTS: Readonly<Record<HostProblem, string>> = {
  HOST_TWICE: 'the request has more than one Host header; send one',
  HOST_INVALID:
    'the Host header of the request is not a name or an IP address with an optional port; send one',
  HOST_DIFFERS: 'the address in the first line of the request has another host than its Host header',
};

function badHost(code: HostProblem): OperatorError {
  return new OperatorError('invalid', BAD_HOSTS[code], { code });
}

function foreignHost(known: URL | null): OperatorError {
  const way =
    known === null
      ? 'open the console at localhost, or set operator.http.publicUrl'
      : `open ${known.origin}; a proxy must keep the Host header`;
  return new OperatorError('forbidden', `this server does not have the name in the Host header; ${way}`, {
    code: 'FOREIGN_HOST',
  });
}

function foreignOrigin(origin: string): OperatorError {
  return new OperatorError('forbidden', `requests from pages of other sites are refused; open ${origin}`, {
    code: 'FOREIGN_ORIGIN',
  });
}
