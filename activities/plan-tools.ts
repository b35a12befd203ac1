// What reading and mapping a page takes, made from the run's frozen spec.
import type { RunSpec } from '../src/contracts/run.ts';
import type { Source } from '../src/contracts/source.ts';
import type { Mapping } from '../src/mapping/index.ts';
import type { PageTools } from './plan-page.ts';

export interface Makers {
  openSource(config: RunSpec['source']): Source;
  compileMapping(config: RunSpec['mapping']): Mapping;
}

export function pageTools(spec: Pick<RunSpec, 'source' | 'mapping' | 'options'>, makers: Makers): PageTools {
  const { mapping, options } = spec;
  const { defaultCountry, contact } = mapping;
  const numberOnly = {
    ...(defaultCountry === undefined ? {} : { defaultCountry }),
    contact: { number: contact.number },
    tags: [],
    extraInfo: {},
  };
  return {
    source: makers.openSource(spec.source),
    mapping: makers.compileMapping(mapping),
    keys: options.mode === 'mirror' ? makers.compileMapping(numberOnly) : null,
    rules: { fields: options.fields },
  };
}

/** Does the source tell only what is new since a watermark? */
export function isIncremental(source: RunSpec['source']): boolean {
  return 'incremental' in source && source.incremental !== undefined;
}
