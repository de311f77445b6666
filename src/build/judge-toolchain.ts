import type { Closure, Verdict } from "../core/artifact.ts";
import { languageSchema } from "../core/manifest.ts";
import { findBuilder } from "./builders/builders.ts";
import { describeToolchain } from "./toolchain.ts";

/**
 * Null: this machine has the toolchain of the closure. Without one nobody can judge; and with another one the verdict
 * would be kept for inputs that it is not about.
 */
export function judgeToolchain({ language, toolchain }: Closure): Verdict | null {
  const parsed = languageSchema.parse(language);
  const found = findBuilder(parsed).describeToolchain();
  const here = describeToolchain(parsed);
  if (found.kind === "present" && here === toolchain) return null;
  const message =
    found.kind === "absent"
      ? `${found.why}: ${found.next}`
      : `this machine has ${here}, and the build was planned with ${toolchain}: it is planned again`;
  return { verdict: "outstanding", class: "toolchain", message };
}
