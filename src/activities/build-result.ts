/** What a build came to: part of workflow histories, so add and never change. */
export interface BuildResult {
  readonly module: string;
  readonly state: "fit" | "unfit" | "outstanding" | "superseded";
  readonly artifact: string | null;
  readonly message: string;
}
