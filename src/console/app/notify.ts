// Short messages at the edge of the page. An error stays until it is read.
import { notifications } from '@mantine/notifications';
import i18next, { type TFunction } from 'i18next';
import { describeError } from './describe-error.ts';

const DONE_MS = 5000;

/** The close button shows only a cross. */
const closeButton = () => ({ 'aria-label': i18next.t('notice.close') });

export function notifyDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    autoClose: DONE_MS,
    withBorder: true,
    closeButtonProps: closeButton(),
  });
}

export function notifyError(error: Error, t: TFunction): void {
  const { title, message } = describeError(error, t);
  notifications.show({
    title,
    message,
    color: 'red',
    autoClose: false,
    withBorder: true,
    closeButtonProps: closeButton(),
  });
}
