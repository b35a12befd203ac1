// Recognizes a table of people, and previews a mapping of it.
export type { ColumnGuess } from './columns.ts';
export { PRESETS, type Preset } from './presets.ts';
export { type Preview, type PreviewNames, previewMapping } from './preview.ts';
export { type Recognized, recognize } from './recognize.ts';
