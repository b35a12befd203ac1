// Applies a mapping to the rows of a table: what would be written, and what would be rejected.

import { readCsvTable, type TableForm } from '../connectors/sources/csv/csv.ts';
import type { CrmRecord, RowProblem } from '../core/record.ts';
import type { MappingPreview } from '../jobs/sync/contract/first-sync.ts';
import type { MappingConfig } from '../mapping/config.ts';
import { countryOfNumber } from '../mapping/country.ts';
import { type CompileJsonata, compileMapping } from '../mapping/index.ts';
import { isGarbled } from './garbled.ts';

/** The records have personal data in clear. */
export type Preview = Omit<MappingPreview, 'records'> & {
  readonly records: readonly PreviewRecord[];
  /** Names that the mapped rows use, for somebody who sets up an account for them. */
  readonly names: PreviewNames;
};

type PreviewRecord = Omit<MappingPreview['records'][number], 'record'> & { readonly record: CrmRecord };
type PreviewProblem = MappingPreview['problems'][number];

export interface PreviewNames {
  readonly tags: readonly string[];
  readonly pipelines: readonly string[];
  readonly stages: readonly string[];
  /** Custom fields of cards, with the type of their first value. */
  readonly customFields: Readonly<Record<string, 'text' | 'number' | 'boolean'>>;
}

const NAMED_ROWS = 3;

/**
 * @param limits.rows maximum number of rows to read
 * @param limits.records maximum number of records to return
 * @param limits.form how the table is written. Default: as it is recognized
 * @param jsonata evaluates the JSONata of a mapping that a user sent; see `openConfined`
 * @throws SourceError as `recognize`; MappingConfigError when the mapping cannot be compiled
 */
export async function previewMapping(
  bytes: Uint8Array,
  mapping: MappingConfig,
  limits: { readonly rows: number; readonly records: number; readonly form?: TableForm | undefined },
  jsonata?: CompileJsonata,
): Promise<Preview> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table = await readCsvTable(buffer, 'the file', limits.rows, limits.form);
  const compiled = compileMapping(mapping, jsonata);
  const scan = compiled.scan();
  for (const { row, values } of table.rows) if (values !== null) scan?.add(values, row);
  const records: PreviewRecord[] = [];
  const problems: Problems = new Map();
  const names = new NamesOfRecords();
  let mapped = 0;
  let garbled = 0;
  for (const { row, values, problem } of table.rows) {
    garbled += Object.values(values ?? {}).filter(isGarbled).length;
    const result =
      values === null
        ? { ok: false as const, problems: problem === undefined ? [] : [problem] }
        : await compiled.apply(values, scan?.result());
    if (result.ok) {
      mapped += 1;
      names.add(result.record);
      if (records.length < limits.records)
        records.push({ row, record: result.record, country: countryOfNumber(result.record.contact.number) });
    } else for (const each of result.problems) count(problems, row, each);
  }
  return {
    rows: table.rows.length,
    whole: table.whole,
    mapped,
    rejected: table.rows.length - mapped,
    garbled,
    records,
    names: names.result(),
    problems: [...problems.values()].toSorted((a, b) => b.count - a.count),
  };
}

type Problems = Map<string, PreviewProblem & { readonly rows: number[] }>;

function count(problems: Problems, row: number, { field, code, reason }: RowProblem): void {
  const key = `${field} ${code} ${reason}`;
  const found = problems.get(key) ?? { field, code, reason, count: 0, rows: [] };
  found.count += 1;
  if (found.rows.length < NAMED_ROWS) found.rows.push(row);
  problems.set(key, found);
}

class NamesOfRecords {
  readonly #tags = new Set<string>();
  readonly #pipelines = new Set<string>();
  readonly #stages = new Set<string>();
  readonly #customFields = new Map<string, 'text' | 'number' | 'boolean'>();

  add({ tags, card }: CrmRecord): void {
    for (const tag of tags) this.#tags.add(tag);
    if (card === undefined) return;
    if (typeof card.pipeline === 'string') this.#pipelines.add(card.pipeline);
    if (typeof card.stage === 'string') this.#stages.add(card.stage);
    for (const [name, value] of Object.entries(card.customFields)) {
      const type = typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'text';
      if (!this.#customFields.has(name)) this.#customFields.set(name, type as 'text' | 'number' | 'boolean');
    }
  }

  result(): PreviewNames {
    return {
      tags: [...this.#tags],
      pipelines: [...this.#pipelines],
      stages: [...this.#stages],
      customFields: Object.fromEntries(this.#customFields),
    };
  }
}
