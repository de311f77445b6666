import { describe, expect, it } from "vitest";
import { explainNoAnswer } from "../../src/cli/explain-no-answer.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { readFailure } from "../../src/store/failure.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });

describe("a mesh that is not up", () => {
  it("is said as that, with the command that brings it up, and without SQL", () => {
    const said = explainNoAnswer(readFailure(refused, 'running "select name from mesh"'), "/srv/.mesh");
    expect(said).toMatchObject({
      message: "the mesh in /srv/.mesh is not up: its PostgreSQL does not answer (ECONNREFUSED)",
      next: "npm start (mesh up --state /srv/.mesh)",
    });
  });

  it.each([
    ["no answer of something else", new UnavailableError("Temporal did not answer", "", { cause: refused })],
    ["an answer that took too long", readFailure(new Error("timeout exceeded"), "running")],
    ["our own bug", new TypeError("x")],
  ])("is not said of %s", (_what, error) => {
    expect(explainNoAnswer(error, "/srv/.mesh")).toBe(error);
  });
});
