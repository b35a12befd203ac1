// Rules of a campaign show names and spans, and nothing that may be about a person.
import { expect, it } from 'vitest';
import { CampaignConfig } from '../../../../src/jobs/campaigns/config.ts';
import { excludedBy, partOf } from '../../../../src/jobs/campaigns/operator/rules.ts';

const config = CampaignConfig.parse({
  account: 'acme',
  flow: 1,
  connection: 1,
  windows: { days: { mon: ['09:00-18:00'] } },
  audience: [
    { from: 'contacts', tags: ['lead', 'vip'], search: 'Ana', email: 'ana@example.com' },
    { from: 'cards', contact: 17, title: 'of Ana', status: ['lost'], created: { after: '90d' } },
    { from: 'source', source: 'shop', number: "'5511912345601'" },
  ],
  exclude: { tags: ['customer'], numbers: ['+5511912345601'], contactedWithin: '7d' },
});

it('names the filters of each part', () => {
  expect(config.audience.map(partOf)).toEqual([
    { from: 'contacts', filters: [{ name: 'tags', value: 'lead, vip' }] },
    {
      from: 'cards',
      filters: [
        { name: 'status', value: 'lost' },
        { name: 'created', value: 'after 90d' },
      ],
    },
    { from: 'source', filters: [{ name: 'source', value: 'shop' }] },
  ]);
});

it('names what is left out, but no number', () => {
  expect(excludedBy(config)).toEqual({
    tags: ['customer'],
    campaigns: [],
    contactedWithin: '7d',
    numbers: true,
    openConversation: false,
    humanService: true,
  });
});
