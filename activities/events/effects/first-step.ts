// Chooses the first step of an event, by its action and by what the ledger knows about the person.
import {
  type EffectStep,
  type EventLane,
  type EventRequest,
  eventLane,
} from '../../../src/jobs/events/contract/intake.ts';

/** A request of an event that is not a lead. */
export type EffectRequest = Exclude<EventRequest, { type: 'lead' }>;

interface FirstStep {
  readonly step: EffectStep;
  readonly lane: EventLane;
}

/**
 * Returns the first step of an action other than `lead`, and the lane of its calls. An event that has already started
 * begins here again: the ledger shows each step what was already sent.
 */
export function firstEffectStep(
  request: EffectRequest,
  person: { readonly remote_id: number | null } | null,
  route = '',
): FirstStep {
  return { step: firstStep(request, person), lane: eventLane(request.type, route) };
}

function firstStep(request: EffectRequest, person: { readonly remote_id: number | null } | null): EffectStep {
  switch (request.type) {
    case 'message':
      return 'sendMessage';
    case 'flow':
      return 'triggerFlow';
    // The call replaces the whole list, so the list is read first.
    case 'tags':
      return 'findContact';
    case 'stage':
      if ('card' in request.of) return 'moveCard';
      return person?.remote_id == null ? 'findContact' : 'findOpenCard';
  }
}
