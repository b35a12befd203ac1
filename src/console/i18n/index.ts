// The languages of the console. A screen has a catalog of its own, which loads with the screen.
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { LANGUAGES, type Language } from './languages.ts';

const STORAGE_KEY = 'sluice.language';
const CATALOGS = import.meta.glob<{ default: object }>(['./en/*.ts', './pt-BR/*.ts']);

/** Reads `./pt-BR/overview.ts` when a component asks for the namespace `overview`. */
const catalogs = {
  type: 'backend' as const,
  async read(language: string, namespace: string) {
    const load = CATALOGS[`./${language}/${namespace}.ts`];
    if (load === undefined) throw new Error(`there is no catalog ${language}/${namespace}`);
    return (await load()).default as never;
  },
};

export async function startI18n(): Promise<void> {
  await i18next
    .use(catalogs)
    .use(initReactI18next)
    .init({
      lng: storedLanguage() ?? browserLanguage(),
      supportedLngs: [...LANGUAGES],
      fallbackLng: false,
      ns: ['common'],
      defaultNS: 'common',
      // React escapes what it renders.
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  document.documentElement.lang = i18next.language;
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORAGE_KEY, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

function storedLanguage(): Language | undefined {
  return LANGUAGES.find((language) => language === localStorage.getItem(STORAGE_KEY));
}

/** Every variety of Portuguese reads the Brazilian catalog. */
function browserLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.split('-')[0]);
  const found = wanted.flatMap((tag) => LANGUAGES.filter((language) => language.split('-')[0] === tag));
  return found[0] ?? 'en';
}
