import { describe, expect, it } from "vitest";
import { sayUnsound, type Searched } from "./secret-search.ts";

const sound: Searched = {
  hits: [],
  looked: 400,
  kinds: new Set(["output", "file", "row", "history", "cmdline", "environ"]),
  isUp: true,
  minted: 2,
  wasSeen: true,
};

describe("a search for clear secrets at the end of a bed (R46, case 51)", () => {
  it("that found none where there was one to find is sound, as one of a mesh that mints nothing", () => {
    expect(sayUnsound(sound)).toBeNull();
    expect(sayUnsound({ ...sound, minted: 0, wasSeen: false })).toBeNull();
    expect(sayUnsound({ ...sound, kinds: new Set(["file"]), isUp: false, minted: 0 })).toBeNull();
  });

  it.each<[string, Partial<Searched>, string]>([
    ["found one", { hits: ["row 0 of table told (in clear)"] }, "secrets in clear: row 0 of table told"],
    ["looked at next to nothing", { looked: 99 }, "only 99 places"],
    [
      "looked at no rows of the records",
      { kinds: new Set(["file", "history", "cmdline"]) },
      "looked at for secrets: row",
    ],
    [
      "looked at no history of Temporal",
      { kinds: new Set(["file", "row", "cmdline"]) },
      "looked at for secrets: history",
    ],
    ["looked at no process", { kinds: new Set(["file", "row", "history"]) }, "looked at for secrets: cmdline"],
    ["could have found none of what was minted", { wasSeen: false }, "2 credentials were minted"],
  ])("that %s is not", (_what, more, words) => {
    expect(sayUnsound({ ...sound, ...more })).toContain(words);
  });
});
