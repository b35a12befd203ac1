// The codes of members in words.
import { useTranslation } from 'react-i18next';

const REASONS = [
  'NUMBER_INVALID',
  'VARIABLE_MISSING',
  'OPTED_OUT',
  'EXCLUDED_TAG',
  'EXCLUDED_NUMBER',
  'EXCLUDED_CAMPAIGN',
  'CONTACTED_LATELY',
  'OPEN_CONVERSATION',
  'HUMAN_SERVICE',
  'REPLIES_UNREAD',
  'NO_COMMON_WINDOW',
  'FREQUENCY_CAP',
  'WINDOW_UNKNOWN',
  'CONTACT_GONE',
  'WAVE_SKIPPED',
  'CAMPAIGN_ENDED',
  'TRIGGER_AMBIGUOUS',
  'WRONG_TARGET',
  'NOT_TRIGGERED',
  'HTTP_500',
] as const;

/** Null: a code of the service, which Sluice shows as it is. */
export function useReason(): (code: string | null) => string | null {
  const { t } = useTranslation('campaign-form');
  return (code) => {
    const known = REASONS.find((each) => each === code);
    return known === undefined ? null : t(`count.reason.${known}`);
  };
}

/** Failures that pass by themselves. Others come back until somebody removes their cause. */
const PASSING = /^(?:HTTP_5\d\d|TRANSPORT_\w+|INTERNAL)$/;

export const isPassing = (code: string) => PASSING.test(code);
