// Something that is shown only once: a password link, or an access token.
import { Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './settings.module.css';

export interface Secret {
  readonly title: string;
  readonly text: string;
  readonly value: string;
}

/** It closes only by its button: what it shows cannot be shown again. */
export function SecretDialog({ secret, onClose }: { readonly secret: Secret | null; onClose(): void }) {
  const { t } = useTranslation('settings');
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={secret?.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text>{secret?.text}</Text>
        <code className={classes.secret}>{secret?.value}</code>
        <Group justify="flex-end" gap="xs">
          <CopyButton value={secret?.value ?? ''}>
            {({ copied, copy }) => (
              <Button
                leftSection={
                  copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />
                }
                onClick={copy}
              >
                <span role="status">{t(copied ? 'secret.copied' : 'secret.copy')}</span>
              </Button>
            )}
          </CopyButton>
          <Button variant="default" onClick={onClose}>
            {t('secret.close')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
