/** As the loop of a controller whose code is not that of the history: each of its tasks fails. */
export async function reconcile(): Promise<void> {
  throw new TypeError("a mistake of ours");
}
