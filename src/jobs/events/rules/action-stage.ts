// The action `stage`: the card to move and its target stage.
import type { Expression } from '../../../mapping/config.ts';
import { MappingConfigError, ValueError } from '../../../mapping/errors.ts';
import type { ExpressionCompiler } from '../../../mapping/expression/expression.ts';
import { type Part, partOf, required, requirePhoneRules, toNumber } from '../../../mapping/parts.ts';
import { canonicalKey } from '../../../mapping/phone/index.ts';
import { toId, toStage } from '../../../mapping/values.ts';
import type { StageAction } from '../config-actions.ts';
import type { RequestOf } from '../contract/intake.ts';

type StageRequest = RequestOf<'stage'>;

const BY_NAME = 'a stage is known by its name only inside a pipeline';

/** @throws MappingConfigError when the card or the stage cannot be found */
export function compileStage(
  config: StageAction,
  compiler: ExpressionCompiler,
): Part<StageRequest | undefined> {
  const { pipeline } = config;
  if (config.card === undefined && config.number === undefined) {
    throw new MappingConfigError([], 'a move needs card or number; set one');
  }
  if (config.card !== undefined && config.number !== undefined) {
    throw new MappingConfigError(
      ['number'],
      'a card is found by its id or by a number, not both; remove one',
    );
  }
  if (config.number !== undefined && pipeline === undefined) {
    const problem = 'a number does not identify one card of the person; set the pipeline';
    throw new MappingConfigError(['number'], problem);
  }
  const name = fixedValues(config.stage).find((value) => typeof toStage(value) === 'string');
  if (pipeline === undefined && name !== undefined) {
    throw new MappingConfigError(['stage'], `${BY_NAME}, and this yields "${name}"; set the pipeline`);
  }
  const of = compileCard(config, compiler);
  const toWanted = required(toStage, 'the stage is required; fill it, or give it a `default`');
  const stage = partOf(compiler, config.stage, ['stage'], (value) => {
    const wanted = toWanted(value);
    if (typeof wanted === 'number' || pipeline !== undefined) return wanted;
    throw new ValueError('invalid_id', `${BY_NAME}; send its id, or set the pipeline in the action`, value);
  });
  return (row, report) => {
    const card = of(row, report);
    const to = stage(row, report);
    if (card === undefined || to === undefined) return undefined;
    return { type: 'stage', of: card, pipeline, stage: to };
  };
}

function compileCard(
  { card, number, ...config }: StageAction,
  compiler: ExpressionCompiler,
): Part<StageRequest['of'] | undefined> {
  const rules = requirePhoneRules(config);
  if (number !== undefined) {
    return partOf(compiler, number, ['number'], (value) => {
      const found = toNumber(value, rules);
      return { number: found, key: canonicalKey(found) };
    });
  }
  const toCard = required(toId, 'the id of the card is required; fill it');
  return partOf(compiler, card ?? '', ['card'], (value) => ({ card: toCard(value) }));
}

/** Values that the expression itself contains, whatever the event says. */
function fixedValues(expression: Expression): (string | number | boolean)[] {
  if (typeof expression === 'string' || Array.isArray(expression)) return [];
  const { const: fixed, default: otherwise, map = {} } = expression;
  return [fixed, otherwise, ...Object.values(map)].filter((value) => value !== undefined);
}
