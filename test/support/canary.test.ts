import { expect, it } from "vitest";
import { createCanary } from "./canary.ts";

const canary = createCanary("Canary~7/+Kq9xWmZ");

it("finds a planted marker in each spelling, wherever it stands (R46, case 51)", () => {
  const secret = `${canary.marker}rest-of-the-password`;
  const url = `postgresql://user:${encodeURIComponent(secret)}@127.0.0.1/name`;
  for (let before = 0; before < 9; before += 1) {
    const text = "x".repeat(before) + secret + "y".repeat(before);
    for (const planted of [
      text,
      JSON.stringify({ message: JSON.stringify({ text }) }),
      Buffer.from(text).toString("base64"),
      Buffer.from(text).toString("base64url"),
      Buffer.from(text).toString("hex"),
      encodeURIComponent(text),
      encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
      Buffer.from("x".repeat(before) + url).toString("base64"),
    ])
      expect(canary.find(Buffer.from(`some text ${planted} and more`)), planted).not.toBeNull();
    expect(canary.find(Buffer.from(text, "utf16le"))).toBe("in UTF-16");
  }
});

it("finds nothing where nothing is, and no half of it", () => {
  for (const text of ["", "Canary", "Canary~7", canary.marker.slice(0, -1), canary.marker.toLowerCase()])
    expect(canary.find(Buffer.from(text))).toBeNull();
  expect(canary.find(Buffer.from(Buffer.from(canary.marker.slice(4)).toString("base64")))).toBeNull();
});
