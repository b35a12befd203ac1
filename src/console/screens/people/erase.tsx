// Deletes a person from the ledger, after saying what goes and what stays.
import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { Facts, Section } from '../../parts/page.tsx';
import classes from './people.module.css';
import type { Person } from './person-facts.tsx';

type Erasure = Output<'POST /people/{account}/{person}/erase'>;

export function EraseButton({
  person: { account, person, cards, conversations },
  onErased,
}: {
  readonly person: Person;
  onErased(erased: Erasure): void;
}) {
  const { t } = useTranslation('people');
  const may = useMay('admin');
  const erase = useCommand('POST /people/{account}/{person}/erase', { onDone: onErased });
  const ask = () => {
    let isOptOut = false;
    erase.ask((reason) => ({ account, person, optOut: isOptOut, reason }), {
      title: t('erase.title'),
      effects: (
        <>
          <Text>{t('erase.intro')}</Text>
          <ul className={classes.effects}>
            <li>{t('erase.contact')}</li>
            {cards.length > 0 && <li>{t('erase.cards', { count: cards.length })}</li>}
            <li>{t('erase.history')}</li>
            {conversations.length > 0 && <li>{t('erase.talks', { count: conversations.length })}</li>}
            <li>{t('erase.campaigns')}</li>
          </ul>
          <Stack gap="xs">
            <Text>{t('erase.kept')}</Text>
            <Text>{t('erase.service')}</Text>
            <Checkbox
              label={t('erase.optOut')}
              onChange={({ currentTarget }) => {
                isOptOut = currentTarget.checked;
              }}
            />
          </Stack>
        </>
      ),
      verb: t('erase.verb'),
      dangerous: true,
      reason: 'required',
    });
  };
  if (!may) return null;
  return (
    <Button
      variant="danger"
      leftSection={<IconTrash size={14} aria-hidden />}
      loading={erase.isPending}
      onClick={ask}
    >
      {t('erase.button')}
    </Button>
  );
}

/** What Sluice no longer has, and the places that it cannot reach. */
export function Erased({ erased }: { readonly erased: Erasure }) {
  const { t } = useTranslation('people');
  const format = useFormat();
  const { sinkFiles, histories, elsewhere } = erased;
  const counted = (count: number) => ({ count, shown: format.count(count) });
  return (
    <>
      <Counts title={t('erase.deleted')} counts={erased.deleted} />
      <Counts title={t('erase.anonymized')} counts={erased.anonymized} />
      <Stack gap="xs">
        <Text>{t(erased.optOutKept ? 'erase.optOutKept' : 'erase.noOptOut')}</Text>
        {sinkFiles.map(({ sink, events }) => (
          <Text key={sink}>{t('erase.files', Object.assign(counted(events), { sink }))}</Text>
        ))}
        <Text>{t('erase.histories', counted(histories.deleted))}</Text>
        {histories.left > 0 && <Text>{t('erase.historiesLeft', counted(histories.left))}</Text>}
      </Stack>
      <Section title={t('erase.elsewhere')} about={t('erase.elsewhereAbout')}>
        <ul className={classes.effects}>
          {elsewhere.map(({ place, name, ids }) => (
            <li key={`${place} ${name}`}>
              {t(`elsewhere.${place}`, { name: name ?? '', ids: ids.join(', ') })}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function Counts({
  title,
  counts,
}: {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
}) {
  const { t, i18n } = useTranslation('people');
  const format = useFormat();
  const wordOf = (table: string) =>
    i18n.exists(`people:table.${table}`) ? t(`table.${table}` as 'table.people') : table;
  const tables = Object.entries(counts);
  return (
    <Section title={title}>
      {tables.length === 0 ? (
        <Text c="dimmed">{t('erase.nothing')}</Text>
      ) : (
        <Facts
          facts={tables.map(([table, count]) => [
            wordOf(table),
            t('erase.rows', { count, shown: format.count(count) }),
          ])}
        />
      )}
    </Section>
  );
}
