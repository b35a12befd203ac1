// The tree of commands as data: help, mistyped words and completion need it, and the code of the commands takes up to a
// second to load. The build writes it from the real commands.
import { Argument, type Command, Option } from 'commander';

export interface CommandShape {
  readonly name: string;
  readonly description: string;
  /** False for a group, which only has commands. */
  readonly acts: boolean;
  readonly arguments: readonly ArgumentShape[];
  readonly options: readonly OptionShape[];
  readonly commands: readonly CommandShape[];
}

interface ArgumentShape {
  readonly flags: string;
  readonly description: string;
  readonly choices: readonly string[] | null;
}

export interface OptionShape {
  readonly flags: string;
  readonly description: string;
  readonly default: unknown;
  readonly mandatory: boolean;
  readonly hidden: boolean;
  readonly choices: readonly string[] | null;
}

/** The data of a command and all commands below it. */
export function shapeOf(command: Command): CommandShape {
  const { _actionHandler: handler } = command as unknown as { readonly _actionHandler: unknown };
  return {
    name: command.name(),
    description: command.description(),
    acts: handler != null,
    arguments: command.registeredArguments.map((argument) => ({
      flags: flagsOf(argument),
      description: argument.description,
      choices: argument.argChoices ?? null,
    })),
    options: command.options.map((option) => ({
      flags: option.flags,
      description: option.description,
      default: option.defaultValue ?? null,
      mandatory: option.mandatory,
      hidden: option.hidden,
      choices: option.argChoices ?? null,
    })),
    commands: command.commands.map(shapeOf),
  };
}

function flagsOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Adds a command with this shape to `parent`. Every command runs `action` in place of its own. */
export function addShape(
  parent: Command,
  shape: CommandShape,
  action: (command: Command) => Promise<void>,
): void {
  const command = parent.command(shape.name).description(shape.description);
  for (const { flags, description, choices } of shape.arguments) {
    const argument = new Argument(flags, description);
    command.addArgument(choices === null ? argument : argument.choices(choices));
  }
  for (const each of shape.options) {
    const option = new Option(each.flags, each.description).makeOptionMandatory(each.mandatory);
    if (each.default !== null) option.default(each.default);
    // A choice sets a parser, which would also refuse what the real option takes repeatedly.
    if (each.choices !== null) option.choices(each.choices);
    command.addOption(each.hidden ? option.hideHelp() : option);
  }
  for (const inner of shape.commands) addShape(command, inner, action);
  if (shape.acts) command.action(() => action(command));
}
