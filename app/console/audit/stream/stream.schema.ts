import { z } from "zod";
import { address, choice, type Field, text, toggle } from "~/core/field.schema";

const PROTOCOLS = ["http", "syslog-tls", "syslog-tcp"] as const;
const FORMATS = ["json", "ndjson", "splunk", "elastic", "loki"] as const;
const STARTS = ["continue", "now", "beginning"] as const;

const appliedBy = "audit";
const http = { appliedBy, usedWith: { field: "protocol", values: ["http"] } };

/** A host with an optional port; an IPv6 address is in brackets. */
export const SYSLOG_SERVER = /^(?<host>[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?<port>\d{1,5}))?$/;

const matching = <T extends Field<string>>(field: T, pattern: RegExp, message: string): T => ({
  ...field,
  schema: field.schema.refine((value) => value === "" || pattern.test(value), message),
});

export const streamFields = {
  enabled: toggle(false, {
    appliedBy,
    label: "Send entries",
    hint: "Send new entries as they are recorded",
  }),
  protocol: choice(
    PROTOCOLS,
    "http",
    { appliedBy, label: "Protocol", hint: "Choose how the collector receives entries" },
    { http: "HTTP", "syslog-tls": "Syslog over TLS", "syslog-tcp": "Syslog over TCP (not encrypted)" },
  ),
  url: address({
    ...http,
    label: "Collector address",
    hint: "Enter the address that batches are posted to, for HTTP",
  }),
  format: choice(
    FORMATS,
    "json",
    { ...http, label: "Format", hint: "Choose what the collector expects, for HTTP" },
    {
      json: "JSON array",
      ndjson: "NDJSON",
      splunk: "Splunk HTTP Event Collector",
      elastic: "Elasticsearch bulk",
      loki: "Loki push",
    },
  ),
  keyVariable: matching(
    text("", {
      ...http,
      label: "Key variable",
      hint: "Name the environment variable with the collector's key, if it needs one",
      max: 128,
    }),
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "Enter the name of an environment variable, never the value itself",
  ),
  keyHeader: matching(
    text("Authorization", {
      ...http,
      label: "Key header",
      hint: "Enter the header with the key",
      max: 100,
    }),
    /^(?!(?:host|connection|content-.*|transfer-.*|te|upgrade|expect|keep-alive|trailer)$)[A-Za-z0-9-]+$/i,
    "Enter the name of a header, such as Authorization",
  ),
  keyScheme: matching(
    text("Bearer", {
      ...http,
      label: "Key scheme",
      hint: "Enter the word before the key, such as Bearer or Splunk; leave blank for none",
      max: 40,
    }),
    /^[A-Za-z0-9-]+$/,
    "Use letters, digits and hyphens",
  ),
  syslogServer: matching(
    text("", {
      appliedBy,
      usedWith: { field: "protocol", values: ["syslog-tls", "syslog-tcp"] },
      label: "Syslog server",
      hint: "Enter its host and port, such as logs.example.com:6514, for syslog",
      max: 240,
    }),
    SYSLOG_SERVER,
    "Enter a host and an optional port, such as logs.example.com:6514",
  ),
};

export const streamStart = choice(
  STARTS,
  "continue",
  { appliedBy, label: "Start", hint: "A stream that never ran continues with new entries" },
  { continue: "Where it stopped", now: "With new entries", beginning: "With the oldest entry" },
);

type Values = { [Name in keyof typeof streamFields]: (typeof streamFields)[Name]["fallback"] };

const described = Object.fromEntries(
  Object.entries(streamFields).map(([name, { schema, hint }]) => [name, schema.describe(hint)]),
) as unknown as { [Name in keyof Values]: z.ZodType<Values[Name]> };

const withDefaults = Object.fromEntries(
  Object.entries(streamFields).map(([name, { schema, fallback }]) => [
    name,
    (schema as z.ZodType).default(fallback),
  ]),
) as unknown as { [Name in keyof Values]: z.ZodType<Values[Name]> };

/** As stored: what is missing has its default. */
export const StreamSettings = z.object(withDefaults);
export type StreamSettings = Values;

export const StreamInput = z
  .strictObject({ ...described, start: streamStart.schema.describe("Where to start: `continue` by default") })
  .partial();
export type StreamInput = z.infer<typeof StreamInput>;

const Moment = z.iso.datetime().nullable();

export const StreamState = z.object({
  settings: z.object(described),
  version: z.int().describe("Counts the changes of the settings"),
  position: z.int().nullable().describe("Position of the last entry that the collector has taken"),
  waiting: z.int().describe("Entries that were not sent yet; 0 while the stream is off"),
  succeededAt: Moment.describe("Time when the collector last took a batch"),
  failedAt: Moment.describe("Time of the last failure"),
  error: z.string().nullable().describe("Why the last batch was not sent; null after a success"),
  failures: z.int().describe("Failed attempts since the last success"),
  nextAttemptAt: Moment.describe("Time of the next attempt after a failure"),
});
export type StreamState = z.infer<typeof StreamState>;
