// What is to be approved: who, how many, which flow with which variables, when, and what differs from the plan before.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import classes from './campaigns.module.css';
import { type Plan, sumOf } from './data.ts';
import { useParts } from './use-parts.ts';

export function ApprovalView({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const mayCompare = useMay('editor');
  const describePart = useParts();
  const { run, waves, finishAt, plannedBy, plannedAt } = plan;
  const rules = useCall('GET /campaigns/{campaign}/rules', { campaign: run });
  const sample = useCall('POST /campaigns/{campaign}/sample', { campaign: run, limit: 3 });
  const first = waves[0]?.startsAt ?? plan.days[0]?.startsAt;
  return (
    <Section
      title={t('approval.title')}
      about={t('approval.about', { by: actorName(plannedBy), at: format.instant(plannedAt) })}
    >
      <div className={classes.stack}>
        <Loaded of={rules}>
          {({ parts, flow, connection, variables }) => (
            <Facts
              facts={[
                [t('approval.who'), parts.map(describePart).join('; ')],
                [
                  t('approval.members'),
                  <strong key="members">
                    {t('approval.membersValue', {
                      eligible: format.count(plan.eligible),
                      excluded: format.count(sumOf(plan.excluded)),
                    })}
                  </strong>,
                ],
                [t('approval.flow'), t('approval.flowValue', { flow, connection })],
                [t('rules.variables'), variables.length === 0 ? t('rules.none') : variables.join(', ')],
                [
                  t('approval.sample'),
                  (sample.data?.members ?? [])
                    .map(({ number, variables: values }) =>
                      [
                        number ?? '',
                        ...Object.entries(values).map(([name, value]) => `${name}: ${String(value)}`),
                      ].join(' '),
                    )
                    .join('; '),
                ],
                [t('approval.first'), first === undefined ? t('rules.none') : format.moment(first)],
                [t('approval.last'), finishAt === null ? t('rules.none') : format.moment(finishAt)],
              ]}
            />
          )}
        </Loaded>
        {mayCompare && <Changes run={run} />}
      </div>
    </Section>
  );
}

function Changes({ run }: { readonly run: string }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const changes = useCall('GET /campaigns/{campaign}/changes', { campaign: run });
  const countOf = (eligible: number | null) => (eligible === null ? '–' : format.count(eligible));
  return (
    <div>
      <h3 className={classes.subtitle}>{t('approval.changes')}</h3>
      <Loaded of={changes}>
        {({ before, eligible, changes: found }) =>
          before === null ? (
            <Text size="sm">{t('approval.firstPlan')}</Text>
          ) : (
            <>
              <Text size="sm">
                {t('approval.against', {
                  run: before.run,
                  by: before.approvedBy === null ? '–' : actorName(before.approvedBy),
                  at: before.approvedAt === null ? '–' : format.instant(before.approvedAt),
                })}{' '}
                {t('approval.counts', { before: countOf(before.eligible), after: countOf(eligible) })}
              </Text>
              {found.length === 0 ? (
                <Text size="sm">{t('approval.same')}</Text>
              ) : (
                <ul className={classes.problems}>
                  {found.map(({ path, before: was, after }) => (
                    <li key={path}>
                      <code>{path}</code>: <del>{was ?? t('rules.none')}</del> →{' '}
                      <ins>{after ?? t('rules.none')}</ins>
                    </li>
                  ))}
                </ul>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  );
}
