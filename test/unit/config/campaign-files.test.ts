// Campaigns that come with Sluice: in examples, in `sluice init`, in the docs.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { SANDBOX_YAML, SLUICE_YAML } from '../../../src/cli/config/init-files.ts';
import { loadConfig } from '../../../src/config/index.ts';
import { MEMBER_CODES } from '../../../src/jobs/campaigns/constants.ts';
import { parseFixture } from '../../../src/sandbox/fixture/fixture-merge.ts';
import { campaignConfigContext, GOOD } from './campaign-config-context.ts';

const { load } = campaignConfigContext();

const ROOT = resolve(import.meta.dirname, '../../..');

describe('campaigns that come with Sluice', () => {
  it('of `sluice init` is right once its # is taken away, as is its sandbox', async () => {
    const text = SLUICE_YAML.replace(/^# (campaigns:\n(?:# .*\n)+)/m, (_all, block: string) =>
      block.replace(/^# /gm, ''),
    );
    const { config } = await load(text, CONFIG_CHECKS);
    const [account] = parseFixture(parse(SANDBOX_YAML)).accounts ?? [];
    const campaign = config.campaigns['win-back']!;
    expect(account?.flows?.map(({ id }) => id)).toContain(campaign.flow);
    expect(account?.tokens?.[0]?.scopes).toContain('flows:trigger');
    expect(account?.tags?.map(({ name }) => name)).toContain('newsletter');
  });

  it('of the examples names only what the demo account has', async () => {
    const { config } = await loadConfig(join(ROOT, 'examples/sluice.yaml'), { env: {}, ...CONFIG_CHECKS });
    const fixture = parse(await readFile(join(ROOT, 'examples/sandbox.yaml'), 'utf8'));
    const [account] = parseFixture(fixture).accounts ?? [];
    const tags = account?.tags?.map(({ name }) => name);
    const { flow, connection, audience, exclude, after } = config.campaigns.reativacao!;
    for (const part of audience)
      if ('tags' in part) expect(tags).toEqual(expect.arrayContaining(part.tags ?? []));
    expect(tags).toEqual(expect.arrayContaining([...(exclude.tags ?? []), ...(after.tags ?? [])]));
    expect(tags).toEqual(expect.arrayContaining(config.accounts.demo?.optOut.tags ?? []));
    expect(account?.flows?.map(({ id }) => id)).toContain(flow);
    expect(account?.connections?.map(({ id }) => id)).toContain(connection);
  });
});

describe('sluice.example.yaml', () => {
  it('shows the defaults of campaigns as they are, where it says nothing else', async () => {
    const shown = parse(await readFile(join(ROOT, 'sluice.example.yaml'), 'utf8'));
    const { config } = await load(GOOD);
    const { exclude, holdout, windows, waves, stop, cap, recheck, conversationWindow, approval } =
      config.campaigns.abroad!;
    expect(shown.campaigns['lost-again']).toMatchObject({
      exclude,
      holdout,
      windows: { zone: windows.zone },
      waves,
      stop,
      cap,
      recheck,
      conversationWindow,
      approval,
    });
  });
});

describe('docs/reference/campaigns.md', () => {
  it('shows a configuration that is right, and says of every code what to do', async () => {
    const text = await readFile(join(ROOT, 'docs/reference/campaigns.md'), 'utf8');
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
    const { config } = await load(`version: 1\n${yaml}`, CONFIG_CHECKS);
    expect(Object.keys(config.campaigns)).toEqual(['win-back']);
    const codes = [...text.matchAll(/^\| (?:`skipped` )?`([A-Z_]+)` +\|.*\| .+ \|$/gm)].map(
      ([, code]) => code,
    );
    expect(codes).toEqual(expect.arrayContaining([...MEMBER_CODES]));
  });
});
