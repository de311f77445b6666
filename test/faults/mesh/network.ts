import { execFile, spawn, type ChildProcess } from "node:child_process";
import { promisify } from "node:util";
import { waitFor } from "../../beds/support/wait-for.ts";

const run = promisify(execFile);
const subnet = "10.213.0";

/** Which packets are dropped. `from`: what the host sends. `to`: what is sent to it. */
export type Way = "from" | "to" | "both";

/** A switch with one network namespace per host, in a namespace of this run's own: it ends with the run. */
export interface Network {
  /** Of the controller's machine, which is where this process runs. */
  readonly address: string;
  addNode(node: string): Promise<{ readonly address: string }>;
  /** Words in front of a command, so that it runs on that node. */
  inside(node: string): readonly string[];
  cut(node: string, way: Way): Promise<void>;
  heal(node: string): Promise<void>;
  close(): void;
}

interface NetworkNode {
  readonly address: string;
  /** Keeps the namespace while no host runs in it. */
  readonly keeper: ChildProcess;
  readonly pid: number;
}

/** Only in a network namespace that nobody else uses (`runner/enter-namespaces.ts`), as root. */
export async function openNetwork(): Promise<Network> {
  const nodes = new Map<string, NetworkNode>();
  const find = (node: string): NetworkNode => {
    const found = nodes.get(node);
    if (found === undefined) throw new Error(`${node} is not on this network`);
    return found;
  };
  const inside = (node: string): readonly string[] => ["nsenter", "-t", String(find(node).pid), "-n", "--"];
  const onNode = (node: string, ...args: string[]): Promise<unknown> => {
    const [file = "", ...words] = [...inside(node), "ip", ...args];
    return run(file, words);
  };
  const address = `${subnet}.1`;
  await run("ip", ["link", "set", "lo", "up"]);
  // Else a bridge takes the lowest address of its ports, and what a node has learnt of it is wrong once a port is added.
  await run("ip", ["link", "add", "mesh0", "address", "02:6d:65:73:68:01", "type", "bridge"]);
  await run("ip", ["address", "add", `${address}/24`, "dev", "mesh0"]);
  await run("ip", ["link", "set", "mesh0", "up"]);
  return {
    address,
    async addNode(node) {
      const last = nodes.size + 2;
      const keeper = spawn("unshare", ["--net", "sleep", "infinity"], { stdio: "ignore" });
      const pid = keeper.pid;
      if (pid === undefined) throw new Error("unshare could not be started");
      await waitFor(`a network of ${node}`, async () => ((await isOwnNetwork(pid)) ? true : null), 10_000);
      const own = `${subnet}.${last}`;
      nodes.set(node, { address: own, keeper, pid });
      await run("ip", ["link", "add", `port${last}`, "type", "veth", "peer", "name", "eth0", "netns", String(pid)]);
      await run("ip", ["link", "set", `port${last}`, "master", "mesh0", "up"]);
      await onNode(node, "link", "set", "lo", "up");
      await onNode(node, "address", "add", `${own}/24`, "dev", "eth0");
      await onNode(node, "link", "set", "eth0", "up");
      return { address: own };
    },
    inside,
    async cut(node, way) {
      const hole = ["route", "replace", "blackhole"];
      if (way !== "to") await onNode(node, ...hole, `${address}/32`);
      if (way !== "from") await run("ip", [...hole, `${find(node).address}/32`]);
    },
    async heal(node) {
      const flush = ["route", "flush", "type", "blackhole"];
      await onNode(node, ...flush);
      await run("ip", [...flush, "exact", `${find(node).address}/32`]);
    },
    close() {
      for (const { keeper } of nodes.values()) keeper.kill("SIGKILL");
    },
  };
}

async function isOwnNetwork(pid: number): Promise<boolean> {
  const { stdout } = await run("readlink", [`/proc/self/ns/net`, `/proc/${pid}/ns/net`]);
  const [ours, theirs] = stdout.trim().split("\n");
  return theirs !== undefined && ours !== theirs;
}
