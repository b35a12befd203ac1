// Why the account refuses every trigger of a campaign, for who has to mend it: the reason that the campaign is held with.
import type { ApiError } from '../../src/api-client/errors.ts';
import type { CampaignConfig } from '../../src/contracts/config-campaigns.ts';
import { callReason, refusalCode } from '../failures.ts';

/** What was refused, and what to look at; the service's answer names neither flow nor connection. */
export function campaignReason(
  error: ApiError,
  { flow, connection }: Pick<CampaignConfig, 'flow' | 'connection'>,
): string {
  const way = wayOut(refusalCode(error), flow, connection);
  return way === null ? callReason(error) : `${callReason(error)}: ${way}`;
}

function wayOut(code: string, flow: number, connection: number): string | null {
  switch (code) {
    case 'ERR_FLOW_NOT_EXECUTABLE':
      return `flow ${flow} is not active, not published or empty; publish it in the panel`;
    case 'ERR_FLOW_NOT_FOUND':
      return `the account has no flow ${flow}`;
    case 'ERR_CONNECTION_NOT_FOUND':
    case 'ERR_WHATSAPP_NOT_FOUND':
      return `the account has no connection ${connection}, or it can't run flows`;
    case 'ERR_UNSUPPORTED_CHANNEL':
      return `connection ${connection} is of a channel that can't run flows: whatsapp and waba can`;
    case 'ERR_TOKEN_REVOKED':
    case 'ERR_TOKEN_EXPIRED':
    case 'ERR_TOKEN_INVALID':
      return 'create a token in the panel, and give it to the workers';
    case 'ERR_FEATURE_NOT_AVAILABLE':
      return "the account's plan lacks the feature";
    default:
      return null;
  }
}
