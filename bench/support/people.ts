// The data that benches sync: accounts of the sandbox, CSV files of people, and mappings for them.
import { createHash } from 'node:crypto';

export const STAGES = ['New', 'Talking', 'Won'] as const;

/** An account of the fixture. `n` determines its ids, which are unique over the whole fixture. */
export function account(id: string, n = 1): object {
  return {
    id,
    tokens: [
      {
        value: tokenOf(id),
        scopes: ['contacts:write', 'cards:write', 'conversations:read', 'messages:read'],
      },
    ],
    connections: [{ id: n, name: 'main', channel: 'waba', status: 'CONNECTED' }],
    tags: [{ id: n, name: 'crm' }],
    pipelines: [
      {
        id: n,
        name: 'Sales',
        stages: STAGES.map((name, i) => ({ id: n * 10 + i, name, order: i + 1, probability: 10 * (i + 1) })),
      },
    ],
  };
}

export function tokenOf(id: string): string {
  return `svc_test_bench_${id}`;
}

/** Name of a token in the sandbox's log. */
export function tokenHash(id: string): string {
  return createHash('sha256').update(tokenOf(id)).digest('hex');
}

/** Environment variable with the token of an account. */
export function tokenVariable(id: string): string {
  return `BENCH_TOKEN_${id.toUpperCase()}`;
}

/** One call per person: a number without a Brazilian ninth digit, and a name. */
export const CONTACT_ONLY = { contact: { number: 'phone', name: 'name' } };

export function contactsCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `+1415${2_000_000 + i},Person ${i}`);
  return `phone,name\n${rows.join('\n')}\n`;
}

/** Two calls per new person: the contact, and a card. */
export const CONTACT_AND_CARD = {
  defaultCountry: 'BR',
  contact: { number: 'phone', name: 'name', email: 'email' },
  card: { pipeline: 'Sales', stage: 'stage' },
};

export interface Person {
  readonly phone: string;
  readonly name: string;
  readonly email: string;
  readonly stage: (typeof STAGES)[number];
}

/** People with Brazilian mobile numbers, as in a CRM export. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, i) => ({
    phone: `55119${80_000_000 + i}`,
    name: `Pessoa ${i}`,
    email: `pessoa${i}@example.com`,
    stage: 'New',
  }));
}

export function peopleCsv(all: readonly Person[]): string {
  const rows = all.map(({ phone, name, email, stage }) => `+${phone},${name},${email},${stage}`);
  return `phone,name,email,stage\n${rows.join('\n')}\n`;
}
