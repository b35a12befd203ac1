// A trace from the sender over HTTP or Kafka to each call of the service, as a receiver of OTLP gets it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { startIngress } from '../../../src/app/ingress.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createShutdown } from '../../../src/core/shutdown.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { createMetrics } from '../../../src/observe/metrics/index.ts';
import { openTracing } from '../../../src/observe/tracing/index.ts';
import { type Environment, MAPPING } from '../../support/environment.ts';
import { untilEnded } from '../../support/intake-context.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { HEADER, syncContext } from '../../support/sync-context.ts';

const context = syncContext();
const PHONE = '14155552671';
const NAME = 'Canary Pereira';
const TOKEN = 'tok_canary_77_long_enough';

interface Traced {
  readonly environment: Environment;
  readonly url: string;
  /** Ends the export. Returns the spans, and all bytes that arrived. */
  flush(): Promise<{ readonly spans: readonly ReceivedSpan[]; readonly bytes: Buffer }>;
}

/** Workers and an ingress whose spans go to one receiver. */
async function inTraced(csv: string, work: (traced: Traced) => Promise<void>): Promise<void> {
  const receiver = await startOtlpReceiver();
  const { tracing, close } = openTracing({
    process: 'test',
    version: 'test',
    exporter: new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` }),
    counted: () => undefined,
    log: { warn: (_fields, message) => console.error(message) },
  });
  const flush = async () => {
    await close();
    return { spans: receiver.spans, bytes: Buffer.concat(receiver.bodies) };
  };
  try {
    await context.inEnvironment({ csv, tracing }, async (environment) => {
      const dir = await mkdtemp(join(tmpdir(), 'sluice-traces-'));
      const quiet = { on() {}, off() {}, exit() {}, endNow() {} };
      const shutdown = createShutdown({ graceMs: 40_000, say: console.error, host: quiet });
      try {
        const { url } = await startIngress({
          config: await writeConfig(dir, environment.sandbox.baseUrl),
          db: environment.db,
          client: context.temporal.client,
          log: createLogger({ level: 'silent' }),
          metrics: createMetrics('ingress', 'test'),
          tracing,
          shutdown,
          taskQueue: environment.workQueue,
        });
        await work({ environment, url, flush });
      } finally {
        await shutdown.run('the end of the test');
        await rm(dir, { recursive: true, force: true });
      }
    });
  } finally {
    await close();
    await receiver.close();
  }
}

async function writeConfig(dir: string, baseUrl: string) {
  const file = join(dir, 'sluice.yaml');
  const route = (path: string, more = {}) => ({
    account: 'acme',
    http: { path, auth: { type: 'token', header: 'x-token', secrets: ['env:ROUTE_TOKEN'] } },
    action: { type: 'lead', mapping: 'leads' },
    ...more,
  });
  await writeFile(
    file,
    stringify({
      version: 1,
      accounts: { acme: { baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 } },
      mappings: { leads: MAPPING },
      ingress: { http: { port: 0 } },
      routes: { leads: route('/leads'), many: route('/many', { batch: { max: 2, wait: '5s' } }) },
    }),
  );
  return await loadConfig(file, { env: { TOKEN: 'svc_test_token', ROUTE_TOKEN: TOKEN } });
}

const traceOf = (letter: string) => letter.repeat(32);
const parentOf = (letter: string) => `00-${traceOf(letter)}-${letter.repeat(16)}-01`;

function post(url: string, body: object, headers: Record<string, string> = {}) {
  return request(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-token': TOKEN, ...headers },
  });
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);

describe('a lead over HTTP', () => {
  it("continues the sender's trace: request, start of the workflow, work on the event, and each call", async () => {
    await inTraced(HEADER, async ({ environment, url, flush }) => {
      const lead = { phone: `+${PHONE}`, name: NAME, tags: 'vip', stage: 'New' };
      const answer = await post(`${url}/leads`, lead, { traceparent: parentOf('a'), tracestate: 'vendor=1' });
      expect(answer.statusCode).toBe(202);
      const { id } = (await answer.body.json()) as { id: string };
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }]);
      const calls = await environment.requests();
      const { spans, bytes } = await flush();
      const mine = spans.filter(({ traceId }) => traceId === traceOf('a'));
      const [server] = named(mine, 'POST /leads');
      const [start] = named(mine, 'start leadIntake');
      const [event] = named(mine, 'event leads');
      expect(server).toMatchObject({
        kind: 2,
        parentSpanId: 'a'.repeat(16),
        traceState: 'vendor=1',
        attributes: { 'http.route': '/leads', 'http.response.status_code': 202, 'sluice.account': 'acme' },
      });
      expect(start).toMatchObject({
        kind: 4,
        parentSpanId: server?.spanId,
        attributes: { 'sluice.events': 1 },
      });
      expect(event).toMatchObject({
        parentSpanId: server?.spanId,
        attributes: {
          'sluice.event': id,
          'sluice.action': 'lead',
          'sluice.state': 'ended',
          'temporal.attempt': 1,
        },
      });
      const made = mine.filter(({ kind, parentSpanId }) => kind === 3 && parentSpanId === event?.spanId);
      expect(made.map(({ attributes }) => attributes['http.response.status_code'])).toEqual(
        calls.map(({ status }) => status),
      );
      expect(made.length).toBeGreaterThanOrEqual(3);
      expect(made.map(({ attributes }) => attributes['url.template'])).toContain('/v1/contacts');
      for (const { attributes } of made)
        expect(attributes).toMatchObject({
          'sluice.account': 'acme',
          'sluice.lane': 'lead',
          'sluice.event': id,
        });
      for (const canary of [PHONE, '5552671', NAME, 'Canary', TOKEN, 'svc_test_token'])
        expect(bytes.includes(canary), canary).toBe(false);
    });
  });

  it('without a traceparent, or with a broken one, begins a trace; a request without the token leaves no span', async () => {
    await inTraced(HEADER, async ({ environment, url, flush }) => {
      const broken = { traceparent: `00-${'0'.repeat(32)}-${'a'.repeat(16)}-01`, tracestate: NAME };
      await post(`${url}/leads`, { phone: `+${PHONE}`, name: NAME }, broken);
      await untilEnded(environment);
      const refused = await post(`${url}/leads`, {}, { 'x-token': 'wrong', traceparent: parentOf('b') });
      expect(refused.statusCode).toBe(401);
      const invalid = await post(`${url}/leads`, { name: NAME }, { traceparent: parentOf('c') });
      expect(invalid.statusCode).toBe(422);
      const { spans, bytes } = await flush();
      const [server] = named(spans, 'POST /leads');
      expect(server?.parentSpanId).toBe('');
      expect(named(spans, 'event leads')).toMatchObject([{ traceId: server?.traceId }]);
      expect(spans.filter(({ traceId }) => traceId === traceOf('b'))).toEqual([]);
      expect(spans.filter(({ traceId }) => traceId === traceOf('c'))).toMatchObject([
        { attributes: { 'http.response.status_code': 422, 'error.type': 'MAPPING' } },
      ]);
      for (const canary of [PHONE, NAME, TOKEN]) expect(bytes.includes(canary), canary).toBe(false);
    });
  });

  it('that waits for others of a batch keeps its own trace; the start of their workflow links to both', async () => {
    await inTraced(HEADER, async ({ environment, url, flush }) => {
      const send = (n: number, letter: string) =>
        post(`${url}/many`, { phone: `+1415555267${n}`, name: NAME }, { traceparent: parentOf(letter) });
      await Promise.all([send(1, 'a'), send(2, 'b')]);
      await untilEnded(environment);
      const { spans } = await flush();
      const [start, ...others] = named(spans, 'start leadIntake');
      expect(others).toEqual([]);
      expect(start?.links.map(({ traceId }) => traceId).sort()).toEqual([traceOf('a'), traceOf('b')]);
      const events = named(spans, 'event many');
      expect(events.map(({ traceId }) => traceId).sort()).toEqual([traceOf('a'), traceOf('b')]);
      for (const event of events)
        expect(
          spans.filter(({ kind, parentSpanId }) => kind === 3 && parentSpanId === event.spanId),
        ).not.toEqual([]);
    });
  });

  it('as a CloudEvent with a trace of its own continues that one, and links to the request', async () => {
    await inTraced(HEADER, async ({ environment, url, flush }) => {
      const event = {
        specversion: '1.0',
        id: 'e1',
        source: '/crm',
        type: 'lead',
        traceparent: parentOf('d'),
        data: { phone: `+${PHONE}`, name: NAME },
      };
      const headers = { 'content-type': 'application/cloudevents+json', traceparent: parentOf('a') };
      expect((await post(`${url}/leads`, event, headers)).statusCode).toBe(202);
      await untilEnded(environment);
      const { spans } = await flush();
      expect(named(spans, 'receive leads')).toMatchObject([
        { traceId: traceOf('d'), parentSpanId: 'd'.repeat(16), links: [{ traceId: traceOf('a') }] },
      ]);
      expect(named(spans, 'event leads')).toMatchObject([{ traceId: traceOf('d') }]);
      expect(named(spans, 'POST /leads')).toMatchObject([{ traceId: traceOf('a') }]);
    });
  });
});

it('a sync has a trace for each activity; the calls of a batch are in that of the batch, with the run', async () => {
  const csv = `${HEADER}+${PHONE},${NAME},canary@example.com,vip,,New,\n`;
  await inTraced(csv, async ({ environment, flush }) => {
    const { run } = await environment.run();
    const { spans, bytes } = await flush();
    const batches = named(spans, 'syncBatch');
    expect(batches.length).toBeGreaterThanOrEqual(1);
    for (const batch of batches)
      expect(batch).toMatchObject({
        parentSpanId: '',
        attributes: { 'sluice.run': run, 'temporal.workflow': 'crmSync' },
      });
    const calls = spans.filter(({ kind }) => kind === 3);
    expect(calls.map(({ attributes }) => attributes['url.template'])).toContain('/v1/contacts');
    const parents = new Set(
      spans.filter(({ parentSpanId }) => parentSpanId === '').map(({ spanId }) => spanId),
    );
    for (const call of calls) {
      expect(parents.has(call.parentSpanId)).toBe(true);
      expect(call.attributes['sluice.run']).toBe(run);
    }
    for (const canary of [PHONE, '5552671', NAME, 'Canary', 'canary@example.com', 'svc_test_token'])
      expect(bytes.includes(canary), canary).toBe(false);
  });
});
