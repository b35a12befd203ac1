// Who the person is. Personal data is masked until the viewer asks for it.
import { Button } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { None } from '../../parts/values.tsx';
import { PlaceLink } from './links.tsx';
import classes from './people.module.css';

export type Person = Output<'GET /people/{account}/{person}'>;

export function PersonFacts({ person: masked }: { readonly person: Person }) {
  const { t } = useTranslation('people');
  const { account, person, contacts, conversations, cards } = masked;
  const [plain, setPlain] = useState<Person | null>(null);
  const { name, number, email } = plain ?? masked;
  return (
    <Section
      title={t('person.facts')}
      actions={<RevealButton person={masked} isPlain={plain !== null} onChange={setPlain} />}
    >
      <Facts
        facts={[
          [t('person.name'), name ?? <None />],
          [t('person.number'), number === null ? <None /> : numberOf(number)],
          [t('person.email'), email ?? <None />],
          [t('person.account'), account],
          [t('person.contacts'), <Ids key="contacts" ids={contacts} />],
          [t('person.cards'), <Ids key="cards" ids={cards} />],
          [
            t('person.conversations'),
            <Ids
              key="conversations"
              ids={conversations}
              link={(id) => (
                <PlaceLink to="/conversations" search={{ account, conversation: String(id) }}>
                  {id}
                </PlaceLink>
              )}
            />,
          ],
          [t('person.id'), <code key="id">{person}</code>],
        ]}
      />
    </Section>
  );
}

/** In plain text a number is digits only. */
const numberOf = (number: string) => (/^\d+$/.test(number) ? `+${number}` : number);

function RevealButton({
  person: { account, person },
  isPlain,
  onChange,
}: {
  readonly person: Person;
  readonly isPlain: boolean;
  onChange(plain: Person | null): void;
}) {
  const { t } = useTranslation('people');
  const { t: common } = useTranslation('common');
  const client = useClient();
  const may = useMay('operator');
  const reveal = useMutation({
    mutationFn: () => client.call('GET /people/{account}/{person}', { account, person, unmask: true }),
    onSuccess: onChange,
    onError: (error) => notifyError(error, common),
  });
  if (!may) return null;
  return (
    <Button
      variant="default"
      leftSection={isPlain ? <IconEyeOff size={14} aria-hidden /> : <IconEye size={14} aria-hidden />}
      title={isPlain ? undefined : common('masked.audited')}
      loading={reveal.isPending}
      onClick={() => (isPlain ? onChange(null) : reveal.mutate())}
    >
      {t(isPlain ? 'person.hide' : 'person.reveal')}
    </Button>
  );
}

/** Nobody reads more ids than these. */
const MOST_IDS = 12;

function Ids({ ids, link }: { readonly ids: readonly number[]; link?(id: number): ReactNode }) {
  if (ids.length === 0) return <None />;
  return (
    <span className={classes.ids}>
      {ids.slice(0, MOST_IDS).map((id) => (
        <span key={id}>{link === undefined ? id : link(id)}</span>
      ))}
      {ids.length > MOST_IDS && <span>+{ids.length - MOST_IDS}</span>}
    </span>
  );
}
