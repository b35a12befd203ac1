// `npm run sbom -- [--out FILE]` prints the software bill of materials (CycloneDX 1.6). `npm run sbom -- --licenses` prints
// the licenses of what ships. Both fail when a license is unknown or not allowed. SOURCE_DATE_EPOCH sets the date.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isAllowed, licenseOf } from './supply/licenses.ts';
import { readLock } from './supply/lock.ts';
import { sbomOf } from './supply/sbom.ts';
import { shippedPackages } from './supply/shipped.ts';

const { env, stdout, stderr } = process;
const { values } = parseArgs({ options: { out: { type: 'string' }, licenses: { type: 'boolean' } } });

const root = resolve(import.meta.dirname, '../..');
const lock = await readLock(root);
const shipped = await shippedPackages(lock, root);
const packages = [...shipped.values()].map((entry) => entry.package);

if (values.licenses === true) {
  const byLicense = new Map<string, Set<string>>();
  for (const found of packages) {
    const license = licenseOf(found) ?? 'unknown';
    byLicense.set(license, (byLicense.get(license) ?? new Set()).add(`${found.name} ${found.version}`));
  }
  const lines = [...byLicense].sort(([, one], [, other]) => other.size - one.size);
  for (const [license, names] of lines)
    stdout.write(`${license} (${names.size}): ${[...names].sort().join(', ')}\n`);
} else {
  const epoch = env.SOURCE_DATE_EPOCH;
  const at = epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
  const document = `${JSON.stringify(sbomOf({ lock, shipped, at }), null, 2)}\n`;
  if (values.out === undefined) stdout.write(document);
  else await writeFile(values.out, document);
}

const refused = packages.filter((found) => !isAllowed(licenseOf(found) ?? 'unknown'));
for (const found of refused)
  stderr.write(
    `${found.name} ${found.version}: the license ${licenseOf(found) ?? 'unknown'} is not allowed\n`,
  );
if (refused.length > 0) process.exitCode = 1;
