// Campaigns: a list, and each campaign with its runs. The address names the campaign, the run and the view.
import { useTranslation } from 'react-i18next';
import { useUrlState } from '../../app/use-url-state.ts';
import { CampaignList } from './campaign-list.tsx';
import { CampaignView } from './campaign-view.tsx';

export default function CampaignsScreen() {
  useTranslation('campaigns');
  const [{ campaign, run }] = useUrlState();
  if (campaign !== undefined) return <CampaignView key={campaign} campaign={campaign} run={run ?? null} />;
  // A link to a run alone, for example from the overview.
  const [, named] = /^[^/]+\/\+([^/]+)\/\d+$/.exec(run ?? '') ?? [];
  if (named !== undefined) return <CampaignView key={named} campaign={named} run={run ?? null} />;
  return <CampaignList />;
}
