// Security headers of every answer. The page loads nothing from elsewhere, and styles need the nonce of the answer.
import { randomBytes } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';

export function securityHeaders(isHttps: boolean): RequestHandler {
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", (_req, res) => `'nonce-${nonceOf(res as Response)}'`],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // `no-referrer` would make browsers send `Origin: null` with some requests of the console itself.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
  });
  return (req, res, next) => {
    res.locals.nonce = randomBytes(16).toString('base64');
    headers(req, res, next);
  };
}

/** The nonce of styles in the Content-Security-Policy of this answer. */
export function nonceOf(res: Response): string {
  return String(res.locals.nonce);
}
