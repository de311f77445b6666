/**
 * The gateway answered and said no: asking again with the same will not help. `reason` is its word for why; `answer` what
 * it said as a whole, unchecked, or null.
 */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly reason: string;
  readonly answer: unknown;
  constructor(message: string, status: number, reason: string, answer: unknown = null) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.answer = answer;
  }
}
