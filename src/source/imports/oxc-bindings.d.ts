/** What `oxc-parser` itself calls, without what it puts around the answer: see typescript-noted.ts. */
declare module "oxc-parser/src-js/bindings.js" {
  import type { EcmaScriptModule, OxcError, ParserOptions } from "oxc-parser";

  export interface NativeResult {
    readonly module: EcmaScriptModule;
    readonly errors: readonly OxcError[];
    /** The syntax tree as JSON. */
    readonly program: string;
  }
  export function parse(filename: string, sourceText: string, options: ParserOptions): Promise<NativeResult>;
}
