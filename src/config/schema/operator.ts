// The part `operator` of sluice.yaml: how operators reach Sluice, and who may log in.
import { z } from 'zod';
import { MEDIA_LIMITS, MediaHosts } from '../../connectors/media/config.ts';
import {
  described,
  durationWithin,
  insecure,
  isPlainUrl,
  SecretRef,
  trustProxy,
} from '../../core/config/base.ts';

/** Scheme, host and port only. */
const isOrigin = (text: string): boolean =>
  isPlainUrl(text) && (!URL.canParse(text) || new URL(text).pathname === '/');

const Origin = z
  .url({ protocol: /^https?$/ })
  .refine(isOrigin, 'must have only a scheme, a host and a port, for example https://sluice.example.com')
  .transform((text) => new URL(text).origin);

export const OperatorHttp = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').meta({
    description:
      'Address to listen on. An address other than loopback requires publicUrl, and tls, trustProxy or insecure. Default: 127.0.0.1.',
  }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8088)
    .meta({ description: 'Port to listen on; 0 takes a free one. Default: 8088.' }),
  publicUrl: Origin.optional().meta({
    description:
      'URL that browsers open, without a path. Requests from pages of other sites are refused. https, except for this machine. Default: none; only browsers on this machine can use the console.',
  }),
  tls: z
    .strictObject({
      cert: z
        .string()
        .min(1)
        .meta({ description: 'PEM file with the certificate and its chain, relative to this file.' }),
      key: z.string().min(1).meta({ description: 'PEM file with the private key, relative to this file.' }),
    })
    .optional()
    .meta({ description: 'Certificate of this server. Default: none; the server speaks plain HTTP.' }),
  trustProxy: described(
    trustProxy,
    'Reverse proxies that terminate TLS in front of this server. Their X-Forwarded-For header names the peer of a request, for example for the limits of failed logins. Default: []; the peer is the address that connects.',
  ),
  insecure: insecure(
    'a host other than loopback without TLS, for a port that a container publishes on 127.0.0.1',
  ),
});
export type OperatorHttp = z.infer<typeof OperatorHttp>;

const RoleValues = z.array(z.string().min(1)).default([]);

export const OidcRoles = z.strictObject({
  claim: z.string().min(1).default('groups').meta({
    description:
      'Claim with the groups of a user: a text or a list of texts. A dot leads into an object, as in realm_access.roles. Default: groups.',
  }),
  admin: RoleValues.meta({ description: 'Values that give the role admin. Default: [].' }),
  approver: RoleValues.meta({ description: 'Values that give the role approver. Default: [].' }),
  operator: RoleValues.meta({ description: 'Values that give the role operator. Default: [].' }),
  editor: RoleValues.meta({ description: 'Values that give the role editor. Default: [].' }),
  viewer: RoleValues.meta({ description: 'Values that give the role viewer. Default: [].' }),
  default: z.enum(['viewer', 'editor', 'operator']).optional().meta({
    description: 'Role of users without any of these values. Default: none; they may not log in.',
  }),
});
export type OidcRoles = z.infer<typeof OidcRoles>;

export const OperatorOidc = z.strictObject({
  issuer: z.url({ protocol: /^https?$/ }).meta({
    description:
      'Issuer of the OpenID provider. Sluice reads its configuration from /.well-known/openid-configuration. https, except for this machine.',
  }),
  clientId: z.string().min(1).meta({
    description: 'Client id. Register the redirect URI {publicUrl}/auth/oidc/callback for it.',
  }),
  clientSecret: SecretRef.meta({ description: 'Client secret: env:NAME, file:path or command:program.' }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope without spaces'))
    .refine((scopes) => scopes.includes('openid'), 'must contain openid')
    .default(['openid', 'profile'])
    .meta({ description: 'Scopes to ask for. Default: [openid, profile].' }),
  roles: OidcRoles.meta({ description: 'Which role a user gets at each login. The highest one counts.' }),
  label: z
    .string()
    .min(1)
    .max(60)
    .default('Single sign-on')
    .meta({ description: 'Text of the login button. Default: Single sign-on.' }),
});
export type OperatorOidc = z.infer<typeof OperatorOidc>;

export const OperatorMedia = z.strictObject({
  hosts: MediaHosts.default([]).meta({
    description:
      'Hosts that files of these messages may come from, redirects included: host, host:port or *.example.com. Default: []; operators upload files instead.',
  }),
  ...MEDIA_LIMITS,
});
export type OperatorMedia = z.infer<typeof OperatorMedia>;

export const OperatorConfig = z.strictObject({
  http: OperatorHttp.prefault({}).meta({
    description: 'The server of the console and of remote commands. Default: 127.0.0.1:8088.',
  }),
  sessions: z
    .strictObject({
      idle: durationWithin('1m', '7d').default('1h').meta({
        description: 'A login ends after this time without a request, 1m to 7d. Default: 1h.',
      }),
      absolute: durationWithin('5m', '30d').default('12h').meta({
        description: 'A login ends after this time in any case, 5m to 30d. Default: 12h.',
      }),
    })
    .prefault({})
    .meta({ description: 'How long a login lasts. Default: 1h idle, 12h in all.' }),
  secondFactor: z.enum(['optional', 'required']).default('optional').meta({
    description:
      'Whether users with a password must have a second factor. required: who has none can only turn it on, and their access tokens are refused; an OpenID provider asks its own users. Default: optional.',
  }),
  temporalUi: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: "URL of Temporal's web UI, for links from the console. Default: none." }),
  media: OperatorMedia.prefault({}).meta({
    description:
      'Files that messages of operators name by URL. A request names URLs only; everything else is decided here. Default: no host.',
  }),
  oidc: OperatorOidc.optional().meta({
    description: 'Login with an OpenID provider, besides passwords. Default: none.',
  }),
});
export type OperatorConfig = z.infer<typeof OperatorConfig>;
