// Holds an event against a schema alone.
import { RefusedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { compileSchema } from '../../../../../../src/jobs/events/ingress/route/index.ts';

type Schema = Record<string, unknown>;

export function fits(schema: Schema, event: Record<string, unknown>): boolean {
  return problemsOf(schema, event) === null;
}

/** The refusal of an event; null when it fits. */
export function problemsOf(schema: Schema, event: Record<string, unknown>): RefusedError | null {
  try {
    compileSchema('leads', schema)(event);
    return null;
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
}
