/** Workflow ids that a person can read. Workflows import this file: it imports nothing. */

/** The mesh's one long-lived loop. */
export function reconcileWorkflowId(mesh: string): string {
  return `reconcile/${mesh}`;
}

/** One module at exact inputs (`sha256:<hex>`): whoever asks again meets the one that runs (R9). */
export function buildWorkflowId(mesh: string, module: string, inputs: string): string {
  return `build/${mesh}/${module}/${inputs.replace(/^sha256:/, "").slice(0, 12)}`;
}

/** One push, by the id it has in the records. */
export function pushWorkflowId(mesh: string, push: string): string {
  return `push/${mesh}/${push}`;
}

/** Round 0 is the named one. */
export function roundWorkflowId(mesh: string, push: string, round: number): string {
  return `${pushWorkflowId(mesh, push)}/round-${round}`;
}

/** Workflows and small reads. Named by mesh: several meshes may share one Temporal namespace. */
export function controlQueue(mesh: string): string {
  return `mesh-control-${mesh}`;
}

/** Machines with toolchains. */
export function buildQueue(mesh: string): string {
  return `mesh-build-${mesh}`;
}

/** Polled only by the holder of the lease. */
export function deliverQueue(mesh: string): string {
  return `mesh-deliver-${mesh}`;
}
