// Composition root of the ingress: opens the HTTP server and the Kafka consumers of a configuration.

import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { PreparedPart } from '../config/live-config.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ResolvedConfig } from '../config/resolved-config.ts';
import { durationDays, durationMs } from '../core/config/base.ts';
import { WORK_QUEUE } from '../core/ids.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import type { Tracing } from '../core/tracing.ts';
import type { RouteAuth, RouteConfig } from '../jobs/events/config.ts';
import {
  type AcceptanceOptions,
  createAcceptance,
  type OwnedAcceptance,
} from '../jobs/events/ingress/accept.ts';
import type { IngressHttp } from '../jobs/events/ingress/config.ts';
import {
  createHttpIngress,
  type HttpRoute,
  type IngressReadiness,
} from '../jobs/events/ingress/http/index.ts';
import type { Acceptance, Route } from '../jobs/events/ingress/intake.ts';
import type { KafkaIngress } from '../jobs/events/ingress/kafka/index.ts';
import { recordRefusals } from '../jobs/events/ingress/refusals.ts';
import { recordRefusedRequests } from '../jobs/events/ingress/refused-requests.ts';
import { openRoute } from '../jobs/events/ingress/route/index.ts';
import { intakeSpec } from '../jobs/events/ingress/spec.ts';
import { compileAction } from '../jobs/events/rules/actions.ts';
import type { IntakeSpec } from '../jobs/events/store/intake-runs.ts';
import { storeUpload } from '../jobs/events/store/uploads.ts';
import { createAnnouncer } from '../jobs/outbox/store/announcer.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics/index.ts';
import { wakeSinks } from '../operator/service/wake.ts';
import { type Cluster, createConsumers } from './ingress-consumers.ts';

export interface IngressOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly client: Client;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'http' | 'kafka'>;
  readonly tracing: Tracing;
  /** Closes what is opened here: the servers first, then the events in progress. */
  readonly shutdown: Shutdown;
  /** Overrides `ingress.http` of the configuration. */
  readonly http?: Partial<IngressHttp>;
  /** @default "sluice" */
  readonly taskQueue?: string;
}

export interface Ingress {
  /** Address of the HTTP server, for example http://127.0.0.1:4020 */
  readonly url: string;
  readonly routes: readonly Route[];
  readonly acceptance: Acceptance;
  readonly kafka: readonly KafkaIngress[];
  /** Whether it accepts events now. */
  readiness(): Promise<IngressReadiness>;
  /**
   * Opens the routes of another configuration. Routes that stay the same keep running. Consumers of a Kafka cluster
   * whose routes or connection changed leave and join again.
   * @throws SecretError; MappingConfigError, RouteConfigError
   */
  prepare(next: LoadedConfig): Promise<PreparedPart>;
}

/**
 * Compiles the routes of a configuration.
 *
 * @throws MappingConfigError, RouteConfigError as the check of the configuration does
 */
export function openRoutes({ config }: Pick<LoadedConfig, 'config'>): Route[] {
  return Object.entries(config.routes).map(([name, route]) => {
    const { action, schema } = route;
    const compile = compileAction(action, mappingOf(config, route));
    return openRoute(name, route, { compile, schema });
  });
}

/**
 * Opens the HTTP server, and a consumer for each Kafka cluster that a route reads.
 * @throws SecretError when a secret can't be had; what `server.listen` throws when the port is taken
 */
export async function startIngress(options: IngressOptions): Promise<Ingress> {
  const { db, log, shutdown, tracing, taskQueue = WORK_QUEUE } = options;
  let current = await openSettings(options.config, null);
  const { ingress } = current.config.config;
  /** A route keeps the mapping that it was compiled with. */
  const specs = new WeakMap<Route, IntakeSpec>();
  const acceptance = createAcceptance({
    ...acceptanceOf({ client: options.client, db, taskQueue, config: () => current.config }),
    specOf(route) {
      const known = specs.get(route) ?? specOf(current.config, route);
      specs.set(route, known);
      return known;
    },
    tracing,
  });
  for (const route of current.routes) specs.set(route, specOf(current.config, route));
  const refusals = recordRefusals({ db, log });
  shutdown.add('refusals', () => refusals.close());
  const announce = createAnnouncer({
    db,
    rulesOf: (account) => current.config.config.accounts[account]?.announce ?? [],
    // What was refused must not fail because Temporal is away. Sinks look for themselves within ten minutes.
    wake: (sinks) =>
      wakeSinks({ runningTemporal: async () => options.client, workQueue: taskQueue }, sinks).catch(
        (error: unknown) =>
          log.warn({ err: error, sink: sinks.join(', ') }, 'sinks with new events could not be woken'),
      ),
  });
  const refusedRequests = recordRefusedRequests({ announce, log });
  shutdown.add('refused requests', () => refusedRequests.close());
  shutdown.add('events under way', () => acceptance.close());
  const consumers = createConsumers({ ...options, acceptance, refused: refusals.add, announce });
  await consumers.take(current.clusters);
  shutdown.add('Kafka ingress', () => consumers.close());
  const http = { ...ingress.http, ...options.http };
  const server = createHttpIngress({
    http,
    routes: current.http,
    acceptance,
    storeUpload: (upload) => storeUpload(db, upload, durationDays(current.config.config.retention.uploads)),
    log,
    metrics: options.metrics.http,
    tracing,
    refused: refusals.add,
    keepRefused: refusedRequests.keep,
  });
  const { port } = await server.listen();
  shutdown.add('HTTP ingress', () => server.close());
  const host = http.host.includes(':') ? `[${http.host}]` : http.host;
  return {
    url: `http://${host}:${port}`,
    get routes() {
      return current.routes;
    },
    acceptance,
    get kafka() {
      return consumers.all();
    },
    readiness: () => server.readiness(),
    async prepare(config) {
      const next = await openSettings(config, current);
      const isSame = isDeepStrictEqual(
        next.http.map(({ secrets }) => secrets),
        current.http.map(({ secrets }) => secrets),
      );
      const kept = next.http.every(({ route }, index) => route === current.http[index]?.route);
      // The same routes with the same secrets keep their counters of unauthenticated requests.
      const served =
        isSame && kept && next.http.length === current.http.length ? null : server.prepare(next.http);
      return {
        commit() {
          const gone = current.routes.filter((route) => !next.routes.includes(route));
          for (const route of next.routes) if (!specs.has(route)) specs.set(route, specOf(config, route));
          current = next;
          served?.commit();
          acceptance.forget(gone);
          consumers
            .take(next.clusters)
            .catch((error: unknown) => log.error({ err: error }, 'the Kafka consumers did not start again'));
        },
        discard: async () => served?.discard(),
      };
    },
  };
}

interface AcceptanceParts extends Pick<AcceptanceOptions, 'client' | 'db' | 'taskQueue'> {
  config(): LoadedConfig;
}

function acceptanceOf({ config, ...parts }: AcceptanceParts): AcceptanceOptions {
  const { ingress } = config().config;
  return {
    ...parts,
    maxOpen: ingress.maxOpen,
    maxDelayMs: durationMs(ingress.maxDelay),
    callsPerMinute(name) {
      const account = config().config.accounts[name];
      return account === undefined ? 1 : account.callsPerMinute * account.tokens.length;
    },
    specOf: (route) => specOf(config(), route),
  };
}

/** Accepts events of an operator's replay, in a process that may serve no route. */
export function openAcceptance(parts: AcceptanceParts): OwnedAcceptance {
  return createAcceptance(acceptanceOf(parts));
}

/** What the ingress makes of a configuration. */
interface Settings {
  readonly config: LoadedConfig;
  readonly routes: readonly Route[];
  readonly http: readonly HttpRoute[];
  readonly clusters: ReadonlyMap<string, Cluster>;
}

/** @param before routes that did not change are taken from here */
async function openSettings(config: LoadedConfig, before: Settings | null): Promise<Settings> {
  const routes = openRoutes(config).map((route) => {
    const old = before?.routes.find(({ name }) => name === route.name);
    const isSame =
      old !== undefined &&
      isDeepStrictEqual(old.config, route.config) &&
      isDeepStrictEqual(
        mappingOf((before as Settings).config.config, old.config),
        mappingOf(config.config, route.config),
      );
    return isSame ? old : route;
  });
  const http = await Promise.all(
    routes
      .filter((route) => route.config.http !== undefined)
      .map(async (route) => ({ route, secrets: await secretsOf(config, route.config.http?.auth) })),
  );
  return { config, routes, http, clusters: await openClusters(config, routes) };
}

async function openClusters(
  config: LoadedConfig,
  routes: readonly Route[],
): Promise<ReadonlyMap<string, Cluster>> {
  const clusters = new Map<string, Cluster>();
  for (const [name, kafka] of Object.entries(config.config.ingress.kafka)) {
    const mine = routes.filter((route) => route.config.kafka?.cluster === name);
    if (mine.length === 0) continue;
    const password = kafka.sasl && (await config.secret(kafka.sasl.password)).value;
    clusters.set(name, { config: kafka, password, routes: mine });
  }
  return clusters;
}

function mappingOf({ mappings }: Pick<ResolvedConfig, 'mappings'>, { action }: RouteConfig) {
  return action.type === 'lead' ? (mappings[action.mapping] ?? null) : null;
}

function specOf({ config }: LoadedConfig, { name, config: route }: Route): IntakeSpec {
  return intakeSpec(name, route, mappingOf(config, route));
}

async function secretsOf(config: LoadedConfig, auth: RouteAuth | undefined): Promise<string[]> {
  if (auth === undefined || auth.type === 'none') return [];
  return await Promise.all(auth.secrets.map(async (ref) => (await config.secret(ref)).value));
}
