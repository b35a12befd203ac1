// Turns a zod schema of another folder into a check of one part of the configuration.
import { z } from 'zod';
import type { CheckProblem } from '../../core/config/checks.ts';
import { describeIssues } from '../issues.ts';

/**
 * A check for `loadConfig`. It reports every problem of a value at once, with "did you mean".
 * @example loadConfig(file, { env, checkAssumptions: checkWithSchema(ASSUMPTIONS_SCHEMA) })
 */
export function checkWithSchema(schema: z.ZodType): (value: unknown) => CheckProblem[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return [];
    return describeIssues(parsed.error.issues, value, json as Parameters<typeof describeIssues>[2]).map(
      ({ path, ...rest }) => ({
        ...rest,
        path: path.map((part) => (typeof part === 'number' ? part : String(part))),
      }),
    );
  };
}
