// The priority of calls in words.
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import classes from '../values.module.css';

type Lane = keyof Output<'GET /overview'>['tokens'][number]['lanes'];

/** A lane. What it means shows on hover, focus and touch. */
export function LaneName({ of }: { readonly of: Lane }) {
  const { t } = useTranslation('budget');
  const { t: common } = useTranslation('common');
  return (
    <Tooltip label={t(`means.${of}`)} multiline w={280}>
      <span
        tabIndex={0}
        role="note"
        className={classes.time}
        aria-label={`${common(`lane.${of}`)}: ${t(`means.${of}`)}`}
      >
        {common(`lane.${of}`)}
      </span>
    </Tooltip>
  );
}
