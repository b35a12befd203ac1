// Structured data as text, for a request or the value of a record.
import classes from './json-block.module.css';

export function JsonBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section className={classes.block} aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  );
}
