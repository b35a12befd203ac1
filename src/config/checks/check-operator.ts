// Checks the part `operator`: nobody can read a login on its way, and the server knows its own address.

import type { ConfigProblem } from '../../core/config/errors.ts';
import { child } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { isLoopbackHost, isPlainRemote } from '../../core/net/loopback.ts';

const HTTP = ['operator', 'http'] as const;

export function checkOperator(main: YamlFile): ConfigProblem[] {
  const operator = child(main.value, 'operator');
  return [
    ...checkListener(main, child(operator, 'http')),
    ...checkIssuer(main, operator),
    ...checkRoles(main, operator),
  ];
}

function checkListener(main: YamlFile, http: unknown): ConfigProblem[] {
  const host = child(http, 'host');
  const publicUrl = child(http, 'publicUrl');
  const proxies = child(http, 'trustProxy');
  const isProxied = Array.isArray(proxies) && proxies.length > 0;
  const hasTls = child(http, 'tls') !== undefined;
  const isRemote = typeof host === 'string' && !isLoopbackHost(host);
  const problems: ConfigProblem[] = [];
  if (isRemote && !hasTls && !isProxied && child(http, 'insecure') !== true) {
    const message = `listens on "${host}" without TLS, so others on the network can read passwords and sessions`;
    const hint =
      'set tls.cert and tls.key; or let a proxy terminate TLS, and set trustProxy to its address and publicUrl to its https URL; or set insecure: true for a port that a container publishes on 127.0.0.1';
    problems.push(main.problemAt([...HTTP, 'host'], message, hint));
  }
  if ((isRemote || isProxied) && publicUrl === undefined) {
    const at = isRemote ? 'host' : 'trustProxy';
    const message = 'needs publicUrl: without it, Sluice cannot refuse requests from pages of other sites';
    problems.push(
      main.problemAt([...HTTP, at], message, 'set publicUrl to the https:// URL that browsers open'),
    );
  }
  if (typeof publicUrl === 'string' && isPlainRemote(publicUrl)) {
    const message = 'http:// sends passwords and sessions unencrypted';
    problems.push(main.problemAt([...HTTP, 'publicUrl'], message, 'write https://'));
  }
  if (typeof publicUrl === 'string' && publicUrl.startsWith('https:') && !isRemote && !hasTls && !isProxied) {
    const message = 'is https, and this server speaks plain HTTP';
    problems.push(
      main.problemAt(
        [...HTTP, 'publicUrl'],
        message,
        'set tls, or trustProxy to the address of the proxy that terminates TLS',
      ),
    );
  }
  return problems;
}

function checkIssuer(main: YamlFile, operator: unknown): ConfigProblem[] {
  const issuer = child(child(operator, 'oidc'), 'issuer');
  if (typeof issuer !== 'string' || !isPlainRemote(issuer)) return [];
  const message = `http:// would let others on the way to ${new URL(issuer).hostname} log in as anybody`;
  return [main.problemAt(['operator', 'oidc', 'issuer'], message, 'write https://')];
}

/** Without a group in the mapping, nobody could log in. */
function checkRoles(main: YamlFile, operator: unknown): ConfigProblem[] {
  const roles = child(child(operator, 'oidc'), 'roles');
  if (roles === undefined) return [];
  const gives = ['admin', 'approver', 'operator', 'editor', 'viewer'].some((role) => {
    const values = child(roles, role);
    return Array.isArray(values) && values.length > 0;
  });
  if (gives || child(roles, 'default') !== undefined) return [];
  const message = 'gives nobody a role, so nobody could log in';
  return [
    main.problemAt(
      ['operator', 'oidc', 'roles'],
      message,
      'list groups, for example admin: [ops-admins], or set default: viewer',
    ),
  ];
}
