import { describe, expect, it } from 'vitest';
import { StopRules, WavesConfig } from '../../../../../src/jobs/campaigns/config.ts';
import { brokenRules, type WaveTally, waveOf } from '../../../../../src/jobs/campaigns/rules/waves.ts';

const waves = (input: object) => WavesConfig.parse(input);
const shapes = (input: object, count: number) =>
  Array.from({ length: count }, (_, i) => waveOf(waves(input), i + 1)).map(
    ({ kind, size }) => `${kind} ${size}`,
  );

describe('sizes of waves', () => {
  it.each([
    ['all alike by default', {}, ['wave 500', 'wave 500', 'wave 500']],
    ['one size', { size: 7 }, ['wave 7', 'wave 7', 'wave 7']],
    ['a ramp keeps its last size', { size: [50, 100, 200] }, ['wave 50', 'wave 100', 'wave 200', 'wave 200']],
    ['a canary comes before the ramp', { canary: 5, size: [50, 100] }, ['canary 5', 'wave 50', 'wave 100']],
    ['a canary before waves of one size', { canary: 1, size: 3 }, ['canary 1', 'wave 3', 'wave 3']],
  ])('%s', (_, input, expected) => {
    expect(shapes(input, expected.length)).toEqual(expected);
  });

  it.each([0, -1, 1.5, Number.NaN])('a wave %s does not exist', (n) => {
    expect(() => waveOf(waves({}), n)).toThrow(/counted from 1/);
  });
});

describe('stop rules', () => {
  const tally = (some: Partial<WaveTally>): WaveTally => ({
    tried: 100,
    triggered: 0,
    failed: 0,
    unknown: 0,
    humanService: 0,
    optedOut: 0,
    replied: 0,
    ...some,
  });
  const codes = (rules: object, some: Partial<WaveTally>) =>
    brokenRules(StopRules.parse(rules), tally(some)).map(({ code }) => code);

  it.each([
    ['no rule stops nothing', {}, { failed: 100 }, []],
    ['as much as the limit is still well', { failed: 0.1 }, { failed: 10 }, []],
    ['one above the limit stops', { failed: 0.1 }, { failed: 11 }, ['STOP_FAILED']],
    ['a limit of a third, three of nine', { failed: 1 / 3, atLeast: 1 }, { tried: 9, failed: 3 }, []],
    ['a small wave is judged by no share', { failed: 0.1 }, { tried: 19, failed: 19 }, []],
    ['a wave just large enough is judged', { failed: 0.1 }, { tried: 20, failed: 3 }, ['STOP_FAILED']],
    ['a wave nobody of which was tried is judged by nothing', { replies: 0.5, atLeast: 1 }, { tried: 0 }, []],
    ['unknown outcomes', { unknown: 0.01 }, { unknown: 2 }, ['STOP_UNKNOWN']],
    ['human service', { humanService: 0.2 }, { humanService: 21 }, ['STOP_HUMAN_SERVICE']],
    ['opt-outs', { optOut: 0.02 }, { optedOut: 3 }, ['STOP_OPT_OUT']],
    ['too few replies', { replies: 0.05 }, { replied: 4 }, ['STOP_REPLIES']],
    ['replies enough', { replies: 0.05 }, { replied: 5 }, []],
    [
      'every broken rule is reported, in order',
      { failed: 0.1, unknown: 0.1, humanService: 0.1, optOut: 0.1, replies: 0.9 },
      { failed: 20, unknown: 20, humanService: 20, optedOut: 20, replied: 20 },
      ['STOP_FAILED', 'STOP_UNKNOWN', 'STOP_HUMAN_SERVICE', 'STOP_OPT_OUT', 'STOP_REPLIES'],
    ],
  ])('%s', (_, rules, some, expected) => {
    expect(codes(rules, some)).toEqual(expected);
  });

  it('a reason contains the numbers, and so do the parameters of a translated one', () => {
    const rules = StopRules.parse({ failed: 0.015, replies: 0.5 });
    expect(brokenRules(rules, tally({ tried: 2000, failed: 31, replied: 999 }))).toEqual([
      {
        code: 'STOP_FAILED',
        reason: '31 of 2,000 members (1.6%) failed; the campaign stops above 1.5%',
        params: { members: 31, tried: 2000, limitShare: 0.015 },
      },
      {
        code: 'STOP_REPLIES',
        reason: '999 of 2,000 members (50%) replied; the campaign stops below 50%',
        params: { members: 999, tried: 2000, limitShare: 0.5 },
      },
    ]);
  });
});
