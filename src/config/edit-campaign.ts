// Reads and replaces one campaign in sluice.yaml. Comments and the order of other entries stay.
import { Document, isMap, parseDocument } from 'yaml';

const SECTION = 'campaigns';

/** Thrown when the configuration or the new text is not a mapping in YAML. */
export class EditCampaignError extends Error {
  override readonly name = 'EditCampaignError';
}

/** The campaign as it is written; null when the file has none of this name. */
export function readCampaign(text: string, name: string): string | null {
  const node = parsed(text, 'the configuration').getIn([SECTION, name], true);
  if (node === undefined || node === null) return null;
  return new Document(node).toString({ lineWidth: 0 });
}

/**
 * @param text of the file
 * @param campaign YAML of the campaign alone
 * @returns the text with the campaign in its place, or at the end of its section
 * @throws EditCampaignError
 */
export function writeCampaign(text: string, name: string, campaign: string): string {
  const document = parsed(text, 'the configuration');
  const { contents } = parsed(campaign, 'the campaign');
  if (!isMap(contents)) throw new EditCampaignError('the campaign is not a mapping');
  // `campaigns:` without entries is null.
  if (document.get(SECTION) === null) document.delete(SECTION);
  document.setIn([SECTION, name], contents);
  return document.toString({ lineWidth: 0 });
}

function parsed(text: string, what: string) {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new EditCampaignError(`${what} can't be read: ${error.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new EditCampaignError(`${what} is not a mapping`);
  return document;
}
