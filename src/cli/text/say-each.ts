/** So many are told in full: with the longest names these steps are whole lines still. */
const limit = 3;

/** The step of each of these: of many the first ones, and how many are left. */
export function stepsOfEach(names: readonly string[], sayStep: (name: string) => string): string[] {
  const left = names.length - limit;
  return [...names.slice(0, limit).map(sayStep), ...(left > 0 ? [`the same of the other ${left}`] : [])];
}

/** Words of one command: of many names the first ones, and how many are left. */
export function wordsOfEach(names: readonly string[]): string {
  const left = names.length - limit;
  return `${names.slice(0, limit).join(" ")}${left > 0 ? `, then the other ${left}` : ""}`;
}
