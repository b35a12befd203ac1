// `sluice init --csv`: a configuration for an export. Every guess is marked with how sure it is.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { NotRegularFileError, readRegularFile } from '../../core/files/regular-file.ts';
import { SourceError } from '../../core/source.ts';
import { MappingConfig } from '../../mapping/config.ts';
import {
  type ColumnGuess,
  PRESETS,
  type Preset,
  type Preview,
  previewMapping,
  type Recognized,
  recognize,
} from '../../recognize/index.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { ENV_EXAMPLE, GIT_IGNORE, sandboxYaml } from './init-files.ts';

export interface CsvInit {
  readonly recognized: Recognized;
  /** The preset that the configuration uses; null for a mapping of its own. */
  readonly preset: Preset | null;
  readonly preview: Preview;
  /** Files to write, by their path in the folder. */
  readonly files: Readonly<Record<string, string>>;
}

const PREVIEW = { rows: 100_000, records: 5 };
const MAX_BYTES = 256 * 1024 * 1024;
/** Below it, a comment asks to check the guess. */
const SURE = 0.7;

/**
 * Recognizes an export and writes a configuration for it as text.
 * @param dir folder of the configuration
 * @param named preset to use, `none`, or undefined for the recognized one
 * @throws CliError when the file is missing, has no header, or no column with phone numbers
 */
export async function initFromCsv(dir: string, csv: string, named: string | undefined): Promise<CsvInit> {
  const bytes = await readExport(csv);
  const recognized = await recognize(bytes, csv);
  if (!recognized.header) throw noHeader(csv, recognized);
  const preset = presetOf(named, recognized);
  const own = recognized.mapping;
  const text = preset === null ? null : withCountry(await readPreset(preset), recognized);
  const mapping = text === null ? own : MappingConfig.parse(parse(text));
  if (mapping === null) throw noNumber(csv, recognized);
  const preview = await previewMapping(bytes, mapping, PREVIEW);
  const path = relative(resolve(dir), resolve(csv)) || basename(csv);
  const presetFile = 'mapping.yaml';
  return {
    recognized,
    preset,
    preview,
    files: {
      'sluice.yaml': sluiceYaml(recognized, { path, mapping, presetFile: text === null ? null : presetFile }),
      'sandbox.yaml': sandboxYaml(preview.names),
      '.env.example': ENV_EXAMPLE,
      '.gitignore': GIT_IGNORE,
      ...(text === null ? {} : { [presetFile]: text }),
    },
  };
}

async function readExport(csv: string): Promise<Buffer> {
  try {
    const bytes = await readRegularFile(csv);
    if (bytes.length <= MAX_BYTES) return bytes;
  } catch (error) {
    if (error instanceof NotRegularFileError) throw new CliError(EXIT.usage, error.message, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new CliError(EXIT.notFound, `there is no file ${csv}`, { cause: error });
    throw new SourceError('unreadable', `${csv} can't be read (${code})`, { cause: error });
  }
  throw new CliError(
    EXIT.usage,
    `${csv} has more than 256 MB; give its first part, and name the whole file in sluice.yaml`,
  );
}

function presetOf(named: string | undefined, { preset }: Recognized): Preset | null {
  if (named === 'none') return null;
  if (named !== undefined) return PRESETS.find((each) => each === named) ?? null;
  return preset !== null && preset.confidence >= SURE ? preset.name : null;
}

/** Mappings of the guides. They are part of the package. */
async function readPreset(preset: Preset): Promise<string> {
  return await readFile(join(packageRoot(import.meta.dirname), 'examples', preset, 'mapping.yaml'), 'utf8');
}

/** A preset names the country of its guide; the numbers of this file may be of another. */
function withCountry(preset: string, { country: { country, confidence } }: Recognized): string {
  if (country === null || confidence < SURE) return preset;
  return preset.replace(
    /^defaultCountry: [A-Z]{2}$/m,
    `# ${guessed(confidence)}: numbers without a country code are of this country.\ndefaultCountry: ${country}`,
  );
}

/** The folder of package.json: the sources and what is built from them differ in depth. */
function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder));
}

function noHeader(csv: string, { columns, delimiter }: Recognized): CliError {
  const line = columns.map(({ name, guess }) => guess ?? name).join(delimiter);
  return new CliError(
    EXIT.usage,
    `${csv} has no line with column names; add one as its first line, for example:\n${line}`,
  );
}

function noNumber(csv: string, { columns }: Recognized): CliError {
  const names = columns.slice(0, 20).map(({ name }) => name);
  return new CliError(
    EXIT.usage,
    `no column of ${csv} has phone numbers, and a contact is identified by its number; columns: ${names.join(', ')}${columns.length > 20 ? ', …' : ''}`,
  );
}

interface Written {
  readonly path: string;
  readonly mapping: MappingConfig;
  readonly presetFile: string | null;
}

function sluiceYaml(recognized: Recognized, { path, mapping, presetFile }: Written): string {
  const { delimiter, encoding } = recognized;
  const separator = delimiter === '\t' ? 'tab' : `"${delimiter}"`;
  return `# yaml-language-server: $schema=./sluice.schema.json
# Made by sluice init --csv. Lines with "guess" were derived from the file: check them, then run
# npx sluice sync plan leads
version: 1

accounts:
  acme:
    # The sandbox on this machine. For the real service: https://your-instance/wapi
    baseUrl: http://127.0.0.1:4010/wapi
    # A secret never stands in this file: env:NAME reads a variable, file:path a file.
    tokens: [env:ACME_TOKEN]
    timeZone: America/Sao_Paulo

sources:
  export:
    type: csv
    # Found: separator ${separator}, encoding ${encoding.name}${encoding.confidence < 1 ? ` (${percent(encoding.confidence)} sure)` : ''}. Each run finds them again.
    path: ${scalar(path)}

mappings:
${presetFile === null ? ownMapping(recognized, mapping) : presetMapping(recognized, presetFile)}
syncs:
  leads: { account: acme, source: export, mapping: leads, tags: merge }
`;
}

function presetMapping({ preset }: Recognized, file: string): string {
  const sure = preset === null ? '' : ` (guess, ${percent(preset.confidence)} sure)`;
  return `  # The columns are those of an export of ${preset?.name ?? 'this CRM'}${sure}. Open ${file}, and write your tags,
  # pipeline, stages and origins on the right-hand sides.
  leads: { preset: ${file} }
`;
}

function ownMapping({ columns, country, card }: Recognized, mapping: MappingConfig): string {
  const { contact, tags } = mapping;
  const lines = [
    '  leads:',
    ...(mapping.defaultCountry === undefined
      ? ['    # Every number names its country.']
      : [
          `    # ${guessed(country.confidence)}: numbers without a country code are of this country.`,
          `    defaultCountry: ${mapping.defaultCountry}`,
        ]),
    ...(mapping.numberFormat === undefined
      ? []
      : [
          '    # Guess: digits without + are numbers of this country. Remove this line if the file has foreign ones.',
          `    numberFormat: ${mapping.numberFormat}`,
        ]),
    '    contact:',
    ...Object.entries(contact).flatMap(([field, expression]) => [
      `      # ${evidence(columns, expression)}`,
      `      ${field}: ${scalar(expression)}`,
    ]),
    ...(tags.length === 0
      ? []
      : [
          '    # A tag that the account lacks rejects the row; `map` turns words of the file into your tags.',
          '    tags:',
          ...tags.flatMap((tag) => [`      # ${evidence(columns, tag)}`, `      - ${scalar(tag)}`]),
        ]),
    ...(card == null
      ? []
      : [
          '    # Guess: these columns describe a deal. Take the # away, and write your pipeline and stages on the right.',
          ...stringify({ card: { ...card, customFields: undefined } }, { lineWidth: 0 })
            .trimEnd()
            .split('\n')
            .map((line) => `    # ${line}`),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why an expression reads its columns, without a value of a row. */
function evidence(columns: readonly ColumnGuess[], expression: unknown): string {
  const text = JSON.stringify(expression);
  const used = columns.filter(
    ({ name, guess }) => guess !== null && text.includes(JSON.stringify(name).slice(1, -1)),
  );
  // An empty column says nothing about the others.
  const filled = used.filter((column) => column.filled > 0);
  const least = Math.min(1, ...(filled.length === 0 ? used : filled).map(({ confidence }) => confidence));
  return `${guessed(least)}: ${used.map(({ name, filled }) => `${comment(name)} has ${filled} ${filled === 1 ? 'value' : 'values'}`).join(', ')}`;
}

/** A column's name without line breaks, which would end the comment. */
const comment = (name: string) => JSON.stringify(name).slice(0, 60);

function guessed(confidence: number): string {
  return `Guess, ${percent(confidence)} sure${confidence < SURE ? ', CHECK' : ''}`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function scalar(value: unknown): string {
  const json = JSON.stringify(value);
  // A name with a line break: JSON is YAML too, and keeps it in one line.
  return json.includes('\\n') || json.includes('\\r')
    ? json
    : stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
