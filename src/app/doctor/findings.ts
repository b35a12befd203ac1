// The findings of a doctor: one per check, in groups, with the exit code that follows from them.
import type { DoctorReport } from '../../operator/contract/settings.ts';
import { DOCTOR_FIXES } from './fixes.ts';
import { type Said, say } from './say.ts';

export type Group = DoctorReport['groups'][number];
export type Finding = Group['findings'][number];
type Level = Finding['level'];
/** The kind of a problem, where it decides the exit code. */
export type Cause = NonNullable<Finding['cause']>;
/** One call of the API without id, token or personal data: the path is a template. */
export type ReadCall = NonNullable<Group['calls']>[number];

export interface FindingOptions {
  /** @default the way out of the code */
  readonly hint?: Said | undefined;
  readonly cause?: Cause | undefined;
}

/** Collects findings. */
export class Findings {
  readonly list: Finding[] = [];

  ok(check: string, said: Said): void {
    this.#add('ok', check, said, {});
  }

  warning(check: string, said: Said, hint?: Said): void {
    this.#add('warning', check, said, { hint });
  }

  problem(check: string, said: Said, options: FindingOptions = {}): void {
    this.#add('problem', check, said, options);
  }

  unchecked(check: string, said: Said): void {
    this.#add('unchecked', check, said, {});
  }

  #add(level: Level, check: string, { code, reason, params }: Said, options: FindingOptions): void {
    const fixes: Readonly<Record<string, Parameters<typeof say>[0] | undefined>> = DOCTOR_FIXES;
    const fix = fixes[code];
    const { hint = fix === undefined ? undefined : say(fix, params), cause } = options;
    this.list.push({ level, check, code, reason, params, hint, cause });
  }
}

export function summarize(groups: readonly Group[]): DoctorReport['summary'] {
  const all = groups.flatMap(({ findings }) => findings);
  const count = (level: Level) => all.filter((finding) => finding.level === level).length;
  return {
    ok: count('ok'),
    warnings: count('warning'),
    problems: count('problem'),
    unchecked: count('unchecked'),
    calls: groups.reduce((sum, { calls = [] }) => sum + calls.length, 0),
  };
}

/** The worst finding. What is out of reach hides other problems, so it comes first. */
export function verdict(groups: readonly Group[]): DoctorReport['verdict'] {
  const problems = groups.flatMap(({ findings }) => findings).filter(({ level }) => level === 'problem');
  if (problems.some(({ cause }) => cause === 'unreachable')) return 'unreachable';
  if (problems.some(({ cause }) => cause === 'auth')) return 'auth';
  if (problems.some(({ cause }) => cause === 'usage')) return 'usage';
  return problems.length > 0 ? 'problems' : 'ok';
}

const MARK: Readonly<Record<Level, string>> = {
  ok: 'ok',
  warning: 'warning',
  problem: 'PROBLEM',
  unchecked: 'not checkable',
};

/** One line per finding, under its group. */
export function describeGroups(groups: readonly Group[]): string[] {
  const width = Math.max(...Object.values(MARK).map(({ length }) => length));
  const lines = groups.flatMap(({ of, account, findings, calls = [] }) => [
    account === null ? of : `${of} ${account}`,
    ...findings.map(({ level, check, reason, hint }) => {
      const way = hint === undefined ? '' : `; ${hint.reason}`;
      return `  ${MARK[level].padEnd(width)}  ${check}: ${reason}${way}`;
    }),
    ...(calls.length === 0 ? [] : [`  ${describeCalls(calls)}`]),
    '',
  ]);
  const { ok, warnings, problems, unchecked, calls } = summarize(groups);
  return [
    ...lines,
    `${ok} ok, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${problems} ${problems === 1 ? 'problem' : 'problems'}, ` +
      `${unchecked} not checkable; ${calls} ${calls === 1 ? 'call' : 'calls'}, none of which writes`,
  ];
}

function describeCalls(calls: readonly ReadCall[]): string {
  const counts = new Map<string, number>();
  for (const { method, path, status, anonymous } of calls) {
    const why = anonymous ? ' (without a token, to check the address first)' : '';
    const name = `${method} ${path} ${status ?? '(no answer)'}${why}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, n]) => (n === 1 ? name : `${name} ×${n}`));
  return `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}: ${names.join(', ')}`;
}
