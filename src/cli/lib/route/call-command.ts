// A command that calls an endpoint once: it shows or steers one thing, and prints what came of it.
import type { Command } from 'commander';
import type { OperatorClient } from '../../../operator/client/client.ts';
import type { Input, Output, Route } from '../../../operator/contract/index.ts';
import { withOperator } from '../connect/connect.ts';
import type { Connected } from '../connect/connected.ts';
import { say } from '../connect/lifetime.ts';
import { EXIT } from '../exit.ts';
import { confirm, requireAnswer, withYes } from '../terminal/confirm.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { addCommand, type CommandOptions, inputOf, pathOf, type RouteCommand } from './route-command.ts';

/** What the words of an answer may need. */
export interface Called<R extends Route, O> {
  readonly input: Input<R>;
  readonly options: CommandOptions & O;
  readonly where: Connected['where'];
}

export interface CallCommand<R extends Route, O> extends RouteCommand<R, O> {
  /** Help of `--json`. */
  readonly json: string;
  /** The command asks first, unless `--yes` is given: lines that say what it will do. */
  readonly confirms?: (
    client: OperatorClient,
    input: Input<R>,
  ) => Promise<readonly string[]> | readonly string[];
  /** Help of that `--yes`, where it says more than usual. */
  readonly yes?: string;
  /** Lines on stdout for people. */
  readonly text?: (answer: Output<R>, called: Called<R, O>) => string | readonly string[];
  /** What `--json` prints. @default the answer */
  readonly asJson?: (answer: Output<R>, called: Called<R, O>) => object | readonly object[];
  /** Lines on stderr. */
  readonly says?: (answer: Output<R>, called: Called<R, O>) => string | readonly string[];
  /** What follows when the work is in this process, which would end with the command. */
  readonly finishHere?: (client: OperatorClient, answer: Output<R>) => Promise<void>;
  /** @default ok */
  readonly exitCode?: (answer: Output<R>) => number;
  /** Turns a refusal into another error. */
  readonly refused?: (error: unknown) => never;
}

/** For `says` of a command with `--unmasked`. */
export function sayUnmasked(
  _: unknown,
  { input }: { readonly input: { readonly unmask?: boolean } },
): string[] {
  return input.unmask === true ? ['personal data is shown in clear (--unmasked)'] : [];
}

export function callCommand<R extends Route, O>(
  parent: Command,
  env: NodeJS.ProcessEnv,
  call: CallCommand<R, O>,
): void {
  const { route, confirms, text, asJson, says, finishHere, exitCode, refused } = call;
  const command = addCommand(parent, call).option('--json', call.json, false);
  if (confirms !== undefined) withYes(command, call.yes);
  command.action(async () => {
    const options = command.opts<CommandOptions & O & { readonly yes: boolean }>();
    const input = inputOf(command, call);
    if (confirms !== undefined) requireAnswer(options.yes);
    const connecting = { command: pathOf(command), ...call.connecting };
    await withOperator(options, env, connecting, async (client, { where }, { signal }) => {
      if (confirms !== undefined)
        await confirm({ what: await confirms(client, input), yes: options.yes, signal });
      const answer = await client.call(route, input).catch(refused);
      const called = { input, options, where };
      if (options.json) for (const each of [asJson?.(answer, called) ?? answer].flat()) printJson(each);
      else printLines([text?.(answer, called) ?? []].flat());
      for (const line of [says?.(answer, called) ?? []].flat()) say(line);
      if (where === 'here') await finishHere?.(client, answer);
      return exitCode?.(answer) ?? EXIT.ok;
    });
  });
}
