// A sentence of the server in English, on a page in another language: marked as such, so that screen readers read it right.
import { useTranslation } from 'react-i18next';
import classes from './text.module.css';

export function Original({ text }: { readonly text: string }) {
  const { t } = useTranslation('common');
  return (
    <span className={classes.original}>
      {t('error.original')} <span lang="en">{text}</span>
    </span>
  );
}
