// Commands: what they will do is confirmed first where that is asked for, the outcome is shown, and whatever they may have
// changed is read again.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { notifyDone, notifyError } from '../app/notify.ts';
import { useConfirm } from '../parts/confirm.tsx';
import type { Question } from '../parts/confirm-dialog.tsx';
import type { Input, Output, Route } from './client.ts';
import { invalidateTopics } from './query-client.ts';
import { useClient } from './session.tsx';
import { topicsOf } from './topics.ts';

type CommandRoute = Exclude<Route, `GET ${string}`>;

export interface CommandSettings<R extends CommandRoute> {
  /** What is said when it is done. */
  readonly done?: (output: Output<R>) => string;
  /** Topics whose answers it changes, besides the route's own. */
  readonly topics?: readonly string[];
  readonly onDone?: (output: Output<R>, input: Input<R>) => void;
  /** The page shows `error` where it arose. @default false, a message at the edge of the page shows it */
  readonly showsError?: boolean;
}

/** `const pause = useCommand('POST /syncs/{sync}/pause'); <Button loading={pause.isPending} onClick={() => pause.run(…)}>` */
export function useCommand<R extends CommandRoute>(
  route: R,
  { done, topics = [], onDone, showsError = false }: CommandSettings<R> = {},
) {
  const client = useClient();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const { t } = useTranslation('common');
  const { mutate, mutateAsync, variables, isPending, error, reset } = useMutation({
    mutationFn: (input: Input<R>) => client.call(route, input),
    onSuccess: (output, input) => {
      if (done !== undefined) notifyDone(done(output));
      onDone?.(output, input);
    },
    onError: (failure) => (showsError ? undefined : notifyError(failure, t)),
    // Also after an error: the command may have taken effect.
    onSettled: () => invalidateTopics(queries, [...topicsOf(route), ...topics, 'overview']),
  });
  return {
    run: (input: Input<R>) => mutate(input),
    /** Runs after a yes: `pause.ask((reason) => ({ sync, reason }), { title, effects, verb, reason: 'optional' })`. */
    ask(inputOf: (reason: string) => Input<R>, question: Question) {
      void confirm(question).then((answer) => {
        if (answer !== null) mutate(inputOf(answer.reason));
      });
    },
    /** Rejects after the error was shown. */
    runAsync: mutateAsync,
    /** Of the newest call. */
    input: variables,
    isPending,
    error,
    reset,
  };
}
