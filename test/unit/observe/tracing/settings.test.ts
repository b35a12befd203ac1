// Which OTEL_ variables turn tracing on, and which ones are refused.
import { describe, expect, it } from 'vitest';
import { isTracingOn, TracingSettingsError } from '../../../../src/observe/tracing/settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('tracing', () => {
  it.each([
    ['without any variable', {}],
    ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['with a service name only', { OTEL_SERVICE_NAME: 'sluice' }],
    ['with OTEL_SDK_DISABLED', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    ['with the exporter none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    [
      'with the exporter none and a protocol of others',
      {
        OTEL_TRACES_EXPORTER: 'none',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      },
    ],
  ])('is off %s', (_what, env) => {
    expect(isTracingOn(env)).toBe(false);
  });

  it.each([
    ['an endpoint', ENDPOINT],
    ['an endpoint of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces' }],
    ['the exporter otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
    ['the protocol that Sluice speaks', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }],
    [
      'a ratio',
      {
        ...ENDPOINT,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      },
    ],
  ])('is on with %s', (_what, env) => {
    expect(isTracingOn(env)).toBe(true);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }],
    ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'zipkin' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' }],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://host:4317' }],
    ['OTEL_TRACES_SAMPLER', { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' }],
    ['OTEL_TRACES_SAMPLER_ARG', { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio' }],
    [
      'OTEL_TRACES_SAMPLER_ARG',
      {
        ...ENDPOINT,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '10 %',
      },
    ],
    [
      'OTEL_TRACES_SAMPLER_ARG',
      {
        ...ENDPOINT,
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '1.5',
      },
    ],
  ])('refuses an unusable %s and names it', (name, env) => {
    expect(() => isTracingOn(env)).toThrow(TracingSettingsError);
    expect(() => isTracingOn(env)).toThrow(name);
  });

  it('does not repeat an endpoint in its error: it can contain a password', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'user:canary@host' };
    expect(() => isTracingOn(env)).toThrow(/^(?!.*canary)/);
  });
});
