/** Gives the person a file to keep. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** What tells a spreadsheet that a CSV file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
