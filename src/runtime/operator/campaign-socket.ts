// Campaign queries at the operator socket, and their client. Numbers and variables of members take this way, because
// they must not travel through Temporal.
import { z } from 'zod';
import {
  type CampaignPeople,
  ListedMember,
  MembersQuery,
  RunQuery,
  SampledMember,
  SampleQuery,
} from '../../contracts/wire/campaign-people.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { type Endpoints, jsonEndpoint } from './operator-socket.ts';
import { openSocketCalls, type SocketCalls } from './operator-socket-client.ts';

const QUERY_BYTES = 65_536;

/**
 * - `POST /campaigns/sample` `{run, limit}` → `{members: [{member, number, variables}]}`
 * - `POST /campaigns/members` `{run, after, limit, states?, codes?, numbers?, variables?}` → `{members}`, as
 *   ListedMember
 * - `POST /campaigns/find` `{run}` or `{campaign, account?}` → `{report}`; null: there is no such run
 */
export function campaignEndpoints(people: CampaignPeople): Endpoints {
  return {
    '/campaigns/sample': jsonEndpoint(SampleQuery, QUERY_BYTES, async (query) => [
      200,
      { members: await people.sample(query) },
    ]),
    '/campaigns/members': jsonEndpoint(MembersQuery, QUERY_BYTES, async (query) => [
      200,
      { members: await people.members(query) },
    ]),
    '/campaigns/find': jsonEndpoint(RunQuery, QUERY_BYTES, async (query) => [
      200,
      { report: await people.find(query) },
    ]),
  };
}

const Sample = z.object({ members: z.array(SampledMember) });
const Members = z.object({ members: z.array(ListedMember) });
/** The same code made the answer on the other side. */
const Found = z.object({
  report: z.custom<CampaignReport>((report) => typeof report === 'object').nullable(),
});

/**
 * Connects to the process behind a socket. Its calls also throw SocketError.
 * @param path the `socket` in the lock of the state folder
 */
export function connectCampaignSocket(path: string): CampaignPeople & Pick<SocketCalls, 'close'> {
  const { post, close } = openSocketCalls(path);
  return {
    sample: async (query) => (await post('/campaigns/sample', JSON.stringify(query), Sample)).members,
    members: async (query) => (await post('/campaigns/members', JSON.stringify(query), Members)).members,
    find: async (query) => (await post('/campaigns/find', JSON.stringify(query), Found)).report,
    close,
  };
}
