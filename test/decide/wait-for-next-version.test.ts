import { describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { waitForNextVersion } from "../../src/decide/wait-for-next-version.ts";
import { objectId } from "./support/build-mesh-of-modules.ts";

const verdict = { verdict: "unfit", stage: "compile", message: "no exported member 'two'" } as const;

function closureOf(tree: number, core: number | null): Closure {
  return {
    module: "app",
    language: "typescript",
    tree: objectId(`tree ${tree}`),
    dependencies: core === null ? {} : { core: digestValue(["core", core]) },
    toolchain: "",
    builder: "",
    thirdParties: null,
    settings: {},
  };
}

describe("a commit that needs the next version of its dependency and arrives first (R11)", () => {
  it("is outstanding, waiting for it, and not unfit", () => {
    const judged = waitForNextVersion({ closure: closureOf(2, 1), verdict, lacks: ["core"], lastFit: closureOf(1, 1) });
    expect(judged).toMatchObject({ verdict: "outstanding", class: "dependency" });
    expect(judged).toMatchObject({ message: expect.stringMatching(/^waiting for the next version of core/) });
    expect(
      waitForNextVersion({ closure: closureOf(2, 1), verdict, lacks: ["core"], lastFit: closureOf(1, null) }),
    ).not.toBeNull();
    expect(waitForNextVersion({ closure: closureOf(1, 1), verdict, lacks: ["core"], lastFit: null })).not.toBeNull();
  });

  it("is unfit where the dependency moved and took it away", () => {
    const lastFit = closureOf(1, 1);
    expect(waitForNextVersion({ closure: closureOf(1, 2), verdict, lacks: ["core"], lastFit })).toBeNull();
    expect(waitForNextVersion({ closure: closureOf(2, 2), verdict, lacks: ["core"], lastFit })).toBeNull();
  });

  it("is unfit where anything else is wrong with it, or a test fails", () => {
    const lastFit = closureOf(1, 1);
    expect(waitForNextVersion({ closure: closureOf(2, 1), verdict, lacks: [], lastFit })).toBeNull();
    const failing = { ...verdict, stage: "test" } as const;
    expect(waitForNextVersion({ closure: closureOf(2, 1), verdict: failing, lacks: ["core"], lastFit })).toBeNull();
  });
});
