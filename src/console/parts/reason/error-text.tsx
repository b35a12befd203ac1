// What an error means, and below it the server's own sentence where that is in another language than the page.
import { useTranslation } from 'react-i18next';
import { useCodeWords } from '../../app/code-words.ts';
import { describeError } from '../../app/describe-error.ts';
import { Original } from './original.tsx';

export function ErrorText({ error }: { readonly error: Error }) {
  const { t } = useTranslation('common');
  const { message, original } = describeError(error, t, useCodeWords());
  return (
    <>
      {message}
      {original !== null && <Original text={original} />}
    </>
  );
}
