// Actions that the tests begin with, and what applying one to an event yields.
import { expect } from 'vitest';
import { RouteAction } from '../../../src/jobs/events/config-actions.ts';
import { type ActionResult, compileAction } from '../../../src/jobs/events/rules/actions.ts';
import { MappingConfig } from '../../../src/mapping/config.ts';

export const NUMBER = '5511987654321';
/** The same person, as the short form of a Brazilian number. */
export const SHORT = '(11) 8765-4321';
export const LEAD = { type: 'lead', mapping: 'people' };
export const MAPPING = { defaultCountry: 'BR', contact: { number: 'phone', name: 'name' } };
export const MESSAGE = { type: 'message', number: 'phone', defaultCountry: 'BR', text: 'text' };
export const REPLY = { type: 'message', conversation: 'ticket', text: 'text' };
export const FLOW = { type: 'flow', number: 'phone', defaultCountry: 'BR', flow: 3, connection: 1 };
export const STAGE = {
  type: 'stage',
  number: 'phone',
  defaultCountry: 'BR',
  pipeline: 'Sales',
  stage: 'stage',
};
export const CARD = { type: 'stage', card: 'card', stage: 'stage' };
export const TAGS = { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['segment'] };

export const compile = (action: object, mapping: object | null = null) =>
  compileAction(RouteAction.parse(action), mapping === null ? null : MappingConfig.parse(mapping));
export const apply = async (action: object, event: Record<string, unknown>): Promise<ActionResult> =>
  compile(action, (action as { type: string }).type === 'lead' ? MAPPING : null).apply({
    phone: SHORT,
    text: 'Oi',
    ...event,
  });

/** Field and code of each problem. */
export async function problems(action: object, event: Record<string, unknown>): Promise<[string, string][]> {
  const result = await apply(action, event);
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.request)}`);
  for (const { reason, value } of result.problems) if (value) expect(reason).not.toContain(value);
  return result.problems.map(({ field, code }) => [field, code]);
}
