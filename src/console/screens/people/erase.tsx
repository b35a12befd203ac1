// Deletes a person from the ledger, after saying what goes and what stays.
import { Button, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { useConfirm } from '../../parts/confirm.tsx';
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
  const confirm = useConfirm();
  const may = useMay('admin');
  const erase = useCommand('POST /people/{account}/{person}/erase', { onDone: onErased });
  const ask = async () => {
    const answer = await confirm({
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
          </Stack>
        </>
      ),
      verb: t('erase.verb'),
      dangerous: true,
      reason: 'required',
    });
    if (answer !== null) erase.run({ account, person, reason: answer.reason });
  };
  if (!may) return null;
  return (
    <Button
      variant="outline"
      color="red.9"
      c="var(--s-bad)"
      leftSection={<IconTrash size={14} aria-hidden />}
      loading={erase.isPending}
      onClick={() => void ask()}
    >
      {t('erase.button')}
    </Button>
  );
}

/** What the ledger no longer has. */
export function Erased({ erased }: { readonly erased: Erasure }) {
  const { t } = useTranslation('people');
  return (
    <>
      <Counts title={t('erase.deleted')} counts={erased.deleted} />
      <Counts title={t('erase.anonymized')} counts={erased.anonymized} />
      <Text>{t(erased.optOutKept ? 'erase.optOutKept' : 'erase.noOptOut')}</Text>
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
