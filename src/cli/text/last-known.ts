/** Behind an import that the newest source does not show, because not all of that can be read. */
export function sayLastKnown({ lastKnown }: { readonly lastKnown?: true | undefined }): string {
  return lastKnown === true ? " (as last known)" : "";
}
