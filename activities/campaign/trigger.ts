// One member of a campaign: the calls that trigger its flow, once.
import type { MemberInput, MemberResult } from '../../src/contracts/campaign.ts';
import type { Deps } from '../deps.ts';

const notBuilt = () => new Error('not built yet');

export function createTriggerActivities(_deps: Deps) {
  return {
    /** GET /v1/contacts?number=: the contact's id, where the trigger needs it and nobody knows it. */
    async findMember(_input: MemberInput): Promise<MemberResult> {
      throw notBuilt();
    },

    /** GET /v1/contacts/{contactId}: the contact's tags as they are now. */
    async recheckMember(_input: MemberInput): Promise<MemberResult> {
      throw notBuilt();
    },

    /** POST /v1/flows/trigger, at most once. */
    async triggerMember(_input: MemberInput): Promise<MemberResult> {
      throw notBuilt();
    },
  };
}
