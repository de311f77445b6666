import { expect, it, onTestFinished } from "vitest";
import { lookAtSources, noteFailure, noteFetchFailure } from "../../src/activities/look-at-sources.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { recordLook } from "../../src/store/source-heads.ts";
import { mesh, openRecords } from "../store/open-records.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { openControl } from "./support/control-deps.ts";

it("a source that answers is not said to be away, whatever two looks at once wrote one after the other (R33)", async () => {
  const records = await openRecords();
  onTestFinished(() => records.close());
  const { db } = records;
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const commit = await origin.commit({ "a.txt": "a" });
  await addRepository(db, mesh, { name: "source", url: origin.dir });
  await addModule(db, mesh, { name: "core", repository: "source", branch: "main", path: "." });
  const deps = await openControl(records);
  // The watch's look failed; before its condition was read, that of a comparison answered.
  await noteFailure(deps, "source", "main", "503");
  await recordLook(db, mesh, { repository: "source", branch: "main", commit, askedMsAgo: 0 });
  expect((await listConditions(db, mesh)).map(({ code }) => code)).toEqual(["source-unreachable"]);
  await lookAtSources(deps);
  expect(await listConditions(db, mesh)).toEqual([]);
});

it("what git ends with a stop does not end with two (R33)", async () => {
  const records = await openRecords();
  onTestFinished(() => records.close());
  const { db } = records;
  await addRepository(db, mesh, { name: "source", url: "/nowhere/source.git" });
  await addModule(db, mesh, { name: "core", repository: "source", branch: "main", path: "." });
  const deps = await openControl(records);
  await noteFailure(deps, "source", "main", "Permission denied (publickey).\n");
  await noteFetchFailure(deps, { repository: "source", branch: "main" }, "it was stopped.");
  const messages = (await listConditions(db, mesh)).map(({ message }) => message);
  expect(messages).toHaveLength(2);
  for (const message of messages) expect(message).toMatch(/[^.]\. The last good commit stays\.$/);
});
