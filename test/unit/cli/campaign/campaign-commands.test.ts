// `sluice campaign pause …`: which run a command applies to, which workflow carries it out, and what is refused before anything connects.
import { describe, expect, it } from 'vitest';
import { registerCampaignCommands } from '../../../../src/cli/campaign/campaign-commands.ts';
import { needsWorkflow, resolveRun } from '../../../../src/cli/campaign/command-campaign.ts';
import type { CampaignCommand, CampaignState } from '../../../../src/contracts/wire/campaign.ts';
import { runHere } from '../../../support/runner/run-here.ts';

type Action = CampaignCommand['action'];

const runOf = (state: CampaignState, n: number) => ({
  state,
  run: `acme/+win/${n}`,
  startedAt: ['running', 'finished', 'cancelled'].includes(state) ? '2026-11-16T12:00:00.000Z' : null,
});
/** Newest first. */
const runsOf = (...states: CampaignState[]) => states.map((state, n) => runOf(state, states.length - n));
const resolved = (action: Action, states: readonly CampaignState[], run: string | null = null) =>
  resolveRun({ account: 'acme', campaign: 'win', run }, action, runsOf(...states));

describe('the run that a command applies to', () => {
  it.each<[Action, CampaignState[], CampaignState]>([
    ['pause', ['planned', 'running', 'finished'], 'running'],
    ['resume', ['void', 'running'], 'running'],
    ['skipWave', ['running'], 'running'],
    ['cancel', ['planned', 'running'], 'running'],
    ['cancel', ['failed', 'planned', 'finished'], 'planned'],
    ['rate', ['planned', 'finished'], 'planned'],
    ['retry', ['running', 'finished'], 'running'],
    ['retry', ['planned', 'void', 'finished', 'cancelled'], 'finished'],
    ['resolve', ['planned', 'cancelled', 'finished'], 'cancelled'],
  ])('of %s among %j is the one %s', (action, states, expected) => {
    expect(resolved(action, states).state).toBe(expected);
  });

  it.each<[Action, CampaignState[], RegExp]>([
    ['pause', ['planned', 'finished'], /has no run under way; `sluice campaign list win` shows its runs/],
    ['cancel', ['finished', 'cancelled'], /has no run under way/],
    ['retry', ['planned', 'void'], /was never started/],
    ['resolve', [], /was never started/],
  ])('of %s among %j there is none', (action, states, message) => {
    expect(() => resolved(action, states)).toThrow(
      expect.objectContaining({ exitCode: 3, message: expect.stringMatching(message) }),
    );
  });

  it('is the one that was named, whatever its state', () => {
    expect(resolved('pause', ['running', 'finished'], 'acme/+win/1')).toMatchObject({ state: 'finished' });
    expect(() => resolved('pause', ['running'], 'acme/+win/7')).toThrow(
      expect.objectContaining({ exitCode: 3 }),
    );
  });

  it.each<[CampaignState, Action, boolean]>([
    ['running', 'pause', true],
    ['running', 'cancel', true],
    ['finished', 'retry', true],
    ['finished', 'resolve', true],
    ['finished', 'pause', false],
    ['cancelled', 'resolve', false],
    ['planned', 'cancel', false],
  ])('%s needs its workflow to %s: %s', (state, action, expected) => {
    expect(needsWorkflow(runOf(state, 1), action, runsOf(state))).toBe(expected);
  });

  it('a run that has finished is left to the ledger while another goes on: the workflow is that one’s', () => {
    const runs = runsOf('running', 'finished');
    expect(needsWorkflow(runOf('finished', 1), 'resolve', runs)).toBe(false);
    expect(needsWorkflow(runOf('running', 2), 'resolve', runs)).toBe(true);
  });
});

it.each<[argv: string[], code: number, message: RegExp]>([
  [['rate', 'win', '0'], 2, /"0" is not a rate/],
  [['rate', 'win', '1.5'], 2, /is not a rate/],
  [['rate', 'win', '100001'], 2, /is not a rate/],
  [['resolve', 'win', '--as', 'triggered'], 2, /--member, or --all/],
  [['resolve', 'win', '--as', 'triggered', '--all', '--member', '1'], 2, /--member, or --all/],
  [['resolve', 'win', '--as', 'triggered', '--all', '--again'], 2, /--again needs --as not-triggered/],
  [['pause', 'win', '--config', '/nowhere/sluice.yaml'], 3, /nowhere/],
])('%j is refused before anything connects', async (argv, code, message) => {
  const done = await runHere((program) => registerCampaignCommands(program, {}), argv);
  expect(done).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
});
