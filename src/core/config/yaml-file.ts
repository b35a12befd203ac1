// Reads one YAML file with positions: each value has a line and a column.
import { stat } from 'node:fs/promises';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { readRegularFile } from '../files/regular-file.ts';
import { ConfigFileError, type ConfigProblem, formatPath, type ProblemNote } from './errors.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_ALIASES = 100;

export interface YamlFile {
  readonly file: string;
  readonly text: string;
  /** The file as plain data; undefined when parsing failed. */
  readonly value: unknown;
  /** Syntax errors, repeated keys and forbidden keys. */
  readonly problems: readonly ConfigProblem[];
  /** A problem at the key or list item at `path`, or at the nearest existing parent. */
  problemAt(path: readonly PropertyKey[], message: string, hint?: string, note?: ProblemNote): ConfigProblem;
}

/**
 * Reads a YAML 1.2 file.
 * @throws ConfigFileError when it is missing, too large, a folder, or not UTF-8.
 */
export async function readYamlFile(absolute: string, shown: string): Promise<YamlFile> {
  return parseYaml(shown, await readText(absolute, shown));
}

async function readText(absolute: string, shown: string): Promise<string> {
  let bytes: Buffer;
  try {
    const { size } = await stat(absolute);
    if (size > MAX_BYTES) {
      throw new ConfigFileError(
        'unreadable',
        shown,
        `${shown} has ${size} bytes; the maximum is ${MAX_BYTES}`,
      );
    }
    bytes = await readRegularFile(absolute);
  } catch (cause) {
    if (cause instanceof ConfigFileError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ConfigFileError('not_found', shown, `there is no file ${shown}`, { cause });
    }
    throw new ConfigFileError('unreadable', shown, `${shown} can't be read (${code})`, { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigFileError('unreadable', shown, `${shown} is not UTF-8 text; save it as UTF-8`, { cause });
  }
}

/** Parses text as one YAML 1.2 document. It never throws: `problems` has every error. */
export function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const whole = (message: string): YamlFile => {
    const problemAt = (path: readonly PropertyKey[], problem: string, hint?: string) =>
      makeProblem(file, { line: 1, column: 1 }, path, problem, hint);
    return { file, text, value: undefined, problems: [problemAt([], message)], problemAt };
  };

  let doc: ReturnType<typeof parseDocument>;
  try {
    // The library compares each key with all others: 5 s for a mapping of 16,000 keys. See `Pair` below.
    doc = parseDocument(text, { version: '1.2', lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return whole('is nested too deeply');
    throw error;
  }

  const problems: ConfigProblem[] = [];
  let broken = false;
  for (const error of [...doc.errors, ...doc.warnings]) {
    const [start] = error.pos;
    broken = true;
    problems.push(makeProblem(file, at(start), [], lowerFirst(error.message)));
  }

  const root = doc.contents as Node | null;
  const problemAt: YamlFile['problemAt'] = (path, message, hint, note) => {
    const found: PropertyKey[] = [...path];
    let node: unknown = root;
    let offset = root?.range?.[0] ?? 0;
    for (const [index, part] of path.entries()) {
      if (isAlias(node)) node = node.resolve(doc);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
        if (pair === undefined) break;
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node) && Number(part) < node.items.length) {
        // An index may come as text.
        found[index] = Number(part);
        node = node.items[Number(part)];
        offset = (node as Node | null)?.range?.[0] ?? offset;
      } else break;
    }
    const problem = makeProblem(file, at(offset), found, message, hint);
    return note === undefined ? problem : { ...problem, note };
  };

  const keysOf = new Map<unknown, Set<unknown>>();
  visit(doc, {
    Node(_key, node, above) {
      if (above.length <= MAX_DEPTH * 2) return undefined;
      problems.push(makeProblem(file, at(node.range?.[0] ?? 0), [], 'is nested too deeply'));
      broken = true;
      return visit.BREAK;
    },
    Alias(_key, alias, above) {
      if (!above.some((node) => node === alias.resolve(doc))) return;
      problems.push(makeProblem(file, at(alias.range?.[0] ?? 0), [], `*${alias.source} contains itself`));
      broken = true;
    },
    Pair(_key, pair, above) {
      const key = pair.key as Node | null;
      if (isScalar(key)) {
        const map = above.at(-1);
        const seen = keysOf.get(map) ?? new Set();
        if (seen.has(key.value)) {
          const message = `"${String(key.value)}" is repeated in the same place`;
          problems.push(makeProblem(file, at(key.range?.[0] ?? 0), [], message, 'keep one of them'));
        }
        keysOf.set(map, seen.add(key.value));
      }
      const bad = !isScalar(key) ? 'a key must be plain text' : forbiddenKey(key.value);
      if (bad === undefined) return;
      problems.push(makeProblem(file, at(key?.range?.[0] ?? 0), [], bad));
      broken = true;
    },
  });
  if (broken) return { file, text, value: undefined, problems, problemAt };
  try {
    return { file, text, value: doc.toJS({ maxAliasCount: MAX_ALIASES }), problems, problemAt };
  } catch (error) {
    // The library reports too many aliases, or an alias inside its own anchor, only when it builds the value.
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    return { ...whole(`uses aliases (*name) that can't be resolved: ${error.message}`) };
  }
}

function forbiddenKey(key: unknown): string | undefined {
  if (key === '__proto__' || key === 'constructor' || key === 'prototype') return `"${key}" can't be a key`;
  if (key === '<<') return '"<<" is not part of YAML 1.2; write the keys out';
  return undefined;
}

function makeProblem(
  file: string,
  position: { line: number; column: number },
  path: readonly PropertyKey[],
  message: string,
  hint?: string,
): ConfigProblem {
  return { file, ...position, path: formatPath(path), message, hint };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
