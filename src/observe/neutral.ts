// Makes text from outside harmless to a terminal: characters that move the cursor, change colors, hide text or change
// its direction become escapes such as \u202e. In JSON these escapes mean the same characters.

// These are controls, format characters (direction marks, zero-width characters, tags), lone surrogates, line and
// paragraph separators, and other characters that a terminal does not draw. The two variation selectors choose between
// a character's text and emoji forms.
const UNSAFE = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const UNSAFE_IN_LINES =
  /(?!\n|\t|\r\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** For lines that Sluice makes: line breaks and tabs stay. */
export function neutralLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, escaped);
}

/** For a value within a line, such as a cell of a table: line breaks and tabs would forge lines and cells. */
export function neutralLine(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Characters beyond the basic plane become two escapes, as in JSON. */
function escaped(character: string): string {
  let escape = '';
  for (let at = 0; at < character.length; at++)
    escape += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escape;
}
