// Pollers as operators see them: an empty ledger, hostile names, and pages.
import { describe, expect, it } from 'vitest';
import { operatorContext } from '../../support/operator/context.ts';

const CONFIG = `
version: 1
accounts: { acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: ["env:TOKEN"] } }
pollers: { main: { account: acme } }
`;

const { db, operator, call } = operatorContext({ yaml: CONFIG });

describe('pollers', () => {
  it('are those of the configuration on an empty ledger, without a Temporal server', async () => {
    const { pollers } = await call('GET /pollers', {});
    expect(pollers).toMatchObject([{ poller: 'main', state: 'stopped', configured: true, startedAt: null }]);
    expect(await call('GET /gaps', { names: ['main'] })).toEqual({ gaps: [], next: null });
  });

  it.each(['mian', '', '__proto__', "main' or true --", 'acme/none'])(
    'with an unknown name are an error: "%s"',
    async (name) => {
      await expect(call('GET /pollers', { names: [name] })).rejects.toMatchObject({
        kind: name === '' ? 'invalid' : 'notFound',
      });
    },
  );

  it('list their gaps by page, each once', async () => {
    await db.query(
      `insert into poll_gaps (account, poller, conversation_id, code, reason)
       select case when n = 3 then 'other' else 'acme' end, 'main', n, 'UNREADABLE', 'of another shape' from generate_series(1, 6) n`,
    );
    await db.query(`insert into pollers (account, poller, run_id) values ('other', 'main', 'r')`);
    const seen: (number | null)[] = [];
    let before: string | undefined;
    do {
      const page = await call('GET /gaps', { names: ['acme/main'], limit: 2, before });
      seen.push(...page.gaps.map(({ conversation }) => conversation));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([6, 5, 4, 2, 1]);
  });

  it.each(['stop', 'pause', 'resume'] as const)('are not for a viewer to %s', async (verb) => {
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call(`POST /pollers/{poller}/${verb}`, { poller: 'main' })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});
