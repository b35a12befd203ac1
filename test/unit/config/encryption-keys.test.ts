// The parts `temporal` and `ledger`: keys are references, each with an id of its own, and long enough.
import { describe, expect, it } from 'vitest';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const HEX = 'f1e2d3c4b5a697887766554433221100ffeeddccbbaa99887766554433221107';

describe.each(['temporal', 'ledger'] as const)('keys of encryption of the part %s', (part) => {
  const keys = (...entries: string[]) =>
    `${GOOD}${part}: { encryption: { keys: [${entries.map((entry) => `{ ${entry} }`).join(', ')}] } }\n`;

  it('are none by default', async () => {
    const { config } = await context.load(GOOD);
    expect(config[part].encryption.keys).toEqual([]);
  });

  it('are read as references, the first one to encrypt', async () => {
    const { config } = await context.load(keys('id: 2026-11, key: env:NEW', 'id: old, key: file:old.key'));
    expect(config[part].encryption.keys.map(({ id }) => id)).toEqual(['2026-11', 'old']);
  });

  it('that are too weak are refused by their reference', async () => {
    const env = { ACME_TOKEN: 'svc_test_a', WEAK: 'correct-horse', GOOD: HEX };
    const loading = context.load(keys('id: a, key: env:GOOD', 'id: b, key: env:WEAK'), { env });
    await expect(loading).rejects.toThrow(/keys\[1\]\.key: the secret behind env:WEAK has 9 bytes/);
  });

  it.each([
    ['an id twice', keys('id: a, key: env:A', 'id: a, key: env:B'), 'encryption.keys', 'id of its own'],
    ['no id', keys('key: env:A'), 'encryption.keys[0].id', ''],
    ['an id that no name is', keys("id: 'A b', key: env:A"), 'encryption.keys[0].id', 'lower-case'],
    ['the key itself', keys(`id: a, key: ${HEX}`), 'encryption.keys[0].key', 'env:NAME'],
    ['the key itself behind env:', keys(`id: a, key: env:${HEX}`), 'encryption.keys[0].key', 'not a ref'],
  ])('are refused: %s; no message has the key', async (_, text, path, message) => {
    const problems = await context.problemsOf(text);
    expect(problems.join('\n')).toContain(path);
    expect(problems.join('\n')).toContain(message);
    expect(problems.join('\n')).not.toContain(HEX);
  });
});
