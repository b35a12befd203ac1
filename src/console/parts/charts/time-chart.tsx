// Values over time: stacked areas or lines, an optional band, and a limit. The canvas has a table beside it that says the
// same; the button shows it to everybody.
import { Button, useComputedColorScheme } from '@mantine/core';
import { IconChartAreaLine, IconTable } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import classes from './charts.module.css';
import type { TimeChartProps } from './series.ts';
import { usePlot } from './use-plot.ts';

export default function TimeChart(props: TimeChartProps) {
  const { label, times, series, height = 200 } = props;
  const { t } = useTranslation('common');
  const format = useFormat();
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className={classes.chart} aria-label={label} style={{ margin: 0 }}>
      {asTable ? (
        <div
          key="table"
          className={classes.tableWrap}
          style={{ height }}
          tabIndex={0}
          role="region"
          aria-label={label}
        >
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('chart.time', { zone: format.zoneName })}</th>
                {series.map(({ name }) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((at, index) => (
                  <tr key={at}>
                    <th scope="row">{format.moment(at)}</th>
                    {series.map(({ name, values }) => {
                      const value = values[index];
                      return (
                        <td key={name}>
                          {value === null || value === undefined ? '–' : format.count(value)}
                        </td>
                      );
                    })}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      ) : (
        <Plot key="plot" {...props} height={height} />
      )}
      <div className={classes.foot}>
        <ul className={classes.legend}>
          {series.map(({ name, color, values }) => (
            <li key={name}>
              <span
                className={classes.swatch}
                data-series={color}
                data-line={color === 'limit'}
                aria-hidden
              />
              {name}
              {/* It may be above what the chart shows. */}
              {color === 'limit' && ` ${format.count(values.findLast((value) => value !== null) ?? 0)}`}
            </li>
          ))}
        </ul>
        <Button
          variant="subtle"
          size="compact-xs"
          leftSection={
            asTable ? <IconChartAreaLine size={14} aria-hidden /> : <IconTable size={14} aria-hidden />
          }
          onClick={() => setAsTable(!asTable)}
        >
          {t(asTable ? 'chart.asChart' : 'chart.asTable')}
        </Button>
      </div>
    </figure>
  );
}

/** A component of its own: the plot is drawn when it appears, and leaves the page with it. */
function Plot(props: TimeChartProps & { readonly height: number }) {
  const format = useFormat();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const target = usePlot(props, format, scheme);
  return <div ref={target} className={classes.canvas} style={{ height: props.height }} aria-hidden />;
}
