import { UnavailableError } from "../core/errors.ts";

/** Nothing that this process has begun is to be ended in order, and no answer to be waited for: it must end (R34). */
export class LostLeaseError extends UnavailableError {}
