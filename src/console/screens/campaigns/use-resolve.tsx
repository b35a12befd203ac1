// What happened to members whose outcome is unknown: an operator says it, for one member, for several, or for all.
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { TOPICS } from './data.ts';

interface Choice {
  readonly as: 'triggered' | 'notTriggered';
  readonly again: boolean;
  readonly verb: string;
  readonly effect: string;
}

interface Chosen {
  /** Null: all that are unknown. */
  readonly members: readonly number[] | null;
  readonly count: number;
}

/** @param canRepeat whether the run can trigger members again */
export function useResolve(run: string, canRepeat: boolean, onDone: () => void = () => undefined) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const resolve = useCommand('POST /campaigns/{campaign}/resolve', {
    topics: TOPICS,
    done: ({ members }) => t('action.resolved', { count: members }),
    onDone,
  });
  const choices: readonly Choice[] = [
    { as: 'triggered', again: false, verb: t('action.resolveRan'), effect: t('action.resolveRanEffect') },
    { as: 'notTriggered', again: false, verb: t('action.resolveNot'), effect: t('action.resolveNotEffect') },
    ...(canRepeat
      ? [
          {
            as: 'notTriggered' as const,
            again: true,
            verb: t('action.resolveAgain'),
            effect: t('action.resolveAgainEffect'),
          },
        ]
      : []),
  ];
  const ask = ({ as, again, verb, effect }: Choice, { members, count }: Chosen) =>
    resolve.ask((reason) => ({ campaign: run, members, as, again, reason }), {
      title: t('action.resolveTitle'),
      effects: (
        <>
          <p>{t('action.resolveEffect', { count, members: format.count(count) })}</p>
          <p>{effect}</p>
        </>
      ),
      verb,
      dangerous: again,
      reason: 'required',
    });
  return { choices, ask, isPending: resolve.isPending };
}
