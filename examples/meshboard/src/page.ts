import { describeAge, escapeHtml, type Row } from "@example/core";
import { heading, version } from "./heading.ts";

/** The whole page. Rows are somebody's text: escaped, never markup. */
export function renderPage(rows: readonly Row[], now: Date): string {
  const items = rows.map((row) => `<li>${escapeHtml(row.text)} <small>${describeAge(row.writtenAt, now)}</small></li>`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(heading)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}small{color:#666}</style></head>
<body>
<h1>${escapeHtml(heading)}</h1>
<p>Version ${escapeHtml(version)}, ${rows.length} ${rows.length === 1 ? "row" : "rows"}.</p>
<form method="post" action="/rows"><input name="text" maxlength="200" required placeholder="Write a row"> <button>Add</button></form>
<ul>
${items.join("\n")}
</ul>
</body>
</html>
`;
}
