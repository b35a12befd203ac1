// The rules of a run, as its plan froze them.
import { useTranslation } from 'react-i18next';
import { WEEKDAYS } from '../../../jobs/campaigns/constants.ts';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import classes from './campaigns.module.css';
import type { Rules } from './data.ts';
import { Editor } from './editor.tsx';
import { useParts } from './use-parts.ts';

export function RulesView({ campaign, run }: { readonly campaign: string; readonly run: string }) {
  const may = useMay('editor');
  const { t } = useTranslation('campaigns');
  const { t: form } = useTranslation('campaign-form');
  const format = useFormat();
  const rules = useCall('GET /campaigns/{campaign}/rules', { campaign: run });
  const describePart = useParts();
  const excluded = ({ tags, campaigns, contactedWithin, ...of }: Rules['exclude']) => [
    t('rules.optedOut'),
    ...(tags.length === 0 ? [] : [`${t('rules.tags')}: ${tags.join(', ')}`]),
    ...(campaigns.length === 0 ? [] : [`${form('draft.reachedByAny')}: ${campaigns.join(', ')}`]),
    ...(contactedWithin === null ? [] : [`${form('draft.contactedWithin')}: ${contactedWithin}`]),
    ...(of.numbers ? [form('draft.numbers')] : []),
    ...(of.openConversation ? [form('draft.openConversation')] : []),
    ...(of.humanService ? [form('draft.humanService')] : []),
  ];
  return (
    <>
      <Section title={t('run.tab.rules')}>
        <Loaded of={rules}>
          {({ flow, connection, parts, exclude, variables, holdout, windows, waves, cap, approval }) => {
            const none = t('rules.none');
            const text = (items: readonly string[]) => (items.length === 0 ? none : items.join(', '));
            const days = WEEKDAYS.flatMap((day) => {
              const ranges = windows.days[day];
              return ranges === undefined ? [] : [`${form(`draft.day.${day}`)} ${ranges.join(' ')}`];
            });
            const sizes = typeof waves.size === 'number' ? [waves.size] : waves.size;
            return (
              <Facts
                facts={[
                  [t('rules.flow'), String(flow)],
                  [t('rules.connection'), String(connection)],
                  [t('rules.audience'), parts.map(describePart).join('; ')],
                  [t('rules.exclude'), text(excluded(exclude))],
                  [t('rules.variables'), text(variables)],
                  [t('rules.holdout'), format.percent(holdout)],
                  [t('rules.windows'), text(days)],
                  [t('rules.holidays'), text(windows.holidays)],
                  [t('rules.size'), sizes.map((size) => format.count(size)).join(', ')],
                  [t('rules.canary'), waves.canary === undefined ? none : format.count(waves.canary)],
                  [t('rules.every'), waves.every],
                  [t('rules.settle'), waves.settle],
                  [
                    t('rules.cap'),
                    t('rules.capValue', { times: format.count(cap.times), within: cap.within }),
                  ],
                  [
                    t('rules.approval'),
                    approval === 'none' ? t('rules.approvalNone') : t('rules.approvalSecond'),
                  ],
                ]}
              />
            );
          }}
        </Loaded>
      </Section>
      {may && (
        <div className={classes.below}>
          <Editor campaign={campaign} />
        </div>
      )}
    </>
  );
}
