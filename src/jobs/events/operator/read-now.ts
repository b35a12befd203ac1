// Reads what was refused as its route reads it today, and hands in what came of it.

import { OperatorError } from '../../../operator/error.ts';
import { maskRequest } from '../../../operator/service/masking.ts';
import type { EventDraft } from '../contract/intake.ts';
import type { DryRunNow } from '../contract/refusals.ts';
import {
  type Acceptance,
  type Accepted,
  type Delivery,
  NotAcceptedError,
  RefusedError,
  type Route,
} from '../ingress/intake.ts';

export type ReadNow =
  | { readonly outcome: 'read'; readonly drafts: readonly EventDraft[] }
  | Extract<DryRunNow, { outcome: 'refused' | 'skipped' }>;

/** @param reasonOf how the refusal is said */
export async function readNow(
  route: Route,
  delivery: Delivery,
  reasonOf: (error: RefusedError) => string,
): Promise<ReadNow> {
  try {
    const { drafts, skipped } = await route.read(delivery);
    if (drafts.length === 0) return { outcome: 'skipped', reason: skipped ?? 'there is nothing to do' };
    return { outcome: 'read', drafts };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { outcome: 'refused', code: error.code, reason: reasonOf(error) };
  }
}

/** What operators see of it. */
export function shownOf(read: ReadNow, unmask: boolean): DryRunNow {
  if (read.outcome !== 'read') return read;
  const events = read.drafts.map(({ request }) => ({
    action: request.type,
    request: unmask ? request : maskRequest(request),
  }));
  return { outcome: 'accepted', events };
}

/**
 * Hands in events of what an operator replays.
 * @param id of what is replayed
 * @throws OperatorError (unavailable); a replay again is safe
 */
export async function acceptAgain(
  acceptance: Acceptance,
  route: Route,
  { id, drafts }: { readonly id: string; readonly drafts: readonly EventDraft[] },
): Promise<Accepted[]> {
  return await acceptance.accept(route, drafts).catch((error: unknown) => {
    if (!(error instanceof NotAcceptedError)) throw error;
    throw new OperatorError('unavailable', `${id} was not accepted: ${error.message}. Replay it again`, {
      code: error.why,
      cause: error,
    });
  });
}
