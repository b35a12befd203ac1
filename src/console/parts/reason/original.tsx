// A sentence of the server in English, on a page in another language: marked as such, so that screen readers read it right.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import classes from '../text.module.css';

export function Original({ text }: { readonly text: string }) {
  const { t } = useTranslation('common');
  const format = useFormat();
  return (
    <span className={classes.original}>
      {t('error.original')} <span lang="en">{format.text(text)}</span>
    </span>
  );
}
