// Warnings of a run. Of tags that the account lacks, it names the tags and the rows that ask for them.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../../api/use-call.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import listStyles from '../../../parts/list.module.css';
import { Section } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import { Loaded } from '../../../parts/states.tsx';
import textStyles from '../../../parts/text.module.css';
import type { Report } from '../data.ts';
import { TagList } from '../missing-tags.tsx';
import classes from '../syncs.module.css';
import { usePlace } from '../use-place.ts';

const UNKNOWN_TAG = 'UNKNOWN_TAG';
/** Tags that the list shows. */
const TAGS = 100;

interface Props {
  readonly sync: string;
  readonly run: string;
  readonly warnings: Report['warnings'];
}

export function RunWarnings({ sync, run, warnings }: Props) {
  const { t } = useTranslation('syncs');
  const placeOf = usePlace();
  const [, change] = useUrlState();
  if (warnings.length === 0) return null;
  return (
    <Section title={t('report.warnings')} flush>
      <ul className={listStyles.list}>
        {warnings.map(({ step, code, reason, people = 0 }) => (
          <li key={`${step} ${code} ${reason}`} className={classes.row}>
            <span className={classes.grow}>
              <Reason code={code} reason={reason} />
              {people > 0 && (
                <div className={textStyles.small}>{t('report.withoutTag', { count: people })}</div>
              )}
            </span>
            <span className={textStyles.small}>{placeOf(step)}</span>
            {people > 0 && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t('problems.show', { code })}
                onClick={() => change({ outcome: null, code, row: null })}
              >
                {t('rows.title')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {warnings.some(({ code }) => code === UNKNOWN_TAG) && <Tags sync={sync} run={run} />}
    </Section>
  );
}

function Tags({ sync, run }: Pick<Props, 'sync' | 'run'>) {
  const { t } = useTranslation('syncs');
  const query = useCall('GET /syncs/{sync}/warnings', { sync, run, limit: TAGS });
  return (
    <Loaded of={query}>
      {({ warnings, lines, next }) => (
        <>
          <TagList
            lines={lines}
            tags={warnings.flatMap(({ tag, people, firstRows }) =>
              tag === null ? [] : [{ tag, people, rows: firstRows }],
            )}
          />
          {next !== null && <p className={textStyles.small}>{t('report.tagsCut')}</p>}
        </>
      )}
    </Loaded>
  );
}
