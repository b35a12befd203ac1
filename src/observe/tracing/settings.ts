// Reads the standard OTEL_ variables that decide whether and how traces are exported. The exporter reads the others
// itself: headers, time-out, compression and certificates.

/** A variable that tracing cannot work with. The message names it and the fix; it contains no header. */
export class TracingSettingsError extends Error {
  override readonly name = 'TracingSettingsError';
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];

/**
 * Whether traces are exported: an endpoint is set, or OTEL_TRACES_EXPORTER is `otlp`.
 * @throws TracingSettingsError instead of exporting nothing, or more than the operator meant
 */
export function isTracingOn(env: Readonly<Record<string, string | undefined>>): boolean {
  const exporter = env.OTEL_TRACES_EXPORTER?.trim() || undefined;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true' || exporter === 'none') return false;
  if (exporter !== undefined && exporter !== 'otlp')
    throw invalid('OTEL_TRACES_EXPORTER', exporter, 'use otlp, or none');
  if (exporter === undefined && !endpoint) return false;
  checkEndpoint(env);
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== 'http/protobuf')
    throw invalid('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'Sluice speaks http/protobuf only (port 4318)');
  checkSampler(env);
  return true;
}

function checkEndpoint(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const text = env[name];
    if (!text) continue;
    // The value is left out: it can contain a password.
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
      throw new TracingSettingsError(`${name} is no http(s) address; use one such as http://127.0.0.1:4318`);
  }
}

function checkSampler(env: Readonly<Record<string, string | undefined>>): void {
  const sampler = env.OTEL_TRACES_SAMPLER;
  if (!sampler) return;
  if (!SAMPLERS.includes(sampler))
    throw invalid('OTEL_TRACES_SAMPLER', sampler, `use one of ${SAMPLERS.join(', ')}`);
  if (!sampler.endsWith('traceidratio')) return;
  const text = env.OTEL_TRACES_SAMPLER_ARG ?? '';
  const ratio = text.trim() === '' ? Number.NaN : Number(text);
  if (!(ratio >= 0 && ratio <= 1))
    throw invalid('OTEL_TRACES_SAMPLER_ARG', text, 'use a number from 0 to 1, for example 0.1');
}

function invalid(name: string, value: string, fix: string): TracingSettingsError {
  return new TracingSettingsError(`${name}: "${value.slice(0, 60)}" is not supported; ${fix}`);
}
