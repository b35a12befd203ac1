// A problem of the draft in the language of the page. What has no sentence there stays as the server says it, in English.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useSentence } from '../../../parts/reason/reason.tsx';

export type Problem = Output<'POST /campaign-drafts/audience'>['problems'][number];

/** The server's words are those of the file: a form has no keys. */
function isAboutKeys(note: Problem['note']): boolean {
  return note?.code === 'CONFIG_NO_FILTER' || (note?.params?.which?.includes('missing') ?? false);
}

export function useProblemWords(): (problem: Problem) => string {
  const { t, i18n } = useTranslation('common');
  const sentenceOf = useSentence();
  return ({ message, hint, note }) => {
    const said = hint === null ? message : `${message}; ${hint}`;
    const sentence = note === undefined ? null : sentenceOf(note.code, note.params);
    if (i18n.language === 'en') return sentence !== null && isAboutKeys(note) ? sentence : said;
    return sentence ?? `${t('error.original')} ${said}`;
  };
}
