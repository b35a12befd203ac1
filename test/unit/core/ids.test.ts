import { describe, expect, test } from 'vitest';
import {
  campaignScheduleId,
  DELIVERY_WORKFLOW,
  OUTBOX_WORKFLOW,
  parseCampaignRunId,
  parseOutboxId,
  parseScheduleId,
  syncScheduleId,
} from '../../../src/core/ids.ts';
import * as workflows from '../../../workflows/index.ts';

test.each([OUTBOX_WORKFLOW, DELIVERY_WORKFLOW])('activities can start the workflow %s', (type) => {
  expect(workflows).toHaveProperty(type, expect.any(Function));
});

describe('parseScheduleId', () => {
  test.each([
    ['sync', syncScheduleId('acme', 'leads')],
    ['campaign', campaignScheduleId({ account: 'acme', campaign: 'leads' })],
  ])('reads the id of the schedule of a %s', (job, id) => {
    expect(parseScheduleId(id)).toEqual({ job, account: 'acme', name: 'leads' });
  });

  test.each([
    '',
    'sync',
    'sync/acme',
    'sync/acme/',
    'sync//leads',
    'sync/acme/leads/2',
    'crm-sync/acme/leads',
    'toString/acme/leads',
  ])('ignores the schedule "%s"', (id) => expect(parseScheduleId(id)).toBeNull());
});

test.each([
  ['acme/+spring/7', { account: 'acme', campaign: 'spring' }],
  ['acme/spring/7', null],
  ['acme/+/7', null],
  ['/+spring/7', null],
  ['acme/+spring/', null],
  ['acme/+spring/x', null],
  ['acme/+spring/7/8', null],
  ['spring', null],
  ['', null],
])('the campaign of the run "%s"', (id, campaign) => {
  expect(parseCampaignRunId(id)).toEqual(campaign);
});

test.each([
  ['crm/12', { sink: 'crm', seq: 12 }],
  ['crm/', null],
  ['/12', null],
  ['crm/x', null],
  ['crm/-1', null],
  ['crm/1/2', null],
  ['crm/1234567890123456', null],
])('the outbox event "%s"', (id, event) => {
  expect(parseOutboxId(id)).toEqual(event);
});
