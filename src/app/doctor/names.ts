// Checks that the names in mappings exist in the account: pipelines, stages, tags, origins.

import { pick } from '../../core/store/catalog.ts';
import type { ExpressionObject, MappingConfig } from '../../mapping/config.ts';
import type { Card, Pipeline, Tag } from '../../service/api-client/index.ts';
import type { Findings } from './findings.ts';
import { say, suggest } from './say.ts';

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
    findings.unchecked(`mappings.${name}.card.customFields`, say('CHECK_FIELDS', { fields }));
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
    findings.unchecked(check, say('CHECK_PIPELINES_UNREAD'));
    return;
  }
  const pipeline = pick(pipelines, card.pipeline);
  if (pipeline === null) {
    findings.problem(check, say('CHECK_PIPELINE_NONE', { wanted: JSON.stringify(card.pipeline) }), {
      hint: suggest(
        card.pipeline,
        pipelines.map((one) => one.name),
        'FIX_PIPELINES',
      ),
    });
    return;
  }
  const count = pipeline.stages.length;
  findings.ok(check, say('CHECK_PIPELINE', { name: pipeline.name, id: String(pipeline.id), count }));
  const at = `mappings.${name}.card.stage`;
  if (card.stage === undefined) {
    findings.warning(at, say('CHECK_STAGE_UNSET'));
    return;
  }
  const targets = targetsOf(card.stage).map(stageRef);
  for (const wanted of targets) {
    const stage = pick(pipeline.stages, wanted);
    if (stage === null) {
      const missing = { pipeline: pipeline.name, wanted: JSON.stringify(wanted) };
      findings.problem(at, say('CHECK_STAGE_NONE', missing), {
        hint: suggest(
          wanted,
          pipeline.stages.map((one) => one.name),
          'FIX_STAGES',
        ),
      });
    } else {
      const code = stage.isFinal ? 'CHECK_STAGE_CLOSING' : 'CHECK_STAGE';
      findings.ok(at, say(code, { name: stage.name, id: String(stage.id) }));
    }
  }
  if (targets.length === 0) findings.unchecked(at, say('CHECK_STAGE_ROWS'));
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
      if (tags === null) findings.unchecked(check, say('CHECK_TAGS_UNREAD'));
      else if (pick(tags, String(target)) !== null)
        findings.ok(check, say('CHECK_TAG', { name: String(target) }));
      else {
        const hint = suggest(
          target,
          tags.map((tag) => tag.name),
          'FIX_TAGS',
        );
        findings.problem(check, say('CHECK_TAG_NONE', { wanted: JSON.stringify(target) }), { hint });
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
    if (found) findings.ok(check, say('CHECK_ORIGIN', { id: String(id), name: String(found.name) }));
    else if (cards === null) findings.unchecked(check, say('CHECK_ORIGIN_UNREAD', { id: String(id) }));
    else findings.unchecked(check, say('CHECK_ORIGIN_UNSEEN', { id: String(id), cards: cards.length }));
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
