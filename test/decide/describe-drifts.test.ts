import { expect, it } from "vitest";
import { describeLost, describeMended, listLost } from "../../src/decide/describe-drifts.ts";
import type { ResourceReport } from "../../src/core/report.ts";

const applied = { state: "applied", message: "as wanted" } as const;
const files = { id: "artifact/shop/files", ...applied, drift: { wanted: "files 1234567", found: "other files" } };
const folder = { id: "directory/shop/data", ...applied, drift: { wanted: "750", found: "nothing there" } };
const mended = (...resources: ResourceReport[]) => describeMended({ node: "shop-1", resources });
const lost = (...resources: ResourceReport[]) => listLost({ resources });

it("says of each node what was found otherwise and put right, with both values (R44)", () => {
  expect(mended(files, { id: "file/shop/a", ...applied })).toMatchObject({
    code: "drift-mended",
    subject: "shop-1",
    message: expect.stringMatching(/put it right: artifact\/shop\/files: wanted files 1234567, found other files$/),
    urgent: false,
  });
});

it("names a few, and counts the rest", () => {
  const many = Array.from({ length: 8 }, (_, at) => ({ ...files, id: `file/shop/f${at}` }));
  expect(mended(...many)?.message).toMatch(/file\/shop\/f4: .*; and 3 more$/);
});

it("says of a data folder that was gone that its data is, also where the rest is not put right yet", () => {
  expect([mended(folder)?.code, lost(folder)]).toEqual(["drift-mended", ["shop"]]);
  const notYet = { ...folder, state: "failed" } as const;
  expect([mended(notYet), lost(notYet)]).toEqual([null, ["shop"]]);
  expect(describeLost("shop-1", ["shop"])).toMatchObject([{ code: "data-lost", subject: "shop-1/shop", urgent: true }]);
});

it("names each module whose data went once, and as conditions of their own so many of a node, the others in those", () => {
  const all = Array.from({ length: 22 }, (_, at) => `m${at}`);
  expect(lost(...[...all, ...all].map((module) => ({ ...folder, id: `directory/${module}/data` })))).toEqual(all);
  const said = describeLost("shop-1", all);
  expect(said.map(({ subject }) => subject)).toEqual(all.slice(0, 20).map((module) => `shop-1/${module}`));
  expect(said[0]?.message).toBe(
    "the data folder of m0 on shop-1 was gone; its host made it anew, and empty; so were those of 2 more modules there: m20, m21",
  );
});

it("says nothing of what was never otherwise, fails now, or has another mode only", () => {
  expect(mended({ id: "file/shop/a", ...applied })).toBeNull();
  expect(mended({ ...files, state: "failed" })).toBeNull();
  const mode = { ...folder, drift: { wanted: "750", found: "700" } };
  expect([mended(mode)?.code, lost(mode)]).toEqual(["drift-mended", []]);
  expect(lost({ ...folder, id: "directory/shop/data/more" })).toEqual([]);
});
