// Where the work of an event begins, by its action and by what the ledger knows of the person.
import type { EffectStep, EventRequest } from '../../src/contracts/intake.ts';
import type { KnownPerson } from '../../src/ledger/people.ts';

/** The first step of an action other than `lead`, and how urgent its calls are. */
export function firstEffectStep(
  request: Exclude<EventRequest, { type: 'lead' }>,
  person: KnownPerson | null,
): { step: EffectStep; lane: 'reply' | 'lead' } {
  switch (request.type) {
    case 'message':
      return { step: 'sendMessage', lane: 'reply' };
    case 'flow':
      return { step: 'triggerFlow', lane: 'lead' };
    case 'tags':
      return { step: 'findContact', lane: 'lead' };
    case 'stage':
      if ('card' in request.of) return { step: 'moveCard', lane: 'lead' };
      return { step: person?.remote_id == null ? 'findContact' : 'findOpenCard', lane: 'lead' };
  }
}
