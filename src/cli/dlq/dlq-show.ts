// `sluice dlq show`: one complete dead letter; personal data is hidden by default.

import type { Command } from 'commander';
import type { FoundDeadLetter } from '../../ingress/kafka/index.ts';
import { neutralLine } from '../../observability/neutral.ts';
import { maskHeader, maskKey, maskValue } from '../../operator/service/masking.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { type BoxOptions, openBox, parseId, readBox, withBoxOptions } from './dlq-box.ts';

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
      process.exitCode = await runCommand(async ({ signal }) => {
        const from = parseId(id);
        const box = await openBox(options, env);
        const foundLetters = await readBox(box, {
          from,
          keepValue: (deadLetter) => deadLetter.id === id && 'always',
          signal,
        });
        const deadLetter = foundLetters.find((each) => each.id === id);
        if (deadLetter === undefined)
          throw new CliError(EXIT.notFound, `there is no dead letter ${id} in "${box.config.deadLetters}"`);
        if (options.unmasked) say('personal data is shown in clear (--unmasked)');
        const shown = shownOf(deadLetter, options.unmasked);
        process.stdout.write(options.json ? `${JSON.stringify(shown)}\n` : asText(shown));
        return EXIT.ok;
      });
    });
}

function shownOf(deadLetter: FoundDeadLetter, unmasked: boolean) {
  const { id, origin, route, code, reason, failedAt, resolution, key, value, omitted } = deadLetter;
  const headers = Object.entries(deadLetter.headers).map(([name, value]) => {
    const text = (Array.isArray(value) ? value : [value]).map(String).join(', ');
    return [name, unmasked ? text : maskHeader(name, text)] as const;
  });
  return {
    id,
    failedAt,
    route,
    code,
    reason,
    origin,
    resolution,
    key: unmasked ? (key?.toString('utf8') ?? null) : maskKey(key),
    headers: Object.fromEntries(headers),
    bytes: omitted ?? value?.byteLength ?? 0,
    value: value === null ? null : unmasked ? value.toString('utf8') : maskValue(value),
    ...(omitted !== null && { note: 'the value was too long for this topic; the origin has it' }),
  };
}

function asText(shown: ReturnType<typeof shownOf>): string {
  const { origin, resolution, headers, value, note, bytes, ...rest } = shown;
  const lines = [
    ...Object.entries(rest).map(([name, text]) => `${name}: ${neutralLine(String(text ?? '-'))}`),
    `origin: ${neutralLine(origin.topic)}, partition ${origin.partition}, offset ${neutralLine(origin.offset)}`,
    ...(resolution === null
      ? []
      : [neutralLine(`${resolution.how}: by ${resolution.by} at ${resolution.at}`)]),
    ...Object.entries(headers).map(([name, text]) => `header ${neutralLine(name)}: ${neutralLine(text)}`),
    `value (${bytes} bytes): ${note ?? (value === null ? 'none' : '')}`,
    ...(value === null ? [] : value.split('\n').map(neutralLine)),
  ];
  return `${lines.join('\n')}\n`;
}
