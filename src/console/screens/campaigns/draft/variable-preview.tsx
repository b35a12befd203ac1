// What three real people would get. Values are hidden until somebody who may reveals them, which the audit log keeps.
import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Input, Output } from '../../../api/client.ts';
import { useClient } from '../../../api/session.tsx';
import { useFormat } from '../../../format/use-format.ts';
import { valueAt } from '../../../parts/draft/yaml-draft.ts';
import { Reveal } from '../../../parts/reveal/reveal.tsx';
import { Chip } from '../../../parts/status.tsx';
import textStyles from '../../../parts/text.module.css';
import classes from '../campaigns.module.css';
import { readSource } from './variable-source.ts';

type Asked = Input<'POST /campaign-drafts/audience'>;
type Audience = NonNullable<Output<'POST /campaign-drafts/audience'>['audience']>;

interface Props {
  readonly asked: Asked;
  /** Null: nothing is counted. */
  readonly audience: Audience | null;
  readonly isOld: boolean;
}

export function VariablePreview({ asked, audience, isOld }: Props) {
  const { t } = useTranslation('campaign-form');
  const format = useFormat();
  const client = useClient();
  const [revealed, setRevealed] = useState<{ asked: Asked; sample: Audience['sample'] } | null>(null);
  if (audience === null) return <p className={textStyles.muted}>{t('variables.noPreview')}</p>;
  const plain = revealed?.asked === asked ? revealed.sample : null;
  const sample = plain ?? audience.sample;
  const names = audience.variables.map(({ name }) => name);
  const lacking = audience.variables.filter(({ missing }) => missing > 0);
  const shown = (name: string, value: unknown) => {
    if (value === undefined) return <Chip tone="warn">{t('variables.noValue')}</Chip>;
    // A fixed text is the same for everybody.
    const source = readSource(valueAt(asked.config, ['variables', name]));
    return source?.kind === 'text' ? source.text : String(value);
  };
  return (
    <div className={classes.below} aria-busy={isOld}>
      <h3 className={classes.subtitle}>{t('variables.preview')}</h3>
      {lacking.map(({ name, missing }) => (
        <Text key={name} size="sm" role="status">
          <Chip tone="warn">{t('variables.warning')}</Chip>{' '}
          {t('variables.lacking', {
            name,
            missing: format.count(missing),
            people: format.count(audience.people),
          })}
        </Text>
      ))}
      {sample.length === 0 ? (
        <Text size="sm">{t('variables.nobody')}</Text>
      ) : (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('variables.preview')}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('variables.member')}</th>
                {names.map((name) => (
                  <th key={name} scope="col">
                    <code>{name}</code>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sample.map(({ number, variables, isExcluded }) => (
                <tr key={number}>
                  <th scope="row">
                    {number} {isExcluded && <span>({t('variables.leftOut')})</span>}
                  </th>
                  {names.map((name) => (
                    <td key={name}>{shown(name, variables[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {plain === null && sample.length > 0 && !isOld && (
        <Reveal
          what={t('variables.values')}
          read={() => client.call('POST /campaign-drafts/audience', { ...asked, unmask: true })}
          onRevealed={({ audience: found }) => {
            if (found !== null) setRevealed({ asked, sample: found.sample });
          }}
        />
      )}
    </div>
  );
}
