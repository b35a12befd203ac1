// Composition root of the ingress: opens the HTTP server and the Kafka consumers of a configuration.

import type { Client } from '@temporalio/client';
import { Registry } from 'prom-client';
import type { LoadedConfig } from '../config/load.ts';
import type { IngressHttp, RouteAuth } from '../contracts/config/config.ts';
import { durationMs } from '../contracts/config/config-base.ts';
import { WORK_QUEUE } from '../contracts/ids.ts';
import { createAcceptance } from '../ingress/accept.ts';
import { createHttpIngress } from '../ingress/http/index.ts';
import type { Acceptance, Route } from '../ingress/intake.ts';
import { type KafkaIngress, startKafkaIngress } from '../ingress/kafka/index.ts';
import { type Refusals, recordRefusals } from '../ingress/refusals.ts';
import { openRoute } from '../ingress/route/index.ts';
import { intakeSpec } from '../ingress/spec.ts';
import type { Database } from '../ledger/database.ts';
import { storeUpload } from '../ledger/events/uploads.ts';
import { compileAction } from '../mapping/actions/actions.ts';
import type { Logger } from '../observability/logger.ts';
import type { Shutdown } from './shutdown.ts';

export interface IngressOptions {
  readonly config: LoadedConfig;
  readonly db: Database;
  readonly client: Client;
  readonly log: Logger;
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
}

/**
 * Compiles the routes of a configuration.
 *
 * @throws MappingConfigError, RouteConfigError as the check of the configuration does
 */
export function openRoutes({ config }: LoadedConfig): Route[] {
  return Object.entries(config.routes).map(([name, route]) => {
    const { action, schema } = route;
    const mapping = action.type === 'lead' ? (config.mappings[action.mapping] ?? null) : null;
    return openRoute(name, route, { compile: compileAction(action, mapping), schema });
  });
}

/**
 * Opens the HTTP server, and a consumer for each Kafka cluster that a route reads.
 * @throws SecretError when a secret can't be had; what `server.listen` throws when the port is taken
 */
export async function startIngress(options: IngressOptions): Promise<Ingress> {
  const { config, db, log, shutdown, taskQueue = WORK_QUEUE } = options;
  const { ingress, accounts, mappings } = config.config;
  const routes = openRoutes(config);
  const acceptance = createAcceptance({
    client: options.client,
    db,
    taskQueue,
    maxOpen: ingress.maxOpen,
    maxDelayMs: durationMs(ingress.maxDelay),
    callsPerMinute(name) {
      const account = accounts[name];
      return account === undefined ? 1 : account.callsPerMinute * account.tokens.length;
    },
    specOf({ name, config: route }) {
      const { action } = route;
      return intakeSpec(name, route, action.type === 'lead' ? (mappings[action.mapping] ?? null) : null);
    },
  });
  const registry = new Registry();
  const refusals = recordRefusals({ db, log });
  shutdown.add('refusals', () => refusals.close());
  shutdown.add('events under way', () => acceptance.close());
  const kafka = await openKafka(options, routes, acceptance, registry, refusals);
  const http = { ...ingress.http, ...options.http };
  const server = createHttpIngress({
    http,
    routes: await Promise.all(
      routes
        .filter((route) => route.config.http !== undefined)
        .map(async (route) => ({ route, secrets: await secretsOf(config, route.config.http?.auth) })),
    ),
    acceptance,
    storeUpload: (upload) => storeUpload(db, upload),
    log,
    registry,
    refused: refusals.add,
  });
  const { port } = await server.listen();
  shutdown.add('HTTP ingress', () => server.close());
  const host = http.host.includes(':') ? `[${http.host}]` : http.host;
  return { url: `http://${host}:${port}`, routes, acceptance, kafka };
}

async function openKafka(
  { config, log, shutdown }: IngressOptions,
  routes: readonly Route[],
  acceptance: Acceptance,
  registry: Registry,
  refusals: Refusals,
): Promise<KafkaIngress[]> {
  const opened: KafkaIngress[] = [];
  for (const [cluster, kafka] of Object.entries(config.config.ingress.kafka)) {
    const mine = routes.filter((route) => route.config.kafka?.cluster === cluster);
    if (mine.length === 0) continue;
    const password = kafka.sasl && (await config.secret(kafka.sasl.password)).value;
    const ingress = startKafkaIngress({
      cluster,
      config: kafka,
      password,
      routes: mine,
      acceptance,
      log,
      registry,
      refused: refusals.add,
    });
    shutdown.add(`Kafka ingress ${cluster}`, () => ingress.close());
    opened.push(ingress);
  }
  return opened;
}

async function secretsOf(config: LoadedConfig, auth: RouteAuth | undefined): Promise<string[]> {
  if (auth === undefined || auth.type === 'none') return [];
  return await Promise.all(auth.secrets.map(async (ref) => (await config.secret(ref)).value));
}
