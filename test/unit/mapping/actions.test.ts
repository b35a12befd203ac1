// What the actions of routes make of an event.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventRequest } from '../../../src/jobs/events/contract/intake.ts';
import { propertyRuns } from '../../support/runner/property-runs.ts';
import {
  apply,
  CARD,
  compile,
  FLOW,
  LEAD,
  MAPPING,
  MESSAGE,
  NUMBER,
  problems,
  REPLY,
  SHORT,
  STAGE,
  TAGS,
} from './action-support.ts';

describe('an action asks for what its event says, about one subject', () => {
  const person = { number: NUMBER, key: NUMBER };
  const cases: [string, object, Record<string, unknown>, object, string][] = [
    [
      'lead: the record of its mapping',
      LEAD,
      { name: 'Bia' },
      {
        type: 'lead',
        record: { key: NUMBER, contact: { number: NUMBER, name: 'Bia' }, extraInfo: [], tags: [] },
      },
      `person/${NUMBER}`,
    ],
    [
      'message to a number',
      MESSAGE,
      {},
      { type: 'message', to: person, text: 'Oi', saveOnTicket: true },
      `person/${NUMBER}`,
    ],
    [
      'message in a conversation',
      REPLY,
      { ticket: '17' },
      { type: 'message', to: { conversation: 17 }, text: 'Oi', saveOnTicket: true },
      'conversation/17',
    ],
    [
      'message with all there is',
      {
        ...MESSAGE,
        connection: 'main',
        contactName: 'name',
        template: { name: { const: 'paid' }, language: { const: 'pt_BR' }, parameters: ['name', '{{n}} un'] },
        media: { url: 'files', hosts: ['files.example.com'] },
        uploads: { ids: 'uploads' },
        outsideWindow: 'template',
      },
      {
        name: ' Bia\n Reis',
        n: 2,
        uploads: [' up_b ', '', 'up_a', 'up_b'],
        files: ['https://files.example.com/a.pdf'],
      },
      {
        type: 'message',
        to: person,
        text: 'Oi',
        template: { name: 'paid', language: 'pt_BR', parameters: ['Bia Reis', '2 un'] },
        media: {
          urls: ['https://files.example.com/a.pdf'],
          hosts: ['files.example.com'],
          maxBytes: 16_777_216,
          allowPrivate: false,
          timeoutMs: 20_000,
        },
        uploads: ['up_b', 'up_a'],
        outsideWindow: 'template',
        connection: 'main',
        contactName: 'Bia Reis',
        saveOnTicket: true,
      },
      `person/${NUMBER}`,
    ],
    [
      'message of one upload',
      { ...MESSAGE, text: undefined, uploads: { ids: 'upload' }, outsideWindow: 'send' },
      { upload: 'up_a' },
      { type: 'message', to: person, uploads: ['up_a'], outsideWindow: 'send', saveOnTicket: true },
      `person/${NUMBER}`,
    ],
    [
      'message that nobody can answer',
      { ...MESSAGE, saveOnTicket: false },
      {},
      { type: 'message', to: person, text: 'Oi', saveOnTicket: false },
      `person/${NUMBER}`,
    ],
    [
      'message whose event names no template',
      { ...MESSAGE, template: { name: 'template', language: 'language', parameters: ['name'] } },
      {},
      { type: 'message', to: person, text: 'Oi', saveOnTicket: true },
      `person/${NUMBER}`,
    ],
    [
      'flow, fixed',
      { ...FLOW, variables: { coupon: 'c', n: 'n', list: 'l', none: 'x' } },
      { c: ' A1 ', n: 0, l: ['a', true], x: '' },
      {
        type: 'flow',
        ...person,
        flow: 3,
        connection: 1,
        variables: { coupon: 'A1', n: 0, list: ['a', true] },
      },
      `person/${NUMBER}`,
    ],
    [
      'flow out of the event',
      { ...FLOW, flow: { path: 'kind', map: { vip: 8 }, default: 9 } },
      { kind: 'VIP' },
      { type: 'flow', ...person, flow: 8, connection: 1, variables: {} },
      `person/${NUMBER}`,
    ],
    [
      'stage of the card of a person',
      STAGE,
      { stage: ' Won ' },
      { type: 'stage', of: person, pipeline: 'Sales', stage: 'Won' },
      `person/${NUMBER}`,
    ],
    [
      'stage of a card',
      CARD,
      { card: 5, stage: '11' },
      { type: 'stage', of: { card: 5 }, stage: 11 },
      'card/5',
    ],
    [
      'tags',
      { ...TAGS, add: [{ path: 'segment', split: ',' }, { const: 'x' }], remove: ['old', { const: 'VIP' }] },
      { segment: 'vip, b ,b', old: ' cold  lead ' },
      { type: 'tags', ...person, add: ['b', 'vip', 'x'], remove: ['cold lead'] },
      `person/${NUMBER}`,
    ],
    [
      'tags of which none is left',
      TAGS,
      {},
      { type: 'tags', ...person, add: [], remove: [] },
      `person/${NUMBER}`,
    ],
  ];
  it.each(cases)('%s', async (_name, action, event, request, subject) => {
    const result = await apply(action, event);
    expect(result).toEqual({ ok: true, request, subject, warnings: [] });
    expect(EventRequest.parse(request)).toEqual(request);
  });

  it('finds what is known about the event under $event, in paths, templates and JSONata alike', async () => {
    const $event = { type: 'paid', source: { a: 'b' } };
    for (const text of ['$event.type', '{{$event.type}}', '=$event.type']) {
      const result = await apply({ ...MESSAGE, text }, { $event });
      expect(result, text).toMatchObject({ ok: true, request: { text: 'paid' } });
    }
  });

  it('any event gives a request that the ledger can store, or problems, deterministically, and never throws', async () => {
    const template = { name: 'a', language: 'b', parameters: ['c', '{{d}}'] };
    const media = { url: 'files', hosts: ['*.example.com'] };
    const actions = [
      { ...MESSAGE, template, media, contactName: 'name' },
      { ...REPLY, text: ['a', '{{b}}\n{{c}}'] },
      { ...FLOW, flow: 'card', variables: { a: 'a', b: '=b' } },
      { ...CARD, pipeline: 1 },
      { ...TAGS, add: ['a', { path: 'b', split: ',' }], remove: ['c'] },
      { ...LEAD },
    ].map((action) => compile(action, action.type === 'lead' ? MAPPING : null));
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        NUMBER,
        SHORT,
        '17',
        17,
        '\u0000',
        '\ud800',
        'https://a.example.com/\u0000',
        null,
        {},
        [],
      ),
      fc.jsonValue(),
    );
    const keys = [
      'phone',
      'ticket',
      'card',
      'stage',
      'text',
      'name',
      'files',
      'a',
      'b',
      'c',
      'd',
      '__proto__',
    ];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), value), async (event) => {
        for (const action of actions) {
          const result = await action.apply({ phone: NUMBER, stage: 'New', text: 'Oi', ...event });
          expect(await action.apply({ phone: NUMBER, stage: 'New', text: 'Oi', ...event })).toEqual(result);
          if (result.ok) expect(EventRequest.parse(result.request)).toEqual(result.request);
          else expect(result.problems.length).toBeGreaterThan(0);
          // Neither of these can be stored: PostgreSQL takes no NUL, UTF-8 no half of a pair.
          if (result.ok) expect(JSON.stringify(result.request)).not.toMatch(/\\u0000|\\ud[89a-f]/);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('answers at once but for JSONata, and each time the same', async () => {
    expect(compile(MESSAGE).apply({ phone: SHORT, text: 'Oi' })).not.toBeInstanceOf(Promise);
    expect(compile(LEAD, MAPPING).apply({ phone: SHORT })).not.toBeInstanceOf(Promise);
    const action = compile({ ...MESSAGE, text: '=text & "!"' });
    const results = await Promise.all(['a', 'b', 'c'].map((text) => action.apply({ phone: SHORT, text })));
    expect(
      results.map((result) => result.ok && result.request.type === 'message' && result.request.text),
    ).toEqual(['a!', 'b!', 'c!']);
  });

  it('names the fields that it reads', () => {
    const action = { ...MESSAGE, template: { name: 'a', language: 'b', parameters: ['{{c}} {{d.0}}'] } };
    expect(compile(action).columns).toEqual(['phone', 'text', 'a', 'b', 'c', 'd.0']);
    expect(compile(LEAD, MAPPING).columns).toEqual(['phone', 'name']);
  });

  it('reports what was left out of a lead', async () => {
    const mapping = { ...MAPPING, contact: { ...MAPPING.contact, email: 'mail' } };
    expect(await compile(LEAD, mapping).apply({ phone: SHORT, mail: 'bia@' })).toMatchObject({
      ok: true,
      warnings: [{ field: 'contact.email', code: 'invalid_email' }],
    });
  });
});

describe('the text of a message', () => {
  const cases: [string, unknown, unknown, string][] = [
    ['keeps its line breaks', 'text', 'Oi,\r\n\n  Bia', 'Oi,\r\n\n  Bia'],
    ['keeps blanks around it', 'text', '  Oi ', '  Oi '],
    ['keeps line breaks of a template', 'Oi {{name}},\n\n{{text}}\n', 'a\nb', 'Oi Bia,\n\na\nb'],
    ['keeps line breaks in a list', ['nothing', 'Oi\n{{text}}'], 'a', 'Oi\na'],
    ['keeps line breaks in the long form', { template: 'Oi\n{{text}}' }, 'a', 'Oi\na'],
    ['keeps line breaks of JSONata', '=text & "\n" & name', 'a', 'a\nBia'],
    ['loses what can not be stored', 'text', 'O\u0000i\ud800\u0007', 'Oi'],
    ['has one Unicode form', 'text', 'é'.normalize('NFD'), 'é'],
    ['may be a number', 'text', 7, '7'],
  ];
  it.each(cases)('%s', async (_name, expression, text, expected) => {
    const result = await apply({ ...MESSAGE, text: expression }, { text, name: 'Bia' });
    expect(result).toMatchObject({ ok: true, request: { text: expected } });
  });
});

describe('files of a message', () => {
  const withHosts = (...hosts: string[]) => ({ ...MESSAGE, media: { url: 'files', hosts } });
  const HOSTS = withHosts('files.example.com', '*.cdn.example.com', 'alt.example.com:8443', '127.0.0.1:9000');

  it.each([
    'https://files.example.com/a.pdf?x=1',
    'http://127.0.0.1:9000/a',
    'https://files.example.com:443/a',
    'HTTPS://FILES.Example.com/a',
    'https://a.cdn.example.com/',
    'https://a.b.cdn.example.com/',
    'https://alt.example.com:8443/',
    'http://0x7f.1:9000/',
  ])('%s is allowed', async (files) => {
    const result = await apply(HOSTS, { files });
    expect(result).toMatchObject({ ok: true, request: { media: { urls: [new URL(files).href] } } });
  });

  it.each([
    ['another host', 'https://example.com/a'],
    ['a host that ends alike', 'https://evilfiles.example.com/a'],
    ['a host that begins alike', 'https://files.example.com.evil.net/a'],
    ['the suffix itself', 'https://cdn.example.com/'],
    ['the suffix glued', 'https://evilcdn.example.com/'],
    ['a dot alone before the suffix', 'https://.cdn.example.com/'],
    ['a dot behind', 'https://files.example.com./a'],
    ['another port', 'https://files.example.com:8443/a'],
    ['the port of the other scheme', 'https://files.example.com:80/a'],
    ['no port where one is wanted', 'https://alt.example.com/'],
    ['a back slash before the host', 'https://evil.net\\@files.example.com/'],
    ['an encoded dot', 'https://files%2eexample%2ecom.evil.net/'],
    ['a letter that only is similar', 'https://files.exаmple.com/'],
    ['a loopback address with its own port', 'http://127.0.0.1/'],
    ['IPv6', 'http://[::1]:9000/'],
  ])('%s is not', async (_name, files) => {
    expect(await problems(HOSTS, { files })).toEqual([['media.url', 'host_not_allowed']]);
  });

  it.each([
    ['a path', '/etc/passwd'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,hi'],
    ['ftp', 'ftp://files.example.com/a'],
    ['script', 'javascript:alert(1)'],
    ['a user and a password', 'https://a:b@files.example.com/'],
    ['no address', 'https://a b/'],
  ])('%s is no address of a file', async (_name, files) => {
    expect(await problems(HOSTS, { files })).toEqual([['media.url', 'invalid_url']]);
  });

  it('may be up to ten, each counted once; one bad among them refuses all', async () => {
    const urls = (count: number) => Array.from({ length: count }, (_, n) => `https://files.example.com/${n}`);
    expect(await apply(HOSTS, { files: [...urls(10), ...urls(10)] })).toMatchObject({
      ok: true,
      request: { media: { urls: urls(10) } },
    });
    expect(await problems(HOSTS, { files: urls(11) })).toEqual([['media.url', 'too_many']]);
    const mixed = [...urls(2), 'https://evil.net/'];
    expect(await problems(HOSTS, { files: mixed })).toEqual([['media.url', 'host_not_allowed']]);
    expect(await problems(HOSTS, { files: [{ url: 'https://files.example.com/' }] })).toEqual([
      ['media.url', 'invalid_type'],
    ]);
  });
});
