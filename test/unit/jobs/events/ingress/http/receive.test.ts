import { describe, expect, it } from 'vitest';
import { NotAcceptedError, RefusedError } from '../../../../../../src/jobs/events/ingress/intake.ts';
import { draft, JSON_TYPE, openEnvironment, type Script, TOKEN } from './environment.ts';

const answerOf = async (answer: Response) => ({ status: answer.status, body: await answer.json() });

describe('an event that is taken', () => {
  it('gets 202 with its id only once it is accepted', async () => {
    const order: string[] = [];
    const environment = await openEnvironment({
      read: () => {
        order.push('read');
        return { drafts: [draft('e1')] };
      },
      accept: async (route, drafts) => {
        order.push(`accept ${route.name} ${drafts.map(({ id }) => id).join()}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push('accepted');
        return [{ id: 'e1', duplicate: false }];
      },
    });
    const answer = await environment.post('{}');
    order.push('answered');
    expect(await answerOf(answer)).toEqual({ status: 202, body: { received: true, id: 'e1' } });
    expect(order).toEqual(['read', 'accept leads e1', 'accepted', 'answered']);
  });

  it('that was here before says so', async () => {
    const environment = await openEnvironment({ accept: async () => [{ id: 'e1', duplicate: true }] });
    expect((await answerOf(await environment.post('{}'))).body).toEqual({
      received: true,
      id: 'e1',
      duplicate: true,
    });
  });

  it('reaches the route as bytes, with headers in lower case, the last of those that came twice', async () => {
    const environment = await openEnvironment();
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    await environment.post(body, { 'X-Odd': 'A', 'Idempotency-Key': 'k1' });
    const [delivery] = environment.deliveries;
    expect(delivery?.via).toBe('http');
    expect(Buffer.from(delivery?.body ?? [])).toEqual(body);
    expect(delivery?.headers).toMatchObject({ 'x-odd': 'A', 'idempotency-key': 'k1', ...JSON_TYPE });
  });

  it('may have keys that poison objects: they reach the route untouched, and change nothing here', async () => {
    const environment = await openEnvironment();
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const answer = await environment.post(body, { __proto__x: '1' });
    expect(answer.status).toBe(202);
    expect(Buffer.from(environment.deliveries[0]?.body ?? []).toString()).toBe(body);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('FAULTS 28: one event 100 times at once is answered with 2xx each time, and is new once', async () => {
    const seen = new Set<string>();
    const environment = await openEnvironment({
      read: () => ({ drafts: [draft('e1')] }),
      accept: async (_route, drafts) => {
        await new Promise((resolve) => setImmediate(resolve));
        return drafts.map(({ id }) => {
          const duplicate = seen.has(id);
          seen.add(id);
          return { id, duplicate };
        });
      },
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => answerOf(await environment.post('{}'))),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(100);
    const news = answers.filter(({ body }) => !('duplicate' in (body as object)));
    expect(news.map(({ body }) => body)).toEqual([{ received: true, id: 'e1' }]);
    expect(await environment.figures()).toMatch(/events_total\{route="leads",result="duplicate"\} 99\n/);
  });
});

describe('a batch', () => {
  const BATCH = { 'content-type': 'application/cloudevents-batch+json' };

  it.each<[string, Script, object]>([
    [
      'of several lists them in order',
      {
        read: () => ({ drafts: [draft('a'), draft('b')] }),
        accept: async () => [
          { id: 'a', duplicate: false },
          { id: 'b', duplicate: true },
        ],
      },
      { received: true, events: [{ id: 'a' }, { id: 'b', duplicate: true }] },
    ],
    [
      'of one is still a list',
      { read: () => ({ drafts: [draft('a')] }) },
      { received: true, events: [{ id: 'a' }] },
    ],
    ['of none is an empty list', { read: () => ({ drafts: [] }) }, { received: true, events: [] }],
    [
      'with some that are nothing to process says so',
      { read: () => ({ drafts: [draft('a')], skipped: 'deletion' }) },
      { received: true, events: [{ id: 'a' }], skipped: 'deletion' },
    ],
  ])('%s', async (_name, script, body) => {
    const environment = await openEnvironment(script);
    expect(await answerOf(await environment.post('[]', BATCH))).toEqual({ status: 202, body });
  });
});

it('nothing to process is received, and nobody is asked to accept it', async () => {
  const environment = await openEnvironment({
    read: () => ({ drafts: [], skipped: 'a deletion' }),
    accept: () => Promise.reject(new Error('asked')),
  });
  expect(await answerOf(await environment.post('{}'))).toEqual({
    status: 202,
    body: { received: true, skipped: 'a deletion' },
  });
});

describe('an event that is refused', () => {
  it('says where and why, without the values, and logs neither', async () => {
    const problem = { field: 'phone', code: 'invalid_phone', reason: 'is no number', value: '+55 11 canary' };
    const environment = await openEnvironment({
      read: () => Promise.reject(new RefusedError('MAPPING', 422, 'contact.number: is no number', [problem])),
    });
    const { value: _value, ...shown } = problem;
    expect(
      await answerOf(await environment.post('{"phone":"+55 11 canary"}', {}, '/hooks/lead?who=canary')),
    ).toEqual({
      status: 422,
      body: { error: 'contact.number: is no number', code: 'MAPPING', problems: [shown] },
    });
    expect(JSON.stringify(environment.lines)).not.toMatch(/canary|phone/);
    expect(environment.lines).toMatchObject([
      { level: 'warn', fields: { route: 'leads', status: 422, code: 'MAPPING' } },
    ]);
  });

  it('is kept with its content for operators, without credentials', async () => {
    const environment = await openEnvironment({
      read: () => Promise.reject(new RefusedError('SCHEMA', 422, 'phone is missing')),
    });
    await environment.post('{"name":"Ana"}', { cookie: 'a=b', 'X-Request-Source': 'crm' });
    const [kept, ...more] = environment.refused;
    expect(more).toEqual([]);
    expect(kept).toMatchObject({
      account: 'acme',
      route: 'leads',
      code: 'SCHEMA',
      reason: 'phone is missing',
      content: { headers: { 'x-request-source': 'crm' }, signature: null },
    });
    expect(Buffer.from(kept?.content.body ?? []).toString()).toBe('{"name":"Ana"}');
    expect(JSON.stringify(kept?.content.headers)).not.toMatch(new RegExp(`${TOKEN}|cookie|a=b`));
  });

  it('is not kept from a sender without the secret', async () => {
    const environment = await openEnvironment({
      read: () => Promise.reject(new RefusedError('SCHEMA', 422, 'no')),
    });
    const answer = await environment.post('{}', { authorization: 'Bearer wrong' });
    expect([answer.status, environment.refused]).toEqual([401, []]);
  });

  it('FAULTS 32: the route that finds invalid UTF-8 answers 400', async () => {
    const environment = await openEnvironment({
      read: () => Promise.reject(new RefusedError('BAD_ENCODING', 400, 'the body is not UTF-8')),
    });
    expect(await answerOf(await environment.post(Buffer.from([0xff])))).toEqual({
      status: 400,
      body: { error: 'the body is not UTF-8', code: 'BAD_ENCODING' },
    });
  });

  it('a flood of refusals is one line, and then one that counts', async () => {
    const environment = await openEnvironment({
      read: () => Promise.reject(new RefusedError('SCHEMA', 422, 'no')),
    });
    await Promise.all(Array.from({ length: 20 }, () => environment.post('{}')));
    expect(environment.lines).toHaveLength(1);
    expect(await environment.figures()).toMatch(/refused_total\{route="leads",code="SCHEMA"\} 20\n/);
  });
});

describe('an event that can not be taken now', () => {
  it.each([
    ['TEMPORAL', 1, '1'],
    ['TEMPORAL', 1000, '1'],
    ['LEDGER', 1001, '2'],
    ['BUSY', 90_000, '90'],
    ['CLOSING', 0, '1'],
    ['CLOSING', Number.NaN, '1'],
  ] as const)('FAULTS 19: %s is answered with 503 and Retry-After (%d ms)', async (why, ms, seconds) => {
    const environment = await openEnvironment({
      accept: () => Promise.reject(new NotAcceptedError(why, ms, 'connect ECONNREFUSED 10.1.2.3:7233')),
    });
    const answer = await environment.post('{}');
    expect(answer.headers.get('retry-after')).toBe(seconds);
    const { status, body } = await answerOf(answer);
    expect({ status, code: (body as { code: string }).code }).toEqual({ status: 503, code: why });
    expect(JSON.stringify(body)).not.toContain('10.1.2.3');
    expect(await environment.figures()).toContain(`not_accepted_total{route="leads",reason="${why}"} 1`);
  });

  it('FAULTS 19: comes through once Temporal is back', async () => {
    let isDown = true;
    const environment = await openEnvironment({
      accept: async (_route, drafts) => {
        if (isDown) throw new NotAcceptedError('TEMPORAL', 1000, 'down');
        return drafts.map(({ id }) => ({ id, duplicate: false }));
      },
    });
    expect((await environment.post('{}')).status).toBe(503);
    isDown = false;
    expect((await environment.post('{}')).status).toBe(202);
  });

  it('an internal error is a 500 with an id that is in the log, and quotes nothing', async () => {
    const environment = await openEnvironment({
      read: () => {
        throw new SyntaxError('Unexpected token in "{canary name\n    at canary (canary.js:1:1)"');
      },
    });
    const { status, body } = await answerOf(await environment.post('{canary name'));
    const { id, ...rest } = body as { id: string };
    expect({ status, rest }).toEqual({
      status: 500,
      rest: { error: "internal error; the server's log has the cause", code: 'INTERNAL' },
    });
    expect(environment.lines).toMatchObject([
      { level: 'error', fields: { id, route: 'leads', err: { name: 'SyntaxError' } } },
    ]);
    expect(JSON.stringify(environment.lines)).not.toContain('canary');
    expect(JSON.stringify(environment.lines)).toContain('receive.test.ts');
  });
});

describe('what is no event', () => {
  it.each([
    ['GET', '/hooks/lead', 405, 'POST'],
    ['PUT', '/hooks/lead', 405, 'POST'],
    ['DELETE', '/hooks/lead', 405, 'POST'],
    ['OPTIONS', '/hooks/lead', 405, 'POST'],
    ['HEAD', '/hooks/lead', 405, 'POST'],
    ['GET', '/metrics', 404, null],
    ['GET', '/readyz', 404, null],
    ['GET', '/healthz', 404, null],
    ['DELETE', '/openapi.json', 405, 'GET, HEAD'],
    ['POST', '/', 404, null],
    ['POST', '/hooks', 404, null],
    ['POST', '/hooks/lead/', 404, null],
    ['POST', '/hooks/LEAD', 404, null],
    ['POST', '//hooks/lead', 404, null],
    ['POST', '/hooks/%6Cead', 404, null],
    ['POST', '/hooks/lead%2F..', 404, null],
    ['GET', '/hooks/%', 404, null],
    ['OPTIONS', '/nothing', 404, null],
  ])('%s %s is answered with %d', async (method, path, status, allow) => {
    const environment = await openEnvironment();
    const answer = await fetch(environment.url + path, {
      method,
      headers: { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` },
      ...(/POST|PUT/.test(method) && { body: '{}' }),
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    expect(environment.deliveries).toEqual([]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    if (method !== 'HEAD') expect(Object.keys((await answer.json()) as object)).toEqual(['error', 'code']);
    for (const name of ['server', 'x-powered-by', 'etag']) expect(answer.headers.get(name)).toBeNull();
  });

  it.each([
    ['application/json', 202],
    ['Application/JSON; Charset="UTF-8"', 202],
    ['application/vnd.api+json', 202],
    ['application/cloudevents+json; charset=utf-8', 202],
    ['application/cloudevents-batch+json', 202],
    ['text/json', 202],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/xml', 415],
    ['application/jsonp', 415],
    ['application/json-seq', 415],
    ['application/json, text/plain', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=latin1', 415],
    ['json', 415],
    ['', 415],
  ])('of the type "%s" is answered with %d', async (type, status) => {
    const environment = await openEnvironment();
    const answer = await environment.post('{}', { 'content-type': type });
    expect(answer.status).toBe(status);
    if (status === 415) expect(await answer.json()).toMatchObject({ code: 'MEDIA_TYPE' });
  });
});
