import { UnavailableError } from "../../core/errors.ts";

/**
 * Nothing came back from the server, within the bound or at all. One that has frozen would take that bound for each thing
 * that it is asked for: whoever meets this asks it nothing more in this pass.
 */
export class NoAnswerError extends UnavailableError {}
