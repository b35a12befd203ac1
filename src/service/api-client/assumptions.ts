// Resolves the client's assumptions: the defaults of the table, overridden by an account's `assumptions` in
// sluice.yaml.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ASSUMPTIONS, type AssumptionKey } from './assumption-table.ts';
import { InvalidArgumentError } from './errors.ts';
import { isObject } from './json-object.ts';

export { ASSUMPTIONS, type AssumptionKey } from './assumption-table.ts';
export { OPEN_POINTS } from './open-points.ts';

export type Assumptions = {
  readonly [K in AssumptionKey]: z.output<(typeof ASSUMPTIONS)[K]['schema']>;
};
/** Overrides in the form of sluice.yaml. */
export type AssumptionOverrides = {
  readonly [K in AssumptionKey]?: z.input<(typeof ASSUMPTIONS)[K]['schema']>;
};

const KEYS = Object.keys(ASSUMPTIONS) as AssumptionKey[];

const DEFAULTS = Object.fromEntries(
  KEYS.map((key) => [key, ASSUMPTIONS[key].schema.parse(ASSUMPTIONS[key].default)]),
) as Assumptions;

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
 * Returns the defaults with the overrides applied.
 *
 * @example resolveAssumptions({ 'card.titleField': 'cardTitle' })['card.titleField'] // 'cardTitle'
 * @throws InvalidArgumentError for an unknown key (it lists the known ones) or a value of the wrong form
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
  return Object.fromEntries(
    KEYS.map((key) => [key, parsed.data[key] === undefined ? DEFAULTS[key] : parsed.data[key]]),
  ) as Assumptions;
}

/** The assumptions that a fingerprint covers: those for reading the history of a conversation, or all. */
export type AssumptionGroup = 'history' | 'all';

/**
 * Returns a fingerprint that changes exactly when an effective assumption of the group changes, because answers may
 * then be read differently. It does not depend on the process or on the order of keys. 22 letters, digits, `-` and
 * `_`.
 */
export function assumptionsFingerprint(assumed: Assumptions, group: AssumptionGroup): string {
  const keys = KEYS.filter((key) => group === 'all' || key.startsWith('message.')).toSorted();
  const text = JSON.stringify(
    keys.map((key) => [key, assumed[key]]),
    (_key, value: unknown) =>
      isObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value,
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
