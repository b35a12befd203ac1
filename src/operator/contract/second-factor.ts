// Endpoints of the second factor: a code of an authenticator app beside the password.
import { z } from 'zod';
import { endpoint, Time } from '../../core/endpoint.ts';
import { isPlainName } from '../../core/plain-name.ts';
import { Code, Password, UserName } from './identity.ts';

export const SECOND_FACTOR = {
  'GET /second-factor': endpoint({
    role: 'viewer',
    withoutSecondFactor: ['session'],
    summary: 'Whether you have a second factor.',
    input: z.strictObject({}),
    output: z.object({
      /** When you turned it on; null: it is off. */
      since: Time.nullable(),
      recoveryCodesLeft: z.int(),
      /** You log in with a password. An OpenID provider asks its users for a second factor itself. */
      isAvailable: z.boolean(),
    }),
  }),
  'POST /second-factor/secret': endpoint({
    role: 'viewer',
    withoutSecondFactor: ['session'],
    summary:
      'Make a secret for your authenticator app. It counts after you prove it with POST /second-factor.',
    input: z.strictObject({}),
    /** Shown only here. `uri` is for a QR code, `secret` to type in. */
    output: z.object({ secret: z.string(), uri: z.string() }),
  }),
  'POST /second-factor': endpoint({
    role: 'viewer',
    withoutSecondFactor: ['session'],
    summary:
      'Turn your second factor on, with a code of the new secret. Your other sessions end, and your access tokens are revoked.',
    input: z.strictObject({
      password: Password,
      code: Code,
      /** Do not revoke your access tokens. */
      keepTokens: z.boolean().default(false),
    }),
    /** Each logs you in once without the app. They are shown only here. */
    output: z.object({ recoveryCodes: z.array(z.string()) }),
    audit: ['keepTokens'],
  }),
  'POST /second-factor/off': endpoint({
    role: 'viewer',
    summary: 'Turn your second factor off.',
    input: z.strictObject({ password: Password, code: Code }),
    output: z.object({}),
  }),
  'POST /users/{name}/second-factor/reset': endpoint({
    role: 'admin',
    summary:
      'Turn the second factor of another user off who has lost it. Their sessions end, and their access tokens are revoked.',
    input: z.strictObject({
      name: UserName,
      /** How you verified who asks for it, for example "called back on the number of the contract". */
      verified: z
        .string()
        .trim()
        .min(1, 'say how you verified the identity of the person')
        .max(200)
        .refine(isPlainName, 'remove control characters and direction marks'),
    }),
    output: z.object({}),
    audit: ['verified'],
  }),
} as const;
