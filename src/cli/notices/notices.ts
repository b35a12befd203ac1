// `sluice notices`: tests the channels that are notified of what needs a person.
import type { Command } from 'commander';
import { neutralLine } from '../../observe/neutral.ts';
import { NOTICES } from '../../operator/contract/notices.ts';
import { EXIT } from '../lib/exit.ts';
import { callCommand } from '../lib/route/call-command.ts';

export function registerNotices(program: Command, env: NodeJS.ProcessEnv): void {
  const notices = program
    .command('notices')
    .description('test the channels that are notified of what needs a person');

  callCommand(notices, env, {
    name: 'test',
    about: 'send a test notice, and print what the channel answered',
    contract: NOTICES,
    route: 'POST /notices/test',
    arguments: [['channel', '[channel]', 'name of the channel; all of them if left out']],
    connecting: { configured: true, mayBeEmpty: true },
    json: 'print JSON lines',
    asJson: ({ results }) => results,
    text: ({ results }) =>
      results.map(({ channel, code, answer }) =>
        neutralLine(`${channel}  ${code === null ? 'ok' : `FAILED [${code}]`}: ${answer}`),
      ),
    exitCode: ({ results }) => (results.every(({ code }) => code === null) ? EXIT.ok : EXIT.unavailable),
  });
}
