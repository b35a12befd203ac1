// Personal data. The server sends it masked; showing it is a command that the audit log keeps.
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';
import classes from '../values.module.css';

export interface MaskedProps {
  /** As the server masked it. */
  readonly value: string;
  /** What it is, for the button: `phone number`. */
  readonly what: string;
  /** Reads it in plain text. Without it there is no button. */
  readonly reveal?: () => Promise<string>;
  /** Shows the value as something else than text, for example as a link. */
  readonly show?: (text: string) => ReactNode;
}

export function Masked({ value, what, reveal, show }: MaskedProps) {
  const { t } = useTranslation('common');
  const may = useMay('operator');
  const [plain, setPlain] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const read = async () => {
    if (reveal === undefined) return;
    setBusy(true);
    try {
      setPlain(await reveal());
    } catch (error) {
      notifyError(error as Error, t);
    } finally {
      setBusy(false);
    }
  };
  const text = plain ?? value;
  return (
    <span className={classes.number}>
      {show?.(text) ?? text}
      {plain === null && reveal !== undefined && may && (
        <Tooltip label={t('masked.audited')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            ml={4}
            loading={isBusy}
            aria-label={t('masked.reveal', { what })}
            onClick={(event) => {
              event.stopPropagation();
              void read();
            }}
          >
            <IconEye size={14} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </span>
  );
}
