// What all parts of sluice.yaml share: names, and references to secrets.
import { z } from 'zod';

export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'use lower-case letters, digits, "-" and "_" (at most 63)')
  .meta({ description: 'Name of an entry: up to 63 lower-case letters, digits, "-" and "_".' });

export const described = <T extends z.ZodType>(schema: T, description: string) =>
  schema.meta({ description });

/** Id of a flow, as the panel shows it: the API text gives it no type. */
export const FlowId = z.union(
  [z.int().positive(), z.string().regex(/^(?:\d{1,15}|(?=[\w:-]*[A-Za-z])[A-Za-z0-9][\w:-]{0,99})$/)],
  {
    error:
      'write the id of the flow as the panel shows it: a whole number, or a text of at most 100 letters, digits and _ : -',
  },
);
export type FlowId = z.infer<typeof FlowId>;

export const SecretRef = z
  .string()
  .regex(
    /^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|command:\s*\S.*)$/,
    'write env:NAME, file:path or command:program argument; a secret itself never stands in this file',
  )
  .meta({
    description:
      'Reference to a secret: env:NAME, file:path relative to this file, or command:program argument, whose output is the secret. No shell reads the command; write command:["program", "an argument"] for arguments with spaces. The secret itself is never written here.',
  });

/** Stands where something would leave this machine unencrypted, and nowhere else. */
export const insecure = (what: string) =>
  z
    .boolean()
    .optional()
    .meta({
      description: `true allows ${what}. Default: false; only on this machine.`,
    });

export const DURATION = /^\d{1,6}(?:ms|s|m|h|d)$/;

/** A span of time as people write it; see `durationMs` for its length. */
export const Duration = z.string().regex(DURATION, 'write a number and a unit: 500ms, 30s, 5m, 2h, 1d');

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a {@link Duration}. */
export function durationMs(duration: string): number {
  const [, digits, unit] = /^(\d+)([a-z]+)$/.exec(duration) ?? [];
  return Number(digits) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
}

/** Days of a {@link Duration}. */
export function durationDays(duration: string): number {
  return durationMs(duration) / (UNIT_MS.d as number);
}

/** A {@link Duration} from `min` to `max`, both included. */
export const durationWithin = (min: string, max: string) =>
  Duration.refine(
    (text) => !(durationMs(text) < durationMs(min) || durationMs(text) > durationMs(max)),
    `is out of bounds; write ${min} to ${max}`,
  );

/**
 * True for a URL of scheme, host and path only, because other parts may contain a secret. Also true for text that is no
 * URL: zod reports that separately.
 */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return `${username}${password}${search}${hash}` === '';
}

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string): boolean => Network.safeParse(text).success;

/** Proxies of a listener, by address. */
export const trustProxy = z
  .array(
    z
      .string()
      .refine(isNetwork, 'must be an address or a network, for example 10.0.0.7 or 10.0.0.0/8')
      .meta({ description: 'IP address, or network such as 10.0.0.0/8.' }),
  )
  .default([]);
