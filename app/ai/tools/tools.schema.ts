import { z } from "zod";
import { EFFECTS, type Effect } from "./effects.shared";

/** An address that a tool fetches. */
export const ToolAddress = z
  .string()
  .trim()
  .max(4000, "Use a shorter address")
  .regex(/^https?:\/\//i, { error: "Start the address with http:// or https://", abort: true })
  .refine((value) => URL.canParse(value), "Enter a valid address")
  .describe("Complete address, with https:// or http://");

const POLICIES = ["always", "ask", "never"] as const;
export const ToolPolicy = z.enum(POLICIES, { error: "Choose always, ask or never" });
export type ToolPolicy = z.infer<typeof ToolPolicy>;

/** Policy without a decision. */
export const DEFAULT_POLICY: Readonly<Record<Effect, ToolPolicy>> = {
  reads: "always",
  writes: "ask",
  outside: "ask",
};

export const ToolInfo = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().describe("Description for the model"),
  effect: z.enum(EFFECTS).describe("Reads here, writes here, or sends data outside"),
  changesOrSends: z
    .boolean()
    .describe("Whether calls can change or send data. A new chat selects only the other tools"),
  policy: ToolPolicy.describe("Whether calls always run, need approval (ask), or never run"),
  isDefaultPolicy: z
    .boolean()
    .describe(
      "No admin set the policy. In chat, `ask` then applies once the conversation has content from outside",
    ),
  inputSchema: z.record(z.string(), z.unknown()).describe("JSON Schema of the input"),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

const PolicyChoice = z
  .enum([...POLICIES, "default"], { error: "Choose always, ask, never or default" })
  .describe("`default` returns to the policy of the tool's effect");
export type PolicyChoice = z.infer<typeof PolicyChoice>;

export const ToolPolicyInput = z.strictObject({ policy: PolicyChoice });

/** Tools of a chat or a persona; a name has its plugin's id before it. */
export const ToolNames = z.array(z.string().max(200)).max(1000);

export const ToolName = z.object({ name: z.string().min(1).max(300) });

/** More tools take several forms. */
export const TOOLS_IN_FORM = 500;

/** `shown` is what a tool had when the form was drawn: what nobody changed in it isn't set. */
export const ToolPoliciesForm = z.object({
  tools: z.array(ToolName.extend({ policy: PolicyChoice, shown: PolicyChoice })).max(TOOLS_IN_FORM),
});
export type ToolPoliciesForm = z.infer<typeof ToolPoliciesForm>;
