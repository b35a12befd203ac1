// Makes the one-time link with which a user chooses a password.

import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useClient } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';
import { useFormat } from '../../format/use-format.ts';
import type { Secret } from './secret-dialog.tsx';
import { useWaits } from './use-waits.ts';

export function useLink(onSecret: (secret: Secret) => void) {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const client = useClient();
  const waits = useWaits();
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ name }: { readonly name: string }) => {
      const { path, expiresAt, approvalWaits } = await client.call('POST /users/{name}/link', { name });
      return { name, value: new URL(path, location.origin).href, expiresAt, approvalWaits };
    },
    onSuccess: ({ name, value, expiresAt, approvalWaits }) =>
      onSecret({
        title: t('users.linkTitle', { name }),
        text: [t('users.linkText', { at: format.instant(expiresAt) }), ...waits(approvalWaits)].join(' '),
        value,
      }),
    onError: (error) => notifyError(error, common),
  });
  return { run: mutate, isPending };
}
