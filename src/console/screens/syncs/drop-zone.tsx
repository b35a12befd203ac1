// Takes a CSV file, dropped or chosen.
import { Button, FileButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import textStyles from '../../parts/text.module.css';
import classes from './syncs.module.css';

interface Props {
  readonly isBusy: boolean;
  readonly isFirst: boolean;
  onFile(file: File): void;
}

export function DropZone({ isBusy, isFirst, onFile }: Props) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const [isOver, setOver] = useState(false);
  const take = (file: File | null | undefined) => {
    if (file !== null && file !== undefined) onFile(file);
  };
  return (
    // A file can be chosen with the button too, so nothing here needs a pointer.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={classes.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
    >
      <FileButton accept=".csv,.txt,text/csv" onChange={take}>
        {(props) => (
          <Button {...props} variant={isFirst ? 'filled' : 'default'} loading={isBusy}>
            {t(isFirst ? 'first-sync:choose' : 'first-sync:other')}
          </Button>
        )}
      </FileButton>
      <span>{t('first-sync:drop')}</span>
      <span className={textStyles.small}>{t('first-sync:uploadText')}</span>
    </div>
  );
}
