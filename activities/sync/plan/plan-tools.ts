// Builds the tools to read and map a page from the run's frozen spec.

import type { Source } from '../../../src/core/source.ts';
import { IDENTITY_FIELDS, type IdentityField } from '../../../src/jobs/sync/config.ts';
import type { RunSpec } from '../../../src/jobs/sync/contract/run.ts';
import { namedColumns } from '../../../src/mapping/expression/named-columns.ts';
import type { Mapping } from '../../../src/mapping/index.ts';
import type { PageTools } from './plan-page.ts';
import { type SlowRow, SlowRows } from './plan-slow.ts';
import type { UniteRules } from './plan-unite.ts';

export interface Makers {
  openSource(config: RunSpec['source']): Source;
  compileMapping(config: RunSpec['mapping']): Mapping;
}

/** @param slow rows on which an expression of the run has exceeded its time limit so far */
export function pageTools(
  spec: Pick<RunSpec, 'source' | 'mapping' | 'options'>,
  makers: Makers,
  slow: readonly SlowRow[],
): PageTools {
  const { mapping, options } = spec;
  const { defaultCountry, numberFormat, contact } = mapping;
  const numberOnly = {
    defaultCountry,
    numberFormat,
    contact: { number: contact.number },
    tags: [],
    extraInfo: {},
  };
  return {
    source: makers.openSource(spec.source),
    mapping: makers.compileMapping(mapping),
    keys: options.mode === 'mirror' ? makers.compileMapping(numberOnly) : null,
    rules: options,
    slow: new SlowRows(slow),
    unite: { onConflict: options.onConflict, columns: identityColumns(contact) },
  };
}

/** Columns that the mapping reads for the fields that identify people. */
function identityColumns(contact: RunSpec['mapping']['contact']): UniteRules['columns'] {
  const columns: Partial<Record<IdentityField, string>> = {};
  for (const field of IDENTITY_FIELDS) {
    const expression = contact[field];
    const names = expression === undefined ? [] : namedColumns(expression);
    if (names.length > 0) columns[field] = names.join(', ');
  }
  return columns;
}

/** Whether the source returns only what is new since a watermark. */
export function isIncremental(source: RunSpec['source']): boolean {
  return 'incremental' in source && source.incremental !== undefined;
}
