// Test sends of campaigns. Each is an event of the route of operators: its call has a slot of the budget and an intent
// as any other, and is never repeated after a lost answer. It is no member of a run, and counts for no frequency cap.

import { hasOptedOut } from '../../../core/store/opt-outs.ts';
import { canonicalKey, isCountry, parsePhone } from '../../../mapping/phone/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { OperatorEvents } from '../../../operator/service/operator-events.ts';
import { pollerScopes } from '../../conversations/operator/scopes.ts';
import { windowOf } from '../../conversations/store/window.ts';
import type { RequestOf } from '../../events/contract/intake.ts';
import { CampaignConfig } from '../config.ts';
import type { CAMPAIGN_TESTS } from '../contract/campaign-tests.ts';

type Test = Parameters<Handlers<keyof typeof CAMPAIGN_TESTS>['POST /campaign-drafts/test']>[0];
type Person = Pick<RequestOf<'flow'>, 'number' | 'key'>;

export function campaignTestHandlers(
  deps: OperatorDeps,
  events: OperatorEvents,
): Handlers<keyof typeof CAMPAIGN_TESTS> {
  return {
    'POST /campaign-drafts/test': async (test, { identity }) => {
      const config = configOf(test.config);
      const { account, flow, connection } = config;
      events.requireAccount(account);
      const person = personOf(test.number, config);
      // Another number is another test, also under the key of one whose answer was lost.
      const key = `campaign-test ${test.key} ${person.key}`;
      const earlier = await events.find(account, key);
      // What has changed since does not matter to it.
      if (earlier !== null) return { event: earlier, duplicate: true };
      await requireWanted(deps, config, person);
      const variables = await variablesOf(deps, test, config, identity);
      const request = { type: 'flow', ...person, flow, connection, variables } as const;
      return await events.accept({ account, key, request });
    },
  };
}

function configOf(draft: Test['config']): CampaignConfig {
  const parsed = CampaignConfig.safeParse(draft);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the campaign'}: ${message}`,
  );
  throw new OperatorError('invalid', problems.join('; '), { code: 'DRAFT_PROBLEMS' });
}

/** Without the campaign's `numberFormat`, which is about its source and not about what people type. */
function personOf(text: string, { defaultCountry: country }: CampaignConfig): Person {
  const phone = parsePhone(text, country !== undefined && isCountry(country) ? { country } : {});
  if (phone.ok) return { number: phone.number, key: canonicalKey(phone.number) };
  const isLocal = country === undefined && !/^\s*(\+|00)/.test(text);
  const reason = isLocal
    ? 'the number has no country code; write + and the country code, or give the campaign a `defaultCountry`'
    : phone.reason;
  throw new OperatorError('invalid', `number: ${reason}`, { code: phone.code });
}

/** @throws OperatorError (conflict) if the campaign could never reach this person */
async function requireWanted(
  { db, config, now }: OperatorDeps,
  { account, connection, conversationWindow }: CampaignConfig,
  { key }: Person,
): Promise<void> {
  if (await hasOptedOut(db, account, key))
    throw new OperatorError(
      'conflict',
      'the person with this number has opted out of campaigns; test with another number',
      { code: 'OPTED_OUT' },
    );
  if (conversationWindow === 'any') return;
  const window = await windowOf(db, {
    account,
    to: { key },
    connection,
    scopeOf: pollerScopes(config, account),
    now: new Date(await now()),
  });
  if (window.state === 'open') return;
  const why = window.state === 'closed' ? 'is closed' : `is not known to be open: ${window.why}`;
  throw new OperatorError(
    'conflict',
    `the campaign has conversationWindow: open, and the 24-hour window of this number ${why}; write to the connection from the phone, and test again when a poller has read the message`,
    { code: window.state === 'closed' ? 'WINDOW_CLOSED' : 'WINDOW_UNKNOWN' },
  );
}

async function variablesOf(
  { tools }: OperatorDeps,
  { campaign, config: draft, member, variables }: Test,
  { variables: wanted }: CampaignConfig,
  identity: string,
): Promise<RequestOf<'flow'>['variables']> {
  const names = Object.keys(wanted);
  const found =
    member === undefined ? (variables ?? {}) : await sampled(tools, { campaign, draft, member, identity });
  const unknown = Object.keys(found).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new OperatorError(
      'invalid',
      `variables: the campaign sends no variable ${unknown.map((name) => JSON.stringify(name)).join(', ')}; it sends ${names.join(', ') || 'none'}`,
      { code: 'INPUT' },
    );
  const missing = names.filter((name) => found[name] === undefined || found[name] === '');
  if (missing.length > 0)
    throw new OperatorError(
      'invalid',
      `there is no value for ${missing.join(', ')}, and people without one are excluded; choose another person, or type the values`,
      { code: 'VARIABLE_MISSING' },
    );
  return found;
}

interface Sampled {
  readonly campaign: string;
  readonly draft: Test['config'];
  readonly member: NonNullable<Test['member']>;
  readonly identity: string;
}

/** Counted again: the values of people never leave the server for a test. */
async function sampled(
  { campaignDraft }: OperatorDeps['tools'],
  { campaign, draft, member, identity }: Sampled,
): Promise<Readonly<Record<string, unknown>>> {
  const { problems, audience } = await campaignDraft.count({
    campaign,
    config: draft,
    by: identity,
    isForTest: true,
  });
  if (audience === null)
    throw new OperatorError(
      'invalid',
      problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
      { code: 'DRAFT_PROBLEMS' },
    );
  const found = audience.sample.find(
    ({ part, contact, row }) => part === member.part && contact === member.contact && row === member.row,
  );
  if (found !== undefined) return found.variables;
  throw new OperatorError(
    'conflict',
    'this person is no longer in the preview, because the audience has changed; choose another one',
    { code: 'PREVIEW_CHANGED' },
  );
}
