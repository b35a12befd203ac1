// In which forms a message may have been sent, when a restored ledger no longer knows it.
import { describe, expect, it } from 'vitest';
import { contentsSent } from '../../../../../activities/events/effects/window.ts';
import { markOf } from '../../../../../activities/shared/message-match.ts';
import type { RequestOf } from '../../../../../src/jobs/events/contract/intake.ts';

const template = { name: 'hello', language: 'pt_BR', parameters: [] };
const request = (over: object) =>
  ({
    type: 'message',
    to: { conversation: 1 },
    saveOnTicket: true,
    ...over,
  }) as unknown as RequestOf<'message'>;
const contents = (over: object, mark: string | null = null) =>
  contentsSent(request(over), mark).map(({ text, template }) => ({ text, template }));

describe('without a mark', () => {
  it('a text with a template for the time outside of the window is searched in both forms', () => {
    expect(contents({ text: 'Hello', template, outsideWindow: 'template' })).toEqual([
      { text: 'Hello', template: undefined },
      { text: undefined, template },
    ]);
  });

  it.each([
    ['a text alone', { text: 'Hello' }],
    ['a template alone', { template, outsideWindow: 'template' }],
    ['both at once', { text: 'Hello', template, outsideWindow: 'send' }],
  ] as readonly (readonly [string, { text?: string; template?: object }])[])(
    '%s is searched as it is',
    (_, over) => {
      expect(contents(over)).toEqual([{ text: over.text, template: over.template }]);
    },
  );
});

it('with a mark, only the form that was sent is searched', () => {
  const mark = markOf({ text: undefined, template } as never);
  expect(contents({ text: 'Hello', template, outsideWindow: 'template' }, mark)).toEqual([
    { text: undefined, template },
  ]);
});
