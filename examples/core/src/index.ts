export { escapeHtml } from "./html.ts";
export { describeAge, parseRowText, type Row } from "./rows.ts";
export { backoffMs } from "./backoff.ts";
