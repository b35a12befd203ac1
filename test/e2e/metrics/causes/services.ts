// Trouble of the service and of its accounts: a token, a limit, answers that fail or are lost.
import { request } from 'undici';
import { until } from '../../../support/until.ts';
import type { Company } from '../company.ts';
import { tokenOf } from '../company-config.ts';
import { type Cause, reason } from './cause.ts';
import { newPerson, startCampaign } from './traffic.ts';

const TRIGGER = { method: 'POST', path: '/v1/flows/trigger' };
/** As the service writes its errors. */
const refusal = (status: number, code: string) => ({
  kind: 'status',
  status,
  body: { error: 'refused', code },
});
const MESSAGE = { number: '5521987654321', body: 'Oi', connectionId: 1 };
/** Of another program at a time. */
const FOREIGN_CALLS = 100;

const revoke = ({ panels }: Company, revoked: boolean) =>
  panels.refused.patch({ tokens: [{ value: tokenOf('refused'), revoked }] }, 'refused');

export const SERVICES: readonly Cause[] = [
  {
    alert: 'SluiceTokenRefused',
    labels: { account: 'refused', severity: 'critical' },
    cause: 'a token is revoked while leads come in',
    begin: (company) => revoke(company, true),
    again: (company) => company.lead('refused', newPerson()),
  },
  {
    alert: 'SluiceWorkBlocked',
    labels: { account: 'refused', kind: 'blocked-events', severity: 'warning' },
    cause: 'events wait for the revoked token',
    begin: (company) => company.lead('refused', newPerson()),
  },
  {
    alert: 'SluiceNobodyWorks',
    labels: { account: 'refused', severity: 'critical' },
    cause: 'the same events try again only once a minute',
    begin: async () => undefined,
  },
  {
    alert: 'SluiceEventsWait',
    labels: { account: 'refused', severity: 'warning' },
    cause: 'the same events get old',
    begin: (company) => company.lead('refused', newPerson()),
    async end(company) {
      await revoke(company, false);
      await company.call('POST', '/events/retry', { account: 'refused', states: ['blocked'], reason });
    },
  },
  {
    alert: 'SluiceCallsFail',
    labels: { account: 'failing', severity: 'warning' },
    cause: 'the service answers 503',
    begin: ({ panels }) => panels.failing.fault(refusal(503, 'ERR_UNAVAILABLE')),
    again: (company) => company.lead('failing', newPerson()),
    end: ({ panels }) => panels.failing.clearFaults(),
  },
  {
    alert: 'SluiceOutcomesUnknown',
    labels: { account: 'unsure', kind: 'unknown-members', severity: 'warning' },
    cause: 'answers to triggers of a campaign are lost',
    async begin(company) {
      await company.panels.unsure.fault({ ...TRIGGER, kind: 'reset-after', times: 3 });
      await startCampaign(company, 'unsure');
    },
    end: ({ call }) => call('POST', '/campaigns/unsure/resolve', { members: null, as: 'triggered', reason }),
  },
  {
    alert: 'SluiceCampaignStopped',
    labels: { account: 'stopped', campaign: 'offer', code: 'STOP_RULE', severity: 'warning' },
    cause: 'half of the members of a campaign with a stop rule are in human service',
    async begin(company) {
      const fault = { ...TRIGGER, ...refusal(409, 'ERR_TICKET_IN_HUMAN_SERVICE') };
      await company.panels.stopped.fault({ ...fault, probability: 0.5, seed: 7 });
      await startCampaign(company, 'offer');
    },
    end: ({ call }) => call('POST', '/campaigns/offer/cancel', { reason }),
  },
  {
    alert: 'SluiceEventsFailed',
    labels: { account: 'stopped', severity: 'warning' },
    cause: 'the service refuses a lead for good',
    async begin(company) {
      const fault = { method: 'POST', path: '/v1/contacts', ...refusal(422, 'ERR_INVALID_BODY') };
      await company.panels.stopped.fault(fault);
      await company.lead('stopped', newPerson());
    },
    async end({ panels, call }) {
      await panels.stopped.clearFaults();
      await call('POST', '/events/retry', { account: 'stopped', states: ['failed'], reason });
    },
  },
  {
    alert: 'SluicePollLag',
    labels: { account: 'chats', poller: 'chats', severity: 'warning' },
    cause: 'the token of a poller loses a scope',
    async begin({ panels, call }) {
      await panels.chats.fault({ path: '/v1/conversations', ...refusal(403, 'ERR_SCOPE_MISSING') });
      await call('POST', '/pollers/start', { names: ['chats'], reason });
    },
    async end({ panels, call }) {
      await panels.chats.clearFaults();
      await call('POST', '/pollers/chats/resume', { reason });
    },
  },
  {
    alert: 'SluiceConversationsWait',
    labels: { account: 'unread', severity: 'warning' },
    cause: 'the service lists conversations and does not answer for their messages',
    async begin({ panels, call }) {
      await call('POST', '/pollers/start', { names: ['unread'], reason });
      await until('the poller has seen that there is nothing', async () =>
        (await panels.unread.requests()).some(({ path }) => path === '/v1/conversations'),
      );
      await panels.unread.fault({ path: '/v1/conversations/.*/messages', ...refusal(500, 'ERR_INTERNAL') });
      await panels.unread.inbound(MESSAGE, 'unread');
    },
    // What failed is read again after 15 minutes, or when something new is in it.
    async end({ panels }) {
      await panels.unread.clearFaults();
      await panels.unread.inbound(MESSAGE, 'unread');
    },
  },
  {
    alert: 'SluiceLeadsWaitForSlots',
    labels: { severity: 'warning' },
    cause: 'another program uses the token up while leads come in',
    begin: useUp,
    async again(company) {
      await company.lead('shared', newPerson());
      await useUp(company);
    },
  },
  {
    alert: 'SluiceRateLimited',
    labels: { account: 'shared', severity: 'warning' },
    cause: 'the other program takes every call that gets free',
    begin: useUp,
    async again(company) {
      await company.lead('shared', newPerson());
      await useUp(company);
    },
  },
];

/** In each round, a sixth of the minute's calls; Sluice's calls meet 429 as soon as these have used it up. */
async function useUp({ baseUrls }: Company): Promise<void> {
  const call = async () => {
    const { body } = await request(`${baseUrls.shared}/v1/tags`, {
      headers: { authorization: `Bearer ${tokenOf('shared')}` },
    });
    await body.dump();
  };
  await Promise.all(Array.from({ length: FOREIGN_CALLS }, call));
}
