// Reads and writes campaigns in sluice.yaml for the operator API.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EditEntryError, readEntry } from '../../config/edit/edit-entry.ts';
import type { LiveConfig } from '../../config/live-config.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { OperatorError } from '../../operator/error.ts';
import type { CampaignFile } from '../../operator/service/deps.ts';
import { onDisk } from '../on-disk.ts';
import { changedKeys } from './changed-keys.ts';
import type { ConfigEdit } from './edits.ts';
import { writeConfig } from './write-config.ts';

interface Options {
  config(): LoadedConfig;
  readonly live: LiveConfig | null;
  /** Whether the workers run in this process, and so see a campaign that is changed in its configuration. */
  readonly hasWorkers: boolean;
}

export function createCampaignFile({ config, live, hasWorkers }: Options): CampaignFile {
  return {
    async read(campaign) {
      const { file } = config();
      const text = await readFile(file, 'utf8');
      const yaml = campaignIn(text, campaign);
      return { file, yaml, hash: hashOf(yaml) };
    },
    async write({ campaign, yaml, isNew, hash, mayStart }) {
      const edit = { kind: 'campaign', campaign, yaml, isNew } as const;
      const { file } = config();
      // An accepted edit replaces what has this text: the hash says so.
      const old = campaignIn(await readFile(file, 'utf8'), campaign);
      const written = await change(edit, isNew ? null : hash, (next, before) => {
        if (!mayStart) requireUnscheduled(campaign, next);
        requireApproval(campaign, next, before);
      });
      return { file, hash: written.hash, active: written.active, changed: changedKeys(old, yaml) };
    },
    async remove({ campaign, hash }) {
      const edit = { kind: 'campaign-removal', campaign } as const;
      return await change(edit, hash, (next, before) => {
        for (const each of before) requireNoSchedule(campaign, each);
        requireApprovalElsewhere(campaign, next, before);
      });
    },
  };

  /** @param hash of the campaign as somebody read it; null: there must be none of its name, which the edit checks */
  async function change(
    edit: Extract<ConfigEdit, { campaign: string }>,
    hash: string | null,
    accept: (next: LoadedConfig, before: readonly LoadedConfig[]) => void,
  ) {
    const loaded = config();
    const check = (text: string) => {
      if (hash === null || hashOf(campaignIn(text, edit.campaign)) === hash) return;
      throw new OperatorError(
        'conflict',
        `the campaign "${edit.campaign}" in ${loaded.file} has changed since you read it; nothing was written. Read it again, and repeat your change`,
        { code: 'CONFIG_CHANGED' },
      );
    };
    const before = [loaded, await onDisk(loaded)];
    await writeConfig(loaded.file, edit, { check, accept: (next) => accept(next, before) });
    // A run keeps the configuration that its plan was made from, so only the next plan sees the change.
    const report = await live?.reload('a campaign that was written');
    const yaml = campaignIn(await readFile(loaded.file, 'utf8'), edit.campaign);
    return { file: loaded.file, hash: hashOf(yaml), active: hasWorkers && report?.result === 'loaded' };
  }
}

/** @throws OperatorError (invalid) when the file cannot be read */
function campaignIn(text: string, campaign: string): string | null {
  try {
    return readEntry(text, { section: 'campaigns', name: campaign });
  } catch (error) {
    if (!(error instanceof EditEntryError)) throw error;
    throw new OperatorError('invalid', error.message, { code: 'YAML', cause: error });
  }
}

/**
 * A schedule starts the campaign, and a reload may put it into effect at once.
 * @throws OperatorError (forbidden)
 */
function requireUnscheduled(campaign: string, { config }: LoadedConfig): void {
  if (config.campaigns[campaign]?.schedule === undefined) return;
  throw new OperatorError(
    'forbidden',
    `"${campaign}" has a schedule, which starts it: somebody with the role operator writes it, or you write it without \`schedule\``,
    { code: 'SCHEDULE_STARTS' },
  );
}

/**
 * One person must not take the second person away: neither from this campaign, nor by a campaign beside it with the same
 * audience. So one campaign with `approval: second-person` requires it of each that the operator API writes.
 * @throws OperatorError (forbidden)
 */
function requireApproval(campaign: string, next: LoadedConfig, before: readonly LoadedConfig[]): void {
  if (campaignsWithApproval(next).includes(campaign)) return;
  const [other] = [...before, next].flatMap(campaignsWithApproval);
  if (other === undefined) return;
  throw new OperatorError(
    'forbidden',
    `"${campaign}" needs \`approval: second-person\`, because "${other}" has it: nobody takes the second person away alone. Write the campaign without it into the file on the machine of Sluice`,
    { code: 'APPROVAL_LOWERED' },
  );
}

/**
 * Without its last campaign with `approval: second-person`, the file would accept the same campaign again without it.
 * @throws OperatorError (forbidden)
 */
function requireApprovalElsewhere(
  campaign: string,
  next: LoadedConfig,
  before: readonly LoadedConfig[],
): void {
  if (campaignsWithApproval(next).length > 0) return;
  if (!before.some((each) => campaignsWithApproval(each).length > 0)) return;
  throw new OperatorError(
    'forbidden',
    `"${campaign}" is the last campaign with \`approval: second-person\`: nobody takes the second person away alone. Remove it from the file on the machine of Sluice`,
    { code: 'APPROVAL_LOWERED' },
  );
}

/** @throws OperatorError (conflict) */
function requireNoSchedule(campaign: string, { config }: LoadedConfig): void {
  if (config.campaigns[campaign]?.schedule === undefined) return;
  throw new OperatorError(
    'conflict',
    `"${campaign}" has a schedule; remove \`schedule\` from the campaign, and save it, before you delete it`,
    { code: 'SCHEDULED' },
  );
}

/** Names of the campaigns that a second person approves. */
export function campaignsWithApproval({ config }: Pick<LoadedConfig, 'config'>): string[] {
  return Object.entries(config.campaigns).flatMap(([name, { approval }]) =>
    approval === 'second-person' ? [name] : [],
  );
}

/** @param yaml of one campaign; null when there is none */
function hashOf(yaml: string | null): string {
  return createHash('sha256').update(JSON.stringify(yaml)).digest('hex');
}
