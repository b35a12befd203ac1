// Events that an action refuses, and actions that are refused before there is an event.
import { describe, expect, it } from 'vitest';
import {
  CARD,
  compile,
  FLOW,
  LEAD,
  MAPPING,
  MESSAGE,
  NUMBER,
  problems,
  REPLY,
  STAGE,
  TAGS,
} from './action-support.ts';

describe('an event that can not be done is refused with all that is wrong', () => {
  const template = { name: { const: 'paid' }, language: 'language', parameters: ['name', '{{a}} {{b}}'] };
  const cases: [string, object, Record<string, unknown>, [string, string][]][] = [
    ['no number', MESSAGE, { phone: ' ' }, [['number', 'required']]],
    ['a number that is none', FLOW, { phone: 'ask her' }, [['number', 'invalid_phone']]],
    ['a lead without a number', LEAD, { phone: null }, [['contact.number', 'required']]],
    ['no conversation', REPLY, {}, [['conversation', 'required']]],
    ['a conversation that is none', REPLY, { ticket: 'abc' }, [['conversation', 'invalid_id']]],
    ['no text', MESSAGE, { text: '' }, [['text', 'required']]],
    ['a text of blanks', MESSAGE, { text: ' \n ' }, [['text', 'required']]],
    ['a text of what can not be stored', MESSAGE, { text: '\u0000' }, [['text', 'required']]],
    ['a text that is an object', MESSAGE, { text: { a: 1 } }, [['text', 'invalid_type']]],
    [
      'a message whose template and files are empty too',
      { ...MESSAGE, template: { ...template, name: 'none' }, media: { url: 'files', hosts: ['a.example'] } },
      { text: null, files: [] },
      [['text', 'required']],
    ],
    [
      'a template with holes',
      { ...MESSAGE, template },
      { name: ' ', a: '', b: null },
      [
        ['template.language', 'required'],
        ['template.parameters.0', 'required'],
        ['template.parameters.1', 'required'],
      ],
    ],
    ...(['up_1/../2', 'a b', 'x'.repeat(101), { a: 1 }].map((id) => [
      `an upload named ${JSON.stringify(id)}`,
      { ...MESSAGE, text: undefined, uploads: { ids: 'ids' } },
      { ids: ['up_1', id] },
      typeof id === 'object' ? [['uploads.ids', 'invalid_type']] : [['uploads.ids', 'invalid_upload']],
    ]) as [string, object, Record<string, unknown>, [string, string][]][]),
    [
      'more than ten files, uploads and others together',
      { ...MESSAGE, uploads: { ids: 'ids' }, media: { url: 'urls', hosts: ['a.example'] } },
      {
        ids: Array.from({ length: 6 }, (_, n) => `up_${n}`),
        urls: Array.from({ length: 5 }, (_, n) => `https://a.example/${n}`),
      },
      [['uploads.ids', 'too_many']],
    ],
    [
      'more than ten uploads',
      { ...MESSAGE, uploads: { ids: 'ids' } },
      { ids: Array.from({ length: 11 }, (_, n) => `up_${n}`) },
      [['uploads.ids', 'too_many']],
    ],
    ['no flow', { ...FLOW, flow: 'kind' }, {}, [['flow', 'required']]],
    ['a flow that is no id', { ...FLOW, flow: 'kind' }, { kind: 1.5 }, [['flow', 'invalid_id']]],
    [
      'a variable that is an object',
      { ...FLOW, variables: { a: 'a' } },
      { a: { b: 1 } },
      [['variables.a', 'invalid_type']],
    ],
    ['no stage', STAGE, {}, [['stage', 'required']]],
    ['a stage by name without a pipeline', CARD, { card: 1, stage: 'Won' }, [['stage', 'invalid_id']]],
    [
      'nothing right',
      CARD,
      { card: -1 },
      [
        ['card', 'invalid_id'],
        ['stage', 'required'],
      ],
    ],
    [
      'a tag that is an object, and no number',
      { ...TAGS, remove: ['gone'] },
      { phone: null, segment: [{ a: 1 }], gone: {} },
      [
        ['number', 'required'],
        ['add.0', 'invalid_type'],
        ['remove.0', 'invalid_type'],
      ],
    ],
    [
      'JSONata that fails',
      { ...MESSAGE, text: '=$number(text)' },
      { text: 'segredo' },
      [['text', 'expression_failed']],
    ],
  ];
  it.each(cases)('%s', async (_name, action, event, expected) => {
    expect(await problems(action, event)).toEqual(expected);
  });
});

describe('an action that can not work is refused with its place', () => {
  const media = { url: 'u', hosts: ['a.example'] };
  const template = { name: 'a', language: 'b' };
  const cases: [string, object, string[], RegExp][] = [
    ['nobody to write to', { ...MESSAGE, number: undefined }, [], /needs number or conversation/],
    ['two to write to', { ...MESSAGE, conversation: 'c' }, ['conversation'], /not both/],
    ['nothing to write', { ...MESSAGE, text: undefined }, [], /text, template, media or uploads/],
    [
      'a reply on a connection',
      { ...REPLY, connection: 1 },
      ['connection'],
      /uses the connection of its conversation; remove this key/,
    ],
    ['a reply that names the contact', { ...REPLY, contactName: 'n' }, ['contactName'], /remove this key/],
    ['a reply that is not kept', { ...REPLY, saveOnTicket: false }, ['saveOnTicket'], /remove this key/],
    ['files that are not kept', { ...MESSAGE, media, saveOnTicket: false }, ['saveOnTicket'], /files/],
    [
      'uploads that are not kept',
      { ...MESSAGE, uploads: { ids: 'i' }, saveOnTicket: false },
      ['saveOnTicket'],
      /files; remove saveOnTicket or uploads/,
    ],
    [
      'a template outside the window without one',
      { ...MESSAGE, outsideWindow: 'template' },
      ['outsideWindow'],
      /template is missing/,
    ],
    [
      'a template outside the window and nothing inside',
      { ...MESSAGE, text: undefined, template, outsideWindow: 'template' },
      ['outsideWindow'],
      /text, media or uploads is missing/,
    ],
    [
      'a port that is none',
      { ...MESSAGE, media: { ...media, hosts: ['a.b', 'a.b:70000'] } },
      ['media', 'hosts', '1'],
      /70000/,
    ],
    ['an open placeholder', { ...MESSAGE, text: 'Hi {{name' }, ['text'], /closed/],
    [
      'bad JSONata in a parameter',
      { ...MESSAGE, template: { ...template, parameters: ['a', '=('] } },
      ['template', 'parameters', '1'],
      /JSONata/,
    ],
    ['a time that changes', { ...MESSAGE, text: '=$now()' }, ['text'], /each time/],
    ['no such country', { ...MESSAGE, defaultCountry: 'XX' }, ['defaultCountry'], /ISO 3166/],
    ['no such country, flow', { ...FLOW, defaultCountry: 'XX' }, ['defaultCountry'], /ISO 3166/],
    ['no such country, stage', { ...STAGE, defaultCountry: 'XX' }, ['defaultCountry'], /ISO 3166/],
    ['no such country, tags', { ...TAGS, defaultCountry: 'XX' }, ['defaultCountry'], /ISO 3166/],
    ['two forms at once', { ...FLOW, flow: { path: 'a', const: 1 } }, ['flow'], /exactly one/],
    ['no card to move', { ...CARD, card: undefined }, [], /card or number/],
    ['two cards to move', { ...STAGE, card: 'c' }, ['number'], /not both/],
    ['a person without a pipeline', { ...STAGE, pipeline: undefined }, ['number'], /pipeline/],
    ['a fixed name without a pipeline', { ...CARD, stage: { const: 'Won' } }, ['stage'], /"Won"/],
    [
      'a name out of a table without a pipeline',
      { ...CARD, stage: { path: 's', map: { a: 1, b: 'Won' } } },
      ['stage'],
      /"Won"/,
    ],
    [
      'a default name without a pipeline',
      { ...CARD, stage: { path: 's', default: 'New' } },
      ['stage'],
      /"New"/,
    ],
    ['no tags', { ...TAGS, add: [] }, [], /add or remove/],
    ['a bad tag', { ...TAGS, remove: [{ map: { a: 'b' } }] }, ['remove', '0'], /exactly one/],
    ['a mapping that is not there', LEAD, ['mapping'], /no mapping "people"/],
  ];
  it.each(cases)('%s', (_name, action, path, message) => {
    const error = thrownBy(() => compile(action));
    expect(error).toMatchObject({ name: 'MappingConfigError', problem: expect.stringMatching(message) });
    expect((error as { path: string[] }).path.slice(0, Math.max(1, path.length))).toEqual(path);
  });

  it('a card that would never move', () => {
    const action = { ...LEAD, moveCard: true };
    for (const card of [undefined, { pipeline: 1 }]) {
      expect(thrownBy(() => compile(action, { ...MAPPING, card }))).toMatchObject({ path: ['moveCard'] });
    }
    expect(compile(action, { ...MAPPING, card: { pipeline: 1, stage: 's' } }).columns).toContain('s');
  });

  it('a mapping that is wrong itself, behind its own place', () => {
    const error = thrownBy(() => compile(LEAD, { ...MAPPING, tags: [{ map: {} }] }));
    expect(error).toMatchObject({ path: ['mapping', 'tags', '0'] });
  });
});

describe('FAULTS 35: a path into what objects inherit is refused when the configuration loads', () => {
  const paths = ['__proto__.x', 'constructor.prototype.x', 'a.__proto__', 'a. __proto__ .x', 'prototype'];
  const expressions = paths.flatMap((path) => [
    path,
    `{{${path}}} x`,
    ['a', path],
    { path },
    { first: ['a', path] },
    { template: `x {{ ${path} }}` },
  ]);
  const jsonata = [
    '=__proto__.x',
    '=a.constructor.prototype.x',
    { jsonata: 'a.`__proto__`.x' },
    '=$event.__proto__',
  ];
  const places: [string, (expression: unknown) => object][] = [
    ['message.number', (number) => ({ ...MESSAGE, number })],
    ['message.conversation', (conversation) => ({ ...REPLY, conversation })],
    ['message.text', (text) => ({ ...MESSAGE, text })],
    ['message.contactName', (contactName) => ({ ...MESSAGE, contactName })],
    ['message.template.name', (name) => ({ ...MESSAGE, template: { name, language: 'l' } })],
    ['message.template.language', (language) => ({ ...MESSAGE, template: { name: 'n', language } })],
    [
      'message.template.parameters',
      (one) => ({ ...MESSAGE, template: { name: 'n', language: 'l', parameters: [one] } }),
    ],
    ['message.uploads.ids', (ids) => ({ ...MESSAGE, uploads: { ids } })],
    ['message.media.url', (url) => ({ ...MESSAGE, media: { url, hosts: ['a.example'] } })],
    ['flow.number', (number) => ({ ...FLOW, number })],
    ['flow.flow', (flow) => ({ ...FLOW, flow })],
    ['flow.variables', (value) => ({ ...FLOW, variables: { value } })],
    ['stage.card', (card) => ({ ...CARD, card })],
    ['stage.number', (number) => ({ ...STAGE, number })],
    ['stage.stage', (stage) => ({ ...STAGE, stage })],
    ['tags.number', (number) => ({ ...TAGS, number })],
  ];
  it.each(places)('%s', (_name, at) => {
    for (const expression of [...expressions, ...jsonata]) {
      const error = thrownBy(() => compile(at(expression)));
      expect(error, JSON.stringify(expression)).toMatchObject({
        name: 'MappingConfigError',
        problem: expect.stringContaining('not allowed'),
      });
    }
  });

  it('tags, the mapping of a lead, and names of variables', () => {
    for (const path of paths) {
      for (const entry of [path, { path, split: ',' }]) {
        expect(() => compile({ ...TAGS, add: [entry] })).toThrow('not allowed');
        expect(() => compile({ ...TAGS, remove: [entry] })).toThrow('not allowed');
      }
      expect(() => compile(LEAD, { contact: { number: path } })).toThrow('not allowed');
    }
    for (const name of ['constructor', 'prototype']) {
      const variables = { [name]: 'a' };
      expect(() => compile({ ...FLOW, variables })).toThrow('not allowed');
    }
  });

  it('an event that brings such names changes nothing but itself', async () => {
    const event = JSON.parse(
      `{"phone": "${NUMBER}", "text": "Oi", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}`,
    ) as Record<string, unknown>;
    const action = {
      ...FLOW,
      variables: { a: 'polluted', b: '=polluted', c: '=$lookup($, "__proto__").polluted' },
    };
    const result = await compile(action).apply(event);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(result).toMatchObject({ ok: true });
    expect(result.ok && Object.keys((result.request as { variables: object }).variables)).not.toContain('a');
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
