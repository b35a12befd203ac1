// The panel: the sandbox's replacement for the service's web panel. Loopback only, no token, no faults.
import { Readable } from 'node:stream';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { FixtureError, parseAt } from '../fixture/fixture.ts';
import { patchOps } from '../fixture/fixture-merge.ts';
import { accountJson } from '../fixture/fixture-view.ts';
import { Fault } from '../http/faults.ts';
import type { SandboxParts } from '../parts.ts';
import type { Account } from '../state/account.ts';
import type { HookCall } from '../state/model.ts';
import { receiveInbound } from './inbound.ts';

const BODY_LIMIT = 512 * 1024 * 1024;
/** Maximum bytes waiting for a watcher of the board. Beyond it the panel disconnects the watcher. */
const MAX_BUFFERED = 1 << 20;

/** Thrown by a panel route. The answer has this status and the text as {error}. */
class PanelError extends Error {
  override readonly name = 'PanelError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function panelRouter(parts: SandboxParts): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(loopbackOnly, express.json({ limit: BODY_LIMIT }), async (_req, _res, next) => {
    // Acknowledged calls are processed first, so the panel never shows pending webhooks.
    await parts.background.settled();
    next();
  });

  router.get('/requests', (req, res) => {
    const since = Number(req.query['since'] ?? 0);
    if (!Number.isInteger(since) || since < 0) {
      throw new PanelError(400, 'since: a whole number, the seq of the last request already seen');
    }
    stream(res, parts.log.since(since));
  });

  router.get('/accounts/:id', (req, res) => stream(res, accountJson(accountOf(parts, req))));
  router.patch('/accounts/:id', (req, res) => {
    const account = accountOf(parts, req);
    parts.store.commit(patchOps(parts.store, account.id, req.body ?? {}, parts.now().getTime()));
    stream(res, accountJson(account));
  });
  router.post('/accounts/:id/inbound', (req, res) => {
    const account = accountOf(parts, req);
    res.json(receiveInbound(parts, account, req.body ?? {}));
  });

  router.get('/accounts/:id/events', (req, res) => streamBoard(parts, accountOf(parts, req), res));

  router.get('/webhooks/:hash/history', (req, res) => {
    const found = parts.store.webhook(req.params.hash);
    if (found === undefined) throw new PanelError(404, 'no such webhook');
    const calls = found.account.tables.hookCall.rows.filter((call) => call.hash === req.params.hash);
    stream(res, historyJson(calls));
  });
  router.get('/flow-runs', (_req, res) => {
    const runs = [...parts.store.accounts.values()].flatMap((account) =>
      account.tables.flowRun.rows.map(({ id, at, ...run }) => ({
        id,
        at: iso(at),
        accountId: account.id,
        ...run,
      })),
    );
    res.json({ runs: runs.sort((a, b) => a.id - b.id) });
  });

  router.get('/faults', (_req, res) => void res.json({ faults: parts.faults.list() }));
  router.post('/faults', (req, res) => {
    res.json(parts.faults.add(parseAt(Fault, req.body ?? {})));
  });
  router.delete('/faults', (_req, res) => {
    parts.faults.clear();
    res.json({ faults: [] });
  });

  router.use(() => {
    throw new PanelError(404, 'the panel has no such path and method');
  });
  router.use(refusing(parts));
  return router;
}

/** Yields the history with the received text of each body. */
function* historyJson(calls: readonly HookCall[]): Generator<Buffer> {
  yield Buffer.from('{"calls":[');
  for (const [index, { at, body, idempotencyKey, result }] of calls.entries()) {
    const rest = JSON.stringify({ idempotencyKey, result }).slice(1);
    yield Buffer.from(`${index === 0 ? '' : ','}{"at":${JSON.stringify(iso(at))},"body":${body},${rest}`);
  }
  yield Buffer.from(']}');
}

const iso = (at: number) => new Date(at).toISOString();

function accountOf(parts: SandboxParts, req: Request): Account {
  const account = parts.store.accounts.get(String(req.params['id']));
  if (account === undefined) throw new PanelError(404, 'no such account');
  return account;
}

/** Collects all pieces before it sends the first byte: the state must not change within one answer. */
function stream(res: Response, pieces: Iterable<Buffer>): void {
  const collected = [...pieces];
  res.type('application/json');
  Readable.from(collected).pipe(res);
}

function loopbackOnly(req: Request, _res: Response, next: NextFunction): void {
  const peer = req.socket.remoteAddress ?? '';
  if (!/^(::ffff:)?127\.|^::1$/.test(peer))
    throw new PanelError(403, 'the panel answers to this machine only');
  // With DNS rebinding, a web page reaches this server under another host name.
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/i.test(req.hostname ?? ''))
    throw new PanelError(403, 'the panel answers to localhost, 127.0.0.1 and [::1] only');
  // A browser names the page that sends a request; programs such as curl send neither header.
  const { origin, 'sec-fetch-site': site } = req.headers;
  const foreign = origin !== undefined && origin !== `http://${req.headers.host}`;
  if (foreign || site === 'cross-site' || site === 'same-site')
    throw new PanelError(403, 'the panel answers to no page of another site');
  next();
}

function refusing(parts: SandboxParts) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    if (error instanceof FixtureError) {
      res.status(400).json({ error: error.message, path: error.path });
      return;
    }
    const status = Number((error as { status?: unknown }).status);
    if (status >= 400 && status < 500) {
      res.status(status).json({ error: (error as Error).message });
      return;
    }
    parts.warn(`internal error in the panel: ${error instanceof Error ? error.stack : String(error)}`);
    res.status(500).json({ error: 'internal error of the sandbox, see its messages' });
  };
}

/**
 * Streams the board of an account as server-sent events, for users with an open kanban: one `event: created` or
 * `event: moved` per card, with its BoardEvent as JSON and `at` in ISO 8601.
 */
function streamBoard(parts: SandboxParts, account: Account, res: Response): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  // Shows the client that it misses nothing from here on.
  res.write(': watching\n\n');
  const end = parts.board.watch(account.id, ({ type, at, ...event }) => {
    const data = JSON.stringify({ type, at: new Date(at).toISOString(), ...event });
    res.write(`event: ${type}\ndata: ${data}\n\n`);
    if (res.writableLength > MAX_BUFFERED) res.destroy();
  });
  res.on('close', end);
}
