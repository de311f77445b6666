/** Of the texts of one kind that are kept; what was read of one takes some times as much. */
const lettersKept = 16 * 1024 * 1024;
/** Larger ones are few, and are asked for by one module. */
const lettersOfOne = 4_096;

/**
 * Reads a text once: a comparison asks a package.json for its name, its lock file and its imports, and so does each module that
 * imports it. What is answered is not to be written to.
 */
export function keepReadings<T>(read: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  let letters = 0;
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const reading = read(text);
    if (text.length > lettersOfOne) return reading;
    if (letters + text.length > lettersKept) {
      kept.clear();
      letters = 0;
    }
    letters += text.length;
    kept.set(text, reading);
    return reading;
  };
}
