// What stands in the place of data: nothing there, still loading, failed.
import { Button, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleDashed, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { titleOf } from '../app/describe-error.ts';
import { ErrorText } from './reason/error-text.tsx';
import classes from './states.module.css';

export interface EmptyStateProps {
  /** Says that there is nothing, and of what. */
  readonly title: string;
  /** How something gets here. */
  readonly text?: ReactNode;
  readonly action?: ReactNode;
  readonly icon?: ReactNode;
}

export function EmptyState({ title, text, action, icon }: EmptyStateProps) {
  return (
    <div className={classes.state}>
      <span className={classes.icon} aria-hidden>
        {icon ?? <IconCircleDashed size={24} stroke={1.5} />}
      </span>
      <Text fw={600}>{title}</Text>
      {text !== undefined && <div className={classes.text}>{text}</div>}
      {action}
    </div>
  );
}

export interface ErrorStateProps {
  readonly error: Error | null;
  onRetry(): void;
}

/** What failed, and a button that tries again. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { t } = useTranslation('common');
  const shown = error ?? new Error(t('error.kind.failed'));
  return (
    <div className={classes.state} role="alert">
      <span className={classes.bad} aria-hidden>
        <IconAlertTriangle size={24} stroke={1.5} />
      </span>
      <Text fw={600}>{titleOf(shown, t)}</Text>
      <div className={classes.text}>
        <ErrorText error={shown} />
      </div>
      <Button variant="default" leftSection={<IconRefresh size={14} aria-hidden />} onClick={onRetry}>
        {t('state.retry')}
      </Button>
    </div>
  );
}

/** Lines where text will be. */
export function LoadingLines({ lines = 4 }: { readonly lines?: number }) {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('state.loading')} className={classes.lines}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={12} width={`${90 - ((line * 17) % 40)}%`} radius="sm" />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  readonly of: {
    readonly data: T | undefined;
    readonly error: Error | null;
    refetch(): unknown;
  };
  /** What stands there while the first answer is on its way. */
  readonly loading?: ReactNode;
  children(data: T): ReactNode;
}

/**
 * The answer of `useCall`, or its loading or error state:
 * `<Loaded of={query}>{(data) => …}</Loaded>`. An answer stays visible when a later one fails.
 */
export function Loaded<T>({ of, loading, children }: LoadedProps<T>) {
  if (of.data !== undefined) return children(of.data);
  if (of.error !== null) return <ErrorState error={of.error} onRetry={() => void of.refetch()} />;
  return loading ?? <LoadingLines />;
}
