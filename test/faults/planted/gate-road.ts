/** What one controller needs to send something: the product's own code, bundled with a bug in it or without. */
export { openDatabase } from "../../../src/store/database.ts";
export { insertDeclarations } from "../../../src/store/declarations.ts";
export { withGate } from "../../../src/store/gate.ts";
export { recordTold } from "../../../src/store/pushes.ts";
