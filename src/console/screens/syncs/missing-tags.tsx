// Tags that a dry run found missing in the account, and for how many people.
import { useTranslation } from 'react-i18next';
import type { Lines } from '../../../jobs/sync/contract/lines.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import textStyles from '../../parts/text.module.css';
import type { PlanReport } from './data.ts';
import classes from './syncs.module.css';
import { useLine } from './use-line.ts';

interface Props {
  readonly tags: PlanReport['tags'];
  readonly lines: Lines;
}

export function MissingTags({ tags: { wanted, readAt, missing }, lines }: Props) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  if (wanted === 0) return null;
  if (missing === null || readAt === null)
    return <p className={classes.notice}>{t('plan.tags.notChecked')}</p>;
  const at = format.moment(readAt);
  if (missing.tags === 0) return <p className={textStyles.small}>{t('plan.tags.none', { at })}</p>;
  const more = missing.tags - missing.list.length;
  return (
    <details className={classes.notice} open={missing.tags <= OPEN}>
      <summary>
        {t('plan.tags.missing', { count: missing.tags })} {t('plan.tags.people', { count: missing.people })}
      </summary>
      <p>
        {t('plan.tags.effect')} {t('plan.tags.read', { at })}
      </p>
      <TagList tags={missing.list} lines={lines} />
      {more > 0 && <p>{t('plan.tags.more', { count: more })}</p>}
    </details>
  );
}

interface TagListProps {
  readonly tags: readonly {
    readonly tag: string;
    readonly people: number;
    readonly rows: readonly number[];
  }[];
  readonly lines: Lines;
}

/** Tags with the number of people who ask for each, and their first rows. */
export function TagList({ tags, lines }: TagListProps) {
  const lineOf = useLine();
  const { t } = useTranslation('syncs');
  // Masked names repeat, so each has its place.
  const listed = tags.map((each, place) => ({ ...each, place }));
  return (
    <ul className={listStyles.list}>
      {listed.map(({ place, tag, people, rows }) => (
        <li key={place} className={classes.row}>
          <span className={classes.grow}>
            {tag}
            {rows.length > 0 && (
              <div className={textStyles.small}>
                {rows.map((row) => lineOf(row, lines)).join(', ')}
                {people > rows.length && ', …'}
              </div>
            )}
          </span>
          {people > 0 && <span>{t('plan.tags.wanted', { count: people })}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Up to this many tags show at once. */
const OPEN = 10;
