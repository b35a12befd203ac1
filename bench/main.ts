// `npm run bench NAME -- --json`: runs one benchmark and prints its figures beside the goals.
import { cpus, loadavg, totalmem } from 'node:os';
import type { Bench } from './bench.ts';
import { budget } from './budget.ts';
import { calls } from './calls.ts';
import { campaign } from './campaign.ts';
import { campaignLarge } from './campaign-large.ts';
import { cost } from './cost.ts';
import { costMetrics } from './cost-metrics.ts';
import { encryption } from './encryption.ts';
import { fairness } from './fairness.ts';
import { faults } from './faults.ts';
import { ingress } from './ingress.ts';
import { lanes } from './lanes.ts';
import { ledgerYear } from './ledger-year.ts';
import { members } from './members.ts';
import { overview } from './overview.ts';
import { person } from './person.ts';
import { plan } from './plan.ts';
import { poll } from './poll.ts';
import { sandbox } from './sandbox.ts';
import { scale } from './scale.ts';
import { size } from './size.ts';
import { tracing } from './tracing.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  budget,
  calls,
  campaign,
  'campaign-large': campaignLarge,
  cost,
  'cost-metrics': costMetrics,
  encryption,
  fairness,
  faults,
  ingress,
  lanes,
  'ledger-year': ledgerYear,
  members,
  overview,
  person,
  plan,
  poll,
  sandbox,
  scale,
  size,
  tracing,
};

const [name = '', ...flags] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined || flags.some((flag) => flag !== '--json')) {
  process.stderr.write(
    `usage: npm run bench NAME -- [--json]; NAME is one of ${Object.keys(BENCHES).join(', ')}\n`,
  );
  process.exit(2);
}

const { figures, goals } = await bench((line) => process.stderr.write(`${line}\n`));
const missed = Object.entries(goals).filter(([figure, { min = -Infinity, max = Infinity }]) => {
  const value = Number(figures[figure]);
  return !(value >= min && value <= max);
});
if (flags.includes('--json')) {
  const machine = {
    cpus: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    // Load of the last five minutes, so that a measurement on a busy machine is recognizable.
    load: Math.round((loadavg()[1] ?? 0) * 10) / 10,
  };
  process.stdout.write(
    `${JSON.stringify({ bench: name, machine, figures, goals, met: missed.length === 0 })}\n`,
  );
} else {
  for (const [figure, value] of Object.entries(figures)) {
    const goal = goals[figure];
    const bound =
      goal === undefined
        ? ''
        : `  (goal ${goal.min === undefined ? '' : `≥ ${goal.min}`}${goal.max === undefined ? '' : `≤ ${goal.max}`})`;
    process.stdout.write(`${figure.padEnd(32)} ${String(value).padStart(12)}${bound}\n`);
  }
  process.stdout.write(
    missed.length === 0 ? 'all goals met\n' : `missed: ${missed.map(([figure]) => figure).join(', ')}\n`,
  );
}
