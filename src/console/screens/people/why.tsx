// Why the person got no message: one sentence a reason, the most general first.
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconHourglass,
  IconInfoCircle,
  IconX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { WhyReason } from '../../../operator/contract/people.ts';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { PlaceLink } from './links.tsx';
import { useSourceWord } from './opt-outs/use-source-word.ts';
import classes from './people.module.css';

const LOOKS = {
  good: IconCircleCheck,
  bad: IconX,
  warn: IconAlertTriangle,
  info: IconHourglass,
  idle: IconInfoCircle,
} as const;

const TONES: Readonly<Record<WhyReason['code'], keyof typeof LOOKS>> = {
  OPTED_OUT: 'bad',
  NUMBER_REJECTED: 'bad',
  LEFT_OUT: 'warn',
  CONTROL_GROUP: 'idle',
  SKIPPED: 'warn',
  TRIGGER_FAILED: 'bad',
  TRIGGER_UNKNOWN: 'warn',
  CANCELED: 'idle',
  WAITING: 'info',
  CAMPAIGN_PAUSED: 'warn',
  CAMPAIGN_BLOCKED: 'bad',
  ROW_LEFT_OUT: 'bad',
  NOT_IN_AUDIENCE: 'idle',
  SYNC_FAILED: 'bad',
  EVENT_FAILED: 'bad',
  EVENT_BLOCKED: 'warn',
  DELIVERY_FAILED: 'bad',
  NO_CONTACT: 'warn',
  NUMBER_REPAIRED: 'good',
};

export function WhyList({ account, why }: { readonly account: string; readonly why: readonly WhyReason[] }) {
  const { t } = useTranslation('people');
  return (
    <Section title={t('why.title')} flush>
      {why.every(({ code }) => code === 'NUMBER_REPAIRED') && (
        <div className={`${classes.why} ${classes.fine}`}>
          <span className={classes.whyIcon} data-tone="good" aria-hidden>
            <IconCircleCheck size={18} stroke={1.8} />
          </span>
          <div>
            <div className={classes.sentence}>{t('why.none')}</div>
            <div className={textStyles.small}>{t('why.noneAbout')}</div>
          </div>
        </div>
      )}
      {why.length > 0 && (
        <ul className={listStyles.list}>
          {[...new Map(why.map((reason) => [JSON.stringify(reason), reason]))].map(([key, reason]) => (
            <WhyItem key={key} account={account} reason={reason} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function WhyItem({ account, reason }: { readonly account: string; readonly reason: WhyReason }) {
  const { t } = useTranslation('people');
  const { code, at, campaign, run, event, problem } = reason;
  const tone = TONES[code];
  const sourceWord = useSourceWord();
  const Icon = LOOKS[tone];
  return (
    <li className={classes.why}>
      <span className={classes.whyIcon} data-tone={tone} aria-hidden>
        <Icon size={18} stroke={1.8} />
      </span>
      <div>
        <div className={classes.sentence}>
          {t(`why.code.${code}`, { campaign: campaign ?? '', run: run ?? '' })}
        </div>
        {problem !== null && (
          <div className={classes.reason}>
            {code === 'OPTED_OUT' ? (
              sourceWord(problem.code)
            ) : (
              <Reason code={problem.code} reason={problem.reason || null} params={problem.params} />
            )}
          </div>
        )}
        <div className={`${classes.facts} ${textStyles.small}`}>
          {at !== null && (
            <span>
              <Time at={at} as="moment" />
            </span>
          )}
          {run !== null && (
            <span>
              {campaign === null ? (
                <PlaceLink to="/syncs" search={{ account, name: nameOfRun(run), run }}>
                  {t('fact.run', { run })}
                </PlaceLink>
              ) : (
                <PlaceLink to="/campaigns" search={{ account, name: campaign, run }}>
                  {t('fact.run', { run })}
                </PlaceLink>
              )}
            </span>
          )}
          {event !== null && (
            <span>
              <PlaceLink to="/events" search={{ account, event }}>
                {t('fact.event', { event })}
              </PlaceLink>
            </span>
          )}
        </div>
      </div>
    </li>
  );
}

/** Runs are called `account/sync/number`. */
function nameOfRun(run: string): string {
  return run.split('/')[1] ?? run;
}
