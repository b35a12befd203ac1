// Short messages at the edge of the page. An error stays until it is read.
import { notifications } from '@mantine/notifications';
import type { TFunction } from 'i18next';
import { describeError } from './describe-error.ts';

const DONE_MS = 5000;

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', autoClose: DONE_MS, withBorder: true });
}

export function notifyError(error: Error, t: TFunction): void {
  const { title, message } = describeError(error, t);
  notifications.show({ title, message, color: 'red', autoClose: false, withBorder: true });
}
