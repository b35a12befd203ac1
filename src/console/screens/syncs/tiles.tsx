// Figures side by side, each with its name.
import type { ReactNode } from 'react';
import classes from './syncs.module.css';

export function Tiles({ tiles }: { readonly tiles: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.tiles}>
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
