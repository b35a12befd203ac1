// One gauge per token: calls of the last minute by lane against the limit.
import { useTranslation } from 'react-i18next';
import { LANE_NAMES } from '../../../core/lanes.ts';
import { useFormat } from '../../format/use-format.ts';
import { Gauge } from '../../parts/charts/gauge.tsx';
import listStyles from '../../parts/list.module.css';
import { EmptyState } from '../../parts/states.tsx';
import { Chip, Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { type Overview } from './data.ts';
import classes from './overview.module.css';

type Token = Overview['tokens'][number];

export function TokenList({ tokens }: { readonly tokens: readonly Token[] }) {
  const { t } = useTranslation('overview');
  if (tokens.length === 0) return <EmptyState title={t('tokens.none')} text={t('tokens.noneText')} />;
  return (
    <ul className={listStyles.list}>
      {tokens.map((token) => (
        <li key={`${token.account} ${token.token}`} className={classes.token}>
          <TokenItem token={token} />
        </li>
      ))}
    </ul>
  );
}

function TokenItem({ token }: { readonly token: Token }) {
  const { t } = useTranslation('overview');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const { account, position, used, limit, lanes, others, underWay, limited, blockedUntil, foreign, marks } =
    token;
  const name = t('tokens.name', { account, position });
  return (
    <>
      <div className={classes.line}>
        <strong>{name}</strong>
        <span>
          <strong>{format.count(used)}</strong>
          <span className={textStyles.muted}> / {t('tokens.limit', { shown: format.count(limit) })}</span>
        </span>
      </div>
      <Gauge
        label={name}
        used={used}
        limit={limit}
        parts={[
          ...LANE_NAMES.map((lane) => ({ name: common(`lane.${lane}`), value: lanes[lane] ?? 0 })),
          // What the lanes do not show, so that the parts add up.
          { name: t('tokens.underWay'), value: underWay },
          { name: t('tokens.others'), value: others },
        ]}
      />
      <div className={classes.flags}>
        {blockedUntil !== null && (
          <Status of="blocked" label={t('tokens.blockedUntil', { at: format.clock(blockedUntil) })} />
        )}
        {limited > 0 && <Chip tone="warn">{t('tokens.limited', { count: limited })}</Chip>}
        {foreign >= 1 && (
          <Chip tone="idle">{t('tokens.foreign', { shown: format.count(Math.round(foreign)) })}</Chip>
        )}
        {marks.map(({ scope, code }) => (
          <Chip key={`${scope} ${code}`} tone="bad">
            {scope === null ? code : `${scope}: ${code}`}
          </Chip>
        ))}
      </div>
    </>
  );
}
