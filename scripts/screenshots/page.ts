// docs/console/README.md, which shows the pictures.
import { SCREENS } from './screens.ts';

export function pageOf(): string {
  const parts = SCREENS.map(({ name, title, about }) => {
    const picture = (size: string, scheme: string, width: number) =>
      `<img src="${name}-${size}-${scheme}.png" width="${width}" alt="${title}, ${scheme}, ${size}">`;
    return [
      `## ${title}`,
      '',
      about,
      '',
      picture('desktop', 'light', 720),
      picture('phone', 'light', 200),
      '',
      '<details><summary>Dark</summary>',
      '',
      picture('desktop', 'dark', 720),
      picture('phone', 'dark', 200),
      '',
      '</details>',
      '',
    ].join('\n');
  });
  return [
    '# Pictures of the console',
    '',
    'Every screen in light and dark, on a desktop (1440×900) and a phone (390×844). `npm run docs:screenshots` makes them',
    'and this page. It starts the sandbox, Kafka and `sluice dev` with made-up data. The people in the pictures do not',
    'exist. [Open the console to your team](../how-to/console.md) says how to start it.',
    '',
    ...parts,
    '## In Portuguese',
    '',
    'The console follows the language of the browser, and each user can change it.',
    '',
    '<img src="overview-pt-BR-desktop-light.png" width="720" alt="Overview in Portuguese, light, desktop">',
    '<img src="overview-pt-BR-phone-light.png" width="200" alt="Overview in Portuguese, light, phone">',
    '',
  ].join('\n');
}
