/** Without the blanks at its end: by a loop, because an expression for them walks a long run once for each of its places. */
export function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end -= 1;
  return text.slice(0, end);
}
