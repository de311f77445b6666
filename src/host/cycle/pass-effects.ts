import { atStep } from "../../core/failpoints.ts";
import type { Digest } from "../../core/names.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import type { NodeContext } from "../node-context.ts";
import { collectArtifacts } from "../resources/collect-artifacts.ts";
import type { Removal } from "../resources/resource-handler.ts";
import type { ApplyResourceOptions } from "./apply-resource.ts";
import { applyAny, removeAny, type Providers } from "./handlers.ts";

/** What a pass does to the machine. */
export interface PassEffects {
  apply(resource: Resource, options: ApplyResourceOptions): Promise<ResourceReport>;
  remove(resource: Resource): Promise<Removal>;
  /** Removes unpacked artifacts that nothing needs any more; answers which. */
  collect(ordered: readonly Resource[]): Promise<readonly Digest[]>;
}

export function createPassEffects(context: NodeContext, providers: Providers): PassEffects {
  return {
    apply: (resource, options) => atStep("host.resource", () => applyAny(context, providers, resource, options)),
    remove: (resource) => removeAny(context, providers, resource),
    collect(ordered) {
      const artifacts = ordered.filter((resource) => resource.kind === "artifact");
      const running = context.supervisor.list().map(({ artifact }) => artifact);
      const keep = [...artifacts.map(({ digest }) => digest), ...running];
      return collectArtifacts(
        context.folders.root,
        keep,
        artifacts.map(({ blob }) => blob),
      );
    },
  };
}
