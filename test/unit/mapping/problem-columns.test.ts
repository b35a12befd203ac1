import { describe, expect, it } from 'vitest';
import { MessageAction } from '../../../src/jobs/events/config-actions.ts';
import { compileAction } from '../../../src/jobs/events/rules/actions.ts';
import { MappingConfig } from '../../../src/mapping/config.ts';
import { compileMapping } from '../../../src/mapping/index.ts';

/** The column of the only problem that a row with this value of `disableBot` has. */
async function columnOf(disableBot: unknown, values: Record<string, unknown>): Promise<string | undefined> {
  const mapping = compileMapping(MappingConfig.parse({ contact: { number: 'Phone', disableBot } }));
  const result = await mapping.apply({ Phone: '+5511987654321', ...values });
  if (result.ok || result.problems.length !== 1) throw new Error(JSON.stringify(result));
  return result.problems[0]?.column;
}

describe('a problem names the column of the file', () => {
  const cases: [string, unknown, Record<string, unknown>, string | undefined][] = [
    ['a column', 'bot', { bot: 'maybe' }, 'bot'],
    ['a column in another case, as the header writes it', 'bot', { ' Bot': 'maybe' }, 'Bot'],
    ['a dot-path', 'a.b.0', { a: { b: ['maybe'] } }, 'a.b.0'],
    ['the first of a list that has a value', ['A', 'B', 'C'], { A: '', B: 'maybe', C: 'no' }, 'B'],
    ['all columns of a template that have a value', '{{A}}{{B}}{{C}}', { A: 'may', B: '', C: 'be' }, 'A, C'],
    ['a template inside a list', ['A', '{{B}}!'], { B: 'maybe' }, 'B'],
    ['a template with an object', '{{A}}{{B}}', { A: {}, B: 'x' }, 'A, B'],
    ['a map without the value', { path: 'A', map: { x: true } }, { A: 'maybe' }, 'A'],
    ['JSONata', '=`My bot` & a[0].b', { 'My bot': 'may', a: [{ b: 'be' }], c: 1 }, 'My bot, a.b'],
    ['JSONata that fails', '=$number(A)', { A: 'maybe' }, 'A'],
    ['a constant', { const: 'maybe' }, {}, undefined],
    ['a header with control characters', 'b\u0007ot', { 'b\u0007ot': 'maybe' }, 'bot'],
  ];
  it.each(cases)('%s', async (_, expression, values, column) => {
    expect(await columnOf(expression, values)).toBe(column);
  });

  it('a missing number names the columns that are empty', async () => {
    const mapping = compileMapping(MappingConfig.parse({ contact: { number: ['Phone', 'Mobile'] } }));
    expect(await mapping.apply({ Phone: ' ', Mobile: null })).toMatchObject({
      problems: [{ code: 'required', column: 'Phone, Mobile' }],
    });
  });

  it('warnings and events name it too', async () => {
    const mapping = compileMapping(MappingConfig.parse({ contact: { number: 'Phone', email: 'Mail' } }));
    const warned = await mapping.apply({ Phone: '+5511987654321', mail: 'none' });
    expect(warned).toMatchObject({ ok: true, warnings: [{ field: 'contact.email', column: 'mail' }] });
    const config = MessageAction.parse({ type: 'message', number: 'lead.phone', text: 'hi' });
    expect(await compileAction(config, null).apply({ lead: { phone: '1' } })).toMatchObject({
      problems: [{ field: 'number', column: 'lead.phone' }],
    });
  });
});
