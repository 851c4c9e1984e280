import { z } from "zod";
import {
  ALGORITHMS,
  ENCODINGS,
  REPLAY_WINDOW,
  SCHEMES,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from "~/core/webhook-signature.server";
import { defineTrigger } from "./trigger-type";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const RESPOND = ["at once", "with Return Value", "as plain text"] as const;

const SCHEME_LABELS: Readonly<Record<(typeof SCHEMES)[number], string>> = {
  "x-webhook": SIGNATURE_HEADER.replaceAll(/(^|-)\w/g, (start) => start.toUpperCase()),
  standard: "Standard Webhooks",
  github: "GitHub",
  hmac: "Other HMAC",
};

const ALGORITHM_LABELS: Readonly<Record<(typeof ALGORITHMS)[number], string>> = {
  sha256: "SHA-256",
  sha512: "SHA-512",
  sha384: "SHA-384",
  sha1: "SHA-1",
};

const WebhookConfig = z
  .object({
    method: z.enum(METHODS, `Choose one of ${METHODS.join(", ")}`).default("POST"),
    respond: z
      .enum(RESPOND, "Choose when to respond")
      .default("at once")
      .describe("`at once` answers 202; the others wait for the run and return its value"),
    signature: z
      .enum(SCHEMES, "Choose how calls are signed")
      .default("x-webhook")
      .describe(
        `\`x-webhook\` needs ${TIMESTAMP_HEADER} and ${SIGNATURE_HEADER}, \`standard\` the headers of Standard Webhooks, both at most ${REPLAY_WINDOW} s old; \`github\` needs x-hub-signature-256, \`hmac\` the header named`,
      ),
    signatureKey: z
      .string()
      .max(100)
      .default("")
      .describe("Id of a key reference. With it each call must be signed"),
    signatureHeader: z
      .string()
      .trim()
      .regex(/^[\w-]{0,60}$/, "Enter a header's name, such as X-Signature")
      .default(""),
    signatureAlgorithm: z.enum(ALGORITHMS, "Choose an algorithm").default("sha256"),
    signatureEncoding: z.enum(ENCODINGS, "Choose an encoding").default("hex"),
  })
  .superRefine(({ signature, signatureKey, signatureHeader }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    // Unsigned calls would be accepted where signed ones are meant.
    if (signature !== "x-webhook" && !signatureKey) refuse("signatureKey", "Choose a key");
    if (signature === "hmac" && !signatureHeader)
      refuse("signatureHeader", "Enter the header that has the signature");
  });

export const webhook = defineTrigger({
  type: "webhook",
  label: "Webhook Trigger",
  description: "Start the workflow with a request to a secret address.",
  icon: "Webhook",
  defaults: {
    method: "POST",
    respond: "at once",
    signatureKey: "",
    signature: "x-webhook",
    signatureHeader: "",
    signatureAlgorithm: "sha256",
    signatureEncoding: "hex",
  },
  config: WebhookConfig,
  detail: ({ method }) => method,
  outputs: {
    body: "The body; JSON and forms as their values",
    query: "Parameters of the address",
    headers: "Headers by their lower-case names",
    method: "Method of the call",
  },
  fields: [
    {
      name: "method",
      label: "Method",
      control: { kind: "select", options: METHODS.map((value) => ({ value, label: value })) },
    },
    {
      name: "respond",
      label: "Respond",
      hint: "Choose whether the caller waits for the run.",
      control: {
        kind: "select",
        options: [
          { value: "at once", label: "At once" },
          { value: "with Return Value", label: "With Return Value" },
          { value: "as plain text", label: "With Return Value as plain text" },
        ],
      },
    },
    {
      name: "signatureKey",
      label: "Signature key",
      hint: "Choose the key reference that signs calls. Leave blank to accept unsigned calls.",
      control: { kind: "key" },
    },
    {
      name: "signature",
      label: "Signature",
      hint: `Choose how the sender signs. ${SCHEME_LABELS["x-webhook"]} is this console's own scheme.`,
      control: {
        kind: "select",
        options: SCHEMES.map((value) => ({ value, label: SCHEME_LABELS[value] })),
      },
    },
    {
      name: "signatureHeader",
      label: "Signature header",
      hint: "Other HMAC only: enter the header that has the HMAC of the body, such as X-Signature.",
      control: { kind: "text", maxLength: 60 },
    },
    {
      name: "signatureAlgorithm",
      label: "Algorithm",
      hint: "Other HMAC only.",
      control: {
        kind: "select",
        options: ALGORITHMS.map((value) => ({ value, label: ALGORITHM_LABELS[value] })),
      },
    },
    {
      name: "signatureEncoding",
      label: "Encoding",
      hint: "Other HMAC only.",
      control: {
        kind: "select",
        options: [
          { value: "hex", label: "Hex" },
          { value: "base64", label: "Base64" },
        ],
      },
    },
  ],
});
