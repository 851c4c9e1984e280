import { z } from "zod";
import { REPLAY_WINDOW, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "~/core/webhook-signature.server";
import { defineTrigger } from "./trigger-type";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const webhook = defineTrigger({
  type: "webhook",
  label: "Webhook Trigger",
  description: "Start the workflow with a request to a secret address.",
  icon: "Webhook",
  defaults: { method: "POST", respond: "at once", signatureKey: "" },
  config: z.object({
    method: z.enum(METHODS, `Choose one of ${METHODS.join(", ")}`).default("POST"),
    respond: z
      .enum(["at once", "with Return Value"], "Choose when to respond")
      .default("at once")
      .describe("`at once` answers 202; `with Return Value` waits for the run"),
    signatureKey: z
      .string()
      .max(100)
      .default("")
      .describe(
        `Id of a key reference. With it each call needs ${TIMESTAMP_HEADER} and ${SIGNATURE_HEADER}, at most ${REPLAY_WINDOW} s old`,
      ),
  }),
  outputs: {
    body: "The body; a JSON body as its value",
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
        ],
      },
    },
    {
      name: "signatureKey",
      label: "Signature key",
      hint: `Choose a key reference to require ${SIGNATURE_HEADER}: sha256= and the HMAC-SHA256 of timestamp, dot and body. Leave blank to accept unsigned calls.`,
      control: { kind: "key" },
    },
  ],
});
