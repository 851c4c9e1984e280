import type { AuditRow } from "~/platform/audit/audit.repo.server";
import type { StreamSettings } from "./stream.schema";

/** An entry as it is sent: JSON with all that its signature covers. */
export interface SentEntry {
  seq: number;
  id: string;
  action: string;
  /** In ms since the epoch. */
  createdAt: number;
  json: string;
}

export function toSent({ createdAt, ...row }: AuditRow): SentEntry {
  const { seq, mac, version, id, orgId, userId, actorKind, address, action, resource } = row;
  const { details, before, after, requestId } = row;
  const time = new Date(createdAt).toISOString();
  const fields = { seq, id, createdAt: time, action, resource, userId, actorKind, address, orgId, requestId };
  return {
    seq,
    id,
    action,
    createdAt,
    json: JSON.stringify({ ...fields, details, before, after, version, mac }),
  };
}

/** The first entries that are together at most `maxBytes`, and at least one. */
export function cutBatch(entries: readonly SentEntry[], maxBytes: number): SentEntry[] {
  let bytes = 0;
  const tooMany = entries.findIndex(({ json }, at) => {
    bytes += Buffer.byteLength(json);
    return at > 0 && bytes > maxBytes;
  });
  return tooMany < 0 ? [...entries] : entries.slice(0, tooMany);
}

interface Body {
  type: string;
  text: string;
}

const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join("");

/** The body of a POST with a batch. */
export function encodeBatch(entries: readonly SentEntry[], format: StreamSettings["format"]): Body {
  const all = entries.map(({ json }) => json);
  if (format === "json") return { type: "application/json", text: `[${all.join(",")}]` };
  if (format === "ndjson") return { type: "application/x-ndjson", text: lines(all) };
  if (format === "elastic") {
    // The id makes Elasticsearch refuse an entry that it already has.
    const pairs = entries.map(({ id, json }) => `${JSON.stringify({ create: { _id: id } })}\n${json}`);
    return { type: "application/x-ndjson", text: lines(pairs) };
  }
  if (format === "splunk") {
    const events = entries.map(({ createdAt, json }) => {
      const facts = { time: createdAt / 1000, source: "quarterdeck", sourcetype: "_json" };
      return `${JSON.stringify(facts).slice(0, -1)},"event":${json}}`;
    });
    return { type: "application/json", text: lines(events) };
  }
  const values = entries.map(({ createdAt, json }) => [`${createdAt}000000`, json]);
  const streams = [{ stream: { job: "quarterdeck", log: "audit" }, values }];
  return { type: "application/json", text: JSON.stringify({ streams }) };
}

/** Facility 13 is the log audit, severity 6 informational (RFC 5424 6.2.1). */
const PRIORITY = 13 * 8 + 6;

const headerText = (text: string, max: number) => text.replaceAll(/[^\x21-\x7e]/g, "_").slice(0, max) || "-";

/** RFC 5424 messages with octet counting (RFC 5425 4.3). @param host the console's */
export function encodeSyslog(entries: readonly SentEntry[], host: string): string {
  return entries
    .map(({ action, createdAt, json }) => {
      const time = new Date(createdAt).toISOString();
      const names = `${headerText(host, 255)} quarterdeck - ${headerText(action, 32)}`;
      const message = `<${PRIORITY}>1 ${time} ${names} - ${json}`;
      return `${Buffer.byteLength(message)} ${message}`;
    })
    .join("");
}
