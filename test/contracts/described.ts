import { contracts, type UnknownMember } from "./contracts.ts";

/** One row of the table in docs/contracts.md. */
export interface DescribedContract {
  readonly kind: string;
  readonly version: string;
  readonly unknown: UnknownMember;
  readonly why: string;
  readonly producer: string;
  readonly consumer: string;
}

/** What is no message between programs of ours: read from a file of a person's, or from another's program. */
export const others: readonly DescribedContract[] = [
  {
    kind: "enrol-request",
    version: "/v1/",
    unknown: "refused",
    why: "it makes a host known: nothing in it is guessed",
    producer: "src/link/host-client.ts",
    consumer: "src/link/gateway/enrol-route.ts",
  },
  {
    kind: "enrol-response",
    version: "/v1/",
    unknown: "ignored",
    why: "a controller that is newer than the host may say more",
    producer: "src/link/gateway/enrol-route.ts",
    consumer: "src/link/host-client.ts",
  },
  {
    kind: "webhook",
    version: "the forge's",
    unknown: "ignored",
    why: "the body is not read: it says *go and look*, and its signature that it comes from there",
    producer: "the forge",
    consumer: "src/link/gateway/webhook-route.ts",
  },
  {
    kind: "manifest",
    version: "none yet",
    unknown: "refused",
    why: "a person wrote it: a word that does nothing would be believed to do something",
    producer: "a person, as mesh.yaml",
    consumer: "src/source/read-manifest.ts",
  },
  {
    kind: "mesh-json",
    version: "1",
    unknown: "ignored",
    why: "a newer mesh up may have written more into the state folder",
    producer: "src/cli/up/write-mesh-file.ts",
    consumer: "src/cli/mesh-setup.ts",
  },
  {
    kind: "settings-json",
    version: "by its members",
    unknown: "refused",
    why: "a person wrote it: a setting that is misspelt must not be as if it were not there",
    producer: "a person",
    consumer: "src/cli/mesh-setup.ts",
  },
  {
    kind: "webhooks-json",
    version: "by its members",
    unknown: "refused",
    why: "as settings-json; and it holds secrets",
    producer: "a person",
    consumer: "src/cli/serve-config.ts",
  },
];

export const described: readonly DescribedContract[] = [...contracts, ...others];

export function renderContracts(): string {
  const rows = described.map((one) => [
    `\`${one.kind}\``,
    one.version,
    one.producer.startsWith("src/") ? `\`${one.producer}\`` : one.producer,
    `\`${one.consumer}\``,
    one.unknown,
    one.why,
  ]);
  const heads = ["kind", "version", "made by", "read by", "unknown member", "why"];
  const lines = [heads, ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [lines[0], `|${"---|".repeat(heads.length)}`, ...lines.slice(1)].join("\n");
}
