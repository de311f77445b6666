import { z } from "zod";
import { manifestSchema } from "../core/manifest.ts";

/** The keys that the object at this path of a manifest may have; none: there is no object of fixed keys. */
export function listManifestKeys(path: readonly (string | number)[]): readonly string[] {
  let at: unknown = unwrap(manifestSchema);
  for (const step of path) {
    if (at instanceof z.ZodArray && typeof step === "number") at = unwrap(at.element);
    else if (at instanceof z.ZodObject) at = unwrap(at.shape[step]);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}
