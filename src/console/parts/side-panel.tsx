// The details of a row, beside its list. Its address has the row, so that a link opens it again.
import { Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** A command of the panel asks in a dialog, which must lie above it. */
const BELOW_DIALOGS = 150;

export interface SidePanelProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

export function SidePanel({ title, isOpen, onClose, children }: SidePanelProps) {
  const { t } = useTranslation('common');
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      position="right"
      size="lg"
      zIndex={BELOW_DIALOGS}
      closeButtonProps={{ 'aria-label': t('panel.close') }}
    >
      <Stack gap="md">{children}</Stack>
    </Drawer>
  );
}
