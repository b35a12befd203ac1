// Where an effect begins, and what has to be read of the account before it does. Pure functions.
import type { EffectStep, EventRequest } from '../../src/contracts/intake.ts';
import { type CatalogPipeline, type CatalogTag, pick } from '../../src/ledger/catalog.ts';

/** What an event asks for, when it is no lead. */
export type EffectRequest = Exclude<EventRequest, { type: 'lead' }>;

/** Lists of the account as last read; null where that never happened. */
export interface KnownLists {
  readonly tags: readonly CatalogTag[] | null;
  readonly pipelines: readonly CatalogPipeline[] | null;
}

/**
 * The first step of an effect and the lane of its calls.
 * @param person as the ledger knows the person of the request; null when it does not
 * @param flowIdentity which of a contact's two identities flows are triggered with
 */
export function firstEffectStep(
  request: EffectRequest,
  person: { readonly remote_id: number | null } | null,
  flowIdentity: 'id' | 'number' = 'id',
): { step: EffectStep; lane: 'reply' | 'lead' } {
  const isKnown = person?.remote_id != null;
  switch (request.type) {
    case 'message':
      return { step: 'sendMessage', lane: 'reply' };
    case 'flow':
      return { step: isKnown || flowIdentity === 'number' ? 'triggerFlow' : 'findContact', lane: 'lead' };
    case 'stage':
      if ('card' in request.of) return { step: 'moveCard', lane: 'lead' };
      return { step: isKnown ? 'findOpenCard' : 'findContact', lane: 'lead' };
    // The whole list is replaced, so it is looked at first.
    case 'tags':
      return { step: 'findContact', lane: 'lead' };
  }
}

/** Lists of the account that have to be read, or read again: the request names something that they do not show. */
export function listsNeeded(request: EffectRequest, known: KnownLists): ('tags' | 'pipelines')[] {
  if (request.type === 'tags') {
    const { tags } = known;
    return request.add.every((name) => tags !== null && pick(tags, name) !== null) ? [] : ['tags'];
  }
  if (request.type !== 'stage') return [];
  const { pipeline, stage } = request;
  if (typeof stage === 'number' && (typeof pipeline === 'number' || 'card' in request.of)) return [];
  const found = known.pipelines === null || pipeline === undefined ? null : pick(known.pipelines, pipeline);
  if (found === null) return ['pipelines'];
  return typeof stage === 'number' || pick(found.stages, stage) !== null ? [] : ['pipelines'];
}
