// Where the work of an event begins, by its action and by what the ledger knows of the person.
import type { EffectStep, EventLane, EventRequest } from '../../src/contracts/intake.ts';

/** What an event asks for, when it is no lead. */
export type EffectRequest = Exclude<EventRequest, { type: 'lead' }>;

interface FirstStep {
  readonly step: EffectStep;
  readonly lane: EventLane;
}

/**
 * The first step of an action other than `lead`, and how urgent its calls are. An event that was begun before begins
 * here again: each step knows from the ledger what was sent already.
 * @param route what follows the triggers of a campaign comes over its route `+{campaign}`, and is as urgent as they are
 */
export function firstEffectStep(
  request: EffectRequest,
  person: { readonly remote_id: number | null } | null,
  route = '',
): FirstStep {
  const first = firstStep(request, person);
  return route.startsWith('+') ? { ...first, lane: 'campaign' } : first;
}

function firstStep(request: EffectRequest, person: { readonly remote_id: number | null } | null): FirstStep {
  switch (request.type) {
    case 'message':
      return { step: 'sendMessage', lane: 'reply' };
    case 'flow':
      return { step: 'triggerFlow', lane: 'lead' };
    // The whole list is replaced, so it is looked at first.
    case 'tags':
      return { step: 'findContact', lane: 'lead' };
    case 'stage':
      if ('card' in request.of) return { step: 'moveCard', lane: 'lead' };
      return { step: person?.remote_id == null ? 'findContact' : 'findOpenCard', lane: 'lead' };
  }
}
