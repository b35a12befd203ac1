// The form of a campaign. It knows the usual options; the YAML beside it knows all.
import { Button, Fieldset, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WEEKDAYS } from '../../../../jobs/campaigns/constants.ts';
import { useCommand } from '../../../api/use-command.ts';
import { valueAt } from '../../../parts/draft/yaml-draft.ts';
import textStyles from '../../../parts/text.module.css';
import classes from '../campaigns.module.css';
import { AudienceParts } from './audience-parts.tsx';
import { Choice, Field, Toggle, useForm } from './fields.tsx';
import type { Choices, Lists } from './lists.ts';
import { PipelineFields } from './pipeline-fields.tsx';
import { HolidaysField, HoursField, MomentField } from './time-fields.tsx';
import { VariableFields } from './variable-fields.tsx';

const STOPS = ['failed', 'unknown', 'humanService', 'optOut', 'replies'] as const;

interface Props {
  readonly choices: Choices;
  /** What the variables are for real people. */
  readonly preview: ReactNode;
}

export function CampaignForm({ choices, preview }: Props) {
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  const { value } = useForm();
  const [lists, setLists] = useState<Lists | null>(null);
  const account = String(valueAt(value, ['account']) ?? '');
  // Lists of another account would offer ids that mean something else here.
  const own = lists?.account === account ? lists : null;
  const zone = choices.accounts.find((each) => each.account === account)?.timeZone ?? 'UTC';
  const chosenZone = valueAt(value, ['windows', 'zone']) ?? 'number';
  const hoursZone = chosenZone === 'number' || chosenZone === 'account' ? chosenZone : 'other';
  return (
    <div className={classes.stack}>
      <Basics choices={choices} lists={own} onLists={setLists} account={account} />
      <Fieldset legend={t('draft.audience')}>
        <AudienceParts choices={choices} lists={own} />
      </Fieldset>
      <VariableFields choices={choices} preview={preview} />
      <Fieldset legend={t('draft.exclude')}>
        <div className={classes.fields}>
          <Field
            at={['exclude', 'tags']}
            kind="list"
            label={t('draft.withTags')}
            description={t('draft.commas')}
            options={own?.tags.items.flatMap(({ name }) => name ?? []) ?? []}
          />
          <Field
            at={['exclude', 'campaigns']}
            kind="list"
            label={t('draft.reachedByAny')}
            description={t('draft.commas')}
            options={choices.campaigns.map(({ campaign }) => campaign)}
          />
          <Field at={['exclude', 'contactedWithin']} label={t('draft.contactedWithin')} placeholder="7d" />
          <Field at={['exclude', 'numbers']} kind="list" label={t('draft.numbers')} />
          <Field
            at={['cap', 'times']}
            kind="number"
            label={t('draft.capTimes')}
            description={t('draft.capDefault')}
          />
          <Field at={['cap', 'within']} label={t('draft.capWithin')} description={t('draft.capDefault')} />
        </div>
        <div className={classes.toggles}>
          <Toggle at={['exclude', 'openConversation']} label={t('draft.openConversation')} />
          <Toggle at={['exclude', 'humanService']} label={t('draft.humanService')} />
        </div>
      </Fieldset>
      <Fieldset legend={t('draft.windows')}>
        <Text size="sm" c="dimmed">
          {t(`draft.hoursZone.${hoursZone}`, { zone })}
        </Text>
        <div className={classes.fields}>
          <Choice
            at={['windows', 'zone']}
            label={t('draft.zone')}
            none={t('draft.zoneNumber')}
            options={[{ value: 'account', label: t('draft.zoneAccount', { zone }) }]}
          />
          <MomentField at={['start']} label={t('draft.start')} zone={zone} />
          <MomentField at={['end']} label={t('draft.end')} zone={zone} />
        </div>
        <div className={classes.days}>
          {WEEKDAYS.map((day) => (
            <HoursField key={day} at={['windows', 'days', day]} label={t(`draft.day.${day}`)} />
          ))}
          <HolidaysField at={['windows', 'holidays']} label={t('campaigns:rules.holidays')} />
        </div>
      </Fieldset>
      <Pace />
      <Fieldset legend={t('draft.after')}>
        <div className={classes.fields}>
          <Choice
            at={['approval']}
            label={t('campaigns:rules.approval')}
            none={t('campaigns:rules.approvalNone')}
            options={[{ value: 'second-person', label: t('campaigns:rules.approvalSecond') }]}
          />
          <Field
            at={['after', 'tags']}
            kind="list"
            label={t('draft.afterTags')}
            description={t('draft.commas')}
            options={own?.tags.items.flatMap(({ name }) => name ?? []) ?? []}
          />
          <PipelineFields
            pipeline={{ at: ['after', 'stage', 'pipeline'], label: t('draft.afterPipeline') }}
            stage={{ at: ['after', 'stage', 'stage'], label: t('draft.afterStage') }}
            none={t('draft.noMove')}
            lists={own}
          />
        </div>
      </Fieldset>
    </div>
  );
}

interface BasicsProps {
  readonly choices: Choices;
  readonly lists: Lists | null;
  readonly account: string;
  onLists(lists: Lists): void;
}

function Basics({ choices, lists, account, onLists }: BasicsProps) {
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  const read = useCommand('POST /accounts/{account}/lists', { onDone: onLists });
  const usable = lists?.connections.items.filter(({ channel }) => ['whatsapp', 'waba'].includes(channel));
  return (
    <Fieldset legend={t('draft.basics')}>
      <div className={classes.fields}>
        <Choice
          at={['account']}
          label={t('draft.account')}
          options={choices.accounts.map((each) => ({ value: each.account, label: each.account }))}
        />
        <Field
          at={['flow']}
          kind="nameOrId"
          label={t('campaigns:rules.flow')}
          description={t('draft.flowHint')}
          options={lists?.flows.map(({ id }) => String(id)) ?? []}
        />
        {usable === undefined ? (
          <Field at={['connection']} kind="number" label={t('campaigns:rules.connection')} />
        ) : (
          <Choice
            at={['connection']}
            isNumber
            label={t('campaigns:rules.connection')}
            options={usable.map(({ id, name, channel, status }) => ({
              value: String(id),
              label: `${name} (${id}, ${channel}, ${status})`,
            }))}
          />
        )}
      </div>
      <div className={classes.line}>
        <Button
          variant="default"
          size="xs"
          disabled={account === ''}
          loading={read.isPending}
          onClick={() => read.run({ account })}
        >
          {t('draft.readLists')}
        </Button>
        <span className={textStyles.muted}>{t('draft.readCalls')}</span>
      </div>
    </Fieldset>
  );
}

function Pace() {
  const { t } = useTranslation(['campaign-form', 'campaigns']);
  return (
    <>
      <Fieldset legend={t('draft.waves')}>
        <div className={classes.fields}>
          <Field at={['waves', 'canary']} kind="number" label={t('draft.canary')} />
          <Field
            at={['waves', 'size']}
            kind="sizes"
            label={t('campaigns:rules.size')}
            description={t('draft.ramp')}
          />
          <Field at={['waves', 'every']} label={t('campaigns:rules.every')} />
          <Field at={['waves', 'settle']} label={t('campaigns:rules.settle')} />
          <Field at={['waves', 'callsPerMinute']} kind="number" label={t('campaigns:rate.label')} />
          <Field at={['holdout']} kind="share" label={t('draft.holdout')} />
        </div>
      </Fieldset>
      <Fieldset legend={t('draft.stop')}>
        <Text size="sm" c="dimmed">
          {t('draft.stopAbout')}
        </Text>
        <div className={classes.fields}>
          {STOPS.map((rule) => (
            <Field key={rule} at={['stop', rule]} kind="share" label={t(`draft.stops.${rule}`)} />
          ))}
          <Field at={['stop', 'atLeast']} kind="number" label={t('draft.atLeast')} />
        </div>
      </Fieldset>
    </>
  );
}
