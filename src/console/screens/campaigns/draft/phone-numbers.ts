// Finds phone numbers in the text of a campaign. Such a draft does not stay in the browser.
import { parseDraft, valueAt } from '../../../parts/draft/yaml-draft.ts';

const DATE = /\b\d{4}-\d{2}-\d{2}/g;
/** Ten digits or more, as people write numbers. An id of that length counts too: its draft is only not kept. */
const NUMBER = /\d(?:[ ().-]{0,2}\d){9,}/;

export function hasPhoneNumbers(yaml: string): boolean {
  if (NUMBER.test(yaml.replaceAll(DATE, ''))) return true;
  const excluded = valueAt(parseDraft(yaml).value, ['exclude', 'numbers']);
  return Array.isArray(excluded) && excluded.length > 0;
}
