// Builds the request of one page from the configuration, the page and the credentials.

import { SourceError } from '../../../core/source.ts';
import { resolveSecret, type SecretOf } from '../secret.ts';
import type { HttpSource } from './config.ts';
import type { HttpRequest } from './http-exchange.ts';
import { withValue } from './json-path.ts';
import type { Ask } from './pager.ts';

/** Resolved credentials. They go into requests and nowhere else. */
export interface Login {
  readonly headers: Readonly<Record<string, string>>;
  readonly param?: { readonly name: string; readonly value: string };
  /** The secrets in them, so that they can be found where they must not be. */
  readonly secrets: readonly string[];
}

/** @throws SourceError `secret` */
export async function resolveLogin({ auth, url }: HttpSource, secret: SecretOf): Promise<Login> {
  const resolve = (ref: string) => resolveSecret(ref, secret, url);
  if (auth === undefined) return { headers: {}, secrets: [] };
  if ('bearer' in auth) {
    const token = await resolve(auth.bearer);
    return { headers: { authorization: `Bearer ${token}` }, secrets: [token] };
  }
  if ('header' in auth) {
    const value = await resolve(auth.header.value);
    return { headers: { [auth.header.name.toLowerCase()]: value }, secrets: [value] };
  }
  if ('query' in auth) {
    const value = await resolve(auth.query.value);
    return { headers: {}, param: { name: auth.query.name, value }, secrets: [value] };
  }
  const { username, password } = auth.basic;
  const secretName = /^(?:env|file|command):/.test(username);
  const user = secretName ? await resolve(username) : username;
  const word = password === undefined ? '' : await resolve(password);
  const pair = Buffer.from(`${user}:${word}`).toString('base64');
  const secrets = [...(secretName ? [user] : []), ...(word === '' ? [] : [word]), pair];
  return { headers: { authorization: `Basic ${pair}` }, secrets };
}

/** @param changed the parameter that asks for changed rows, if there is one */
export function requestOf(
  config: HttpSource,
  ask: Ask,
  changed: { readonly name: string; readonly value: string | number } | null,
  login: Login,
): HttpRequest {
  const { method } = config;
  const params: Record<string, string | number> = {
    ...(changed !== null && { [changed.name]: changed.value }),
    ...ask.params,
  };
  const url = new URL(ask.target ?? '', config.url);
  if (ask.target === undefined) {
    for (const [name, value] of Object.entries(config.query)) url.searchParams.set(name, String(value));
  }
  let body = config.body;
  if (body === undefined) {
    // A link to the next page already contains all parameters.
    if (ask.target === undefined)
      for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value));
  } else {
    for (const [name, value] of Object.entries(params)) body = withValue(body, name, value);
  }
  if (login.param !== undefined) url.searchParams.set(login.param.name, login.param.value);
  const headers = {
    ...Object.fromEntries(Object.entries(config.headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...login.headers,
  };
  for (const [name, value] of Object.entries(headers)) {
    // Reported here, because the driver's own error would quote the value.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new SourceError(
        'bad_config',
        `source ${config.url}: the header ${name} contains characters that a header may not have`,
      );
    }
  }
  return { method, url, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
}

/** Cursor or address of the next page without the secret parameter, as stored in the cursor of the run. */
export function withoutSecret(text: string, login: Login, { url: place, pagination }: HttpSource): string {
  let clean = text;
  if (login.param !== undefined && pagination.type === 'link') {
    const url = new URL(text, place);
    url.searchParams.delete(login.param.name);
    clean = `${url.pathname}${url.search}`;
  }
  const includes = (secret: string) => clean.includes(secret) || clean.includes(encodeURIComponent(secret));
  if (login.secrets.some((secret) => secret.length >= 6 && includes(secret))) {
    const message = `source ${place}: it puts the secret of \`auth\` into the address or cursor of the next page, where it would be stored; use another kind of \`auth\``;
    throw new SourceError('bad_answer', message);
  }
  return clean;
}
