// What the table of opt-outs says about one.
import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useClient, useMay } from '../../../api/session.tsx';
import { actorName } from '../../../format/actor.ts';
import { Masked } from '../../../parts/reveal/masked.tsx';
import { Status } from '../../../parts/status.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { timeColumn } from '../../../parts/table/makers.tsx';
import textStyles from '../../../parts/text.module.css';
import { None, Time } from '../../../parts/values.tsx';
import { useSourceWord } from './use-source-word.ts';
import { useWithdraw } from './use-withdraw.tsx';

export type Entry = Output<'GET /opt-outs'>['optOuts'][number];

export function useColumns({ hasAccount }: { readonly hasAccount: boolean }): readonly Column<Entry>[] {
  const { t } = useTranslation('opt-outs');
  const may = useMay('operator');
  const reveal = useReveal();
  const { withdraw, isWithdrawing } = useWithdraw();
  const sourceOf = useSourceWord();
  const all: readonly (Column<Entry> | false)[] = [
    {
      id: 'number',
      header: t('number'),
      cell: (entry) => <Number entry={entry} reveal={reveal} />,
      width: 'minmax(12rem, 1.3fr)',
    },
    hasAccount && { id: 'account', header: t('account'), cell: ({ account }) => account, width: '7rem' },
    timeColumn('at', t('since'), { width: '11rem', as: 'moment' }),
    {
      id: 'source',
      header: t('source'),
      cell: ({ source }) => <span className={textStyles.wrap}>{sourceOf(source)}</span>,
      width: 'minmax(8rem, 1fr)',
    },
    {
      id: 'evidence',
      header: t('evidence'),
      cell: (entry) =>
        entry.evidence === null ? (
          <None />
        ) : (
          <Masked
            value={entry.evidence}
            what={t('evidenceOf', { id: entry.id })}
            reveal={async () => (await reveal(entry)).evidence ?? ''}
            show={(text) => <span className={textStyles.inline}>{text}</span>}
          />
        ),
      width: 'minmax(8rem, 1.5fr)',
    },
    {
      id: 'state',
      header: t('state'),
      cell: (entry) => <State entry={entry} />,
      width: 'minmax(11rem, 1.7fr)',
    },
    {
      id: 'by',
      header: t('by'),
      cell: ({ recordedBy }) => (recordedBy === null ? 'Sluice' : actorName(recordedBy)),
      width: 'minmax(6rem, 0.7fr)',
    },
    may && {
      id: 'withdraw',
      header: t('action'),
      cell: (entry) =>
        // Whose number Sluice does not know, they cannot be messaged again from here.
        entry.active && entry.number !== null ? (
          <Button
            variant="default"
            size="compact-xs"
            loading={isWithdrawing(entry)}
            aria-label={t('withdraw.ofNumber', { number: entry.number })}
            onClick={() => withdraw(entry)}
          >
            {t('withdraw.short')}
          </Button>
        ) : (
          <None />
        ),
      width: '6.5rem',
    },
  ];
  return all.filter((column) => column !== false);
}

interface NumberProps {
  readonly entry: Entry;
  reveal(entry: Entry): Promise<Entry>;
}

function Number({ entry, reveal }: NumberProps) {
  const { t } = useTranslation('opt-outs');
  const { account, person, number, id } = entry;
  const link = (text: string) => (
    <Anchor
      component={Link}
      to="/people/$account/$person"
      params={{ account, person } as never}
      inherit
      underline="always"
    >
      {text}
    </Anchor>
  );
  if (number === null) return link(t('erased'));
  return (
    <Masked
      value={number}
      what={t('numberOf', { id })}
      reveal={async () => (await reveal(entry)).number ?? t('erased')}
      show={link}
    />
  );
}

function State({ entry: { active, withdrawal } }: { readonly entry: Entry }) {
  const { t } = useTranslation('opt-outs');
  return (
    <span className={textStyles.wrap}>
      <Status of={active ? 'ok' : 'off'} label={t(active ? 'stateOf.active' : 'stateOf.withdrawn')} />
      {withdrawal !== null && (
        <span className={textStyles.original}>
          {active && `${t('withdrawnBefore')} `}
          {withdrawal.reason} · {actorName(withdrawal.by)} · <Time at={withdrawal.at} />
        </span>
      )}
    </span>
  );
}

/** Reads one entry with plain values, which the audit log keeps. */
function useReveal() {
  const { t } = useTranslation('opt-outs');
  const client = useClient();
  return async ({ id, account }: Entry): Promise<Entry> => {
    // The newest entry before the next id is this one.
    const page = { account, before: String(id + 1), limit: 1, unmask: true };
    const { optOuts } = await client.call('GET /opt-outs', page);
    const found = optOuts.find((each) => each.id === id);
    if (found === undefined) throw new Error(t('gone'));
    return found;
  };
}
