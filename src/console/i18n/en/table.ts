// Lists of every screen: filters, chosen rows and what is loaded.
export default {
  choose: 'Choose {{row}}',
  chooseAll: 'Choose all loaded rows',
  chosen_one: '{{count}} row chosen',
  chosen_other: '{{count}} rows chosen',
  loaded_one: '{{shown}} row',
  loaded_other: '{{shown}} rows',
  loadedMore_one: '{{shown}} row loaded; scroll for more',
  loadedMore_other: '{{shown}} rows loaded; scroll for more',
  outdated: 'This list may have changed since you opened it.',
  restart: 'Show the newest',
  filters: 'Filters',
  matches_one: '{{shown}} match',
  matches_other: '{{shown}} matches',
  matchesMore_one: '{{shown}} match and more',
  matchesMore_other: '{{shown}} matches and more',
  all: '{{what}}: all',
} as const;
