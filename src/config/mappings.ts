// The mappings of a configuration, each written in it or in a preset file.
import type { ConfigProblem } from '../core/config/errors.ts';
import { child, entriesOf } from '../core/config/raw.ts';
import type { YamlFile } from '../core/config/yaml-file.ts';
import { MappingConfig } from '../mapping/config.ts';
import type { ConfigChecks } from './config-checks.ts';
import { presetJsonSchema } from './json-schema.ts';
import { readLinked } from './linked-file.ts';
import { described } from './located.ts';

// Reads the raw value entry by entry, so that a mistake elsewhere in the file does not hide one here.
export async function readMappings(main: YamlFile, dir: string, check: ConfigChecks['checkMapping']) {
  const mappings: Record<string, MappingConfig> = {};
  const problems: ConfigProblem[] = [];
  const take = (name: string, mapping: MappingConfig, file: YamlFile, prefix: readonly string[]) => {
    mappings[name] = mapping;
    for (const { path, message, hint } of check?.(mapping) ?? []) {
      problems.push(file.problemAt([...prefix, ...path], message, hint));
    }
  };
  for (const [name, entry] of entriesOf(main, 'mappings')) {
    const preset = child(entry, 'preset');
    if (typeof preset !== 'string' || preset === '') {
      const parsed = MappingConfig.safeParse(entry);
      if (parsed.success) take(name, parsed.data, main, ['mappings', name]);
      continue;
    }
    const read = await readPreset(main, dir, name, preset);
    problems.push(...read.problems);
    if (read.mapping !== undefined) take(name, read.mapping, read.file, []);
  }
  return { mappings, problems };
}

async function readPreset(
  main: YamlFile,
  dir: string,
  name: string,
  preset: string,
): Promise<{ file: YamlFile; problems: readonly ConfigProblem[]; mapping?: MappingConfig }> {
  const at = ['mappings', name, 'preset'];
  const { file, problems } = await readLinked(main, dir, at, preset, 'a preset');
  if (problems.length > 0) return { file, problems };
  const parsed = MappingConfig.safeParse(file.value);
  if (parsed.success) return { file, problems: [], mapping: parsed.data };
  return { file, problems: described(file, parsed.error.issues, presetJsonSchema()) };
}
