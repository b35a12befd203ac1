/**
 * Gives the viewer a file to keep.
 * @param type its media type
 */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The byte order mark tells a spreadsheet that the file is UTF-8. */
export function saveCsv(name: string, csv: string): void {
  saveFile(name, `\uFEFF${csv}`, 'text/csv;charset=utf-8');
}
