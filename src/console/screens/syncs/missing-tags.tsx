// Tags that a dry run found missing in the account, and for how many people.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import textStyles from '../../parts/text.module.css';
import type { PlanReport } from './data.ts';
import classes from './syncs.module.css';

export function MissingTags({ tags: { wanted, readAt, missing } }: { readonly tags: PlanReport['tags'] }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  if (wanted === 0) return null;
  if (missing === null || readAt === null)
    return <p className={classes.notice}>{t('plan.tags.notChecked')}</p>;
  const at = format.moment(readAt);
  if (missing.tags === 0) return <p className={textStyles.small}>{t('plan.tags.none', { at })}</p>;
  // Masked names repeat, so each has its place.
  const rows = missing.list.map((each, place) => ({ ...each, place }));
  const more = missing.tags - missing.list.length;
  return (
    <details className={classes.notice} open={missing.tags <= OPEN}>
      <summary>
        {t('plan.tags.missing', { count: missing.tags })} {t('plan.tags.people', { count: missing.people })}
      </summary>
      <p>
        {t('plan.tags.effect')} {t('plan.tags.read', { at })}
      </p>
      <ul className={listStyles.list}>
        {rows.map(({ place, tag, people, rows: first }) => (
          <li key={place} className={classes.row}>
            <span className={classes.grow}>
              {tag}
              {first.length > 0 && (
                <div className={textStyles.small}>
                  {t('plan.tags.rows', {
                    count: people,
                    rows: `${first.join(', ')}${people > first.length ? ', …' : ''}`,
                  })}
                </div>
              )}
            </span>
            <span>{t('plan.tags.wanted', { count: people })}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p>{t('plan.tags.more', { count: more })}</p>}
    </details>
  );
}

/** Up to this many tags show at once. */
const OPEN = 10;
