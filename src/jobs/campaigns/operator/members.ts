// Members of a run, one by one. They are masked unless the caller reveals them.

import { pageOf } from '../../../core/page.ts';
import { maskEmail, maskName, maskPhone, maskWritten } from '../../../observe/masking.ts';
import { isAllowed } from '../../../operator/service/caller.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { CAMPAIGN_MEMBERS, ListedMember } from '../contract/campaign-members.ts';
import { memberCase } from '../rules/member-case.ts';
import { sampleMembers } from '../store/plan-facts.ts';
import { listMembers } from '../store/roll.ts';
import { findRun } from './target.ts';

const HIDDEN = '•••';

export function memberHandlers({ db }: OperatorDeps): Handlers<keyof typeof CAMPAIGN_MEMBERS> {
  return {
    'POST /campaigns/{campaign}/members': async (
      { campaign, unmask, limit, variables, ...filter },
      caller,
    ) => {
      const { run_id: run } = await findRun(db, campaign);
      const found = await listMembers(db, {
        ...filter,
        run,
        whole: !isAllowed(caller, 'operator'),
        limit: limit + 1,
        variables: unmask && variables,
      });
      const { page, next } = pageOf(found, limit, ({ member }) => member);
      const members = page
        .map((member) => ({ ...member, params: memberCase(member.code, member.reason) }))
        .map((member) => (unmask ? member : { ...member, ...maskedNames(member) }));
      return { run, members, next };
    },
    'POST /campaigns/{campaign}/sample': async ({ campaign, limit, unmask }) => {
      const { run_id: run } = await findRun(db, campaign);
      const sample = await sampleMembers(db, run, limit);
      const members = sample.map(({ member, number, variables }) => ({
        member,
        number: masked(number),
        variables: unmask ? variables : hidden(variables),
      }));
      return { run, members };
    },
  };
}

/** Who has no key is no person: their number is as it was written. */
function maskedNames({ person, number, name, email }: ListedMember) {
  const hide = (value: string | null, mask: (text: string) => string) =>
    value === null ? null : mask(value);
  return {
    number: hide(number, person === null ? maskWritten : maskPhone),
    name: hide(name, maskName),
    email: hide(email, maskEmail),
  };
}

function masked(number: string | null): string | null {
  return number === null ? null : maskPhone(number);
}

function hidden(variables: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, HIDDEN]));
}
