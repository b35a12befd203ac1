// How long the ledger keeps each kind of data, its size, and what was deleted last.
import { useTranslation } from 'react-i18next';
import type { RetentionOfKind } from '../../../operator/contract/settings.ts';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { useNow } from '../../format/use-now.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Chip } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './settings.module.css';

export function Retention() {
  const { t } = useTranslation('settings');
  const retention = useCall('GET /retention', {});
  return (
    <Section title={t('retention.title')} about={t('retention.about')} flush>
      <Loaded of={retention}>
        {({ kinds }) => (
          <ul className={listStyles.list} data-dense="true">
            {kinds.map((each) => (
              <Kind key={each.kind} of={each} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90d` as a number of seconds; null for another notation. */
function secondsOf(duration: string): number | null {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const seconds = SECONDS[unit];
  return seconds === undefined ? null : Number(count) * seconds;
}

function Kind({
  of: { kind, setting, keeps, tables, active, error, ...passes },
}: {
  readonly of: RetentionOfKind;
}) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const now = useNow();
  const { endedAt, deleted, deletedEver } = passes;
  const seconds = secondsOf(keeps);
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const last =
    endedAt === null
      ? t('retention.never')
      : t('retention.last', { count: deleted, when: format.relative(endedAt, now) });
  return (
    <li className={classes.row}>
      <div className={classes.grow}>
        {/* A newer server may have further kinds. */}
        <div>{t(`retention.kind.${kind as 'calls'}`, { defaultValue: kind })}</div>
        <div className={textStyles.small}>
          <code>{setting}</code> · {t('retention.size', { bytes: format.bytes(bytes) })}
        </div>
      </div>
      <div className={classes.end}>
        <span>
          {t('retention.keeps', { time: seconds === null ? keeps : format.duration(seconds) })}{' '}
          {active && <Chip tone="info">{t('retention.active')}</Chip>}
          {error !== null && <Chip tone="bad">{t('retention.failed', { code: error })}</Chip>}
        </span>
        <span className={textStyles.small}>
          {last} · {t('retention.ever', { total: format.count(deletedEver) })}
        </span>
      </div>
    </li>
  );
}
