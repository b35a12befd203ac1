// `{baseUrl}/openapi.json` and `{baseUrl}/docs`. They describe the API and are not part of it: no token, no rate
// limit, no faults, no rate headers, no row in the request log.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { type Request, type Response, type Router } from 'express';
import type { Choices } from '../choices.ts';
import { type Described, openApiDocument } from './document.ts';

/** The page loads these files from this server, and nothing from other servers. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documentation</title><link rel="icon" href="data:,"><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="docs"></div><noscript>This page needs JavaScript. The same as a file: <a href="openapi.json">openapi.json</a></noscript>
<script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body></html>
`;

// By default the viewer sends the document to its vendor's server for validation.
const START = `SwaggerUIBundle({
  url: 'openapi.json', dom_id: '#docs', deepLinking: true, filter: true, displayRequestDuration: true, validatorUrl: null,
});
`;

/** Only files of this server load and run, whatever a name in the document contains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The viewer sets sizes and colors in style attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * @param routes all routes under the base URL
 * @param resolve the path of a file of a package
 */
export function openApiRouter(
  routes: readonly Described[],
  choices: Choices,
  resolve: (file: string) => string = createRequire(import.meta.url).resolve,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get('/openapi.json', (req: Request, res) => {
    res.setHeader('Cache-Control', 'no-store');
    res.json(openApiDocument(routes, choices, req.baseUrl));
  });
  router.get('/docs', (_req, res) => void secured(res).type('html').send(PAGE));
  router.get('/docs/start.js', (_req, res) => void secured(res).type('js').send(START));
  for (const file of FILES) {
    const root = dirname(resolve(`swagger-ui-dist/${file}`));
    // Outside of the root, Express serves nothing from a folder whose name begins with a dot, such as that of npx.
    router.get(`/docs/${file}`, (_req, res) => secured(res).sendFile(file, { root }));
  }
  return router;
}

function secured(res: Response): Response {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  return res;
}
