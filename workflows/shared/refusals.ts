// Reads the failures of activities.
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { Pause } from '../../src/core/pause.ts';
import type { RefusalDetails } from '../../src/jobs/sync/contract/run.ts';

/** The refusal that a failed activity reports; null when it failed for another reason. */
export function refusalOf(error: unknown): RefusalDetails | null {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  return (error.cause.details?.[0] as RefusalDetails | undefined) ?? null;
}

/** The pause that Sluice starts because of a refusal. */
export function pauseFor(error: unknown): Pause & { readonly code: string } {
  return { by: 'sluice', reason: reasonOf(error), code: codeOf(error) };
}

function codeOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? (cause.type ?? 'INTERNAL') : 'INTERNAL';
}

/** Code and message for the operator, without personal data. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure)
    return cause.type == null ? cause.message : `${cause.type}: ${cause.message}`;
  return cause instanceof Error ? cause.message : String(cause);
}
