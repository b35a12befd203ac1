// A claim with the headers given, as a signed request would make it.
import type { Claim } from '../../../../../../../src/jobs/events/ingress/http/auth/claim.ts';

export function claim(headers: Record<string, string>, rest: Partial<Claim> = {}): Claim {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: 'POST',
    uri: 'https://hooks.example.com/hooks/lead',
    peer: '127.0.0.1',
    header: (name) => values.get(name.toLowerCase()) ?? null,
    has: (name) => values.has(name.toLowerCase()),
    ...rest,
  };
}
