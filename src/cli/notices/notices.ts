// `sluice notices`: tests the channels that are notified of what needs a person.
import type { Command } from 'commander';
import { neutralLine } from '../../observe/neutral.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { printLines } from '../lib/terminal/print.ts';

export function registerNotices(program: Command, env: NodeJS.ProcessEnv): void {
  const notices = program
    .command('notices')
    .description('test the channels that are notified of what needs a person');

  withSessionOptions(notices.command('test'))
    .argument('[channel]', 'name of the channel; all of them if left out')
    .description('send a test notice, and print what the channel answered')
    .option('--json', 'print JSON lines', false)
    .action((channel: string | undefined, options: SessionOptions & { readonly json: boolean }) =>
      withOperator(
        options,
        env,
        { command: 'sluice notices test', configured: true, mayBeEmpty: true },
        async (client) => {
          const { results } = await client.call('POST /notices/test', { channel });
          printLines(
            results.map((result) =>
              options.json
                ? JSON.stringify(result)
                : neutralLine(
                    `${result.channel}  ${result.code === null ? 'ok' : `FAILED [${result.code}]`}: ${result.answer}`,
                  ),
            ),
          );
          return results.every(({ code }) => code === null) ? EXIT.ok : EXIT.unavailable;
        },
      ),
    );
}
