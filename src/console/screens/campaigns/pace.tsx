// The pace of a run: a slider up to what the budget allows.
import { Button, Group, Slider, Switch } from '@mantine/core';
import '@mantine/core/styles/Slider.css';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import { type Rules, TOPICS } from './data.ts';

/** Calls per minute of a token, until the plan states what the tokens of the account allow. */
const USUAL = 120;

export function Pace({ run, rules }: { readonly run: string; readonly rules: Rules }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const may = useMay('operator');
  const { data } = useCall('GET /campaigns/{campaign}/plan', { campaign: run });
  const limit = Math.max(1, Math.floor(data?.plan?.callsPerMinute ?? USUAL));
  const set = rules.pace ?? rules.waves.callsPerMinute ?? 0;
  // Until somebody moves the slider it shows what is set. The limit comes later than the first picture.
  const [chosenRate, setRate] = useState<number | null>(null);
  const [chosenFree, setFree] = useState<boolean | null>(null);
  const rate = chosenRate ?? (set === 0 ? limit : Math.min(set, limit));
  const isFree = chosenFree ?? set === 0;
  const command = useCommand('POST /campaigns/{campaign}/rate', {
    topics: TOPICS,
    done: () => t('rate.done'),
  });
  return (
    <Section title={t('rate.title')} about={t('rate.about', { limit: format.count(limit) })}>
      <Slider
        mt="xl"
        mb="lg"
        min={1}
        max={limit}
        value={rate}
        disabled={!may || isFree}
        onChange={setRate}
        thumbLabel={t('rate.label')}
        thumbProps={{ 'aria-label': t('rate.label') }}
        label={(value) => format.count(value)}
        labelAlwaysOn={!isFree}
      />
      <Group justify="space-between">
        <Switch
          size="sm"
          label={t('rate.none')}
          checked={isFree}
          disabled={!may}
          onChange={(event) => setFree(event.currentTarget.checked)}
        />
        {may && (
          <Button
            size="xs"
            variant="default"
            loading={command.isPending}
            onClick={() => command.run({ campaign: run, callsPerMinute: isFree ? null : rate })}
          >
            {t('rate.set')}
          </Button>
        )}
      </Group>
    </Section>
  );
}
