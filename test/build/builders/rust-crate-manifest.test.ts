import { expect, it } from "vitest";
import { writeCrateManifest } from "../../../src/build/builders/rust-crate-manifest.ts";
import { readCargoManifest } from "../../../src/source/imports/rust-manifest.ts";

const text = `[package]
name = "core"
version = "1.0.0"
[features]
default = ["both/x", "used/x", "used?/y"]
real_blackbox = ["criterion/real_blackbox", "criterion?/z", "default", "dep:used"]
[dependencies]
used = { version = "1", optional = true }
both = "1"
[dev-dependencies]
criterion = "0.3"
both = "1"
`;

it("leaves out of features what they set of crates for development, and nothing else (R11)", () => {
  const reading = readCargoManifest(text);
  if (reading.kind !== "manifest") throw new Error("it is a manifest");
  const write = (form: "test" | "compile" | "publish"): string => writeCrateManifest(reading.manifest, form, new Map());
  for (const form of ["compile", "publish"] as const) {
    expect(write(form)).toContain('default = [ "both/x", "used/x", "used?/y" ]');
    expect(write(form)).toContain('real_blackbox = [ "default", "dep:used" ]');
    expect(write(form)).not.toContain("criterion");
  }
  expect(write("test")).toContain('"criterion/real_blackbox", "criterion?/z", "default", "dep:used"');
});
