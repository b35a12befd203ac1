// On the page of a person: records that they opted out, or withdraws it.
import { Button } from '@mantine/core';
import { IconMessage, IconMessageOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/session.tsx';
import { SidePanel } from '../../../parts/side-panel.tsx';
import type { Person } from '../person-facts.tsx';
import { RecordForm } from './record-form.tsx';
import { useWithdraw } from './use-withdraw.tsx';

/** Nothing for a person without a number: an opt-out belongs to a number. */
export function PersonOptOut({ person: { account, person, number, why } }: { readonly person: Person }) {
  const { t } = useTranslation('opt-outs');
  const may = useMay('operator');
  const { withdraw, isWithdrawing } = useWithdraw();
  const [isOpen, setOpen] = useState(false);
  if (!may || number === null) return null;
  const close = () => setOpen(false);
  const hasOptedOut = why.some(({ code }) => code === 'OPTED_OUT');
  return (
    <>
      {hasOptedOut ? (
        <Button
          variant="default"
          leftSection={<IconMessage size={14} aria-hidden />}
          loading={isWithdrawing({ account, person })}
          onClick={() => withdraw({ account, person })}
        >
          {t('withdraw.button')}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconMessageOff size={14} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {t('record.button')}
        </Button>
      )}
      <SidePanel title={t('record.title')} isOpen={isOpen} onClose={close}>
        <RecordForm accounts={[account]} account={account} person={person} onDone={close} />
      </SidePanel>
    </>
  );
}
