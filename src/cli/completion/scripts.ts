// The scripts that connect a shell to the completion of Sluice. They ask this program at each Tab, so that they know
// the commands of the installed version and the names of the configuration.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** First argument of the program when a shell asks. */
export const ASK = '__complete';
/** Answers that let the shell complete paths. */
export const PATHS = { files: ':files', folders: ':folders' } as const;

/** @param program words that run Sluice: Node and the file of the command line */
export function scriptOf(shell: Shell, program: readonly string[]): string {
  const quote = shell === 'fish' ? quotedForFish : quoted;
  return SCRIPTS[shell]([...program, ASK, shell].map(quote).join(' '));
}

const SCRIPTS: Readonly<Record<Shell, (ask: string) => string>> = {
  // COMP_WORDBREAKS splits at "=", and the program joins the words again.
  bash: (ask) => `# Completion of sluice for bash: eval "$(sluice completion bash)"
_sluice() {
  local IFS=$'\\n' line
  local -a lines
  COMPREPLY=()
  mapfile -t lines < <(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  local current="\${COMP_WORDS[COMP_CWORD]}"
  [[ $current == '=' ]] && current=''
  case "\${lines[0]}" in
    '${PATHS.files}') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    '${PATHS.folders}') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    *) for line in "\${lines[@]}"; do COMPREPLY+=("\${line%%$'\\t'*}"); done ;;
  esac
}
complete -F _sluice sluice
`,
  zsh: (ask) => `#compdef sluice
# Completion of sluice for zsh: eval "$(sluice completion zsh)", after compinit
_sluice() {
  local -a lines described
  local line
  lines=("\${(@f)$(${ask} "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case "\${lines[1]}" in
    '') return 1 ;;
    '${PATHS.files}') compset -P '--*='; _files ;;
    '${PATHS.folders}') compset -P '--*='; _files -/ ;;
    *)
      for line in "\${lines[@]}"; do
        described+=("\${\${line//:/\\\\:}/$'\\t'/:}")
      done
      _describe -t sluice sluice described
      ;;
  esac
}
if [[ "\${funcstack[1]}" == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`,
  fish: (ask) => `# Completion of sluice for fish: sluice completion fish | source
function __sluice_paths
    set -l option (string match -r '^--[^=]*=' -- "$argv[2]")
    for path in ($argv[1] (string replace -r '^--[^=]*=' '' -- "$argv[2]"))
        printf '%s%s\\n' "$option" $path
    end
end
function __sluice_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (${ask} $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case '${PATHS.files}'
            __sluice_paths __fish_complete_path "$current"
        case '${PATHS.folders}'
            __sluice_paths __fish_complete_directories "$current"
        case '*'
            printf '%s\\n' $lines
    end
end
complete -c sluice -f -a '(__sluice_complete)'
`,
};

function quoted(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function quotedForFish(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${escaped}'`;
}
