// Where the work of an event begins, by its action and by what the ledger knows of the person.
import {
  type EffectStep,
  type EventLane,
  type EventRequest,
  eventLane,
} from '../../../src/contracts/wire/intake.ts';

/** What an event asks for, when it is no lead. */
export type EffectRequest = Exclude<EventRequest, { type: 'lead' }>;

interface FirstStep {
  readonly step: EffectStep;
  readonly lane: EventLane;
}

/**
 * The first step of an action other than `lead`, and how urgent its calls are. An event that was begun before begins
 * here again: each step knows from the ledger what was sent already.
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
    // The whole list is replaced, so it is checked first.
    case 'tags':
      return 'findContact';
    case 'stage':
      if ('card' in request.of) return 'moveCard';
      return person?.remote_id == null ? 'findContact' : 'findOpenCard';
  }
}
