// Why something was refused, in a row that has the code in a column of its own: the code in words of the page's language
// beside what was said about this case, which is in English.
import { useTranslation } from 'react-i18next';
import { useCodeWords } from '../../app/code-words.ts';
import { Original } from '../../parts/reason/original.tsx';
import { ServerText } from '../../parts/reason/server-text.tsx';
import type { Column } from '../../parts/table/columns.ts';
import textStyles from '../../parts/text.module.css';

interface Refused {
  readonly code: string;
  readonly reason: string;
}

export function reasonColumn(header: string): Column<Refused> {
  return {
    id: 'reason',
    header,
    cell: ({ code, reason }) => <RefusalReason code={code} reason={reason} />,
    width: 'minmax(14rem, 3fr)',
  };
}

function RefusalReason({ code, reason }: Refused) {
  const { i18n } = useTranslation();
  const words = useCodeWords()(code);
  return (
    <span className={textStyles.wrap}>
      {words === null || i18n.language === 'en' ? (
        <ServerText text={reason} />
      ) : (
        <>
          {words} <Original text={reason} />
        </>
      )}
    </span>
  );
}
