import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { chooseLanguage } from '../../i18n/index.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '../../i18n/languages.ts';

/** Before the login there is no menu to choose the language in. */
export function LanguageLinks() {
  const { i18n } = useTranslation();
  return (
    <Group gap="xs" justify="center">
      {LANGUAGES.map((language) => (
        <Button
          key={language}
          variant="subtle"
          size="compact-sm"
          lang={language}
          aria-pressed={i18n.language === language}
          fw={i18n.language === language ? 600 : 400}
          onClick={() => void chooseLanguage(language)}
        >
          {LANGUAGE_NAMES[language]}
        </Button>
      ))}
    </Group>
  );
}
