// Short messages at the edge of the page. An error stays until it is read.
import { notifications } from '@mantine/notifications';
import i18next, { type TFunction } from 'i18next';
import { createElement, Suspense } from 'react';
import { ErrorText } from '../parts/reason/error-text.tsx';
import { titleOf } from './describe-error.ts';

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
  notifications.show({
    title: titleOf(error, t),
    message: createElement(Suspense, { fallback: null }, createElement(ErrorText, { error })),
    color: 'red',
    autoClose: false,
    withBorder: true,
    closeButtonProps: closeButton(),
  });
}
