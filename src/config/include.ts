// Joins sluice.yaml with the files that its `include` names: one file can have each account.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigFileError, type ConfigProblem } from '../core/config/errors.ts';
import { entriesOf, isRecord } from '../core/config/raw.ts';
import { readYamlFile, type YamlFile } from '../core/config/yaml-file.ts';

/** Sections that an included file may have. What a process needs to start stands in the main file. */
const INCLUDED_SECTIONS = [
  'accounts',
  'sources',
  'sinks',
  'mappings',
  'syncs',
  'routes',
  'pollers',
  'campaigns',
] as const;

/** The main file with the entries of all included files. A problem points into the file that has the entry. */
export interface JoinedFile extends YamlFile {
  /** Absolute paths of the included files, and of the folders that were searched. */
  readonly read: readonly string[];
}

/** @param dir absolute folder of the main file; every path starts there */
export async function joinIncluded(main: YamlFile, dir: string): Promise<JoinedFile> {
  const patterns = isRecord(main.value) ? main.value.include : undefined;
  if (!Array.isArray(patterns)) return { ...main, read: [] };
  const problems: ConfigProblem[] = [...main.problems];
  const read: string[] = [];
  const files = new Map<string, string>();
  for (const [index, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string' || pattern === '') continue;
    const at = ['include', index];
    try {
      const found = await matches(dir, pattern);
      read.push(...found.searched);
      for (const path of found.paths) files.set(resolve(dir, path), path);
    } catch (error) {
      if (!(error instanceof ConfigFileError)) throw error;
      read.push(resolve(dir, dirname(pattern)));
      problems.push(main.problemAt(at, error.message, 'a path starts at the folder of the main file'));
    }
  }
  read.push(...files.keys());
  const included: YamlFile[] = [];
  for (const [absolute, shown] of files) {
    try {
      const file = await readYamlFile(absolute, join(dirname(main.file), shown));
      problems.push(...file.problems);
      included.push(file);
    } catch (error) {
      if (!(error instanceof ConfigFileError)) throw error;
      problems.push(main.problemAt(['include'], error.message));
    }
  }
  return joined(main, included, problems, read);
}

function joined(
  main: YamlFile,
  included: readonly YamlFile[],
  problems: ConfigProblem[],
  read: readonly string[],
): JoinedFile {
  const value: Record<string, unknown> = { ...(main.value as Record<string, unknown>) };
  /** The included file that has an entry, by section and name. */
  const owners = new Map<string, YamlFile>();
  for (const section of INCLUDED_SECTIONS)
    if (isRecord(value[section])) value[section] = { ...value[section] };
  for (const file of included) {
    problems.push(...problemsOfShape(file));
    for (const section of INCLUDED_SECTIONS) {
      for (const [name, entry] of entriesOf(file, section)) {
        value[section] ??= {};
        const into = value[section];
        if (!isRecord(into)) continue;
        if (Object.hasOwn(into, name)) {
          const first = (owners.get(key(section, name)) ?? main).problemAt([section, name], '');
          const place = `${first.file}:${first.line}`;
          problems.push(
            file.problemAt([section, name], `is in ${place} already`, 'keep one of them, or rename one'),
          );
          continue;
        }
        into[name] = entry;
        owners.set(key(section, name), file);
      }
    }
  }
  return {
    file: main.file,
    text: main.text,
    value: main.value === undefined ? undefined : value,
    problems,
    read,
    problemAt(path, ...words) {
      const [section, name] = path;
      const owner = owners.get(key(String(section), String(name)));
      return (owner ?? main).problemAt(path, ...words);
    },
  };
}

/** An included file may be empty, as one whose entries are commented out. */
function problemsOfShape(file: YamlFile): ConfigProblem[] {
  if (file.value === undefined || file.value === null) return [];
  if (!isRecord(file.value)) return [file.problemAt([], 'expected keys with values')];
  return Object.entries(file.value).flatMap(([section, entries]) => {
    if (!INCLUDED_SECTIONS.some((each) => each === section))
      return [
        file.problemAt(
          [section],
          'an included file cannot have this key',
          `it may have ${INCLUDED_SECTIONS.join(', ')}; write the rest into the main file`,
        ),
      ];
    const isSection = entries === null || isRecord(entries);
    return isSection ? [] : [file.problemAt([section], 'expected keys with values')];
  });
}

/**
 * The files that a pattern names, in the order of their names. `*` stands for any text in the name of the file. Hidden
 * files never match: editors and Kubernetes keep their own there.
 * @throws ConfigFileError when the folder can't be read
 */
async function matches(
  dir: string,
  pattern: string,
): Promise<{ readonly paths: readonly string[]; readonly searched: readonly string[] }> {
  const folder = dirname(pattern);
  const name = basename(pattern);
  if (folder.includes('*'))
    throw new ConfigFileError(
      'unreadable',
      pattern,
      'has a * in the name of a folder; write it in the name of the file only',
    );
  if (!name.includes('*')) return { paths: [pattern], searched: [] };
  const names = await readdir(resolve(dir, folder)).catch((cause: NodeJS.ErrnoException) => {
    const missing = cause.code === 'ENOENT';
    const why = missing ? `there is no folder ${folder}` : `${folder} can't be read (${cause.code})`;
    throw new ConfigFileError(missing ? 'not_found' : 'unreadable', folder, why, { cause });
  });
  const fitting = names.filter((each) => !each.startsWith('.') && fits(each, name)).sort();
  return { paths: fitting.map((each) => join(folder, each)), searched: [resolve(dir, folder)] };
}

/** Takes the first place for each part, so the time does not grow with the number of stars. */
function fits(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}

const key = (section: string, name: string) => `${section}\0${name}`;
