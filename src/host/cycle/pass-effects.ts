import { atStep } from "../../core/failpoints.ts";
import type { Name } from "../../core/names.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { findTightDisks } from "../../disk/measure-room.ts";
import type { NodeContext } from "../node-context.ts";
import { collectUnneeded } from "../resources/collect-artifacts.ts";
import type { Removal } from "../resources/resource-handler.ts";
import type { ApplyResourceOptions } from "./apply-resource.ts";
import { applyAny, removeAny, type Providers } from "./handlers.ts";

/** What a pass does to the machine. */
export interface PassEffects {
  apply(resource: Resource, options: ApplyResourceOptions): Promise<ResourceReport>;
  remove(resource: Resource): Promise<Removal>;
  /**
   * Removes unpacked artifacts that nothing needs any more, but for those of the modules in `held` while there is room;
   * answers which.
   */
  collect(held: ReadonlySet<Name>): Promise<readonly string[]>;
}

export function createPassEffects(context: NodeContext, providers: Providers): PassEffects {
  return {
    apply: (resource, options) => atStep("host.resource", () => applyAny(context, providers, resource, options)),
    remove: (resource) => atStep("host.remove", () => removeAny(context, providers, resource)),
    async collect(held) {
      // On a full disk nothing is written any more, the next declaration least of all: there is no time to wait for.
      const tight = await findTightDisks([context.folders.state, context.folders.root]);
      return collectUnneeded(context, tight.some(({ room }) => room === "none") ? new Set() : held);
    },
  };
}
