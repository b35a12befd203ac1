// Masks what operators see of a dry run.

import { maskRecord, maskValue } from '../../../observe/masking.ts';
import type { PlanChange, PlanProblem, PlanReport, PlanSample, PlanTags } from '../contract/plan.ts';

export function maskPlan(plan: PlanReport): PlanReport {
  return { ...plan, tags: maskTags(plan.tags), samples: plan.samples.map(masked) };
}

/** A mapping that takes tags from the wrong column can turn a number or an address into a tag. */
function maskTags({ missing, ...tags }: PlanTags): PlanTags {
  if (missing === null) return { ...tags, missing };
  const list = missing.list.map((each) => ({ ...each, tag: maskValue('tags.0', each.tag) }));
  return { ...tags, missing: { ...missing, list } };
}

function masked(sample: PlanSample): PlanSample {
  const { key } = maskRecord({ key: sample.key }) as { key: string };
  return { ...sample, key, changes: sample.changes.map(maskedChange) };
}

const CONTACT = new Set(['name', 'email', 'document', 'disableBot']);

function maskedChange({ field, was, now }: PlanChange): PlanChange {
  const mask = (part: object, place: string) => (maskRecord(part) as Record<string, unknown>)[place];
  if (CONTACT.has(field)) {
    const contact = mask({ contact: { [field]: now } }, 'contact') as Record<string, unknown>;
    return { field, was, now: contact[field] };
  }
  if (field === 'stage') return { field, was, now };
  return { field, was, now: mask({ [field]: now }, field) };
}

export function maskProblem(problem: PlanProblem): PlanProblem {
  const { where, value, otherValue } = problem;
  return {
    ...problem,
    ...(value === undefined ? {} : { value: maskValue(where, value) }),
    ...(otherValue === undefined ? {} : { otherValue: maskValue(where, otherValue) }),
  };
}
