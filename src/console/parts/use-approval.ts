// Why the reader may not approve a plan, and who may, in words.
import { useTranslation } from 'react-i18next';
import type { Output } from '../api/client.ts';
import { useFormat } from '../format/use-format.ts';

type Approvers = Output<'GET /campaign-approvers'>;
type Refusal = Output<'GET /campaigns/{campaign}/approval'>['refusal'];

/** Names that a sentence lists. */
const MOST = 3;

export function useApproval() {
  const { t } = useTranslation(['approval', 'common']);
  const format = useFormat();
  const moment = (at: string) => t('moment', { at: format.moment(at), zone: format.zoneName });
  const names = (all: readonly string[]) =>
    all.length <= MOST
      ? all.join(', ')
      : t('more', { names: all.slice(0, MOST).join(', '), count: all.length - MOST });
  return {
    moment,
    names,
    /** Null: the reader may. */
    refusal: (refusal: Refusal): string | null => {
      if (refusal === null) return null;
      const { code, reason, from } = refusal;
      if (code === 'SAME_PERSON') return t('own');
      if (code === 'ROLE_REQUIRED') return t('role', { role: t('common:role.approver') });
      if (code === 'UNIX_USER_UNLINKED') return t('unlinked');
      return from === null ? reason : t('wait', { at: moment(from) });
    },
    /** Who may. */
    approvers: ({ approvers, from }: Approvers): string => {
      if (approvers.length > 0) return t('who', { names: names(approvers) });
      return from === null ? t('nobody') : t('nobodyUntil', { at: moment(from) });
    },
  };
}
