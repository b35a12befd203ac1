// `sluice dlq show`: one complete dead letter; personal data is hidden by default.
import type { Command } from 'commander';
import { callCommand, sayUnmasked } from '../../../../cli/lib/route/call-command.ts';
import { nowLines } from '../../../../cli/lib/terminal/dry-run.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import { type DeadLetterDetail, type DryRunNow, REFUSALS } from '../../contract/refusals.ts';
import { CLUSTER, checkId } from './options.ts';

export function registerDlqShow(dlq: Command, env: NodeJS.ProcessEnv): void {
  callCommand(dlq, env, {
    name: 'show',
    about: 'show one dead letter: origin, error, headers and value',
    contract: REFUSALS,
    route: 'GET /dead-letters/{id}',
    arguments: [['id', '<id>', 'id of the dead letter', checkId]],
    fields: { ...CLUSTER, unmask: ['--unmasked', 'show key, headers and value unmasked'] },
    json: 'print one JSON object',
    asJson: noted,
    text: (deadLetter, { input }) => asText(noted(deadLetter), input.cluster),
    says: sayUnmasked,
  });
}

function noted({ omitted, ...rest }: DeadLetterDetail) {
  return omitted ? { ...rest, note: 'the value was too long for this topic; the origin has it' } : rest;
}

function asText(
  shown: Omit<DeadLetterDetail, 'omitted'> & { readonly note?: string },
  cluster: string | undefined,
): string[] {
  const { origin, resolution, headers, value, note, bytes, now, ...rest } = shown;
  return [
    ...Object.entries(rest).map(([name, text]) => `${name}: ${neutralLine(String(text ?? '-'))}`),
    `origin: ${neutralLine(origin.topic)}, partition ${origin.partition}, offset ${neutralLine(origin.offset)}`,
    ...(resolution === null
      ? []
      : [neutralLine(`${resolution.how}: by ${resolution.by} at ${resolution.at}`)]),
    ...Object.entries(headers).map(([name, text]) => `header ${neutralLine(name)}: ${neutralLine(text)}`),
    `value (${bytes} bytes): ${note ?? (value === null ? 'none' : '')}`,
    ...(value === null ? [] : value.split('\n').map(neutralLine)),
    ...(now === null ? [] : nextSteps(shown, now, cluster)),
  ];
}

/** What a replay would come to, and the commands that settle the dead letter. */
export function nextSteps(
  { id, code, reason }: Pick<DeadLetterDetail, 'id' | 'code' | 'reason'>,
  now: DryRunNow,
  cluster: string | undefined,
): string[] {
  const of = cluster === undefined ? id : `${id} --cluster ${cluster}`;
  const isSame = now.outcome === 'refused' && now.code === code && now.reason === reason;
  const [first = ''] = nowLines(now);
  const replay = `\`sluice dlq replay ${of}\``;
  return [
    '',
    `a replay now: ${neutralLine(first)}${isSame ? ' (as before)' : ''}`,
    now.outcome === 'accepted'
      ? `next: ${replay} sends it again`
      : `next: correct the route's configuration or the sender; then ${replay}`,
    `      \`sluice dlq discard ${of} --reason …\` if nobody needs it`,
  ];
}
