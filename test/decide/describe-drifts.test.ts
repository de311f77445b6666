import { expect, it } from "vitest";
import { describeDrifts } from "../../src/decide/describe-drifts.ts";
import type { ResourceReport } from "../../src/core/report.ts";

const applied = { state: "applied", message: "as wanted" } as const;
const files = { id: "artifact/shop/files", ...applied, drift: { wanted: "files 1234567", found: "other files" } };
const folder = { id: "directory/shop/data", ...applied, drift: { wanted: "750", found: "nothing there" } };
const words = (...resources: ResourceReport[]) => describeDrifts({ node: "shop-1", resources });

it("says of each node what was found otherwise and put right, with both values (R44)", () => {
  expect(words(files, { id: "file/shop/a", ...applied })).toMatchObject([
    {
      code: "drift-mended",
      subject: "shop-1",
      message: expect.stringMatching(/put it right: artifact\/shop\/files: wanted files 1234567, found other files$/),
      urgent: false,
    },
  ]);
});

it("names a few, and counts the rest", () => {
  const many = Array.from({ length: 8 }, (_, at) => ({ ...files, id: `file/shop/f${at}` }));
  expect(words(...many)[0]?.message).toMatch(/file\/shop\/f4: .*; and 3 more$/);
});

it("says of a data folder that was gone that its data is, also where the rest is not put right yet", () => {
  expect(words(folder).map(({ code, subject, urgent }) => [code, subject, urgent])).toEqual([
    ["drift-mended", "shop-1", false],
    ["data-lost", "shop-1/shop", true],
  ]);
  expect(words({ ...folder, state: "failed" }).map(({ code }) => code)).toEqual(["data-lost"]);
});

it("says nothing of what was never otherwise, fails now, or has another mode only", () => {
  expect(words({ id: "file/shop/a", ...applied })).toEqual([]);
  expect(words({ ...files, state: "failed" })).toEqual([]);
  expect(words({ ...folder, drift: { wanted: "750", found: "700" } }).map(({ code }) => code)).toEqual([
    "drift-mended",
  ]);
});
