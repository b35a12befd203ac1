// The examples as a user gets them: committed files, presets and configuration, from bytes to records.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../../../examples/generate.ts';
import { Config } from '../../../src/config/schema/config.ts';
import { openSource } from '../../../src/connectors/sources/index.ts';
import { CrmRecord, type RowProblem } from '../../../src/core/record.ts';
import { MappingConfig } from '../../../src/mapping/config.ts';
import { compileMapping } from '../../../src/mapping/index.ts';
import { canonicalKey } from '../../../src/mapping/phone/index.ts';
import { parseFixture } from '../../../src/sandbox/fixture/fixture-merge.ts';
import { readAll } from '../connectors/sources/support.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');
const yaml = async (path: string): Promise<unknown> => parse(await readFile(join(EXAMPLES, path), 'utf8'));
const config = Config.parse(await yaml('sluice.yaml'));
const fixture = parseFixture(await yaml('sandbox.yaml'));

async function run(name: string) {
  const source = config.sources[name];
  const entry = config.mappings[name];
  if (!source || !entry || !('preset' in entry)) throw new Error(`no source or preset ${name}`);
  const mapping = compileMapping(MappingConfig.parse(await yaml(entry.preset)));
  const opened = openSource(source, { baseDir: EXAMPLES });
  const { scan, notes = [] } = await opened.read(null, { limit: 1, scan: mapping.scan() ?? undefined });
  const rows = await readAll(opened, 100);
  const records: CrmRecord[] = [];
  const rejected: [number, RowProblem][] = [];
  const warnings: [number, RowProblem][] = [];
  for (const row of rows) {
    const result = row.values ? await mapping.apply(row.values, scan) : undefined;
    if (result?.ok) {
      records.push(CrmRecord.parse(result.record));
      for (const warning of result.warnings) warnings.push([row.row, warning]);
    } else {
      const problems = result?.problems ?? (row.problem ? [row.problem] : []);
      for (const problem of problems) rejected.push([row.row, problem]);
    }
  }
  return { rows, records, rejected, warnings, mapping, notes: notes.map(({ code }) => code) };
}

const report = (problems: [number, RowProblem][]) =>
  problems.map(([row, p]) => `${row} ${p.field} ${p.code}: ${p.field === 'row' ? '…' : (p.value ?? '')}`);

describe('examples', () => {
  it('are what the generator writes', async () => {
    for (const [name, bytes] of generate()) {
      expect((await readFile(join(EXAMPLES, name))).equals(bytes), `${name}: run examples/generate.ts`).toBe(
        true,
      );
    }
  });

  const counts = {
    rdstation: { rows: 399, records: 380, people: 361, cards: 223, rejectedRows: 19, warnings: 6, owner: 31 },
    hubspot: { rows: 712, records: 698, people: 649, cards: 147, rejectedRows: 14, warnings: 3, owner: 30 },
    pipedrive: { rows: 308, records: 296, people: 243, cards: 173, rejectedRows: 12, warnings: 3, owner: 19 },
    salesforce: { rows: 132, records: 128, people: 116, cards: 51, rejectedRows: 4, warnings: 2, owner: 10 },
    kommo: { rows: 90, records: 88, people: 88, cards: 66, rejectedRows: 2, warnings: 2, owner: 9 },
    'google-contacts': {
      rows: 60,
      records: 57,
      people: 57,
      cards: 0,
      rejectedRows: 3,
      warnings: 1,
      owner: 0,
    },
  };
  it.each(Object.entries(counts))('%s: exact counts and every reason', async (name, expected) => {
    const { rows, records, rejected, warnings } = await run(name);
    const owner = new Set(
      fixture.accounts?.[0]?.contacts?.map((contact) => canonicalKey(contact.number ?? '')),
    );
    const people = new Set(records.map((record) => record.key));
    expect({
      rows: rows.length,
      records: records.length,
      people: people.size,
      cards: records.filter((record) => record.card).length,
      rejectedRows: new Set(rejected.map(([row]) => row)).size,
      warnings: warnings.length,
      owner: [...people].filter((key) => owner.has(key)).length,
    }).toEqual(expected);
    expect(report(rejected)).toMatchSnapshot('rejected');
    expect(report(warnings)).toMatchSnapshot('warnings');
    expect(records[0]).toMatchSnapshot('first record');
  });

  it('the lines below a report of Salesforce are no rows, and the order of its dates is found', async () => {
    const { notes, records } = await run('salesforce');
    expect(notes).toEqual(['FOOTER']);
    expect(records.filter(({ card }) => card?.expectedCloseDate !== undefined).length).toBeGreaterThan(40);
  });

  it.each(Object.keys(counts))(
    '%s: the preset names only columns, stages, tags and fields that exist',
    async (name) => {
      const { rows, records, mapping } = await run(name);
      const header = Object.keys(rows.find((row) => row.values)?.values ?? {});
      expect(mapping.missing(header)).toEqual([]);
      const account = fixture.accounts?.[0];
      const tags = account?.tags?.map((tag) => tag.name);
      const sources = account?.sources?.map((source) => source.id);
      for (const record of records) {
        for (const tag of record.tags) expect(tags).toContain(tag);
        const { card } = record;
        if (!card) continue;
        const pipeline = account?.pipelines?.find((each) => each.name === card.pipeline);
        expect(pipeline?.stages?.map((stage) => stage.name)).toContain(card.stage);
        if (card.sourceId !== undefined) expect(sources).toContain(card.sourceId);
        for (const [field, value] of Object.entries(card.customFields)) {
          const known = account?.customFields?.find((each) => each.name === field);
          expect(known, field).toBeDefined();
          const kind =
            { number: 'number', boolean: 'boolean', multiselect: 'object' }[known?.type as string] ??
            'string';
          expect(typeof value, field).toBe(kind);
          for (const item of known?.options ? [value].flat() : []) expect(known?.options).toContain(item);
        }
      }
    },
  );
});
