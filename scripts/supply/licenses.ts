// Licenses of what ships: known for every package, and compatible with shipping it beside code under MIT.
import type { LockedPackage } from './lock.ts';

/** They ask for their text and notice at most, and put no terms on the code beside them. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  // A list of browser versions. It asks for attribution.
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  // MIT without the duty to repeat its text.
  'MIT-0',
  // A font, whose file has the license in it. Only a changed font would be under it.
  'OFL-1.1',
  'Unlicense',
]);

/** Their package.json has no `license`, so the lock file has none. Read from their LICENSE file. */
export const READ_LICENSES: Readonly<Record<string, string>> = {
  busboy: 'MIT',
  streamsearch: 'MIT',
  unionfs: 'Unlicense',
};

/** SPDX expression, or null when it is not known. */
export function licenseOf({ name, license }: LockedPackage): string | null {
  return license ?? READ_LICENSES[name] ?? null;
}

/** True when one of the alternatives of an SPDX expression is allowed. An expression with nested parts is not. */
export function isAllowed(expression: string): boolean {
  const outer = expression.replace(/^\((.*)\)$/, '$1');
  if (outer.includes('(')) return false;
  return outer.split(' OR ').some((choice) => choice.split(' AND ').every((id) => ALLOWED.has(id.trim())));
}
