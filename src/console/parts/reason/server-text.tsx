// A sentence of the server in English, in the place of a translation: marked as English where the page has another language.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';

export function ServerText({ text }: { readonly text: string }) {
  const { i18n } = useTranslation();
  const format = useFormat();
  const shown = format.text(text);
  return i18n.language === 'en' ? shown : <span lang="en">{shown}</span>;
}
