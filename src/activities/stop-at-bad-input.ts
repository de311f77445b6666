import { ApplicationFailure } from "@temporalio/common";
import { InputError } from "../core/errors.ts";

/** Bad input is not made better by doing it again: the activity fails for good. */
export async function stopAtBadInput<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof InputError) throw ApplicationFailure.nonRetryable(error.message, "InputError", error.next);
    throw error;
  }
}
