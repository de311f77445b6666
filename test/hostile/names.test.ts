import { describe, it } from "vitest";
import type { z } from "zod";
import { InputError } from "../../src/core/errors.ts";
import { branchSchema, nameSchema, treePathSchema } from "../../src/core/names.ts";
import { addressSchema } from "../../src/core/node.ts";
import { nodePathSchema } from "../../src/core/resource.ts";
import { parseEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { readProof } from "../../src/link/proof.ts";
import { checkRepositoryUrl } from "../../src/source/repository-url.ts";
import { expectRefusal, refusalOf, type Refusal } from "./expect-refusal.ts";
import * as inputs from "./inputs.ts";

function bySchema(schema: z.ZodType): (text: string) => Refusal {
  return (text) => {
    const parsed = schema.safeParse(text);
    return parsed.success ? null : { message: parsed.error.issues.map((issue) => issue.message).join("; ") };
  };
}

const edges: readonly {
  readonly edge: string;
  readonly hostile: readonly inputs.Hostile[];
  readonly refuse: (text: string) => Refusal | Promise<Refusal>;
}[] = [
  { edge: "a name (case 52)", hostile: inputs.hostileNames, refuse: bySchema(nameSchema) },
  { edge: "a branch (case 52)", hostile: inputs.hostileBranches, refuse: bySchema(branchSchema) },
  { edge: "a folder of a repository (case 52)", hostile: inputs.hostileTreePaths, refuse: bySchema(treePathSchema) },
  { edge: "a path on a node", hostile: inputs.hostileNodePaths, refuse: bySchema(nodePathSchema) },
  { edge: "an address of a node", hostile: inputs.hostileAddresses, refuse: bySchema(addressSchema) },
  {
    edge: "an address of a repository (case 52)",
    hostile: inputs.hostileRepositoryUrls,
    refuse: (text) => refusalOf(() => checkRepositoryUrl(text), InputError),
  },
  {
    edge: "an enrolment token",
    hostile: inputs.hostileTokens,
    refuse: (text) => refusalOf(() => parseEnrolmentToken(text), InputError),
  },
  {
    edge: "a proof (case 56)",
    hostile: inputs.hostileProofs,
    refuse: (text) => {
      const read = readProof(text);
      return read.ok ? null : { message: read.reason };
    },
  },
];

for (const { edge, hostile, refuse } of edges) {
  describe(`hostile input at ${edge}`, () => {
    it.each(hostile)("refuses %s", (_, text) => expectRefusal(() => refuse(text)));
  });
}
