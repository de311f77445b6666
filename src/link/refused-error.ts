/** The gateway answered and said no: asking again with the same will not help. `reason` is its word for why. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly reason: string;
  constructor(message: string, status: number, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}
