// Checks that the names in mappings exist in the account: pipelines, stages, tags, origins.

import { pick } from '../../core/store/catalog.ts';
import { suggestion } from '../../core/suggest.ts';
import type { ExpressionObject, MappingConfig } from '../../mapping/config.ts';
import type { Card, Pipeline, Tag } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';

export interface AccountNames {
  /** null: could not be read, with the reason. */
  readonly pipelines: readonly Pipeline[] | null;
  readonly tags: readonly Tag[] | null;
  /** The newest cards; null when they were unreadable. Only cards show origins. */
  readonly cards: readonly Card[] | null;
}

/** `name` is the mapping's, `mapping` as the configuration has it. */
export function checkNames(
  name: string,
  mapping: MappingConfig,
  account: AccountNames,
  findings: Findings,
): void {
  checkTags(name, mapping.tags, account.tags, findings);
  const { card } = mapping;
  if (card === undefined) return;
  checkPipeline(name, card, account.pipelines, findings);
  checkOrigin(name, card.source, account.cards, findings);
  const fields = Object.keys(card.customFields);
  if (fields.length > 0) {
    findings.unchecked(
      `mappings.${name}.card.customFields`,
      `${fields.join(', ')}: custom fields have no listing; those that the service ignores stand among the warnings of a run`,
    );
  }
}

type CardMapping = NonNullable<MappingConfig['card']>;

function checkPipeline(
  name: string,
  card: CardMapping,
  pipelines: readonly Pipeline[] | null,
  findings: Findings,
): void {
  const check = `mappings.${name}.card.pipeline`;
  if (pipelines === null) {
    findings.unchecked(check, 'the pipelines could not be read');
    return;
  }
  const pipeline = pick(pipelines, card.pipeline);
  if (pipeline === null) {
    findings.problem(check, `the account has no pipeline ${JSON.stringify(card.pipeline)}`, {
      hint: suggestion(
        String(card.pipeline),
        pipelines.map((one) => one.name),
        'pipelines',
      ),
    });
    return;
  }
  const stages = pipeline.stages.length === 1 ? '1 stage' : `${pipeline.stages.length} stages`;
  findings.ok(check, `"${pipeline.name}" (${pipeline.id}) with ${stages}`);
  const at = `mappings.${name}.card.stage`;
  if (card.stage === undefined) {
    findings.warning(at, 'no stage: such a card is in no column of the board', 'name one');
    return;
  }
  const targets = targetsOf(card.stage).map(stageRef);
  for (const wanted of targets) {
    const stage = pick(pipeline.stages, wanted);
    if (stage === null) {
      findings.problem(at, `"${pipeline.name}" has no stage ${JSON.stringify(wanted)}`, {
        hint: suggestion(
          String(wanted),
          pipeline.stages.map((one) => one.name),
          'stages',
        ),
      });
    } else findings.ok(at, `"${stage.name}" (${stage.id})${stage.isFinal ? ', a closing stage' : ''}`);
  }
  if (targets.length === 0) findings.unchecked(at, 'comes from the rows; a `map` would name the stages');
}

function checkTags(
  name: string,
  entries: MappingConfig['tags'],
  tags: readonly Tag[] | null,
  findings: Findings,
): void {
  for (const [index, entry] of entries.entries()) {
    const check = `mappings.${name}.tags[${index}]`;
    for (const target of typeof entry === 'string' ? [] : targetsOf(entry)) {
      if (tags === null) findings.unchecked(check, 'the tags could not be read');
      else if (pick(tags, String(target)) !== null) findings.ok(check, `"${target}" is a tag of the account`);
      else {
        const hint = suggestion(
          String(target),
          tags.map((tag) => tag.name),
          'tags',
        );
        findings.problem(
          check,
          `the account has no tag ${JSON.stringify(target)}, and the API can not make one`,
          { hint },
        );
      }
    }
  }
}

function checkOrigin(
  name: string,
  source: CardMapping['source'],
  cards: readonly Card[] | null,
  findings: Findings,
): void {
  if (source === undefined) return;
  const check = `mappings.${name}.card.source`;
  for (const id of typeof source === 'number' ? [source] : targetsOf(source)) {
    const found = cards?.find((card) => card.source?.id === Number(id))?.source;
    if (found) findings.ok(check, `${id} is "${found.name}"`);
    else {
      const where =
        cards === null
          ? 'no card could be read'
          : `none of the cards that were read has it (${cards.length})`;
      findings.unchecked(check, `${id}: origins have no listing, and ${where}; compare with the panel`);
    }
  }
}

type Scalar = string | number | boolean;

/** What an expression yields for any row: a constant, the right side of `map`, the default. */
function targetsOf(expression: string | readonly string[] | ExpressionObject): Scalar[] {
  if (typeof expression === 'string' || 'length' in expression) return [];
  const { map, const: fixed, default: fallback } = expression;
  const values = [...(map === undefined && fixed !== undefined ? [fixed] : []), ...Object.values(map ?? {})];
  // An empty target means no value in this case.
  return [...new Set([...values, ...(fallback === undefined ? [] : [fallback])])].filter(
    (value) => value !== '',
  );
}

/** Reads a stage like the mapping: digits are an id. */
function stageRef(value: Scalar): string | number {
  const text = String(value).trim();
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text;
}
