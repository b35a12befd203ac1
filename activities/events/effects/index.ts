// Steps of the actions `message`, `flow`, `stage` and `tags`. Each is one API call.
import type { EffectResult, EffectStep } from '../../../src/jobs/events/contract/intake.ts';
import type { Deps } from '../../shared/deps.ts';
import { createCardEffects } from './card.ts';
import { createContactEffects } from './contact.ts';
import type { EffectInput } from './effect.ts';
import { createFlowEffects } from './flow.ts';
import { createMessageEffects } from './message.ts';

export type { EffectInput } from './effect.ts';

export type Effects = Readonly<Record<EffectStep, (input: EffectInput) => Promise<EffectResult>>>;

export function createEffects(deps: Deps): Effects {
  return {
    ...createContactEffects(deps),
    ...createCardEffects(deps),
    ...createMessageEffects(deps),
    ...createFlowEffects(deps),
  };
}
