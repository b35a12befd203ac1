// Serves the built console with answers that a test chooses, under the same security headers as the real server.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import express, { type Request, type Response } from 'express';
import { consoleRouter } from '../../../src/operator/http/console.ts';
import { listen } from '../../../src/operator/http/listen.ts';

export type Answer = (req: Request, res: Response) => unknown;

export interface Stub {
  readonly url: string;
  /** Requests without an answer of its own, for example `POST /campaigns/7/resume`. */
  readonly missed: readonly string[];
  /** Announces topics to every open page. */
  announce(topics: readonly string[]): void;
  /** Cuts the streams of events, as a restart of the server does. */
  cutStreams(): void;
  close(): Promise<void>;
}

/**
 * @param answers by route without prefix: `GET /overview`
 * @param dist folder of the build, or of another page than the console
 */
export async function startStub(answers: Readonly<Record<string, Answer>>, dist: string): Promise<Stub> {
  const app = express();
  const streams = new Set<Response>();
  const missed: string[] = [];
  app.use((_req, res, next) => {
    const nonce = randomBytes(16).toString('base64');
    res.locals.nonce = nonce;
    res.set(
      'Content-Security-Policy',
      `default-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    next();
  });
  app.use(express.json());
  app.get('/api/v1/changes', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    res.write('retry: 100\n\nevent: open\ndata: {}\n\n');
    streams.add(res);
    res.once('close', () => streams.delete(res));
  });
  app.use('/api/v1', (req, res) => {
    const route = `${req.method} ${req.path}`;
    const answer = answers[route];
    if (answer === undefined) {
      missed.push(route);
      res.status(404).json({ error: { kind: 'notFound', message: `there is no ${route}` } });
      return;
    }
    const output = answer(req, res);
    if (!res.headersSent) res.json(output);
  });
  app.use(consoleRouter(join(dist, 'console'), (res) => String(res.locals.nonce)));
  const listener = await listen(app, { host: '127.0.0.1', port: 0, log: console });
  return {
    url: listener.url,
    missed,
    announce: (topics) => {
      for (const stream of streams) stream.write(`event: change\ndata: ${JSON.stringify({ topics })}\n\n`);
    },
    cutStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    close: () => listener.close(),
  };
}

/** A session that begins with `POST /login`. */
export function loginAnswers(role = 'admin'): Readonly<Record<string, Answer>> {
  let isIn = false;
  const session = () => ({
    user: isIn ? { identity: 'user:ana', name: 'ana', displayName: 'Ana Souza', role, via: 'session' } : null,
    csrfToken: isIn ? 'csrf-of-ana' : null,
    oidc: { label: 'Example SSO' },
    needsFirstAdmin: false,
  });
  return {
    'GET /session': session,
    'POST /login': (req, res) => {
      const { password } = req.body as { password?: unknown };
      if (password !== 'correct horse battery') {
        res.status(401).json({ error: { kind: 'unauthenticated', message: 'wrong name or password' } });
        return undefined;
      }
      isIn = true;
      return { user: session().user, csrfToken: 'csrf-of-ana', accessToken: null, pending: null };
    },
    'POST /logout': (req, res) => {
      if (req.get('x-csrf-token') !== 'csrf-of-ana') {
        res.status(403).json({ error: { kind: 'forbidden', message: 'the CSRF token is missing' } });
        return undefined;
      }
      isIn = false;
      return {};
    },
  };
}
