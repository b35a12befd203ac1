// The configuration with the content of each file that it names, and with absolute paths.
import { resolve } from 'node:path';
import type { SourceConfig } from '../connectors/sources/config.ts';
import type { ResolvedRoute } from '../jobs/events/config.ts';
import type { MappingConfig } from '../mapping/config.ts';
import type { Config } from './schema/config.ts';

/** The configuration with the content of each `{preset}` and schema file, and with absolute file paths. */
export type ResolvedConfig = Omit<Config, 'mappings' | 'routes'> & {
  mappings: Record<string, MappingConfig>;
  routes: Record<string, ResolvedRoute>;
};

/** @param dir absolute folder of the file: relative paths start there */
export function resolveConfig(
  config: Config,
  dir: string,
  linked: {
    readonly mappings: Readonly<Record<string, MappingConfig>>;
    readonly schemas: Readonly<Record<string, ResolvedRoute['schema']>>;
  },
): ResolvedConfig {
  const { mappings, schemas } = linked;
  const { http } = config.operator;
  const { tls } = config.temporal;
  return {
    ...config,
    mappings: { ...mappings },
    routes: mapValues(config.routes, ({ schema: _named, ...route }, name) => {
      const schema = schemas[name];
      return schema === undefined ? route : { ...route, schema };
    }),
    sources: mapValues(config.sources, (source) => withAbsolutePath(source, dir)),
    sinks: mapValues(config.sinks, (sink) =>
      sink.type === 'jsonl'
        ? { ...sink, path: resolve(dir, sink.path) }
        : sink.type === 'kafka'
          ? { ...sink, tls: withAbsoluteFiles(sink.tls, dir) }
          : sink,
    ),
    ingress: {
      ...config.ingress,
      kafka: mapValues(config.ingress.kafka, (cluster) => ({
        ...cluster,
        tls: withAbsoluteFiles(cluster.tls, dir),
      })),
    },
    operator: { ...config.operator, http: { ...http, tls: withAbsoluteFiles(http.tls, dir) } },
    temporal: { ...config.temporal, tls: withAbsoluteFiles(tls, dir) },
  };
}

// The switch is exhaustive on purpose: whoever adds a kind of source must decide here whether it names a file.
function withAbsolutePath(source: SourceConfig, dir: string): SourceConfig {
  switch (source.type) {
    case 'csv':
    case 'jsonl':
      return { ...source, path: resolve(dir, source.path) };
    case 'postgres':
    case 'http':
      return source;
  }
}

/** @param tls options of a connection, of which `ca`, `cert` and `key` are files; or whether there is TLS */
function withAbsoluteFiles<T>(tls: T, dir: string): T {
  if (typeof tls !== 'object' || tls === null) return tls;
  const absolute = ([name, value]: [string, unknown]) =>
    FILES.has(name) && typeof value === 'string' ? [name, resolve(dir, value)] : [name, value];
  return Object.fromEntries(Object.entries(tls).map(absolute)) as T;
}

const FILES: ReadonlySet<string> = new Set(['ca', 'cert', 'key']);

function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  map: (value: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
