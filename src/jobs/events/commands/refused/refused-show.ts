// `sluice refused show`: one complete refused request; personal data is hidden by default.
import type { Command } from 'commander';
import { callCommand, sayUnmasked } from '../../../../cli/lib/route/call-command.ts';
import { nowLines } from '../../../../cli/lib/terminal/dry-run.ts';
import { formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import { REFUSED_REQUESTS, type RefusedRequestDetail } from '../../contract/refused-requests.ts';
import { checkId } from './refused-options.ts';

export function registerRefusedShow(refused: Command, env: NodeJS.ProcessEnv): void {
  callCommand(refused, env, {
    name: 'show',
    about: 'show one refused request: error, headers, body, and what a replay would come to',
    contract: REFUSED_REQUESTS,
    route: 'GET /refused-requests/{id}',
    arguments: [['id', '<id>', 'id of the refused request', checkId]],
    fields: { unmask: ['--unmasked', 'show headers and body unmasked'] },
    json: 'print one JSON object',
    text: asText,
    says: sayUnmasked,
  });
}

function asText(request: RefusedRequestDetail): string[] {
  const { id, account, route, code, reason, count, bytes, firstAt, lastAt, resolution, headers, body, now } =
    request;
  const lines = [
    `id: ${id}`,
    `route: ${route} (${account})`,
    `error: ${reason} [${code}]`,
    `arrived: ${formatMany(count, 'time')}, from ${formatTime(firstAt)} to ${formatTime(lastAt)}`,
    ...(resolution === null
      ? []
      : [
          `${resolution.how}: by ${resolution.by} at ${formatTime(resolution.at)}${resolution.reason === null ? '' : `, ${resolution.reason}`}`,
        ]),
    ...Object.entries(headers).map(([name, text]) => `header ${name}: ${text}`),
    `body (${formatMany(bytes, 'byte')}):`,
    ...body.split('\n'),
    ...(now === null ? [] : nextSteps(request, now)),
  ];
  return lines.map(neutralLine);
}

/** What a replay would come to, and the commands that settle the request. */
function nextSteps(
  { id, code, reason }: RefusedRequestDetail,
  now: NonNullable<RefusedRequestDetail['now']>,
): string[] {
  const isSame = now.outcome === 'refused' && now.code === code && now.reason === reason;
  const [first = ''] = nowLines(now);
  const replay = `sluice refused replay ${id}`;
  return [
    '',
    `a replay now: ${first}${isSame ? ' (as before)' : ''}`,
    ...(now.outcome === 'accepted'
      ? [`next: \`${replay}\` hands it to its route`]
      : [
          `next: correct the route's configuration; then \`${replay}\``,
          `      or correct the body (\`sluice refused show ${id} --unmasked --json\`): \`${replay} --body FILE\``,
        ]),
    `      \`sluice refused discard ${id} --reason …\` if nobody needs it`,
  ];
}
