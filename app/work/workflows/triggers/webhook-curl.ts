import type { z } from "zod";
import type { webhook } from "./webhook.trigger.server";

type WebhookConfig = z.infer<typeof webhook.config>;

/** A word that a shell takes as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const SAMPLE = '{"name": "Ada"}';
const HMAC = (digest: string, end: string) => `openssl dgst -${digest} -hmac "$KEY" ${end}`;
const HEX = "-hex | sed 's/^.* //'";
const BASE64 = "-binary | openssl base64 -A";

interface Signing {
  /** Lines before the call, which set variables. */
  lines: readonly string[];
  headers: readonly string[];
}

/** How a shell makes the signature that the trigger verifies. */
function signingOf(config: WebhookConfig): Signing {
  if (!config.signatureKey) return { lines: [], headers: [] };
  const sign = (text: string, command: string) => `SIGNATURE=$(printf '%s' "${text}" | ${command})`;
  switch (config.signature) {
    case "x-webhook":
      return {
        lines: ["TIME=$(date +%s)", sign("$TIME.$BODY", HMAC("sha256", HEX))],
        headers: ["X-Webhook-Timestamp: $TIME", "X-Webhook-Signature: sha256=$SIGNATURE"],
      };
    case "standard":
      return {
        lines: [
          "TIME=$(date +%s) ID=msg_$(openssl rand -hex 12)",
          `SECRET=$(case "$KEY" in whsec_*) printf '%s' "\${KEY#whsec_}" | openssl base64 -d -A;; *) printf '%s' "$KEY";; esac | od -An -v -tx1 | tr -d ' \\n')`,
          sign("$ID.$TIME.$BODY", `openssl dgst -sha256 -mac HMAC -macopt "hexkey:$SECRET" ${BASE64}`),
        ],
        headers: ["webhook-id: $ID", "webhook-timestamp: $TIME", "webhook-signature: v1,$SIGNATURE"],
      };
    case "github":
      return {
        lines: [sign("$BODY", HMAC("sha256", HEX))],
        headers: ["X-Hub-Signature-256: sha256=$SIGNATURE"],
      };
    case "hmac": {
      const { signatureAlgorithm, signatureEncoding, signatureHeader } = config;
      return {
        lines: [sign("$BODY", HMAC(signatureAlgorithm, signatureEncoding === "hex" ? HEX : BASE64))],
        headers: [`${signatureHeader}: $SIGNATURE`],
      };
    }
  }
}

/**
 * A shell's call of a webhook, with what its verification wants; a signed one reads the secret from `KEY`.
 *
 * @param address of the webhook
 */
export function curlOf(address: string, config: WebhookConfig): string {
  const { method } = config;
  const { lines, headers } = signingOf(config);
  const hasBody = method !== "GET";
  const target = hasBody ? address : `${address}?name=Ada`;
  const isSigned = lines.length > 0;
  const own = hasBody ? ["Content-Type: application/json", ...headers] : headers;
  const call = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(target)}`,
    ...own.map((header) => `-H ${header.includes("$") ? `"${header}"` : quoted(header)}`),
    ...(hasBody ? [`-d ${isSigned ? '"$BODY"' : quoted(SAMPLE)}`] : []),
  ].join(" \\\n  ");
  return [...(isSigned ? [`BODY=${hasBody ? quoted(SAMPLE) : "''"}`] : []), ...lines, call].join("\n");
}
