// Custom fields of a card: what is kept, and what is ignored without failing (API text, POST /v1/cards, rule 7).
import type { CustomField, FieldType } from '../state/model.ts';
import { calendarDay } from './dates.ts';

const ACCEPTS: { readonly [K in FieldType]: (value: unknown, options: readonly string[]) => boolean } = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  date: (value) => typeof value === 'string' && calendarDay(value) !== null,
  boolean: (value) => typeof value === 'boolean',
  select: (value, options) => typeof value === 'string' && options.includes(value),
  multiselect: (value, options) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && options.includes(item)),
};

/** A field of the pipeline wins over a global one of the same name. */
export function sortCustomFields(
  given: Readonly<Record<string, unknown>>,
  fields: readonly CustomField[],
  pipelineId: number,
): { readonly kept: Record<string, unknown> | null; readonly ignored: string[] } {
  const kept: [string, unknown][] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const named = fields.filter((field) => field.name === name);
    const field =
      named.find((each) => each.pipelineId === pipelineId) ?? named.find((each) => each.pipelineId === null);
    if (field !== undefined && ACCEPTS[field.type](value, field.options)) kept.push([name, value]);
    else ignored.push(name);
  }
  return { kept: kept.length === 0 ? null : Object.fromEntries(kept), ignored };
}
