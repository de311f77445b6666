import type { PushRequest } from "../../../src/activities/open-push.ts";
import { artifactKey, type WorldModule } from "../../../src/decide/world.ts";
import type { Faults } from "../faults.ts";
import type { Random } from "../random.ts";
import { newestSent, type Records } from "../store/state.ts";
import type { StoreTwin } from "../store/twin.ts";
import type { Timeline } from "../timeline.ts";
import { meshName, moduleNames, setUpgrade } from "./mesh.ts";

/** What the loop of the controllers does by itself: it declares what became fit under `auto` (R14). */
export interface Policy {
  /** Something may have become fit. */
  wake(): void;
  /** Somebody may have written another policy into a source: answers what was done, in words, or null. */
  change(): string | null;
}

export interface PolicyParts {
  readonly store: StoreTwin;
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly random: Random;
  readonly begin: (request: PushRequest, onEnd: () => void) => void;
}

/** One push at a time; what becomes fit meanwhile goes into the next, and what a push did not bring about waits for a wake. */
export function createPolicy({ store, timeline, faults, random, begin }: PolicyParts): Policy {
  let pushes = 0;
  let isAwake = false;
  let isPushing = false;
  let tried = new Set<string>();
  const look = (): void => {
    if (isPushing || store.records.stop !== null) return;
    const due = listAutoDue(store.records);
    const key = due.map((one) => Object.values(one).join(" ")).join("\n");
    if (due.length === 0 || tried.has(key)) return;
    tried.add(key);
    pushes += 1;
    isPushing = true;
    const named = [...new Set(due.map(({ node }) => node))];
    const why = `${[...new Set(due.map(({ module }) => module))].join(", ")} became fit`;
    const request = { mesh: meshName, push: `auto-${pushes}`, kind: "auto", named, why } as const;
    begin({ ...request, requestedBy: "policy auto", confirmRemoval: false }, () => {
      isPushing = false;
      look();
    });
  };
  return {
    wake() {
      if (isAwake || !faults.isOn("policy")) return;
      isAwake = true;
      timeline.at(random.between(200, 3_000), () => {
        isAwake = false;
        tried = new Set();
        look();
      });
    },
    change() {
      if (!faults.isOn("policy") || !random.chance(0.2)) return null;
      const module = random.pick(moduleNames);
      const upgrade = random.pick(["auto", "auto", "record", null] as const);
      store.edit((draft) => setUpgrade(draft, module, upgrade));
      return `the source of ${module} says ${upgrade ?? "nothing that reads"}`;
    },
  };
}

/** What its newest source and the source of what is fit say, where they say anything. */
function isUnderAuto({ artifacts }: Records, { name, upgrade, fit }: WorldModule): boolean {
  const made = fit === null ? undefined : artifacts.get(artifactKey(name, fit))?.manifest.upgrade;
  return made === "auto" && upgrade !== "record";
}

/** Of the twin's records, by node and module; nothing after a recovery until a person has sent something. */
export function listAutoDue(records: Records): { node: string; module: string; artifact: string }[] {
  if (records.recovered !== null && records.number <= records.recovered.number) return [];
  return [...records.assignments].flatMap(([node, list]) => {
    const sent = newestSent(records, node);
    if (sent === null || sent.incarnation !== records.nodes.get(node)?.incarnation) return [];
    return list.flatMap(({ module }) => {
      const known = records.modules.get(module);
      const build = sent.builds?.[module];
      if (known?.fit == null || build === undefined || build === known.fit || !isUnderAuto(records, known)) return [];
      return [{ node, module, artifact: known.fit }];
    });
  });
}
