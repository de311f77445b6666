/** A file that a rule must refuse, or must let pass. Written in double quotes; the test tries single ones as well. */
export interface Planted {
  readonly situation: string;
  readonly path: string;
  readonly text: string;
}
