// Serves the built console: files of `dist/console`, and its page for every other path, so that deep links work.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Router } from 'express';

/** In the page, the place of the nonce that the Content-Security-Policy of this answer allows styles with. */
const NONCE_MARK = '__CSP_NONCE__';

/**
 * @param folder of the build; without one, the router answers that the console was not built
 * @param nonceOf the nonce in the Content-Security-Policy of an answer
 */
export function consoleRouter(folder: string, nonceOf: (res: express.Response) => string): Router {
  const router = express.Router();
  const page = join(folder, 'index.html');
  if (!existsSync(page)) {
    router.get(/.*/, (_req, res) => {
      res.status(503).type('text/plain').send('The console is not built. Run `npm run build`.\n');
    });
    return router;
  }
  const html = readFileSync(page, 'utf8');
  // Names of assets contain a hash of their content.
  const assets = express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', index: false });
  router.use('/assets', assets, (_req, res) => void res.status(404).type('text/plain').send('not found\n'));
  router.use(express.static(folder, { index: false, maxAge: '1h' }));
  router.get(/.*/, (_req, res) => {
    res
      .set('Cache-Control', 'no-store')
      .type('html')
      .send(html.replaceAll(NONCE_MARK, nonceOf(res)));
  });
  return router;
}
