/** What `.ci/run` says to the tests: there nothing may be left out because the machine lacks it. */
export const isCi = process.env["MESH_GATE"] !== undefined;
