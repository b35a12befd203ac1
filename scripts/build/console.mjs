// The web console. `build` compiles src/console into dist/console, and does nothing when nothing has changed. `dev`
// serves it with reloading, and passes calls on to a running Sluice (SLUICE_SERVER, or port 8088).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const OUT = at('dist/console');
const STAMP = join(OUT, '.sources');
/** What the build depends on. The console bundles the client of the operator API. */
const SOURCES = [
  'src/console',
  'src/operator/client/client.ts',
  'src/operator/error.ts',
  'package-lock.json',
];

/** Stands in the built page where the server puts the nonce of each answer. Mantine needs one for its style elements. */
const NONCE = '__CSP_NONCE__';

async function config() {
  const { default: react } = await import('@vitejs/plugin-react');
  return {
    configFile: false,
    root: at('src/console'),
    base: '/',
    plugins: [react()],
    html: { cspNonce: NONCE },
    build: {
      outDir: OUT,
      emptyOutDir: true,
      target: 'es2022',
      // The policy is `default-src 'self'`: nothing becomes a data URL, and no script is inline.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: '.manifest.json',
      reportCompressedSize: false,
    },
  };
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const source of SOURCES)
    for (const file of filesOf(at(source))) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function build() {
  const sources = fingerprint();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  const vite = await import('vite');
  await vite.build({ ...(await config()), logLevel: 'warn' });
  writeFileSync(STAMP, sources);
}

/** The page with all shared parts, for its tests. @param folder where it is built */
async function gallery(folder) {
  const vite = await import('vite');
  const { build: options, ...rest } = await config();
  await vite.build({
    ...rest,
    root: at('src/console/gallery'),
    build: { ...options, outDir: folder },
    logLevel: 'warn',
  });
}

async function dev() {
  const vite = await import('vite');
  const target = process.env.SLUICE_SERVER ?? 'http://127.0.0.1:8088';
  // The server checks Host and Origin, so the proxy speaks under the server's own name.
  const proxy = { target, changeOrigin: true, headers: { origin: new URL(target).origin } };
  const server = await vite.createServer({
    ...(await config()),
    html: {},
    server: { host: '127.0.0.1', port: 5173, proxy: { '/api/v1': proxy, '/auth': proxy } },
  });
  await server.listen();
  server.printUrls();
}

const [, , command, folder] = process.argv;
// A test runner sets NODE_ENV to `test`, and the build would contain React's larger development version.
if (command !== 'dev') process.env.NODE_ENV = 'production';
if (command === 'dev') await dev();
else if (command === 'gallery') await gallery(folder);
else await build();
