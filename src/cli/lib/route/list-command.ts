// A command that lists what an endpoint answers, page by page.
import type { Command } from 'commander';
import { z } from 'zod';
import type { Input, Output, Route } from '../../../operator/contract/index.ts';
import { integer } from '../arguments.ts';
import { withOperator } from '../connect/connect.ts';
import { say } from '../connect/lifetime.ts';
import { EXIT } from '../exit.ts';
import { formatMany } from '../terminal/format.ts';
import { printList } from '../terminal/list.ts';
import { type Column, listOf } from '../terminal/table.ts';
import { addCommand, type CommandOptions, inputOf, pathOf, type RouteCommand } from './route-command.ts';

/** Fields of an answer that are lists. */
type ListsOf<A> = { [K in keyof A]: A[K] extends readonly object[] ? K : never }[keyof A];
type ItemOf<A, K extends keyof A> = A[K] extends readonly (infer I extends object)[] ? I : never;

export interface Listed<A, I = unknown> {
  readonly input: I;
  /** Number of printed entries. */
  readonly count: number;
  /** The list goes on after `--limit`. */
  readonly more: boolean;
  /** The first page. */
  readonly answer: A;
}

export interface ListCommand<R extends Route, K extends ListsOf<Output<R>>, O> extends RouteCommand<R, O> {
  /** The field of the answer that is listed. */
  readonly items: K;
  /** Columns of the table, or the lines of a page for people. */
  readonly shown:
    | readonly Column<ItemOf<Output<R>, K>>[]
    | ((
        items: readonly ItemOf<Output<R>, K>[],
        page: number,
        options: CommandOptions & O,
      ) => readonly string[]);
  /** Bounds of `--limit`; without `usual`, everything is listed. Null: the list is short, and has no `--limit`. */
  readonly limit: { readonly usual?: number; readonly most?: number } | null;
  /** What an entry is, for the number at the end: `event`. Without it, none is printed. */
  readonly one?: string;
  /** What stands in place of the number when there is no entry. */
  readonly none?: string;
  /** Further lines on stderr. */
  readonly says?: (listed: Listed<Output<R>, Input<R>>, options: CommandOptions & O) => readonly string[];
  /** @default ok */
  readonly exitCode?: (answer: Output<R>) => number;
  /** An entry as `--json` prints it. @default as it is */
  readonly asJson?: (item: ItemOf<Output<R>, K>) => object;
}

export function listCommand<R extends Route, K extends ListsOf<Output<R>>, O>(
  parent: Command,
  env: NodeJS.ProcessEnv,
  list: ListCommand<R, K, O>,
): void {
  const { route, items, limit: bounds, one, none, says, exitCode, asJson } = list;
  const { shape } = list.contract[route].input;
  const command = addCommand(parent, list);
  if (bounds !== null) {
    const { usual, most } = bounds;
    const help = `maximum number of entries${most === undefined ? '' : `, at most ${most}`}`;
    command.option('--limit <count>', help, integer({ min: 1, max: most }), usual);
  }
  command.option('--json', 'print one JSON object per line', false).action(async () => {
    const options = command.opts<CommandOptions & O & { readonly limit?: number }>();
    const input = inputOf(command, list);
    const { json, limit } = options;
    const connecting = { command: pathOf(command), ...list.connecting };
    await withOperator(options, env, connecting, async (client) => {
      let first: Output<R> | undefined;
      const { count, more } = await printList<ItemOf<Output<R>, K>, unknown>({
        json,
        limit,
        page: pageOf(shape),
        asJson,
        lines: (found, page) =>
          typeof list.shown === 'function'
            ? list.shown(found, page, options)
            : listOf(list.shown, found, { page }),
        async read(size, from) {
          const answer = await client.call(route, { ...input, ...positionOf(shape, size, from) });
          first ??= answer;
          const { next = null } = answer as { readonly next?: unknown };
          return { items: answer[items] as readonly ItemOf<Output<R>, K>[], next };
        },
      });
      const answer = first as Output<R>;
      if (count === 0 && none !== undefined) say(none);
      else if (one !== undefined) say(`${formatMany(count, one)}${more ? MORE : ''}`);
      for (const line of says?.({ input, count, more, answer }, options) ?? []) say(line);
      return exitCode?.(answer) ?? EXIT.ok;
    });
  });
}

const MORE = ', and there are more: see --limit';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Maximum number of entries of one request; null: the endpoint answers all at once. */
function pageOf({ limit }: Shape): number | null {
  return limit instanceof z.ZodDefault ? ((limit.unwrap() as z.ZodNumber).maxValue ?? null) : null;
}

function positionOf(shape: Shape, limit: number, from: unknown): Partial<Input<Route>> {
  if (shape.limit === undefined) return {};
  return { limit, ['before' in shape ? 'before' : 'after']: from };
}
