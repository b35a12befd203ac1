// A entrada.
export default {
  title: 'Entrar no Sluice',
  name: 'Nome de usuário',
  password: 'Senha',
  showPassword: 'Mostrar ou ocultar a senha',
  newPassword: 'Nova senha, com pelo menos 12 caracteres',
  submit: 'Entrar',
  code: 'Código',
  codeText:
    'Digite o código que o seu aplicativo autenticador mostra, ou um dos seus códigos de recuperação.',
  restart: 'Começar de novo',
  factorTitle: 'Ative o seu segundo fator',
  factorText:
    'Neste Sluice, todo usuário precisa de um segundo fator: um código de um aplicativo autenticador, além da senha. Você pode continuar depois de ativar o seu.',
  logout: 'Sair',
  or: 'ou',
  oidc: 'Entrar com {{label}}',
  noUser:
    'Ainda não há quem possa entrar. Rode “sluice console” na máquina do Sluice. Ele mostra um link para o primeiro administrador.',
  forgot: 'Esqueceu a senha? Um administrador pode enviar um link para uma nova.',
  claimTitle: 'Criar o primeiro administrador',
  claimText: 'Este link funciona uma vez. Escolha o nome e a senha com que você vai entrar.',
  claimSubmit: 'Criar administrador e entrar',
  linkTitle: 'Escolher sua senha',
  linkText: 'Este link funciona uma vez. Escolha a senha com que você vai entrar.',
  linkSubmit: 'Salvar senha e entrar',
  wait_one: 'Tentativas demais. Tente de novo em {{count}} segundo.',
  wait_many: 'Tentativas demais. Tente de novo em {{count}} de segundos.',
  wait_other: 'Tentativas demais. Tente de novo em {{count}} segundos.',
} as const;
