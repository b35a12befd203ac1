// Resolves what the client takes for granted: the defaults of the table, with the overrides of an
// account (`assumptions` in sluice.yaml) laid over them.
import { z } from 'zod';
import { ASSUMPTIONS } from './assumption-table.ts';
import { InvalidArgumentError } from './errors.ts';

export { ASSUMPTIONS, OPEN_POINTS } from './assumption-table.ts';

export type AssumptionKey = keyof typeof ASSUMPTIONS;
export type Assumptions = {
  readonly [K in AssumptionKey]: z.output<(typeof ASSUMPTIONS)[K]['schema']>;
};
export type AssumptionOverrides = Partial<Assumptions>;

const KEYS = Object.keys(ASSUMPTIONS) as AssumptionKey[];

type SchemaShape = { [K in AssumptionKey]: z.ZodOptional<(typeof ASSUMPTIONS)[K]['schema']> };

/** Validates the `assumptions` of an account: known keys only, each value by its own schema. */
export const ASSUMPTIONS_SCHEMA = z.strictObject(
  Object.fromEntries(
    KEYS.map((key) => {
      const { schema, unknown, section, default: fallback } = ASSUMPTIONS[key];
      const description = `${unknown} (${section}; default: ${JSON.stringify(fallback)})`;
      return [key, schema.optional().meta({ description })];
    }),
  ) as SchemaShape,
);

/**
 * Defaults with overrides laid over them.
 *
 * @example resolveAssumptions({ 'card.titleField': 'cardTitle' })['card.titleField'] // 'cardTitle'
 * @throws InvalidArgumentError for an unknown key (listing the known ones) or a value out of its form.
 */
export function resolveAssumptions(overrides: Readonly<Record<string, unknown>> = {}): Assumptions {
  for (const key of Object.keys(overrides)) {
    if (!Object.hasOwn(ASSUMPTIONS, key)) {
      throw new InvalidArgumentError('assumptions', key, `unknown; the known ones are ${KEYS.join(', ')}`);
    }
  }
  const parsed = ASSUMPTIONS_SCHEMA.safeParse(overrides);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const key = String(issue?.path[0]);
    throw new InvalidArgumentError(`assumptions.${key}`, overrides[key], issue?.message ?? 'not valid');
  }
  const resolved = KEYS.map((key) => [
    key,
    parsed.data[key] === undefined ? ASSUMPTIONS[key].default : parsed.data[key],
  ]);
  return Object.fromEntries(resolved) as Assumptions;
}
