// What Sluice takes for granted where the API description is silent.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AssumptionState } from '../../../operator/contract/settings.ts';
import { useCall } from '../../api/use-call.ts';
import { useUrlValue } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Chip } from '../../parts/status.tsx';
import { Filters } from '../../parts/table/filters.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './settings.module.css';

export function Assumptions() {
  const { t } = useTranslation('settings');
  const assumptions = useCall('GET /assumptions', {});
  return (
    <Section title={t('assumptions.title')} about={t('assumptions.about')} flush>
      <Loaded of={assumptions}>{({ assumptions: all }) => <Filtered all={all} />}</Loaded>
    </Section>
  );
}

function Filtered({ all }: { readonly all: readonly AssumptionState[] }) {
  const { t } = useTranslation('settings');
  const { t: table } = useTranslation('table');
  const format = useFormat();
  const [text, setText] = useState('');
  const [account, setAccount] = useUrlValue<string>('account', '');
  const [only, setOnly] = useUrlValue<string>('overridden', '');
  const accounts = [...new Set(all.map((each) => each.account))];
  const words = text.toLowerCase().split(/\s+/);
  const unknownOf = useUnknown();
  const shown = all
    .filter((each) => account === '' || each.account === account)
    .filter(({ overridden }) => only === '' || overridden)
    .filter((each) =>
      words.every((word) => `${each.key} ${unknownOf(each)} ${each.section}`.toLowerCase().includes(word)),
    )
    .sort((one, other) => Number(other.overridden) - Number(one.overridden));
  return (
    <>
      <Filters>
        <TextInput
          size="xs"
          type="search"
          aria-label={t('assumptions.search')}
          placeholder={t('assumptions.search')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {accounts.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t('assumptions.account')}
            value={account}
            data={[
              { value: '', label: table('all', { what: t('assumptions.account') }) },
              ...accounts.map((value) => ({ value, label: value })),
            ]}
            onChange={(event) => setAccount(event.currentTarget.value)}
          />
        )}
        <Checkbox
          size="xs"
          label={t('assumptions.only')}
          checked={only !== ''}
          onChange={(event) => setOnly(event.currentTarget.checked ? 'yes' : '')}
        />
      </Filters>
      {shown.length === 0 ? (
        <EmptyState title={t('assumptions.none')} text={t('assumptions.noneText')} />
      ) : (
        <ul className={listStyles.list} data-dense="true">
          {shown.map((each) => (
            <Assumption key={`${each.account} ${each.key}`} of={each} isOneOfMany={accounts.length > 1} />
          ))}
        </ul>
      )}
      <p className={listStyles.note} role="status">
        {t('assumptions.count', { count: shown.length, shown: format.count(shown.length) })}
      </p>
    </>
  );
}

function Assumption({ of, isOneOfMany }: { readonly of: AssumptionState; readonly isOneOfMany: boolean }) {
  const { t } = useTranslation('settings');
  const { account, key, section, value, default: fallback, overridden } = of;
  const unknown = useUnknown()(of);
  return (
    <li className={classes.row}>
      <div className={classes.grow}>
        <div>{unknown}</div>
        <div className={textStyles.small}>
          {isOneOfMany && `${account} · `}
          <code>{key}</code> · {t('assumptions.section', { section })}
        </div>
      </div>
      <div className={classes.end}>
        <code>{value}</code>
        {overridden && (
          <span className={textStyles.small}>
            <Chip tone="info">{t('assumptions.overridden')}</Chip>{' '}
            {t('assumptions.default', { value: fallback })}
          </span>
        )}
      </div>
    </li>
  );
}

/** What the description leaves open, in the page's language. A newer server may have keys that the page does not know. */
function useUnknown(): (of: Pick<AssumptionState, 'key' | 'unknown'>) => string {
  const { t } = useTranslation('assumptions');
  const texts: Readonly<Record<string, string>> = t('unknown', { returnObjects: true });
  return ({ key, unknown }) => texts[key] ?? unknown;
}
