// The board of an account as server-sent events: what users with the kanban open see.
import type { Response } from 'express';
import type { SandboxParts } from '../parts.ts';
import type { Account } from '../state/account.ts';

/** A watcher that does not read is let go, rather than fed until memory ends. */
const MAX_BUFFERED = 1 << 20;

/** One `event: created` or `event: moved` for each card, its BoardEvent as JSON, `at` in ISO 8601. */
export function streamBoard(parts: SandboxParts, account: Account, res: Response): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  // Tells the client that from here on it misses nothing.
  res.write(': watching\n\n');
  const end = parts.board.watch(account.id, ({ type, at, ...event }) => {
    const data = JSON.stringify({ type, at: new Date(at).toISOString(), ...event });
    res.write(`event: ${type}\ndata: ${data}\n\n`);
    if (res.writableLength > MAX_BUFFERED) res.destroy();
  });
  res.on('close', end);
}
