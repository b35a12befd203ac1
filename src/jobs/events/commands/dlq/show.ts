// `sluice dlq show`: one complete dead letter; personal data is hidden by default.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import { EXIT } from '../../../../cli/lib/exit.ts';
import { nowLines } from '../../../../cli/lib/terminal/dry-run.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import type { DeadLetterDetail, DryRunNow } from '../../contract/refusals.ts';
import { type BoxOptions, checkId, withBoxOptions } from './options.ts';

interface Options extends BoxOptions {
  readonly json: boolean;
  readonly unmasked: boolean;
}

export function registerDlqShow(dlq: Command, env: NodeJS.ProcessEnv): void {
  withBoxOptions(dlq.command('show').argument('<id>', 'id of the dead letter'))
    .description('show one dead letter: origin, error, headers and value')
    .option('--json', 'print one JSON object', false)
    .option('--unmasked', 'show key, headers and value unmasked', false)
    .action(async (id: string, options: Options) => {
      checkId(id);
      await withOperator(options, env, { command: 'sluice dlq show' }, async (client) => {
        const { cluster, unmasked: unmask } = options;
        const deadLetter = await client.call('GET /dead-letters/{id}', { id, cluster, unmask });
        if (unmask) say('personal data is shown in clear (--unmasked)');
        const { omitted, ...rest } = deadLetter;
        const shown = omitted
          ? { ...rest, note: 'the value was too long for this topic; the origin has it' }
          : rest;
        process.stdout.write(options.json ? `${JSON.stringify(shown)}\n` : asText(shown, cluster));
        return EXIT.ok;
      });
    });
}

function asText(
  shown: Omit<DeadLetterDetail, 'omitted'> & { readonly note?: string },
  cluster: string | undefined,
): string {
  const { origin, resolution, headers, value, note, bytes, now, ...rest } = shown;
  const lines = [
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
  return `${lines.join('\n')}\n`;
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
