import { listWaves } from "./src/store/waves.ts";
import { openBenchMesh } from "./bench/mesh/bench-mesh.ts";
import { waitUntil } from "./bench/mesh/wait-until.ts";
import { coreText, makeWaveModules } from "./bench/mesh/wave-modules.ts";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const n = Number(process.env.N ?? 24);
const hz = 100;
function cpu() {
  const out: any = {};
  for (const p of readdirSync("/proc")) if (/^\d+$/.test(p)) try {
    const s = readFileSync(`/proc/${p}/stat`, "utf8"); const cmd = readFileSync(`/proc/${p}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 90);
    const f = s.slice(s.lastIndexOf(")") + 2).split(" ");
    out[p] = { cmd, self: (Number(f[11]) + Number(f[12])) * 10, kids: (Number(f[13]) + Number(f[14])) * 10 };
  } catch {}
  return out;
}

async function profiler(pid: number) {
  process.kill(pid, "SIGUSR1");
  let list: any; for (let i = 0; i < 50; i++) { try { list = await (await fetch("http://127.0.0.1:9229/json/list")).json(); break; } catch { await new Promise((r) => setTimeout(r, 100)); } }
  const ws = new (globalThis as any).WebSocket(list[0].webSocketDebuggerUrl); await new Promise((r) => (ws.onopen = r));
  let id = 0; const waits = new Map<number, any>(); ws.onmessage = (m: any) => { const d = JSON.parse(m.data); waits.get(d.id)?.(d.result); };
  const send = (method: string, params = {}) => new Promise<any>((r) => { waits.set(++id, r); ws.send(JSON.stringify({ id, method, params })); });
  await send("Profiler.enable"); await send("Profiler.setSamplingInterval", { interval: 500 }); await send("Profiler.start");
  return async () => { const r = await send("Profiler.stop"); writeFileSync("/tmp/prof2/ctl.cpuprofile", JSON.stringify(r.profile)); ws.close(); };
}
const mesh = await openBenchMesh({ say: console.log, versions: {} } as any, { name: "wave", files: makeWaveModules(n), settings: { starvedAfterMs: 3_600_000 } });
try {
  for (let k = 2; k < 3; k++) {
    const { db, mesh: name } = mesh.connection;
    const before = (await listWaves(db, name, 1))[0]?.id;
    await mesh.source.commit({ "core/src/index.ts": coreText("t" + k, k) });
    const pid = Number(Object.entries(cpu()).find(([, x]: any) => / serve --state/.test(x.cmd))![0]); const stop = await profiler(pid); const a = cpu(); const from = performance.now();
    await mesh.controller.wakeReconcile({ mesh: name, why: "bench" });
    await waitUntil("end", async () => { const [w] = await listWaves(db, name, 1); return w !== undefined && w.id !== before && w.endedAt !== null ? w : null; }, { everyMs: 50, withinMs: 600_000 });
    await stop(); const ms = performance.now() - from; const b = cpu();
    console.log(n, "modules", Math.round(ms), "ms", (ms / n).toFixed(0), "per module");
    const rows = Object.entries(b).map(([p, x]: any) => ({ p, cmd: x.cmd, self: x.self - (a[p]?.self ?? 0), kids: x.kids - (a[p]?.kids ?? 0) })).filter((r) => r.self + r.kids > 100).toSorted((x, y) => y.self + y.kids - x.self - x.kids);
    for (const r of rows.slice(0, 9)) console.log((r.self / n).toFixed(0).padStart(6), (r.kids / n).toFixed(0).padStart(6), r.p, r.cmd);
  }
} finally { await mesh.close(); }
