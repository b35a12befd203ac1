// Checks each route, and the routes against each other and against the ingress.

import { checkSecrets } from '../../core/config/check-secrets.ts';
import type { CheckProblem, Say } from '../../core/config/checks.ts';
import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf, isRecord } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { isLoopbackHost } from '../../core/net/loopback.ts';
import { type MappingConfig } from '../../mapping/config.ts';
import { RouteAction } from './config-actions.ts';

/** Paths of the ingress itself. */
const RESERVED = new Set(['/openapi.json']);

type Path = readonly (string | number)[];

/** Checks of the parts of a route whose rules need more than the configuration. */
export interface RouteChecks {
  /** Called once per route whose action has a valid shape. Only a lead has a mapping. */
  readonly checkAction?: (action: RouteAction, mapping: MappingConfig | null) => readonly CheckProblem[];
  /** Called with `key` and `order` of each route: dot-paths. */
  readonly checkPath?: (path: string) => readonly CheckProblem[];
}

/** @param mappings valid mappings, by name */
export function checkRoutes(
  main: YamlFile,
  mappings: Readonly<Record<string, MappingConfig>>,
  checks: RouteChecks,
): ConfigProblem[] {
  const routes = entriesOf(main, 'routes');
  const say: Say = (path, message, hint) => main.problemAt(['routes', ...path], message, hint);
  return [
    ...routes.flatMap(([name, route]) => [
      ...checkWaysIn(name, route, say),
      ...checkAuth(main, name, child(child(route, 'http'), 'auth'), say),
      ...checkPaths(main, name, route, checks.checkPath),
      ...checkAction(main, name, child(route, 'action'), mappings, checks.checkAction),
    ]),
    ...checkHttpPaths(routes, say),
    ...checkTopics(main, routes, say),
  ];
}

function checkWaysIn(name: string, route: unknown, say: Say): ConfigProblem[] {
  if (!isRecord(route) || route.http !== undefined || route.kafka !== undefined) return [];
  return [say([name], 'has no source of events', 'add http or kafka')];
}

function checkHttpPaths(routes: readonly [string, unknown][], say: Say): ConfigProblem[] {
  const owners = new Map<string, string>();
  return routes.flatMap(([name, route]) => {
    const path = child(child(route, 'http'), 'path');
    if (typeof path !== 'string') return [];
    const at = [name, 'http', 'path'];
    const problems: ConfigProblem[] = [];
    if (RESERVED.has(path)) {
      problems.push(
        say(at, `"${path}" is a path of the ingress itself`, 'choose another, for example /events/leads'),
      );
    }
    if (/\/\.{1,2}(?:\/|$)/.test(path)) {
      const hint = 'remove the parts that consist of dots: senders resolve them';
      problems.push(say(at, `no sender can call "${path}"`, hint));
    }
    const action = child(route, 'action');
    const takesFiles = child(action, 'type') === 'message' && child(action, 'uploads') !== undefined;
    for (const taken of takesFiles ? [path, `${path}/files`] : [path]) {
      const owner = owners.get(taken);
      if (owner === undefined) owners.set(taken, name);
      else problems.push(say(at, `the route "${owner}" has the path "${taken}" already`, 'choose another'));
    }
    return problems;
  });
}

function checkAuth(main: YamlFile, name: string, auth: unknown, say: Say): ConfigProblem[] {
  const at = [name, 'http', 'auth'];
  if (child(auth, 'type') === 'none') return checkUnproved(main, at, say);
  return [
    ...checkHubspot(main, auth, at, say),
    ...checkSecrets(main, ['routes', ...at, 'secrets'], child(auth, 'secrets')),
  ];
}

/**
 * HubSpot signs the public https address. This server speaks http and sees another address, so it needs `publicUrl`.
 */
function checkHubspot(main: YamlFile, auth: unknown, at: Path, say: Say): ConfigProblem[] {
  const publicUrl = child(child(child(main.value, 'ingress'), 'http'), 'publicUrl');
  if (child(auth, 'style') !== 'hubspot' || publicUrl !== undefined) return [];
  const message = 'signatures of this style cover the public address, and Sluice does not know it';
  return [
    say([...at, 'style'], message, 'set ingress.http.publicUrl to the public address without the path'),
  ];
}

function checkUnproved(main: YamlFile, at: Path, say: Say): ConfigProblem[] {
  const http = child(child(main.value, 'ingress'), 'http');
  const host = child(http, 'host');
  const hint =
    'authenticate senders by standard-webhooks, hmac or token; without authentication, only local programs may send';
  if (typeof host === 'string' && !isLoopbackHost(host)) {
    return [say(at, `anybody could send events, as ingress.http.host is "${host}"`, hint)];
  }
  const publicUrl = child(http, 'publicUrl');
  if (
    typeof publicUrl === 'string' &&
    URL.canParse(publicUrl) &&
    !isLoopbackHost(new URL(publicUrl).hostname)
  ) {
    return [say(at, 'anybody could send events, as ingress.http.publicUrl makes the route public', hint)];
  }
  return [];
}

function checkPaths(
  main: YamlFile,
  name: string,
  route: unknown,
  check: RouteChecks['checkPath'],
): ConfigProblem[] {
  return ['key', 'order'].flatMap((key) => {
    const path = child(route, key);
    if (typeof path !== 'string' || path === '') return [];
    return (check?.(path) ?? []).map(({ message, hint }) =>
      main.problemAt(['routes', name, key], message, hint),
    );
  });
}

function checkAction(
  main: YamlFile,
  name: string,
  value: unknown,
  mappings: Readonly<Record<string, MappingConfig>>,
  check: RouteChecks['checkAction'],
): ConfigProblem[] {
  const { success, data: action } = RouteAction.safeParse(value);
  if (!success || check === undefined) return [];
  const mapping = action.type === 'lead' ? mappings[action.mapping] : null;
  // Another check reports a mapping that is missing or invalid.
  if (mapping === undefined) return [];
  return check(action, mapping).map(({ path, message, hint }) =>
    main.problemAt(['routes', name, 'action', ...path], message, hint),
  );
}

function checkTopics(main: YamlFile, routes: readonly [string, unknown][], say: Say): ConfigProblem[] {
  const owners = new Map<string, string>();
  return routes.flatMap(([name, route]) => {
    const kafka = child(route, 'kafka');
    const cluster = child(kafka, 'cluster');
    const topics = child(kafka, 'topics');
    if (typeof cluster !== 'string' || !Array.isArray(topics)) return [];
    const entry = child(child(child(main.value, 'ingress'), 'kafka'), cluster);
    return topics.flatMap((topic: unknown, index) => {
      if (typeof topic !== 'string') return [];
      const at = [name, 'kafka', 'topics', index];
      if (topic === child(entry, 'deadLetters')) {
        const message = `"${topic}" gets the dead letters of the cluster "${cluster}": Sluice would read them in a loop`;
        return [say(at, message, 'read another topic; `sluice dlq replay` brings dead letters back')];
      }
      const owner = owners.get(`${cluster} ${topic}`);
      if (owner === undefined) owners.set(`${cluster} ${topic}`, name);
      else {
        const message = `the route "${owner}" reads "${topic}" of the cluster "${cluster}" already`;
        return [say(at, message, 'a topic has one route: remove it from one of them')];
      }
      return [];
    });
  });
}
