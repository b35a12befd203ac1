// Runs 100,000 members in one campaign run, in batches. Operators pause, change the rate and resume all the while. The
// sandbox counts the flow runs, the ledger's audit the operators' commands.
import { openPostgres } from '../src/core/sql/database.ts';
import { changeRateUpdate, pauseCampaignUpdate, resumeCampaignUpdate } from '../workflows/messages.ts';
import type { BenchResult } from './bench.ts';
import {
  openCampaignEnvironment,
  planCampaign,
  runCampaign,
  wrongRuns,
} from './support/campaign-environment.ts';
import { round } from './support/log.ts';
import { residentMb } from './support/memory.ts';

const MEMBERS = 100_000;
/** A limit that nobody reaches, so that only this machine limits the speed. */
const RATE = 600_000;
const COMMAND_EVERY_MS = 10_000;

export async function campaignLarge(say: (line: string) => void): Promise<BenchResult> {
  const environment = await openCampaignEnvironment(
    MEMBERS,
    { canary: 100, size: 25_000, settle: '0s' },
    RATE,
    60,
    say,
  );
  const db = await openPostgres(environment.databaseUrl, (error) => say(error.message));
  try {
    const workers = [await environment.worker(), await environment.worker()];
    say(`${MEMBERS} members are planned`);
    const began = Date.now();
    const { run } = await planCampaign(environment);
    const planSeconds = (Date.now() - began) / 1000;
    say(`planned in ${Math.round(planSeconds)} s; now they are triggered, some eight minutes`);
    const { handle, startedAt, bytes } = await runCampaign(environment, run);
    const result = handle.result();
    let over = false;
    const ended = result.finally(() => {
      over = true;
    });
    ended.catch(() => undefined);
    let commands = 0;
    let late = 0;
    let reported = 0;
    const count = async () =>
      Number(
        (
          await db.query<{ n: number }>(
            "select count(*)::int as n from campaign_members where state = 'triggered'",
          )
        )[0]?.n,
      );
    for (;;) {
      await Promise.race([ended, environment.wait(COMMAND_EVERY_MS)]);
      if (over) break;
      const by = { by: 'bench', reason: `act ${commands}` };
      try {
        await handle.executeUpdate(pauseCampaignUpdate, { args: [by] });
        const before = await count();
        await handle.executeUpdate(changeRateUpdate, {
          args: [{ ...by, callsPerMinute: commands % 2 === 0 ? 100_000 : null }],
        });
        late += (await count()) - before;
        await handle.executeUpdate(resumeCampaignUpdate, { args: [by] });
        commands += 3;
        if (before - reported >= 5000) {
          reported = before;
          say(`${before} members after ${Math.round((Date.now() - startedAt) / 1000)} s`);
        }
      } catch (error) {
        // The run may have ended between two commands.
        await environment.wait(2000);
        if (!over) throw error;
      }
    }
    const { state } = await result;
    const seconds = (Date.now() - startedAt) / 1000;
    const chain = await bytes();
    const [audit] = await db.query<{ n: number }>(
      "select count(*)::int as n from campaign_audit where action in ('pause', 'rate', 'resume')",
    );
    const [sum] = await db.query<{ n: number }>(
      "select count(*)::int as n from campaign_members where state = 'triggered'",
    );
    const memory = await Promise.all(workers.map(({ pid }) => residentMb(pid)));
    return {
      figures: {
        members: MEMBERS,
        'planning, s': round(planSeconds, 0),
        'ended as': state,
        seconds: round(seconds, 0),
        'triggers/s': round(MEMBERS / seconds, 1),
        'runs continued as new': chain.runs - 1,
        'history bytes a member': round(chain.bytes / MEMBERS, 0),
        'history events a member': round(chain.events / MEMBERS, 2),
        'commands of operators': commands,
        'commands lost': Math.max(0, commands - Number(audit?.n)),
        'triggered after a pause was answered': late,
        'members without an outcome': MEMBERS - Number(sum?.n),
        'flow runs missing or twice': await wrongRuns(environment, MEMBERS),
        'worker memory at the end, MB': memory.join(' '),
      },
      goals: {
        'triggers/s': { min: 200 },
        'commands lost': { max: 0 },
        'triggered after a pause was answered': { max: 0 },
        'members without an outcome': { max: 0 },
        'flow runs missing or twice': { max: 0 },
      },
    };
  } finally {
    await db.close();
    await environment.close();
  }
}
