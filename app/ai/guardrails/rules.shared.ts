export const GUARDRAIL_RULES = ["personal_data", "block_list", "token_block_list", "moderation"] as const;
export type GuardrailRule = (typeof GUARDRAIL_RULES)[number];

export const RULE_LABELS: Record<GuardrailRule, string> = {
  personal_data: "Personal data",
  block_list: "Block list",
  token_block_list: "Block list of the token",
  moderation: "Moderation",
};
