// Login with an OpenID provider: authorization code with PKCE, state and nonce. openid-client checks the issuer, the
// audience, the times and the signature of the ID token.
import * as client from 'openid-client';
import { Agent, fetch } from 'undici';
import type { OperatorOidc } from '../../config/schema/operator.ts';
import { createGuard } from '../../connectors/outbound/guard.ts';
import { readCapped } from '../../connectors/outbound/read-capped.ts';
import { isLoopbackHost } from '../../core/net/loopback.ts';
import { OperatorError } from '../error.ts';
import { type Claims, hasClaim } from './oidc-roles.ts';

const TIMEOUT_SECONDS = 10;
/** Maximum size of an answer of the provider, in bytes. Usual ones have some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/** A provider changes its endpoints rarely; its keys are read again when an unknown one appears. */
const DISCOVERY_AGE_MS = 3_600_000;

/** What the browser keeps between the two halves of a login. */
export interface OidcPending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OidcUser {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
}

export interface OidcClient {
  /** @param redirectUri registered at the provider */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: OidcPending }>;
  /**
   * @param callback the complete URL that the provider sent the browser to
   * @throws OperatorError unauthenticated when the answer does not belong to `pending` or is not genuine; unavailable
   */
  finish(callback: URL, pending: OidcPending): Promise<OidcUser>;
}

export interface OidcOptions {
  readonly oidc: OperatorOidc;
  /** Reads the client secret. */
  secret(): Promise<string>;
}

export function createOidcClient({ oidc, secret }: OidcOptions): OidcClient {
  let known: { readonly at: number; readonly config: Promise<client.Configuration> } | null = null;

  async function provider(): Promise<client.Configuration> {
    if (known === null || performance.now() - known.at > DISCOVERY_AGE_MS)
      known = { at: performance.now(), config: discover(oidc, secret) };
    const asked = known;
    try {
      return await asked.config;
    } catch (cause) {
      if (known === asked) known = null;
      throw new OperatorError('unavailable', `the OpenID provider ${oidc.issuer} does not answer`, {
        code: 'OIDC_UNAVAILABLE',
        cause,
      });
    }
  }

  return {
    async begin(redirectUri) {
      const config = await provider();
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: oidc.scopes.join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, pending };
    },
    async finish(callback, { state, nonce, verifier }) {
      const config = await provider();
      try {
        const tokens = await client.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const identity = tokens.claims() as client.IDToken;
        // All users without a subject would be one.
        if (identity.sub === '') throw new Error('the ID token has an empty subject');
        const more = await userInfo(config, oidc, identity, tokens.access_token);
        return { issuer: identity.iss, subject: identity.sub, claims: { ...more, ...identity } };
      } catch (cause) {
        throw refused(cause);
      }
    },
  };
}

async function discover(oidc: OperatorOidc, secret: () => Promise<string>): Promise<client.Configuration> {
  const value = await secret();
  const issuer = new URL(oidc.issuer);
  const isLocal = issuer.protocol === 'http:' && isLoopbackHost(issuer.hostname);
  const execute = [client.enableNonRepudiationChecks];
  if (isLocal) execute.push(client.allowInsecureRequests);
  return await client.discovery(issuer, oidc.clientId, undefined, authentication(value), {
    execute,
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: guardedFetch(),
  });
}

/**
 * The configuration of the provider names further addresses. A public provider cannot send Sluice into the own network
 * with them.
 */
function guardedFetch(): client.CustomFetch {
  const { connect } = createGuard({ reach: 'asFirst', connectMs: TIMEOUT_SECONDS * 1000 });
  const dispatcher = new Agent({ connect });
  return async (url, { body, method, headers, redirect, signal }) => {
    const response = await fetch(url, {
      body: body as string,
      method,
      headers,
      redirect,
      signal,
      dispatcher,
    });
    const bytes = await readCapped(response.body, MAX_ANSWER_BYTES);
    if (bytes === null) throw new TypeError('the answer of the OpenID provider is too long');
    const hasBody = bytes.length > 0;
    return new Response(hasBody ? bytes : null, { status: response.status, headers: [...response.headers] });
  };
}

/** `client_secret_basic` is what a provider supports that names no methods. */
function authentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Many providers name groups only there. */
async function userInfo(
  config: client.Configuration,
  { roles }: OperatorOidc,
  identity: client.IDToken,
  accessToken: string,
): Promise<Claims> {
  const isComplete = hasClaim(identity, roles.claim) && hasClaim(identity, 'preferred_username');
  if (isComplete || config.serverMetadata().userinfo_endpoint === undefined) return {};
  return await client.fetchUserInfo(config, accessToken, identity.sub);
}

function refused(cause: unknown): OperatorError {
  const code = (cause as { code?: unknown }).code;
  // No answer from the provider, as fetch reports it.
  if (cause instanceof TypeError || code === 'OAUTH_TIMEOUT')
    return new OperatorError('unavailable', 'the OpenID provider does not answer', {
      code: 'OIDC_UNAVAILABLE',
      cause,
    });
  return new OperatorError(
    'unauthenticated',
    'the OpenID provider did not confirm this login; log in again',
    {
      code: 'OIDC_REFUSED',
      cause,
    },
  );
}
