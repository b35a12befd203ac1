// Makes the one-time link with which a user chooses a password.

import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useClient } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';
import { useFormat } from '../../format/use-format.ts';
import type { Secret } from './secret-dialog.tsx';

export function useLink(onSecret: (secret: Secret) => void) {
  const { t } = useTranslation('settings');
  const { t: common } = useTranslation('common');
  const format = useFormat();
  const client = useClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ name }: { readonly name: string }) => {
      const { path, expiresAt } = await client.call('POST /users/{name}/link', { name });
      return { name, value: new URL(path, location.origin).href, expiresAt };
    },
    onSuccess: ({ name, value, expiresAt }) =>
      onSecret({
        title: t('users.linkTitle', { name }),
        text: t('users.linkText', { at: format.instant(expiresAt) }),
        value,
      }),
    onError: (error) => notifyError(error, common),
  });
  return { run: mutate, isPending };
}
