// The codes of members in words.
import { useTranslation } from 'react-i18next';

/** Null: a code of the service, which Sluice shows as it is. */
export function useReason(): (code: string | null) => string | null {
  const { t } = useTranslation('campaign-form');
  return (code) => {
    const reasons: Readonly<Record<string, string>> = t('count.reason', { returnObjects: true });
    return code !== null && Object.hasOwn(reasons, code) ? (reasons[code] ?? null) : null;
  };
}

/** Failures that pass by themselves. Others come back until somebody removes their cause. */
const PASSING = /^(?:HTTP_5\d\d|TRANSPORT_\w+|INTERNAL)$/;

export const isPassing = (code: string) => PASSING.test(code);
