// Options that are fields of an endpoint's input. The contract says what a field takes, so only its flags are written
// here: values of an enum become choices, a list is repeatable, bounds are checked, and a default is shown.
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { integer } from '../arguments.ts';
import { when } from '../when.ts';

/**
 * Flags, their help, and a default other than that of the contract. The help of flags alone is the field's description
 * in the contract.
 */
type FieldOption = string | readonly [flags: string, help: string, usual?: unknown];
/** Options by field of the input `I`. */
export type Fields<I> = { readonly [F in keyof I & string]?: FieldOption };
type Options = Fields<Readonly<Record<string, unknown>>>;

export function withFields(command: Command, input: z.ZodObject, fields: Options): Command {
  for (const option of optionsOf(input, fields).values()) command.addOption(option);
  return command;
}

/** The fields as the operator API takes them. */
export function readFields(
  options: Readonly<Record<string, unknown>>,
  input: z.ZodObject,
  fields: Options,
): object {
  const read = [...optionsOf(input, fields)].map(([name, option]) => [
    name,
    wireOf(options[option.attributeName()]),
  ]);
  return Object.fromEntries(read);
}

function optionsOf(input: z.ZodObject, fields: Options): ReadonlyMap<string, Option> {
  const made = Object.entries(fields).map(
    ([name, field]) => [name, optionOf(input, name, field as FieldOption)] as const,
  );
  return new Map(made);
}

/** A list that nobody began is left out. */
export function wireOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function optionOf(input: z.ZodObject, name: string, field: FieldOption): Option {
  const schema = input.shape[name] as z.ZodType;
  const { core, fallback } = unwrap(schema);
  const [flags, help, usual = fallback] = typeof field === 'string' ? [field, helpOf(schema, name)] : field;
  const isList = core instanceof z.ZodArray;
  const option = new Option(flags, isList && !flags.includes('...') ? `${help}; repeatable` : help);
  option.makeOptionMandatory(!schema.safeParse(undefined).success);
  if (core instanceof z.ZodBoolean) return option.default(false);
  if (core instanceof z.ZodEnum) option.choices(core.options.map(String));
  const parse = parserOf(isList ? unwrap(core.element as z.ZodType).core : core);
  if (isList)
    option.argParser((text, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      parse?.(text) ?? text,
    ]);
  else if (parse !== null) option.argParser(parse);
  return isList && !option.mandatory ? option.default([]) : option.default(usual);
}

/** The schema below what makes a field optional, with its default. */
function unwrap(schema: z.ZodType): { readonly core: z.ZodType; readonly fallback: unknown } {
  let core = schema;
  let fallback: unknown;
  while (
    core instanceof z.ZodOptional ||
    core instanceof z.ZodNullable ||
    core instanceof z.ZodDefault ||
    core instanceof z.ZodReadonly
  ) {
    if (core instanceof z.ZodDefault) fallback = core.def.defaultValue;
    core = core.unwrap() as z.ZodType;
  }
  return { core, fallback };
}

function parserOf(core: z.ZodType): ((text: string) => unknown) | null {
  if (core instanceof z.ZodISODateTime) return (text) => when(text);
  if (!(core instanceof z.ZodNumber)) return null;
  const { minValue, maxValue } = core;
  return integer({ min: minValue ?? undefined, max: isBound(maxValue) ? maxValue : undefined });
}

/** Every whole number of a contract is at most 2^53 - 1. */
function isBound(max: number | null): max is number {
  return max !== null && max < Number.MAX_SAFE_INTEGER;
}

/** `Only events of this route.` → `only events of this route` */
function helpOf({ description }: z.ZodType, name: string): string {
  if (description === undefined) throw new TypeError(`the contract does not describe ${name}`);
  return description.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
