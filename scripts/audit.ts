// `npm run audit`: compares the lock file with the vulnerability data of the npm registry. Exit codes: 0 nothing that counts,
// 1 a high or critical advisory in a package that ships, or a review that is not valid, 8 the registry has no such data.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { judge, Reviews, staleReviews } from './supply/audit.ts';
import { readLock } from './supply/lock.ts';
import { askNpm, NoAuditDataError } from './supply/npm-audit.ts';
import { shippedPackages } from './supply/shipped.ts';

const UNAVAILABLE = 8;

const { argv, stdout, stderr } = process;
const root = resolve(import.meta.dirname, '../..');

async function check(reviews: Reviews): Promise<void> {
  const report = await askNpm(root, argv.slice(2));
  const lock = await readLock(root);
  const shipped = await shippedPackages(lock, root);
  const today = new Date().toISOString().slice(0, 10);
  const findings = judge(report, reviews, new Set(shipped.keys()), today);
  for (const found of findings) {
    const where = found.shipped ? 'ships' : 'development only';
    const until = found.until === undefined ? '' : `; reviewed until ${found.until}`;
    stdout.write(
      `${found.verdict}: ${found.package} ${found.range}, ${found.severity}, ${where}: ${found.title} (${found.advisory}${until})\n`,
    );
  }
  const stale = staleReviews(reviews, findings);
  for (const line of stale) stderr.write(`scripts/audit-reviews.json: ${line}\n`);
  const failing = findings.filter(({ verdict }) => verdict === 'fails').length;
  stdout.write(
    `${lock.packages.size} packages checked, ${shipped.size} of them ship: ${findings.length} advisories, ${failing} of them fail\n`,
  );
  if (failing > 0 || stale.length > 0) process.exitCode = 1;
}

const list: unknown = JSON.parse(await readFile(join(root, 'scripts/audit-reviews.json'), 'utf8'));
try {
  await check(Reviews.parse(list));
} catch (error) {
  if (!(error instanceof NoAuditDataError)) throw error;
  stderr.write(`Not checked: the npm registry gave no vulnerability data: ${error.message}\n`);
  process.exitCode = UNAVAILABLE;
}
