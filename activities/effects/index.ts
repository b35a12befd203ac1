// Activities of the actions message, flow, stage and tags: each is one call of the API.
import { EFFECT_STEPS, type EffectResult, type EffectStep } from '../../src/contracts/intake.ts';
import type { Deps } from '../deps.ts';

type EffectActivities = { readonly [S in EffectStep]: (input: { event: string }) => Promise<EffectResult> };

export function createEffectActivities(_deps: Deps): EffectActivities {
  const step = () => Promise.reject(new Error('to be written'));
  return Object.fromEntries(EFFECT_STEPS.map((name) => [name, step])) as unknown as EffectActivities;
}
