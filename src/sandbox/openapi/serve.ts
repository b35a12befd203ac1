// `{baseUrl}/openapi.json` and `{baseUrl}/docs`. Both are about the API, not part of it: no token, no rate limit, no fault,
// no rate headers, no row in the request log.
import express, { type Request, type Router } from 'express';
import type { Choices } from '../choices.ts';
import { type Described, openApiDocument } from './document.ts';
import { docsPage } from './page.ts';

/** @param routes All that is served under the base URL. */
export function openApiRouter(routes: readonly Described[], choices: Choices): Router {
  const router = express.Router({ caseSensitive: true });
  const documentFor = (req: Request) => openApiDocument(routes, choices, req.baseUrl);
  router.get('/openapi.json', (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    res.json(documentFor(req));
  });
  router.get('/docs', (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    // The page is text and style alone: nothing in it may run or load, whatever a name says.
    res.setHeader(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    );
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.type('html').send(docsPage(documentFor(req), originOf(req) + req.baseUrl));
  });
  return router;
}

/** Where the reader reaches this server; a host that no URL can hold is not repeated. */
function originOf(req: Request): string {
  const host = req.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : `http://127.0.0.1:${req.socket.localPort}`;
}
