// The opt-outs that the filters select as CSV, in plain text, of all accounts in turn.
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Input } from '../../../api/client.ts';
import { useClient } from '../../../api/session.tsx';
import { useConfirm } from '../../../parts/confirm.tsx';
import { CsvButton } from '../../../parts/table/csv-button.tsx';
import type { Entry } from './columns.tsx';

interface ExportButtonProps {
  readonly accounts: readonly string[];
  readonly filter: Pick<Input<'GET /opt-outs'>, 'source' | 'state'>;
}

interface Place {
  /** Index in `accounts`. */
  readonly at: number;
  readonly after: string | undefined;
}

const COLUMNS = [
  'number',
  'account',
  'at',
  'source',
  'evidence',
  'active',
  'recordedBy',
  'recordedAt',
  'withdrawnAt',
  'withdrawnBy',
  'withdrawnReason',
] as const;

export function ExportButton({ accounts, filter: { source, state } }: ExportButtonProps) {
  const { t } = useTranslation('opt-outs');
  const client = useClient();
  const confirm = useConfirm();
  const reason = useRef('');
  const ask = async () => {
    const answer = await confirm({
      title: t('export.title'),
      effects: t('export.effects'),
      verb: t('export.button'),
      reason: 'required',
    });
    reason.current = answer?.reason ?? '';
    return answer !== null;
  };
  const read = async ({ at, after }: Place = { at: 0, after: undefined }) => {
    const account = accounts[at];
    if (account === undefined) return { rows: [], next: null };
    const page = { account, source, state, after, reason: reason.current };
    const { optOuts, next } = await client.call('POST /opt-outs/{account}/export', page);
    const isLast = next === null && at + 1 >= accounts.length;
    return {
      rows: optOuts.map(rowOf),
      next: isLast ? null : next === null ? { at: at + 1, after: undefined } : { at, after: next },
    };
  };
  return (
    <CsvButton
      name="opt-outs.csv"
      columns={COLUMNS}
      ask={ask}
      read={read}
      cut={(rows) => t('export.cut', { rows })}
    />
  );
}

function rowOf({ withdrawal, ...entry }: Entry) {
  return Object.assign({}, entry, {
    withdrawnAt: withdrawal?.at ?? null,
    withdrawnBy: withdrawal?.by ?? null,
    withdrawnReason: withdrawal?.reason ?? null,
  });
}
