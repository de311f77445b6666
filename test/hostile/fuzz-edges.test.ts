import fc from "fast-check";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { createInbox } from "../../src/host/cycle/inbox.ts";
import { createHostDisk } from "../../src/host/state/host-disk.ts";
import { openDeclaration, sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { incarnationOf } from "../../src/link/keys.ts";
import { verifyRoot, createRoot } from "../../src/link/root.ts";
import { generateSealIdentity } from "../../src/link/sealing.ts";
import { damaged, mutated } from "../contracts/mutations.ts";
import {
  declarationKey,
  hostKey,
  makeDeclaration,
  makeReport,
  makeRoot,
  REFERENCE,
  rootKey,
} from "../link/support/fixtures.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? 1);
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 150);
const { recipient } = await generateSealIdentity();

/** Name and digest of every file: what a host would still know after a kill. */
async function readDisk(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = names.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return `${path} ${createHash("sha256")
      .update(await readFile(path))
      .digest("hex")}`;
  });
  return (await Promise.all(files)).toSorted().join("\n");
}

describe("a host's inbox, given what is almost a declaration (case 45)", { timeout: 120_000 }, () => {
  const verified = verifyRoot(createRoot(makeRoot(), [rootKey]), { mesh: "demo" });
  if (!verified.ok) throw new Error(verified.message);
  const mine = { mesh: "demo", node: "node-a", incarnation: incarnationOf(hostKey.publicKey) };
  const addressee = {
    ...mine,
    open: (envelope: Uint8Array, nowMs: number) => openDeclaration(envelope, { root: verified.root, ...mine, nowMs }),
    openUnsigned: () => {
      throw new Error("nothing that is kept is opened here");
    },
  };
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

  it("refuses it with the check, and the disk holds what it held, the count of refusals apart", async () => {
    const folder = await createTemporaryFolder();
    const disk = createHostDisk(folder, () => undefined);
    const log = quiet as unknown as Parameters<typeof createInbox>[0]["log"];
    const options = { addressee, renewRoot: () => Promise.resolve(), disk, log, nowMs: () => REFERENCE };
    const inbox = await createInbox(options);
    const good = makeDeclaration({ number: 7 });
    expect(await inbox.receive(sealDeclaration(good, [declarationKey]))).toBe("accepted");
    const kept = async (): Promise<string> =>
      (await readDisk(folder))
        .split("\n")
        .filter((line) => !line.includes("refusals"))
        .join("\n");
    const before = await kept();
    const next = makeDeclaration({ number: 8, content: { node: "node-a", builds: {}, resources: [] } });
    const envelope = sealDeclaration(next, [declarationKey]);
    const sign = (value: unknown): Buffer =>
      signEnvelope("declaration", Buffer.from(JSON.stringify(value)), [declarationKey]);
    // Its time, its sealed boxes and members that are not known may be other: the rest names one declaration.
    const isAnother = (value: unknown): boolean => {
      const opened = openDeclaration(sign(value), { root: verified.root, ...mine, nowMs: REFERENCE });
      return !opened.ok || opened.declaration.number <= 7 || opened.declaration.epoch < 3;
    };
    const bad = fc.oneof(
      damaged(envelope).filter((bytes) => !bytes.equals(envelope)),
      mutated(next).filter(isAnother).map(sign),
    );
    await fc.assert(
      fc.asyncProperty(bad, async (bytes) => {
        expect(["refused", "duplicate"]).toContain(await inbox.receive(bytes));
        expect(inbox.refusals.at(-1)?.message ?? "").not.toBe("");
        expect(await kept()).toBe(before);
      }),
      { seed, numRuns },
    );
    expect(inbox.accepted?.declaration.digest).toBe(digestValue(good.content));
    expect(inbox.refusals.length).toBeLessThanOrEqual(50);
  });
});

describe("the gateway, given what is almost a request (case 56)", { timeout: 120_000 }, () => {
  const token = "A".repeat(43);
  const asked = { token, node: "node-new", keys: { sign: hostKey.publicKey, seal: recipient } };

  /** Everything that a request may have written; that a host was heard is true whatever it said. */
  function written({ records, wakes }: Raised): string {
    const { hosts, reports, deliveries } = records;
    return JSON.stringify([[...hosts], reports, [...deliveries], wakes]);
  }

  async function withGateway(use: (raised: Raised) => Promise<void>): Promise<void> {
    const limits = { requestsPerAddress: 1_000_000 };
    const raised = await raiseGateway({ webhookSecrets: { forge: ["s3cret"] }, limits });
    raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: asked.keys.seal });
    raised.records.tokens.set(token, "node-new");
    try {
      await use(raised);
    } finally {
      await raised.close();
    }
  }

  it("refuses an enrolment, a report or a webhook with a reason, falls over nothing and writes nothing", async () => {
    await withGateway(async (raised) => {
      const body = Buffer.from(JSON.stringify(asked));
      const report = signEnvelope("report", Buffer.from(JSON.stringify(makeReport())), [hostKey]);
      const otherReport = mutated(makeReport({ mesh: "other" })).map((value) =>
        signEnvelope("report", Buffer.from(JSON.stringify(value)), [hostKey]),
      );
      const request = fc.oneof(
        damaged(body)
          .filter((bytes) => !isWhole(bytes, asked))
          .map((bytes) => ["/v1/enrol", bytes] as const),
        mutated({ ...asked, token: "B".repeat(43) }).map(
          (v) => ["/v1/enrol", Buffer.from(JSON.stringify(v) ?? "")] as const,
        ),
        damaged(report)
          .filter((bytes) => !bytes.equals(report))
          .map((bytes) => ["/v1/nodes/node-a/report", bytes] as const),
        otherReport
          .filter((bytes) => !bytes.equals(report))
          .map((bytes) => ["/v1/nodes/node-a/report", bytes] as const),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => ["/v1/webhooks/forge", Buffer.from(bytes)] as const),
      );
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(request, async ([path, bytes]) => {
          const before = written(raised);
          const proof = path.endsWith("/report") ? raised.prove("node-a", hostKey, "POST", path, bytes) : {};
          const hook = path.includes("webhooks") ? { "x-hub-signature-256": `sha256=${"0".repeat(64)}` } : {};
          const answer = await raised.ask("POST", path, { ...proof, ...hook }, bytes);
          expect([400, 401, 403, 409, 413, 415]).toContain(answer.status);
          expect(JSON.parse(answer.body.toString())).toMatchObject({ refused: expect.stringMatching(/./) });
          expect(written(raised)).toBe(before);
          statuses.add(answer.status);
        }),
        { seed, numRuns },
      );
      // Some were read and refused for what they say, some for who sent them.
      expect([...statuses]).toEqual(expect.arrayContaining([400, 401]));
    });
  });
});

/** The same request in other bytes, or one that is good as well. */
function isWhole(bytes: Buffer, asked: { readonly token: string }): boolean {
  try {
    const value = JSON.parse(bytes.toString()) as { readonly token?: unknown };
    return value.token === asked.token;
  } catch {
    return false;
  }
}
