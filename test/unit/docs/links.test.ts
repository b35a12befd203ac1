// Links between documents, and from documents to files and headings; files that documents name; long lines.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const LINK = /\]\(([^)\s]+)\)/g;
const WIDTH = 120;
/** Pages made from code, whose tables are as wide as their content. */
const FROM_CODE = /^docs\/reference\/(?:api-coverage|cli|configuration|events|exit-codes|metrics)\.md$/;
/** A file of the repository that a text names in backticks. Capitals and … stand for something else. */
const FILE =
  /^(?:src|activities|workflows|workers|test|scripts|bench|docs|examples)\/[\w./+-]+\.(?:ts|mjs|md|yaml)$/;

const folders = await readdir(join(ROOT, 'docs'), { recursive: true });
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...folders.filter((path) => path.endsWith('.md')).map((path) => join('docs', path)),
].filter((path) => existsSync(join(ROOT, path)));

/** The text of a document without what only looks like a link. */
async function prose(path: string): Promise<string> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return text
    .replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '));
}

/** As GitHub makes them. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    const anchor = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; found.has(unique); n++) unique = `${anchor}-${n}`;
    found.add(unique);
  }
  return found;
}

async function broken(document: string): Promise<string[]> {
  const bad: string[] = [];
  for (const [, link = ''] of (await prose(document)).matchAll(LINK)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? document : relative(ROOT, resolve(ROOT, dirname(document), path));
    if (!existsSync(join(ROOT, target))) bad.push(link);
    else if (anchor !== undefined && target.endsWith('.md') && !anchors(await headings(target)).has(anchor))
      bad.push(link);
  }
  return bad;
}

/** Files that a document names in backticks and that do not exist. */
async function missingFiles(document: string): Promise<string[]> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return named.filter((path) => FILE.test(path) && !existsSync(join(ROOT, path)));
}

/** Lines of prose and tables that are too long. Comments and images cannot wrap. */
async function longLines(document: string): Promise<string[]> {
  const text = await headings(document);
  return text.split('\n').filter((line) => line.length > WIDTH && !/^(?:<!--|!\[)/.test(line));
}

async function headings(path: string): Promise<string> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return text.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '');
}

describe('links of the documents', () => {
  it.each(documents)('%s leads somewhere', async (document) => {
    expect(await broken(document)).toEqual([]);
  });

  it.each(documents)('%s names in backticks only files that exist', async (document) => {
    expect(await missingFiles(document)).toEqual([]);
  });

  it.each(documents.filter((path) => !FROM_CODE.test(path)))(
    '%s has no line over 120 characters',
    async (document) => {
      expect(await longLines(document)).toEqual([]);
    },
  );

  it('the index has every tutorial, how-to guide, reference and explanation', async () => {
    const index = await prose('docs/README.md');
    const linked = new Set([...index.matchAll(LINK)].map(([, link = '']) => join('docs', link)));
    const kinds = /^docs\/(tutorials|how-to|reference|explanation)\//;
    expect(documents.filter((path) => kinds.test(path) && !linked.has(path))).toEqual([]);
  });

  it('README has at most 150 lines', async () => {
    const text = await readFile(join(ROOT, 'README.md'), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });
});
