// Refuses connections that would send tokens, keys or personal data unencrypted, unless their section has
// `insecure: true`.

import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { hostOf, isLoopbackHost, isPlainRemote } from '../../core/net/loopback.ts';

type Path = readonly (string | number)[];

export function checkInsecure(main: YamlFile): ConfigProblem[] {
  return [
    ...plainUrls(main, 'accounts', 'baseUrl', 'the tokens of the account and the data of its contacts'),
    ...plainUrls(main, 'sources', 'url', 'the secrets of the source and its rows'),
    ...plainUrls(main, 'sinks', 'url', 'its events'),
    ...entriesOf(main, 'sinks').flatMap(([name, sink]) =>
      plainKafka(main, ['sinks', name], sink, 'its events'),
    ),
    ...entriesOf(main, 'ingress', 'kafka').flatMap(([name, cluster]) =>
      plainKafka(main, ['ingress', 'kafka', name], cluster, 'the events of its topics'),
    ),
    ...plainUrls(main, 'notices', 'url', 'notices'),
    ...plainTokens(main),
  ];
}

function plainUrls(main: YamlFile, section: string, key: string, what: string): ConfigProblem[] {
  return entriesOf(main, section).flatMap(([name, entry]) => {
    const url = child(entry, key);
    if (typeof url !== 'string' || !isPlainRemote(url) || isAllowed(entry)) return [];
    const message = `http:// sends ${what} unencrypted to ${new URL(url).hostname}`;
    return [main.problemAt([section, name, key], message, wayOut('write https://', [section, name]))];
  });
}

/** SCRAM does not send the password, and `plain` does. The records are plain with both. */
function plainKafka(main: YamlFile, at: Path, connection: unknown, what: string): ConfigProblem[] {
  const brokers = child(connection, 'brokers');
  const tls = child(connection, 'tls');
  if ((tls !== undefined && tls !== false) || isAllowed(connection)) return [];
  const remote = (Array.isArray(brokers) ? brokers : []).find(
    // Another check refuses what is no host:port.
    (broker): broker is string =>
      typeof broker === 'string' && !broker.includes('/') && !isLoopbackHost(hostOf(broker)),
  );
  if (remote === undefined) return [];
  const isPassword = child(child(connection, 'sasl'), 'mechanism') === 'plain';
  const message = `sends ${isPassword ? 'its password' : what} unencrypted to ${hostOf(remote)}`;
  const place = [...at, ...(isPassword ? ['sasl', 'mechanism'] : ['brokers'])];
  return [main.problemAt(place, message, wayOut('set tls: true', at))];
}

/** This server speaks HTTP without TLS. On a non-loopback address, others can read the tokens of senders. */
function plainTokens(main: YamlFile): ConfigProblem[] {
  const http = child(child(main.value, 'ingress'), 'http');
  const host = child(http, 'host');
  if (typeof host !== 'string' || isLoopbackHost(host) || isAllowed(http)) return [];
  const route = entriesOf(main, 'routes').find(
    ([, one]) => child(child(child(one, 'http'), 'auth'), 'type') === 'token',
  );
  if (route === undefined) return [];
  const message = `listens on "${host}" without TLS, so others on the network can read the tokens of the route "${route[0]}"`;
  const instead =
    'listen on 127.0.0.1 behind a proxy that terminates TLS, or authenticate senders by signatures';
  return [main.problemAt(['ingress', 'http', 'host'], message, wayOut(instead, ['ingress', 'http']))];
}

function isAllowed(entry: unknown): boolean {
  return child(entry, 'insecure') === true;
}

function wayOut(instead: string, at: Path): string {
  return `${instead}; or set insecure: true under ${at.join('.')} in a private network`;
}
