// Another export in the place of a sync's file: its columns are compared first, and a dry run follows.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUpload } from '../../../api/use-upload.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Facts, Section } from '../../../parts/page.tsx';
import { DropZone } from '../drop-zone.tsx';
import classes from '../syncs.module.css';

type Changes = Output<'POST /uploads/{upload}/compare'>;

export function ReplaceExport({ sync }: { readonly sync: string }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const [, change] = useUrlState();
  const [uploaded, setUploaded] = useState<Output<'POST /uploads'> | null>(null);
  const [changes, setChanges] = useState<Changes | null>(null);
  const compare = useCommand('POST /uploads/{upload}/compare', { onDone: setChanges });
  const upload = useUpload((made) => {
    setUploaded(made);
    setChanges(null);
    compare.run({ upload: made.upload, sync });
  });
  const plan = useCommand('POST /syncs/{sync}/plans', {
    onDone: (begun) => change({ view: null, plan: begun.plan }),
  });
  const replace = useCommand('POST /uploads/{upload}/replace', {
    topics: ['syncs'],
    done: ({ active, export: file }) =>
      active ? t('replace.done') : `${t('replace.done')} ${t('replace.elsewhere', { file })}`,
    onDone: () => plan.run({ sync }),
  });
  return (
    <Section
      title={t('replace.title', { sync })}
      about={t('replace.about')}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => change({ view: null })}>
          {t('replace.cancel')}
        </Button>
      }
    >
      <div className={classes.stack}>
        <DropZone
          isBusy={upload.isPending || compare.isPending}
          isFirst={uploaded === null}
          onFile={upload.send}
        />
        {uploaded !== null && changes !== null && (
          <>
            <Facts
              facts={[
                [t('replace.columns'), format.count(changes.found.length)],
                [t('replace.encoding'), uploaded.recognized.encoding.name],
              ]}
            />
            <Columns changes={changes} />
            <div className={classes.line}>
              <Button
                disabled={changes.missing.length > 0}
                loading={replace.isPending || plan.isPending}
                onClick={() => replace.run({ upload: uploaded.upload, sync })}
              >
                {t('replace.write')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Section>
  );
}

function Columns({ changes: { found, added, removed, missing } }: { readonly changes: Changes }) {
  const { t } = useTranslation('syncs');
  if (added.length + removed.length + missing.length === 0)
    return (
      <p className={classes.notice} data-tone="good">
        {t('replace.same')}
      </p>
    );
  return (
    <>
      {missing.length > 0 && (
        <div className={classes.notice} data-tone="bad" role="alert">
          <Names title={t('replace.missing')} names={missing} />
          <Names title={t('replace.columns')} names={found} />
          <div>{t('replace.missingHelp')}</div>
        </div>
      )}
      <Names title={t('replace.added')} names={added} />
      <Names title={t('replace.removed')} names={removed} />
    </>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div className={classes.grow}>
      {title}:{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ', '}
          <code>{name}</code>
        </span>
      ))}
    </div>
  );
}
