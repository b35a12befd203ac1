// What can be seen of the image without building it (`npm run test:image` builds it): its build stage copies what it
// compiles, and it is safe to run.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('Dockerfile');
/** Instructions of each stage, the last one being the image. */
const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
const image = stages.at(-1) as string;

/** Files and folders that a stage copies from the sources. */
function copied(stage: string): string[] {
  return [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
}

function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /^(?:import|export)\b[^;]*?from '(\.[^']+\.ts)';|\bimport\('(\.[^']+\.ts)'\)/gm,
  );
  return [...found].map(([, first, second]) =>
    relative(ROOT, resolve(ROOT, path, '..', (first ?? second) as string)),
  );
}

it('the build stage of the image copies every file that the build compiles', () => {
  const folders = copied(stages.find((stage) => stage.includes(' AS build')) as string);
  const isCopied = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const { include } = parse(read('tsconfig.image.json')) as { include: string[] };
  const { exclude } = parse(read('tsconfig.build.json')) as { exclude: string[] };
  const compiled = new Set(
    include
      .filter((folder) => existsSync(join(ROOT, folder)))
      .flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name}`,
        ),
      )
      .filter((path) => path.endsWith('.ts') && isCopied(path))
      .filter((path) => !exclude.some((folder) => path.startsWith(`${folder}/`))),
  );
  for (const path of compiled) for (const imported of importsOf(path)) compiled.add(imported);
  expect(compiled.size).toBeGreaterThan(500);
  expect([...compiled].filter((path) => !isCopied(path))).toEqual([]);
});

it('the build context has every file that the image copies, and nothing else', () => {
  const [all, ...lines] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(all).toBe('*');
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  expect(admitted.toSorted()).toEqual([...new Set(stages.flatMap(copied))].toSorted());
});

describe('images', () => {
  const stageNames = new Set([...dockerfile.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name));
  const compose = parse(read('docker-compose.yml')) as Record<'services', Record<string, { image?: string }>>;
  const named = [
    ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name as string),
    ...Object.values(compose.services).flatMap(({ image: name }) => (name === undefined ? [] : [name])),
  ].filter((name) => !stageNames.has(name) && name !== 'sluice');

  it.each(named)('%s names its version and its digest', (name) => {
    expect(name).toMatch(/^[a-z/]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
  });

  it('are the base of the Dockerfile and the servers of Compose', () => {
    expect(new Set(named).size).toBe(4);
    expect(dockerfile).toMatch(/^FROM node:24\./m);
  });
});

it('the image runs as a user who is not root, without a shell, and owns nothing but its state', () => {
  expect(image).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  for (const instruction of ['ENTRYPOINT', 'CMD'])
    expect(image).toMatch(new RegExp(String.raw`^${instruction} \["`, 'm'));
  expect([...image.matchAll(/--chown=\S+ \S+ (\S+)/g)].map(([, folder]) => folder)).toEqual([
    '/var/lib/sluice',
  ]);
  expect(image).not.toMatch(/^RUN /m);
});

it('every service of Sluice in Compose has a read-only root and no capability', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { image?: string; read_only?: boolean; cap_drop?: string[] }>;
  };
  const own = Object.values(services).filter(({ image: name }) => name === 'sluice');
  expect(own.length).toBe(4);
  for (const service of own) expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
});
