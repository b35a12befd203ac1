// Colors, sizes and type of the console. Every text has a contrast of at least 4.5 to its ground, in light and dark.
import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Inter comes with the console; until it is there, and for letters that it lacks, the system's font is shown. */
const FONT =
  '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

export const theme = createTheme({
  primaryColor: 'indigo',
  // The library's own grays are warm. These are of the page, from text down to what lies below it.
  colors: {
    dark: [
      '#c9ced6',
      '#a3abb8',
      '#8d96a5',
      '#6b7480',
      '#353c46',
      '#2a3038',
      '#1c2127',
      '#171b20',
      '#0f1216',
      '#0b0d10',
    ],
  },
  primaryShade: { light: 8, dark: 7 },
  fontFamily: FONT,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Three sizes: notes and names of columns, text, and titles with the figures of a tile.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '0.875rem', xl: '1.25rem' },
  // Steps of 8 px, and half steps inside a component.
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '0.875rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
    Modal: { defaultProps: { centered: true } },
  },
});

/** Names of our own: parts use these, never a shade of a color. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#51596b',
    '--mantine-color-placeholder': '#667085',
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.indigo[8],
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-default-border': '#d9dde5',
    '--s-surface': '#ffffff',
    '--s-sunken': '#f0f2f5',
    '--s-hover': '#f3f5fa',
    '--s-line': '#e4e7ec',
    '--s-good': '#0b7a4b',
    '--s-warn': '#a15c00',
    '--s-bad': '#c01f2e',
    '--s-info': '#3451b8',
    '--s-idle': '#667085',
    '--s-good-soft': '#e3f5ec',
    '--s-warn-soft': '#fdf1dc',
    '--s-bad-soft': '#fde8e9',
    '--s-info-soft': '#e8edfb',
    '--s-idle-soft': '#eceff3',
    '--s-track': '#e4e7ec',
  },
  dark: {
    '--mantine-color-text': '#e6e8ec',
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8d96a5',
    '--mantine-color-error': '#ff8a8a',
    '--mantine-color-anchor': '#9db4ff',
    '--mantine-color-body': '#0f1216',
    '--mantine-color-default': '#1c2127',
    '--mantine-color-default-border': '#353c46',
    '--s-surface': '#171b20',
    '--s-sunken': '#0f1216',
    '--s-hover': '#1f252c',
    '--s-line': '#2a3038',
    '--s-good': '#4ad295',
    '--s-warn': '#f5b04a',
    '--s-bad': '#ff8087',
    '--s-info': '#9db4ff',
    '--s-idle': '#97a1b0',
    '--s-good-soft': '#10301f',
    '--s-warn-soft': '#352508',
    '--s-bad-soft': '#3b171b',
    '--s-info-soft': '#1b2547',
    '--s-idle-soft': '#23282f',
    '--s-track': '#2a3038',
  },
});
