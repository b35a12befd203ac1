// What the client takes for granted where the API text says "not shown". One table: nothing else in
// the client guesses, and every entry can be overridden per account (`assumptions` in sluice.yaml).
import { z } from 'zod';
import { InvalidArgumentError } from './errors.ts';

const fieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'write the name of a JSON field or query parameter');
const wrapperKey = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "write the key, or 'any' to accept whichever the service uses");

interface Entry<S extends z.ZodType> {
  /** What the API text leaves open. */
  readonly unknown: string;
  /** Where in the API text. */
  readonly section: string;
  readonly default: z.output<S>;
  readonly schema: S;
}

function entry<S extends z.ZodType>(value: Entry<S>): Entry<S> {
  return value;
}

const wrapper = (what: string, section: string) =>
  entry({ unknown: `Under which key ${what} arrives`, section, default: 'any', schema: wrapperKey });

const name = (what: string, section: string, value: string) =>
  entry({ unknown: `The name of ${what}`, section, default: value, schema: fieldName });

/** Every assumption by key. */
export const ASSUMPTIONS = {
  'wrapper.tags': wrapper('the list of tags', 'GET /v1/tags'),
  'wrapper.pipelines': wrapper('the list of pipelines', 'GET /v1/pipelines'),
  'wrapper.lostReasons': wrapper('the list of lost reasons', 'GET /v1/lost-reasons'),
  'wrapper.card': wrapper('a single card', 'GET /v1/cards/{cardId}'),
  'wrapper.contactUpdate': wrapper('the contact after a partial update', 'PUT /v1/contacts/{contactId}'),
  'contactUpdate.nameField': name('the input for the name', 'PUT /v1/contacts/{contactId}', 'name'),
  'contactUpdate.emailField': name('the input for the e-mail', 'PUT /v1/contacts/{contactId}', 'email'),
  'contactUpdate.documentField': name(
    'the input for the document',
    'PUT /v1/contacts/{contactId}',
    'document',
  ),
  'contactUpdate.disableBotField': name(
    'the input that turns the bot off',
    'PUT /v1/contacts/{contactId}',
    'disableBot',
  ),
  'cards.titleSearchParam': name('the query parameter that searches titles', 'GET /v1/cards', 'searchParam'),
  'cards.sortDirectionParam': name(
    'the query parameter for the sort direction',
    'GET /v1/cards',
    'sortOrder',
  ),
  'card.titleField': name('the input for the title', 'POST /v1/cards, rule 8', 'title'),
  'card.expectedCloseDateField': name(
    'the input for the expected close date',
    'POST /v1/cards, rule 8',
    'expectedCloseDate',
  ),
  'card.contactNameField': name(
    'the input that names a contact created by the call',
    'POST /v1/cards, rule 8',
    'contactName',
  ),
  'success.statuses': entry({
    unknown: 'Which success statuses a call answers with, beyond the few that are stated',
    section: 'Endpoints, common',
    default: 'any' as 'any' | number[],
    schema: z.union([z.literal('any'), z.array(z.int().min(200).max(299)).min(1)], {
      error: "write 'any' or a list of statuses from 200 to 299",
    }),
  }),
  'readBack.settleSeconds': entry({
    unknown: 'How many seconds a read may lag behind a write that was acknowledged',
    section: 'POST /v1/cards; GET /v1/cards',
    default: 60,
    schema: z.number().min(0).max(86_400),
  }),
} as const;

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
  const resolved = KEYS.map((key) => [key, parsed.data[key] ?? ASSUMPTIONS[key].default]);
  return Object.fromEntries(resolved) as Assumptions;
}
