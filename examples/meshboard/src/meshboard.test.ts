import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Row } from "@example/core";
import type { Board } from "./board.ts";
import { heading } from "./heading.ts";
import { renderPage } from "./page.ts";
import { readDatabaseUrl } from "./provisions.ts";
import { createBoardServer } from "./server.ts";

const now = new Date("2026-01-01T00:00:00Z");

function boardInMemory(): Board & { answers: boolean } {
  const rows: Row[] = [];
  return {
    answers: true,
    listRows: async (limit) => rows.toReversed().slice(0, limit),
    addRow: async (text) => void rows.push({ id: rows.length + 1, text, writtenAt: now }),
    async ping() {
      if (!this.answers) throw new Error("connection refused");
    },
  };
}

async function serving(board: Board, use: (url: string) => Promise<void>): Promise<void> {
  const server = createBoardServer(board, () => now);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a row that is written is shown, as text", async () => {
  await serving(boardInMemory(), async (url) => {
    const posted = await fetch(`${url}/rows`, {
      method: "POST",
      body: new URLSearchParams({ text: "<b>hello</b>" }),
      redirect: "manual",
    });
    assert.equal(posted.status, 303);
    const page = await (await fetch(url)).text();
    assert.ok(page.includes("&lt;b&gt;hello&lt;/b&gt;"));
    assert.ok(!page.includes("<b>hello"));
  });
});

test("an empty row is refused with the reason", async () => {
  await serving(boardInMemory(), async (url) => {
    const posted = await fetch(`${url}/rows`, { method: "POST", body: new URLSearchParams({ text: " " }) });
    assert.equal(posted.status, 400);
  });
});

test("it is healthy only while the database answers", async () => {
  const board = boardInMemory();
  await serving(board, async (url) => {
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    board.answers = false;
    assert.equal((await fetch(`${url}/healthz`)).status, 503);
  });
});

test("the page carries the heading", () => {
  assert.ok(renderPage([], now).includes(`<h1>${heading}</h1>`));
});

test("the database's address is read from the provisions file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "meshboard-"));
  try {
    const file = join(folder, "provisions.json");
    await writeFile(file, JSON.stringify({ database: { url: "postgresql://u:p@127.0.0.1:1/n" } }));
    assert.equal(await readDatabaseUrl(file), "postgresql://u:p@127.0.0.1:1/n");
    await writeFile(file, "{}");
    await assert.rejects(readDatabaseUrl(file), /no "database"/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
