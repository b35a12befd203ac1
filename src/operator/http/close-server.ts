// Closes a server: requests in progress have a moment to end.
import type { Server } from 'node:http';

/** Streams of server-sent events never end by themselves. */
const GRACE_MS = 5000;

export async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}
