// Reads and writes campaigns in sluice.yaml for the operator API.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EditCampaignError, readCampaign, writeCampaign } from '../config/edit-campaign.ts';
import type { LiveConfig } from '../config/live-config.ts';
import type { LoadedConfig } from '../config/load.ts';
import { OperatorError } from '../operator/error.ts';
import type { CampaignFile } from '../operator/service/deps.ts';
import { writeConfig } from './write-config.ts';

interface Options {
  readonly env: Readonly<Record<string, string | undefined>>;
  config(): LoadedConfig;
  readonly live: LiveConfig | null;
  /** Whether the workers run in this process, and so see a campaign that is changed in its configuration. */
  readonly hasWorkers: boolean;
}

export function createCampaignFile({ env, config, live, hasWorkers }: Options): CampaignFile {
  return {
    async read(campaign) {
      const { file } = config();
      const text = await readFile(file, 'utf8');
      return { file, yaml: readCampaign(text, campaign), hash: hashOf(text) };
    },
    async write(campaign, yaml, hash) {
      const loaded = config();
      const edit = (text: string) => {
        if (hashOf(text) === hash) return writeCampaign(text, campaign, yaml);
        throw new OperatorError(
          'conflict',
          `${loaded.file} has changed since you read it; nothing was written. Read it again, and repeat your change`,
          { code: 'CONFIG_CHANGED' },
        );
      };
      await writeConfig(loaded.file, env, edit).catch((error: unknown) => {
        if (!(error instanceof EditCampaignError)) throw error;
        throw new OperatorError('invalid', error.message, { code: 'YAML', cause: error });
      });
      // A run keeps the configuration that its plan was made from, so only the next plan sees the change.
      const report = await live?.reload('a campaign that was written');
      const text = await readFile(loaded.file, 'utf8');
      return {
        file: loaded.file,
        hash: hashOf(text),
        active: hasWorkers && report?.result === 'loaded',
      };
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
