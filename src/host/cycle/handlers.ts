import type { ProvisionKind } from "../../core/manifest.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import type { NodeContext } from "../node-context.ts";
import type { Provider } from "../providers/provider.ts";
import { createArtifactHandler } from "../resources/artifact.ts";
import { createDirectoryHandler } from "../resources/directory.ts";
import { createFileHandler } from "../resources/file.ts";
import { createGrantHandler } from "../resources/grant.ts";
import type { Removal } from "../resources/resource-handler.ts";
import { createServiceHandler } from "../resources/service.ts";
import { applyResource, type ApplyResourceOptions } from "./apply-resource.ts";

export type Providers = Readonly<Record<ProvisionKind, Provider>>;

/** The one place that knows which file is for which kind. */
export function applyAny(
  context: NodeContext,
  providers: Providers,
  resource: Resource,
  options: ApplyResourceOptions,
): Promise<ResourceReport> {
  switch (resource.kind) {
    case "directory":
      return applyResource(createDirectoryHandler(context), resource, options);
    case "file":
      return applyResource(createFileHandler(context), resource, options);
    case "artifact":
      return applyResource(createArtifactHandler(context), resource, options);
    case "service":
      return applyResource(createServiceHandler(context), resource, options);
    case "grant":
      return applyResource(createGrantHandler(context, providers, resource.provider), resource, options);
  }
}

export function removeAny(context: NodeContext, providers: Providers, resource: Resource): Promise<Removal> {
  switch (resource.kind) {
    case "directory":
      return createDirectoryHandler(context).remove(resource);
    case "file":
      return createFileHandler(context).remove(resource);
    case "artifact":
      return createArtifactHandler(context).remove(resource);
    case "service":
      return createServiceHandler(context).remove(resource);
    case "grant":
      return createGrantHandler(context, providers, resource.provider).remove(resource);
  }
}
