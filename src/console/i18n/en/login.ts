// The login.
export default {
  title: 'Log in to Sluice',
  name: 'User name',
  password: 'Password',
  showPassword: 'Show or hide the password',
  newPassword: 'New password, at least 12 characters',
  submit: 'Log in',
  code: 'Code',
  codeText: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
  restart: 'Start again',
  factorTitle: 'Turn on your second factor',
  factorText:
    'Sluice is set up so that every user has a second factor: a code of an authenticator app, besides the password. You can go on after you have turned yours on.',
  logout: 'Log out',
  or: 'or',
  oidc: 'Log in with {{label}}',
  noUser:
    'Nobody can log in yet. Run “sluice console” on the machine of Sluice. It prints a link for the first admin.',
  forgot: 'Forgot your password? An admin can send you a link for a new one.',
  claimTitle: 'Create the first admin',
  claimText: 'This link works once. Choose the name and the password that you will log in with.',
  claimSubmit: 'Create admin and log in',
  linkTitle: 'Choose your password',
  linkText: 'This link works once. Choose the password that you will log in with.',
  linkSubmit: 'Save password and log in',
  wait_one: 'Too many attempts. Try again in {{count}} second.',
  wait_other: 'Too many attempts. Try again in {{count}} seconds.',
} as const;
