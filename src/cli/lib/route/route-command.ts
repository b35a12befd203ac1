// What a command that calls one endpoint consists of: its words, and how they become the endpoint's input.
import { Argument, type Command } from 'commander';
import type { Endpoints, Input, Route } from '../../../operator/contract/index.ts';
import type { ConnectOptions } from '../connect/connected.ts';
import { type SessionOptions, withSessionOptions } from '../connect/session.ts';
import { type Fields, readFields, wireOf, withFields } from './fields.ts';

export type CommandOptions = SessionOptions & { readonly json: boolean };

type ArgumentOf<R extends Route> = readonly [
  field: keyof Input<R> & string,
  flags: string,
  help: string,
  parse?: (text: string) => unknown,
];

/** `O`: options of the command that are no fields of the endpoint. */
export interface RouteCommand<R extends Route, O> {
  readonly name: string;
  readonly about: string;
  /** Table of endpoints that has the route. The command line does not load the others. */
  readonly contract: Pick<Endpoints, R>;
  readonly route: R;
  readonly arguments?: readonly ArgumentOf<R>[];
  readonly fields?: Fields<Input<R>>;
  /** Adds the options that are no fields. */
  readonly flags?: (command: Command) => Command;
  /**
   * The input, where it is more than the fields that arguments and options gave.
   * @throws CliError (usage), before anything connects
   */
  readonly input?: (given: Partial<Input<R>>, options: CommandOptions & O) => Partial<Input<R>>;
  readonly connecting?: Omit<ConnectOptions, 'command'>;
}

export function addCommand<R extends Route, O>(parent: Command, added: RouteCommand<R, O>): Command {
  const { name, about, flags = (same) => same, fields = {} } = added;
  const command = withSessionOptions(parent.command(name)).description(about);
  for (const [, argument, help, parse] of added.arguments ?? []) {
    const made = new Argument(argument, help);
    command.addArgument(parse === undefined ? made : made.argParser(parse));
  }
  return withFields(flags(command), added.contract[added.route].input, fields);
}

/** The input of a command line. The server refuses one that lacks a field. */
export function inputOf<R extends Route, O>(command: Command, added: RouteCommand<R, O>): Input<R> {
  const named = (added.arguments ?? []).map(([field], at) => [field, wireOf(command.processedArgs[at])]);
  const given = {
    ...Object.fromEntries(named),
    ...readFields(command.opts(), added.contract[added.route].input, added.fields ?? {}),
  } as Partial<Input<R>>;
  return (added.input?.(given, command.opts()) ?? given) as Input<R>;
}

/** `sluice sync runs`, as the lock of the state folder shows it. Arguments may be personal. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
