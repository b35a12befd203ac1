// Removes from node_modules, in the image alone, what a running Sluice never loads: native parts for other platforms,
// and sources, types, maps and documents of packages. Licenses stay.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const UNUSED = /\.(?:map|[cm]?ts|md|markdown|flow|rs)$/i;
const LICENSE = /^(?:licen[cs]e|notice|copying|third[-_]party)/i;
const BRIDGE = 'node_modules/@temporalio/core-bridge';
/** Of Swagger UI, the files that src/sandbox/openapi/serve.ts serves. */
const SWAGGER = 'node_modules/swagger-ui-dist';
const SERVED = new Set(['package.json', 'swagger-ui-bundle.js', 'swagger-ui.css']);

const remove = (...path) => rmSync(join(...path), { recursive: true, force: true });

for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true }))
  if (entry.isFile() && UNUSED.test(entry.name) && !LICENSE.test(entry.name))
    remove(entry.parentPath, entry.name);

const own = `${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-unknown-linux-gnu`;
const releases = readdirSync(join(BRIDGE, 'releases'));
if (!releases.includes(own)) throw new Error(`Temporal has no native part for ${own}`);
for (const name of releases) if (name !== own) remove(BRIDGE, 'releases', name);
remove(BRIDGE, 'sdk-core');
for (const name of readdirSync(SWAGGER)) if (!SERVED.has(name) && !LICENSE.test(name)) remove(SWAGGER, name);
