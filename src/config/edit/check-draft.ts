// Checks a campaign as if it were in the configuration file. Nothing is written.

import { ConfigError } from '../../core/config/errors.ts';
import type { DraftProblem } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import { type LoadOptions, loadConfigText } from '../load.ts';
import { writeEntry } from './edit-entry.ts';

/** No configuration comes near it, and YAML is read by recursion. */
const MAX_DEPTH = 30;

/**
 * @param text of the configuration file
 * @returns the problems of the campaign, with paths inside it; problems elsewhere in the file have none
 * @throws EditEntryError when the file is no YAML
 */
export async function checkDraft(
  { file, text }: { readonly file: string; readonly text: string },
  campaign: string,
  config: Readonly<Record<string, unknown>>,
  options: LoadOptions,
): Promise<DraftProblem[]> {
  if (isDeeper(config, MAX_DEPTH)) return [{ path: '', message: 'is nested too deeply', hint: null }];
  try {
    // JSON is YAML.
    await loadConfigText(
      file,
      writeEntry(text, { section: 'campaigns', name: campaign }, JSON.stringify(config)),
      options,
    );
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const at = `campaigns.${campaign}`;
    return error.problems.map(({ path, message, hint = null, note }) => {
      const isOwn = path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`);
      if (!isOwn) return { path: null, message: path === '' ? message : `${path} ${message}`, hint };
      const own = { path: path.slice(at.length).replace(/^\./, ''), message, hint };
      return note === undefined ? own : { ...own, note };
    });
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
