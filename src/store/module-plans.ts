import { z } from "zod";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { standingSchema } from "./modules.ts";
import { keptStanding } from "./unread-modules.ts";
import { run } from "./rows.ts";
import { storableJson } from "./storable.ts";

/** How a module stands after a plan of builds. */
export const modulePlanSchema = z.strictObject({
  module: nameSchema,
  standing: standingSchema,
  standingWhy: z.string(),
  /** Null: cannot be known yet. */
  wantedInputs: digestSchema.nullable(),
  /** The newest fit build, where this plan found one at the wanted inputs; null: what is recorded stays. */
  fit: z.strictObject({ inputs: digestSchema, artifact: digestSchema }).nullable(),
});
export type ModulePlan = z.infer<typeof modulePlanSchema>;

/** Writes only what is new, all modules in one statement. Answers how many changed. */
export function recordModulePlans(db: Queryable, mesh: Name, plans: readonly ModulePlan[]): Promise<number> {
  const rows = plans.map((plan) => ({
    ...modulePlanSchema.parse(plan),
    fitInputs: plan.fit?.inputs ?? null,
    fitArtifact: plan.fit?.artifact ?? null,
  }));
  return run(
    db,
    `update module m set standing = ${keptStanding("p.standing")}, standing_why = p."standingWhy", wanted_inputs = p."wantedInputs",
            behind_since = case when p.standing in ('waiting', 'out-of-date', 'building')
              then coalesce(m.behind_since, now()) end,
            fit_inputs = coalesce(p."fitInputs", m.fit_inputs), fit_artifact = coalesce(p."fitArtifact", m.fit_artifact)
       from jsonb_to_recordset($2::jsonb) as p(module text, standing text, "standingWhy" text, "wantedInputs" text,
            "fitInputs" text, "fitArtifact" text)
      where m.mesh = $1 and m.name = p.module
        and (m.standing, m.standing_why, m.wanted_inputs, m.fit_inputs, m.fit_artifact) is distinct from
            (${keptStanding("p.standing")}, p."standingWhy", p."wantedInputs", coalesce(p."fitInputs", m.fit_inputs),
             coalesce(p."fitArtifact", m.fit_artifact))`,
    [mesh, storableJson(rows)],
  );
}

/**
 * A build became fit: the module's newest fit artifact, also where its source has moved on meanwhile (R16, case 6). Builds of
 * one module run one after another, so a later verdict is about later inputs; but not where the source went back to what is
 * fit while it ran (case 4), nor where it was begun before this registration: that one was of another source, perhaps.
 */
export function recordFit(
  db: Queryable,
  mesh: Name,
  fit: { readonly module: Name; readonly inputs: Digest; readonly artifact: Digest },
): Promise<number> {
  return run(
    db,
    `update module m set fit_inputs = $3, fit_artifact = $4 from build b
      where m.mesh = $1 and m.name = $2 and b.mesh = m.mesh and b.module = m.name and b.inputs = $3
        and b.started_at >= m.registered_at
        and not (m.standing = 'current' and m.wanted_inputs is not null and m.wanted_inputs <> $3)`,
    [mesh, fit.module, digestSchema.parse(fit.inputs), digestSchema.parse(fit.artifact)],
  );
}
