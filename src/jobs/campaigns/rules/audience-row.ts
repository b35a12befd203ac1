// Compiles what a campaign reads of each member of its audience: the number, the values of the flow's variables, and
// the time zone.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { RowIdentity } from '../../../core/record.ts';
import { requireSafeName } from '../../../mapping/columns.ts';
import type { Expression } from '../../../mapping/config.ts';
import { MappingConfigError, ValueError } from '../../../mapping/errors.ts';
import { ExpressionCompiler, type RowView } from '../../../mapping/expression/expression.ts';
import type { CompileJsonata } from '../../../mapping/expression/jsonata.ts';
import { compileNumber } from '../../../mapping/number.ts';
import { overRows, type Part, partOf, type Report, requirePhoneRules } from '../../../mapping/parts.ts';
import { canonicalKey, parsePhone } from '../../../mapping/phone/index.ts';
import { isEmpty, preview, toText } from '../../../mapping/text.ts';
import { toCustomValue } from '../../../mapping/values.ts';
import type { AudiencePart, CampaignConfig } from '../config.ts';
import { identityOfContact, rowIdentities } from './row-identity.ts';

export { MappingConfigError } from '../../../mapping/errors.ts';
export type { CompileJsonata } from '../../../mapping/expression/jsonata.ts';

/** One member of an audience. */
export interface MappedMember {
  /** Key and number, or why there is none, without its value. */
  readonly who:
    | { readonly ok: true; readonly key: string; readonly number: string }
    | { readonly ok: false; readonly reason: string; readonly identity: RowIdentity };
  /** The variables that have a value. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The value as it is; other code validates the zone. Undefined if there is none, or if the campaign reads none. */
  readonly zone: string | undefined;
}

export interface CompiledAudience {
  /**
   * Returns a promise only if expressions use JSONata.
   * @param values `{card, contact}` of cards, `{contact}` of contacts and of people in the ledger, else the row of the
   * source
   */
  apply(values: Readonly<Record<string, unknown>>): MappedMember | Promise<MappedMember>;
  /** Names and dot-paths that it reads, except those inside JSONata. */
  readonly columns: readonly string[];
}

/**
 * Checks and compiles what one part of the audience yields.
 * @param part one part of `config.audience`
 * @param jsonata evaluates the JSONata of a draft; see `openConfined`
 * @throws MappingConfigError for a part that cannot work; its path begins at the campaign
 */
export function compileAudience(
  config: CampaignConfig,
  part: AudiencePart,
  jsonata?: CompileJsonata,
): CompiledAudience {
  const compiler = new ExpressionCompiler(jsonata);
  const rules = requirePhoneRules(config);
  const place = config.audience.indexOf(part);
  const at = place === -1 ? [] : ['audience', String(place)];
  if (part.from === 'cards' && typeof part.stage === 'string' && part.pipeline === undefined) {
    throw new MappingConfigError(
      [...at, 'stage'],
      'a stage name needs a pipeline; set the pipeline, or use the id of the stage',
    );
  }
  const number: Part<string | undefined> =
    part.from === 'source'
      ? compileNumber(part, at, rules, compiler)
      : partOf(compiler, 'contact.number', at, toServiceNumber);
  const written: Part<string | undefined> =
    part.from === 'source' ? partOf(compiler, part.number, [...at, 'number'], preview) : () => undefined;
  const variables = Object.entries(config.variables).map(([name, expression]) => {
    const path = ['variables', name];
    requireSafeName(name, path);
    return { name, value: partOf(compiler, expression, path, toCustomValue) };
  });
  const zone = compileZone(config.windows.zone, compiler);
  checkExclusion(config);
  const identity = part.from === 'source' ? rowIdentities() : identityOfContact;
  const finish = (row: RowView): MappedMember => {
    const reasons: string[] = [];
    const found = number(row, (_name, error, _kind, names = []) => {
      const column = part.from === 'source' && names.length > 0 ? `column ${names.join(', ')}: ` : '';
      reasons.push(`${column}${error.message}`);
    });
    const values: Record<string, unknown> = {};
    for (const { name, value } of variables) {
      // An unusable value counts as missing: the member is left out under the variable's name.
      const known = value(row, IGNORE);
      if (!isEmpty(known)) values[name] = known;
    }
    return {
      who:
        found === undefined
          ? {
              ok: false,
              reason: reasons.join('; '),
              identity: { ...identity(row.values), number: written(row, IGNORE) ?? null },
            }
          : { ok: true, key: canonicalKey(found), number: found },
      variables: values,
      zone: zone(row, IGNORE),
    };
  };
  return { columns: compiler.columns.names, apply: overRows(compiler, finish) };
}

const IGNORE: Report = () => undefined;

function checkExclusion(config: CampaignConfig): void {
  const { numbers } = config.exclude;
  if (Array.isArray(numbers)) excludedKeys(config);
  else if (numbers !== undefined) compileExcludedNumbers(config, numbers);
}

function compileZone(
  zone: CampaignConfig['windows']['zone'],
  compiler: ExpressionCompiler,
): Part<string | undefined> {
  if (typeof zone === 'string') return () => undefined;
  return partOf(compiler, zone.field, ['windows', 'zone', 'field'], toText);
}

/**
 * Reads a number in the service's form: E.164 without plus (API text, Contact). Only its length is checked. Numbers of
 * carriers that libphonenumber does not know are valid phones; the internal ids of a channel are not (API text,
 * ERR_CONTACT_NUMBER_IS_LID).
 * @throws ValueError `invalid_phone`
 */
function toServiceNumber(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  const possible =
    /^[1-9]\d{6,14}$/.test(text) &&
    parsePhoneNumberFromString(`+${text}`, { extract: false })?.isPossible() === true;
  if (possible) return text;
  const reason = 'the contact has no phone number: this is an id that the channel uses inside';
  throw new ValueError('invalid_phone', reason, undefined);
}

export interface CompiledNumbers {
  /** Key of the person. Null if the number is unreadable. A promise only if the expression uses JSONata. */
  apply(values: Readonly<Record<string, unknown>>): string | null | Promise<string | null>;
}

/**
 * Checks and compiles `exclude.numbers` that come from a source.
 * @throws MappingConfigError for an expression that cannot work; its path begins at the campaign
 */
export function compileExcludedNumbers(
  config: Pick<CampaignConfig, 'defaultCountry' | 'numberFormat'>,
  numbers: { readonly number: Expression; readonly country?: Expression | undefined },
  jsonata?: CompileJsonata,
): CompiledNumbers {
  const rules = requirePhoneRules(config);
  const compiler = new ExpressionCompiler(jsonata);
  const read = compileNumber(numbers, ['exclude', 'numbers'], rules, compiler);
  const apply = overRows(compiler, (row) => {
    const found = read(row, IGNORE);
    return found === undefined ? null : canonicalKey(found);
  });
  return { apply };
}

/**
 * Returns the keys of the numbers that `exclude.numbers` lists.
 * @throws MappingConfigError for text that is not a number; its path begins at the campaign
 */
export function excludedKeys({ exclude, ...config }: CampaignConfig): string[] {
  if (!Array.isArray(exclude.numbers)) return [];
  const rules = requirePhoneRules(config);
  return exclude.numbers.map((text, index) => {
    const phone = parsePhone(text, rules);
    if (phone.ok) return canonicalKey(phone.number);
    throw new MappingConfigError(['exclude', 'numbers', String(index)], phone.reason);
  });
}
