// Fields that the forms of opt-outs share.
import { NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface FieldProps {
  readonly value: string;
  onChange(value: string): void;
}

interface AccountFieldProps extends FieldProps {
  readonly accounts: readonly string[];
}

/** Nothing, where there is no choice. */
export function AccountField({ accounts, value, onChange }: AccountFieldProps) {
  const { t } = useTranslation('opt-outs');
  if (accounts.length < 2) return null;
  return (
    <NativeSelect
      label={t('account')}
      value={value}
      data={[...accounts]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Country of numbers without a country code. */
export function CountryField({ value, onChange }: FieldProps) {
  const { t } = useTranslation('opt-outs');
  return (
    <TextInput
      label={t('country')}
      description={t('countryHelp')}
      value={value}
      maxLength={2}
      error={!isCountryCode(value) && t('countryRule')}
      onChange={(event) => onChange(event.currentTarget.value.toUpperCase())}
    />
  );
}

/** None is fine, too. */
export const isCountryCode = (text: string): boolean => /^(?:[A-Z]{2})?$/.test(text);

/** For the audit log. */
export function ReasonField({ value, onChange }: FieldProps) {
  const { t } = useTranslation('opt-outs');
  return (
    <TextInput
      label={t('reason')}
      description={t('reasonHelp')}
      value={value}
      maxLength={500}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
