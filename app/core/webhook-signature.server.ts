import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "./errors";

/** Unix time of the call, in seconds. */
export const TIMESTAMP_HEADER = "x-webhook-timestamp";
/** `sha256=` and the HMAC-SHA256 in hex, over the timestamp, a dot and the raw body; several are separated by commas. */
export const SIGNATURE_HEADER = "x-webhook-signature";
/** Allowed clock difference, in seconds. */
export const REPLAY_WINDOW = 300;

export const SCHEMES = ["x-webhook", "standard", "github", "hmac"] as const;
export const ALGORITHMS = ["sha256", "sha512", "sha384", "sha1"] as const;
export const ENCODINGS = ["hex", "base64"] as const;

/** How a sender signs; header, algorithm and encoding count for `hmac` alone. */
export interface SignatureRule {
  scheme: (typeof SCHEMES)[number];
  header?: string;
  algorithm?: (typeof ALGORITHMS)[number];
  encoding?: (typeof ENCODINGS)[number];
}

type CallHeaders = Readonly<Record<string, string | undefined>>;

interface Form {
  /** By lower-case name. */
  header: string;
  /** Headers whose values are signed before the body, each with a dot after it. */
  signed: readonly string[];
  timestamp?: string;
  /** Names the call in each attempt. Without it, the signature does. */
  id?: string;
  algorithm: string;
  encoding: (typeof ENCODINGS)[number];
  separator: string;
  /** Before each signature; undefined for any or none that ends with `=`. */
  prefix: string | undefined;
}

const HEX_SHA256 = { algorithm: "sha256", encoding: "hex", separator: ",", prefix: "sha256=" } as const;

const standardForm = (prefix: "webhook" | "svix"): Form => ({
  header: `${prefix}-signature`,
  signed: [`${prefix}-id`, `${prefix}-timestamp`],
  timestamp: `${prefix}-timestamp`,
  id: `${prefix}-id`,
  algorithm: "sha256",
  encoding: "base64",
  separator: " ",
  prefix: "v1,",
});

/** Svix, where the standard comes from, sends its own names unless its customer pays for others. */
const SVIX = standardForm("svix");

const FORMS: Readonly<Record<Exclude<SignatureRule["scheme"], "hmac">, Form>> = {
  "x-webhook": {
    ...HEX_SHA256,
    header: SIGNATURE_HEADER,
    signed: [TIMESTAMP_HEADER],
    timestamp: TIMESTAMP_HEADER,
  },
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: standardForm("webhook"),
  github: { ...HEX_SHA256, header: "x-hub-signature-256", signed: [] },
};

function formOf(rule: SignatureRule, headers: CallHeaders): Form {
  const { scheme, header = "", algorithm = "sha256", encoding = "hex" } = rule;
  if (scheme === "standard" && !headers[FORMS.standard.header] && headers[SVIX.header]) return SVIX;
  if (scheme !== "hmac") return FORMS[scheme];
  return {
    header: header.toLowerCase(),
    signed: [],
    algorithm,
    encoding,
    separator: ",",
    prefix: undefined,
  };
}

/** A `whsec_` secret is base64; any other is its own bytes. @throws AppError `provider_key` */
function standardKey(secret: string): Buffer {
  if (!secret.startsWith("whsec_")) return Buffer.from(secret);
  const encoded = secret.slice("whsec_".length);
  if (/^[A-Za-z0-9+/]{16,}={0,2}$/.test(encoded)) return Buffer.from(encoded, "base64");
  throw new AppError("provider_key", "The secret must have base64 after whsec_. Copy it again.");
}

function digestOf(rule: SignatureRule, secret: string, headers: CallHeaders, rawBody: Uint8Array): Buffer {
  const { algorithm, signed } = formOf(rule, headers);
  const hmac = createHmac(algorithm, rule.scheme === "standard" ? standardKey(secret) : secret);
  for (const name of signed) hmac.update(`${headers[name]}.`);
  return hmac.update(rawBody).digest();
}

/**
 * The headers of a call that the console sends: its own and those of Standard Webhooks.
 *
 * @param call.id the same in each attempt @param call.now ms since the epoch
 * @throws AppError `provider_key` for a malformed `whsec_` secret
 */
export function signCall(call: { secret: string; id: string; rawBody: Uint8Array; now: number }) {
  const { secret, id, rawBody } = call;
  const timestamp = String(Math.floor(call.now / 1000));
  const headers = { [TIMESTAMP_HEADER]: timestamp, "webhook-id": id, "webhook-timestamp": timestamp };
  const standard = digestOf({ scheme: "standard" }, secret, headers, rawBody).toString("base64");
  const own = digestOf({ scheme: "x-webhook" }, secret, headers, rawBody).toString("hex");
  return { ...headers, "webhook-signature": `v1,${standard}`, [SIGNATURE_HEADER]: `sha256=${own}` };
}

const MAX_SIGNATURES = 5;

/** @returns those in the form's encoding and length */
function signaturesIn(value: string, { encoding, separator, prefix }: Form, bytes: number): Buffer[] {
  const digits =
    encoding === "hex" ? `[0-9a-f]{${bytes * 2}}` : `[\\w+/-]{${Math.ceil((bytes * 4) / 3)}}={0,2}`;
  const form = new RegExp(`^${prefix ?? "(?:[\\w-]{1,20}=)?"}(${digits})$`, "i");
  return value.split(separator, MAX_SIGNATURES).flatMap((one) => {
    const signature = form.exec(one.trim())?.[1];
    return signature === undefined ? [] : [Buffer.from(signature, encoding)];
  });
}

interface SignedCall {
  secret: string;
  /** By lower-case name. */
  headers: CallHeaders;
  rawBody: Uint8Array;
  /** Ms since the epoch. */
  now: number;
}

export type SignatureCheck =
  | { ok: true /** The same for a replay of this call. */; replayId: string }
  | { ok: false; reason: string };

const refused = (reason: string): SignatureCheck => ({ ok: false, reason });

/**
 * Verifies a webhook's signature. The caller must refuse a `replayId` seen within the window, or seen at all if the
 * scheme signs no time.
 *
 * @throws AppError `provider_key` for a malformed `whsec_` secret
 */
export function verifySignature(
  rule: SignatureRule,
  { secret, headers, rawBody, now }: SignedCall,
): SignatureCheck {
  const form = formOf(rule, headers);
  const { header, signed, timestamp, prefix, encoding, algorithm } = form;
  // An admin names the header, perhaps as one of an object's own members.
  const missing = [header, ...signed].find((name) => !Object.hasOwn(headers, name) || !headers[name]);
  if (missing !== undefined) return refused(`The header ${missing} is missing.`);
  if (timestamp) {
    const sentAt = headers[timestamp] ?? "";
    if (!/^\d{1,12}$/.test(sentAt)) return refused(`The header ${timestamp} is not a Unix time.`);
    if (Math.abs(now / 1000 - Number(sentAt)) > REPLAY_WINDOW)
      return refused(`The timestamp is more than ${REPLAY_WINDOW} seconds off.`);
  }
  const expected = digestOf(rule, secret, headers, rawBody);
  const signatures = signaturesIn(headers[header] ?? "", form, expected.length);
  if (signatures.length === 0)
    return refused(`The header ${header} is not ${prefix ?? `${algorithm} in `}<${encoding}>.`);
  // All are compared, in constant time.
  const matches = signatures.filter(
    (one) => one.length === expected.length && timingSafeEqual(one, expected),
  );
  if (matches.length === 0) return refused("The signature doesn't match.");
  const id = form.id && headers[form.id];
  return { ok: true, replayId: id ? `id:${id}` : expected.toString("hex") };
}
