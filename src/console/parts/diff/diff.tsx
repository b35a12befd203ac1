// What a change does to a record, field by field.
import { useTranslation } from 'react-i18next';
import classes from './diff.module.css';
import type { FieldChange } from './field-change.ts';

export function Diff({
  changes,
  label,
}: {
  readonly changes: readonly FieldChange[];
  readonly label: string;
}) {
  const { t } = useTranslation('common');
  return (
    <table className={classes.diff} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t('diff.field')}</th>
          <th scope="col">{t('diff.before')}</th>
          <th scope="col">{t('diff.after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, before, after }) => {
          const isSame = before === after;
          return (
            <tr key={field} data-same={isSame}>
              <th scope="row">{field}</th>
              <td>{before === null ? '–' : isSame ? before : <del>{before}</del>}</td>
              <td>{after === null ? '–' : isSame ? after : <ins>{after}</ins>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
